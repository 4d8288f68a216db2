// Faults in memlets and edges.
#include "Damage.h"

#include "sdfgc/IR/StateGraph.h"

#include <functional>

namespace sdfgc::random {
namespace {

using namespace ir;
using Numbers = test::RandomNumbers;

std::vector<Edge *> edgesWhere(SDFG &root, const std::function<bool(const Edge &)> &fits) {
    std::vector<Edge *> out;
    for (SDFG *g : allSDFGs(root))
        for (State *s : allStates(*g))
            for (const auto &e : s->edges())
                if (fits(*e))
                    out.push_back(e.get());
    return out;
}

bool readsElement(const Edge &e) {
    return isa<Tasklet>(e.dst) && e.memlet.subset && e.memlet.subset->rank() > 0 && !e.memlet.otherSubset &&
           e.memlet.subset->isOneElement();
}

bool isUpdate(const Edge &e) { return !e.memlet.wcr.empty(); }

} // namespace

bool shiftSubset(SDFG &root, Numbers &random) {
    Edge *e = onePlace(edgesWhere(root, readsElement), random);
    if (!e)
        return false;
    sym::Range &r = e->memlet.subset->dims[random.below(e->memlet.subset->rank())];
    r.begin = r.begin + 1;
    r.end = r.end + 1;
    return true;
}

bool exchangeSubscripts(SDFG &root, Numbers &random) {
    Edge *e = onePlace(edgesWhere(root,
                                  [](const Edge &e) {
                                      return readsElement(e) && e.memlet.subset->rank() >= 2 &&
                                             e.memlet.subset->dims[0].begin != e.memlet.subset->dims[1].begin;
                                  }),
                       random);
    if (e)
        std::swap(e->memlet.subset->dims[0], e->memlet.subset->dims[1]);
    return e != nullptr;
}

bool dropOrder(SDFG &root, Numbers &random) {
    Edge *e = onePlace(edgesWhere(root,
                                  [](const Edge &e) {
                                      const bool holdsInScope = e.src->isEntry() || e.dst->isExit();
                                      return e.memlet.isEmpty() && !e.srcConn && !holdsInScope && !isa<LibraryNode>(e.src) &&
                                             !isa<LibraryNode>(e.dst);
                                  }),
                       random);
    if (e)
        e->src->state()->removeEdge(e);
    return e != nullptr;
}

bool readTooEarly(SDFG &root, Numbers &random) {
    Edge *e = onePlace(edgesWhere(root,
                                  [](const Edge &e) {
                                      return isa<AccessNode>(e.src) && !e.src->inEdges().empty() && !e.memlet.isEmpty() &&
                                             (isa<MapEntry>(e.dst) || isa<Tasklet>(e.dst)) &&
                                             ScopeTree(*e.src->state()).enclosing(e.src).empty();
                                  }),
                       random);
    if (!e)
        return false;
    State &s = *e->src->state();
    s.setSource(e, s.add<AccessNode>(cast<AccessNode>(e->src)->data), e->srcConn);
    return true;
}

bool loseConflict(SDFG &root, Numbers &random) {
    Edge *e = onePlace(edgesWhere(root, isUpdate), random);
    if (!e)
        return false;
    for (Edge *part : memletPath(e))
        part->memlet.wcr.clear();
    return true;
}

bool exchangeConflict(SDFG &root, Numbers &random) {
    Edge *e = onePlace(edgesWhere(root, isUpdate), random);
    if (!e)
        return false;
    const bool isSum = e->memlet.wcr.find('+') != std::string::npos;
    for (Edge *part : memletPath(e))
        part->memlet.wcr = isSum ? "lambda a, b: max(a, b)" : "lambda a, b: a + b";
    return true;
}

bool exchangeCopySides(SDFG &root, Numbers &random) {
    Edge *e = onePlace(edgesWhere(root,
                                  [](const Edge &e) {
                                      const auto &a = e.memlet.subset, &b = e.memlet.otherSubset;
                                      return isa<AccessNode>(e.src) && isa<AccessNode>(e.dst) && a && b && *a != *b &&
                                             a->rank() == b->rank();
                                  }),
                       random);
    if (e)
        std::swap(*e->memlet.subset, *e->memlet.otherSubset);
    return e != nullptr;
}

bool exchangeOperands(SDFG &root, Numbers &random) {
    std::vector<Node *> tasklets;
    for (Edge *e : edgesWhere(root, readsElement))
        if (e->dst->inEdges().size() >= 2 && readsElement(*e->dst->inEdges()[0]) && readsElement(*e->dst->inEdges()[1]))
            tasklets.push_back(e->dst);
    Node *t = onePlace(tasklets, random);
    if (!t)
        return false;
    Edge *a = t->inEdges()[0], *b = t->inEdges()[1];
    const Name first = a->dstConn;
    State &s = *t->state();
    s.setDestination(a, t, b->dstConn);
    s.setDestination(b, t, first);
    return true;
}

bool moveView(SDFG &root, Numbers &random) {
    Edge *e = onePlace(edgesWhere(root, [](const Edge &e) { return e.dstConn == Name("views") && e.memlet.subset; }), random);
    if (!e)
        return false;
    sym::Range &r = e->memlet.subset->dims.back();
    r.begin = r.begin + 1;
    return true;
}

} // namespace sdfgc::random
