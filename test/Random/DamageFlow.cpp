// Faults in control flow.
#include "Damage.h"

#include "sdfgc/IR/StateGraph.h"

namespace sdfgc::random {
namespace {

using namespace ir;
using Numbers = test::RandomNumbers;

template <class T> std::vector<T *> blocksOf(SDFG &root) {
    std::vector<T *> out;
    for (SDFG *g : allSDFGs(root))
        for (Block *b : allBlocks(*g))
            if (auto *found = dyn_cast<T>(b))
                out.push_back(found);
    return out;
}

std::vector<InterstateEdge *> edgesOf(SDFG &root) {
    std::vector<InterstateEdge *> out;
    for (SDFG *g : allSDFGs(root))
        for (Region *r : allRegions(*g))
            for (const auto &e : r->edges())
                out.push_back(e.get());
    return out;
}

/// Replaces one occurrence of a text in the code; returns false if there is none.
bool replaceIn(Code &code, std::string_view what, std::string_view by) {
    std::string text = code.text();
    const std::size_t at = text.find(what);
    if (at == std::string::npos)
        return false;
    code = {text.replace(at, what.size(), by), code.language()};
    return true;
}

} // namespace

bool loseState(SDFG &root, Numbers &random) {
    std::vector<State *> places;
    for (State *s : blocksOf<State>(root))
        if (!s->nodes().empty())
            places.push_back(s);
    State *s = onePlace(places, random);
    if (!s)
        return false;
    std::vector<Node *> all;
    for (const auto &n : s->nodes())
        all.push_back(n.get());
    s->removeNodes(all);
    return true;
}

bool exchangeBranches(SDFG &root, Numbers &random) {
    ConditionalBlock *c = onePlace(blocksOf<ConditionalBlock>(root), random);
    if (!c || !c->branches().front().condition)
        return false;
    Code &condition = *c->branches().front().condition;
    condition = "not (" + condition.text() + ")";
    return true;
}

bool loopOnceMore(SDFG &root, Numbers &random) {
    LoopRegion *l = onePlace(blocksOf<LoopRegion>(root), random);
    return l && l->condition &&
           (replaceIn(*l->condition, " < ", " <= ") || replaceIn(*l->condition, " >= 0", " >= -1") ||
            replaceIn(*l->condition, "<", "<="));
}

bool loopFromOne(SDFG &root, Numbers &random) {
    LoopRegion *l = onePlace(blocksOf<LoopRegion>(root), random);
    return l && l->init && replaceIn(*l->init, "= 0", "= 1");
}

bool loseAssignment(SDFG &root, Numbers &random) {
    std::vector<InterstateEdge *> places;
    for (InterstateEdge *e : edgesOf(root))
        if (!e->assignments.empty())
            places.push_back(e);
    InterstateEdge *e = onePlace(places, random);
    if (e)
        e->assignments.pop_back();
    return e != nullptr;
}

bool negateEdge(SDFG &root, Numbers &random) {
    std::vector<InterstateEdge *> places;
    for (InterstateEdge *e : edgesOf(root))
        if (!e->isUnconditional())
            places.push_back(e);
    InterstateEdge *e = onePlace(places, random);
    if (!e) // raised control flow
        return exchangeBranches(root, random);
    e->condition = "not (" + e->condition.text() + ")";
    return true;
}

bool exchangeStates(SDFG &root, Numbers &random) {
    std::vector<InterstateEdge *> places;
    for (InterstateEdge *e : edgesOf(root)) {
        const auto *a = dyn_cast<State>(e->src), *b = dyn_cast<State>(e->dst);
        if (a && b && !a->nodes().empty() && !b->nodes().empty() && a != b)
            places.push_back(e);
    }
    InterstateEdge *between = onePlace(places, random);
    if (!between)
        return false;
    Block *a = between->src, *b = between->dst;
    Region &r = *a->parent();
    const bool wasStart = r.start() == a;
    for (const auto &e : r.edges()) {
        r.setSource(e.get(), e->src == a ? b : e->src == b ? a : e->src);
        r.setDestination(e.get(), e->dst == a ? b : e->dst == b ? a : e->dst);
    }
    if (wasStart)
        r.setStart(b);
    return true;
}

} // namespace sdfgc::random
