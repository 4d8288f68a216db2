#include "sdfgc/Analysis/Dependences/DependentIterations.h"

#include "sdfgc/Analysis/Dependences/DisjointIterations.h"
#include "sdfgc/Analysis/Dependences/WcrTargets.h"
#include "sdfgc/Analysis/Memory/Access.h"
#include "sdfgc/Analysis/Memory/Copies.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/Tasklet/Types.h"

#include <algorithm>
#include <map>

namespace sdfgc::analysis {

using namespace ir;

void addDynamicRanges(const std::vector<Node *> &around, const Node *scope, std::set<Name> &varying) {
    for (const Node *inner : around) {
        if (inner == scope)
            return;
        for (const Connector &c : inner->inConnectors)
            if (isDynamicRange(c.name))
                varying.insert(c.name);
    }
}

std::optional<sym::Subset> touchedByIteration(const MapEntry &map, sym::Subset touched, const std::vector<Node *> &around,
                                              const sym::Subset &whole, const sym::Assumptions &facts) {
    for (const Node *scope : around) {
        const auto *inner = dyn_cast<MapEntry>(scope);
        if (inner == &map || !inner)
            return inner ? std::optional(touched) : std::nullopt;
        for (std::size_t p = inner->params.size(); p-- > 0;)
            touched = sym::propagate(touched, inner->params[p], inner->ranges[p], whole, facts);
    }
    return std::nullopt;
}

namespace {

/// The access of one map iteration to a container that is not private to it.
struct Touch {
    std::optional<sym::Subset> subset; // nothing: any element
    std::set<Name> varying;            // its symbols with a different value in each iteration
    bool writes = false;
    std::optional<py::Reduction> update; // a conflict resolution whose updates may be reordered
};

class IterationTouches {
public:
    IterationTouches(const MapEntry &map, const ScopeTree &scopes)
        : map_(map), scopes_(scopes), g_(*map.state()->sdfg()), facts_(factsOf(g_)), shared_(sharedContainers(g_)) {
        for (std::size_t i = 0; i < map.params.size(); ++i)
            parameters_.push_back({map.params[i], map.ranges[i], true});
    }

    Name conflict() {
        for (const auto &e : map_.state()->edges())
            if (!e->memlet.isEmpty())
                collect(*e);
        for (const auto &[container, touches] : touches_)
            for (const Touch &a : touches)
                for (const Touch &b : touches)
                    if (a.writes && mayMeet(a, b))
                        return container;
        return {};
    }

private:
    bool isInside(const Node *n) const { return scopes_.encloses(&map_, n); }

    /// Edges where data is used rather than passed through a scope's border.
    static bool readsAtEnd(const Edge &e) {
        return !(e.dst->isEntry() || e.dst->isExit()) || (e.dst->isEntry() && isDynamicRange(e.dstConn));
    }
    static bool writesAtBeginning(const Edge &e) { return !(e.src->isEntry() || e.src->isExit()); }

    void collect(const Edge &e) {
        if (isInside(e.dst) && readsAtEnd(e))
            add(pathSource(&e), e, e.dst, sourceSubset(&e), false);
        if (isInside(e.src) && writesAtBeginning(e))
            add(pathDestination(&e), e, e.src, destinationSubset(&e), true);
        if (isInside(e.src) && isa<AccessNode>(e.src))
            add(e.src, e, e.src, sourceSubset(&e), false);
        if (isInside(e.dst) && isa<AccessNode>(e.dst))
            add(e.dst, e, e.dst, destinationSubset(&e), true);
    }

    /// `by`: the node whose scopes enclose the access.
    void add(const Node *data, const Edge &e, const Node *by, std::optional<sym::Subset> subset, bool writes) {
        const AccessNode *node = nodeBehindViews(data);
        const Name container = node ? ownerOf(node->data) : Name();
        if (!container || (isInside(node) && !shared_.count(container)))
            return;
        if (node != data)
            subset.reset();
        Touch t;
        t.writes = writes;
        const std::vector<Node *> around = scopes_.enclosing(by);
        if (const DataDesc *d = g_.desc(node->data); d && subset && !e.memlet.dynamic)
            t.subset = touchedByIteration(map_, *subset, around, d->fullSubset(), facts_);
        addDynamicRanges(around, &map_, t.varying);
        t.update = writes ? orderlessUpdate(e) : std::nullopt;
        touches_[container].push_back(std::move(t));
    }

    /// min_location and max_location resolve ties in favour of the first one.
    static std::optional<py::Reduction> orderlessUpdate(const Edge &e) {
        using py::Reduction;
        const auto wcr = py::parseWcr(e.memlet.wcr);
        if (e.memlet.wcr.empty() || !wcr.value || usesOldValue(e))
            return std::nullopt;
        const Reduction kind = wcr.value->kind;
        const bool ordered = kind == Reduction::Custom || kind == Reduction::Exchange || kind == Reduction::MinLocation ||
                             kind == Reduction::MaxLocation;
        return ordered ? std::nullopt : std::optional(kind);
    }

    /// Can different iterations of `a` and `b` access the same element?
    bool mayMeet(const Touch &a, const Touch &b) const {
        if (a.update && a.update == b.update)
            return false;
        if (!a.subset || !b.subset || a.subset->rank() != b.subset->rank())
            return true;
        std::set<Name> varying = a.varying;
        varying.insert(b.varying.begin(), b.varying.end());
        return !areIterationsApart(*a.subset, *b.subset, parameters_, varying, facts_);
    }

    const MapEntry &map_;
    const ScopeTree &scopes_;
    const SDFG &g_;
    const sym::Assumptions facts_;
    const std::set<Name> shared_;
    std::vector<IterationParameter> parameters_;
    std::map<Name, std::vector<Touch>> touches_;
};

} // namespace

Name sharedByIterations(const MapEntry &map, const ScopeTree &scopes) { return IterationTouches(map, scopes).conflict(); }

} // namespace sdfgc::analysis
