// Faults in scopes, code and containers.
#include "Damage.h"

#include "sdfgc/IR/StateGraph.h"

#include <algorithm>
#include <cctype>
#include <functional>

namespace sdfgc::random {
namespace {

using namespace ir;
using Numbers = test::RandomNumbers;

template <class T> std::vector<T *> nodesWhere(SDFG &root, const std::function<bool(const T &)> &fits) {
    std::vector<T *> out;
    for (SDFG *g : allSDFGs(root))
        for (State *s : allStates(*g))
            for (T *n : nodesOf<T>(*s))
                if (fits(*n))
                    out.push_back(n);
    return out;
}

MapEntry *oneMap(SDFG &root, Numbers &random) {
    return onePlace(
        nodesWhere<MapEntry>(root, [](const MapEntry &m) { return !m.ranges.empty() && !m.ranges.back().steps().isOne(); }),
        random);
}

/// Removes a node and connects its predecessors and successors with edges without data, so that they stay in their scope.
void remove(Node &n) {
    State &s = *n.state();
    for (Edge *in : n.inEdges())
        for (Edge *out : n.outEdges())
            s.connect(in->src, {}, out->dst, {}, Memlet::empty());
    s.removeNode(&n);
}

} // namespace

bool loseLastIteration(SDFG &root, Numbers &random) {
    MapEntry *m = oneMap(root, random);
    if (m)
        m->ranges.back().end -= m->ranges.back().step;
    return m != nullptr;
}

bool addIteration(SDFG &root, Numbers &random) {
    MapEntry *m = oneMap(root, random);
    if (m)
        m->ranges.back().end += m->ranges.back().step;
    return m != nullptr;
}

bool doubleStep(SDFG &root, Numbers &random) {
    MapEntry *m = oneMap(root, random);
    if (m)
        m->ranges.back().step *= 2;
    return m != nullptr;
}

bool loseInitialisation(SDFG &root, Numbers &random) {
    Tasklet *t = onePlace(nodesWhere<Tasklet>(root,
                                              [](const Tasklet &t) {
                                                  return std::all_of(t.inEdges().begin(), t.inEdges().end(),
                                                                     [](const Edge *e) { return e->memlet.isEmpty(); }) &&
                                                         t.outEdges().size() == 1 && t.outEdges().front()->memlet.wcr.empty() &&
                                                         isa<AccessNode>(t.outEdges().front()->dst) && !t.inEdges().empty();
                                              }),
                          random);
    if (t)
        remove(*t);
    return t != nullptr;
}

bool changeNumber(SDFG &root, Numbers &random) {
    // A digit that is a complete number.
    auto digit = [](const std::string &code) {
        auto isPart = [&](std::size_t at) {
            return at < code.size() && (std::isalnum(static_cast<unsigned char>(code[at])) || code[at] == '.' || code[at] == '_');
        };
        for (std::size_t at = 0; at < code.size(); ++at)
            if (std::isdigit(static_cast<unsigned char>(code[at])) && !isPart(at - 1) && !isPart(at + 1))
                return at;
        return std::string::npos;
    };
    Tasklet *t = onePlace(
        nodesWhere<Tasklet>(root, [&](const Tasklet &t) { return t.code.isPython() && digit(t.code.text()) != std::string::npos; }),
        random);
    if (!t)
        return false;
    std::string text = t->code.text();
    char &c = text[digit(text)];
    c = c == '9' ? '1' : static_cast<char>(c + 1);
    t->code = std::move(text);
    return true;
}

bool changeMapping(SDFG &root, Numbers &random) {
    NestedSDFGNode *n =
        onePlace(nodesWhere<NestedSDFGNode>(root, [](const NestedSDFGNode &n) { return !n.symbolMapping.empty(); }), random);
    if (!n)
        return false;
    sym::Expr &value = n->symbolMapping[random.below(n->symbolMapping.size())].second;
    value = value + 1;
    return true;
}

bool narrowType(SDFG &root, Numbers &random) {
    std::vector<DataDesc *> places;
    for (SDFG *g : allSDFGs(root))
        for (const auto &[name, d] : g->arrays)
            if (d.transient && !d.isView() && (d.dtype == Type(ScalarKind::Float64) || d.dtype == Type(ScalarKind::Int64)))
                places.push_back(g->arrays.find(name));
    DataDesc *d = onePlace(places, random);
    if (d)
        d->dtype = d->dtype == Type(ScalarKind::Float64) ? ScalarKind::Float32 : ScalarKind::Int8;
    return d != nullptr;
}

bool shareMemory(SDFG &root, Numbers &random) {
    struct Pair {
        SDFG *g;
        Name kept, lost;
    };
    std::vector<Pair> pairs;
    for (SDFG *g : allSDFGs(root))
        for (const auto &[a, first] : g->arrays)
            for (const auto &[b, second] : g->arrays)
                if (a < b && first.transient && second.transient && !first.isStream() && !first.isView() && !second.isView() &&
                    first.dtype == second.dtype && first.kind == second.kind && first.shape == second.shape &&
                    first.strides == second.strides && first.storage == second.storage)
                    pairs.push_back({g, a, b});
    if (pairs.empty())
        return false;
    const Pair p = random.pick(pairs);
    for (State *s : allStates(*p.g)) {
        for (AccessNode *n : nodesOf<AccessNode>(*s))
            if (n->data == p.lost)
                n->data = p.kept;
        for (const auto &e : s->edges())
            if (e->memlet.data == p.lost)
                e->memlet.data = p.kept;
    }
    return true;
}

bool loseNode(SDFG &root, Numbers &random) {
    Tasklet *t =
        onePlace(nodesWhere<Tasklet>(
                     root, [](const Tasklet &t) { return ScopeTree(*t.state()).enclosing(&t).empty() && !t.outEdges().empty(); }),
                 random);
    if (t)
        remove(*t);
    return t != nullptr;
}

} // namespace sdfgc::random
