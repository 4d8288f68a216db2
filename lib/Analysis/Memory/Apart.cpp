#include "sdfgc/Analysis/Memory/Apart.h"

#include "sdfgc/Analysis/Scopes.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"

#include <algorithm>

namespace sdfgc::analysis {

using namespace ir;

/// Collects the memlets of one operation.
class ApartElements::ElementCollector {
public:
    ElementCollector(StreamSteps &steps, State &s, Memory m, Elements &out)
        : steps_(steps), state_(s), scopes_(s), memory_(m), name_(steps.owner(m).second), out_(out) {
        const DataDesc *d = steps.desc(m);
        out_.known = steps.owner(m).first == s.sdfg() && d && d->isArray() && d->alias == AliasKind::None && !d->mayAlias;
    }

    void run(const StreamStep &step) {
        if (step.edge)
            return copy(*step.edge);
        if (const auto *m = dyn_cast<MapEntry>(step.node))
            return map(*m, {});
        node(*step.node, {});
    }

private:
    void copy(const Edge &e) {
        const auto &from = static_cast<const AccessNode &>(*e.src), &to = static_cast<const AccessNode &>(*e.dst);
        if (steps_.memory(from) == steps_.memory(to))
            return unknown();
        if (steps_.memory(from) == memory_)
            touched(out_.reads, from.data, sourceSubset(&e), {});
        else
            touched(out_.writes, to.data, destinationSubset(&e), {});
    }
    void map(const MapEntry &m, std::vector<LoopLevel> around) {
        if (hasDynamicRange(m))
            return unknown();
        addLoops(around, m);
        for (const Node *n : scopes_.children(&m)) {
            if (const auto *inner = dyn_cast<MapEntry>(n))
                map(*inner, around);
            else if (!n->isExit())
                node(*n, around);
        }
    }
    /// Accesses of a node to containers outside of the scopes around it.
    void node(const Node &n, const std::vector<LoopLevel> &loops) {
        const auto *a = dyn_cast<AccessNode>(&n);
        if (isa<ConsumeEntry>(&n) || (a && steps_.memory(*a) == memory_))
            return unknown(); // a queue, or a container used without an edge through the scope
        for (const Edge *e : n.inEdges())
            end(*e, pathSource(e), out_.reads, isa<NestedSDFGNode>(&n), loops);
        for (const Edge *e : n.outEdges())
            end(*e, pathDestination(e), out_.writes, isa<NestedSDFGNode>(&n), loops);
    }
    void end(const Edge &e, const Node *far, std::vector<AccessInstance> &list, bool isNested,
             const std::vector<LoopLevel> &loops) {
        const auto *a = dyn_cast<AccessNode>(far);
        if (e.memlet.isEmpty() || !a || steps_.memory(*a) != memory_)
            return;
        if (isNested || e.memlet.data != name_)
            return unknown();
        touched(list, a->data, e.memlet.subset, loops);
    }
    void touched(std::vector<AccessInstance> &list, Name data, const std::optional<sym::Subset> &subset,
                 const std::vector<LoopLevel> &loops) {
        if (data != name_ || !subset || !isFixed(*subset, loops))
            return unknown();
        list.push_back({subset, loops});
    }
    /// Does the subset depend only on parameters of the surrounding maps and on symbols?
    bool isFixed(const sym::Subset &subset, const std::vector<LoopLevel> &loops) const {
        std::set<Name> names = subset.freeSymbols();
        for (const LoopLevel &l : loops)
            for (sym::Expr e : {l.range.begin, l.range.end, l.range.step})
                names.insert(e.freeSymbols().begin(), e.freeSymbols().end());
        return std::all_of(names.begin(), names.end(), [&](Name n) {
            return state_.sdfg()->symbols.find(n) ||
                   std::any_of(loops.begin(), loops.end(), [n](const LoopLevel &l) { return l.variable == n; });
        });
    }
    void unknown() { out_.known = false; }

    StreamSteps &steps_;
    State &state_;
    ScopeTree scopes_;
    const Memory memory_;
    const Name name_;
    Elements &out_;
};

const ApartElements::Elements &ApartElements::elements(const StreamStep &step, Memory m) {
    const void *const what = step.edge ? static_cast<const void *>(step.edge) : step.node;
    const auto [at, isNew] = known_.try_emplace({what, m});
    if (isNew) {
        if (step.node && step.node->state())
            ElementCollector(steps_, *step.node->state(), m, at->second).run(step);
        else
            at->second.known = false; // a loop or branch of the device
    }
    return at->second;
}

bool ApartElements::of(const StreamStep &a, const StreamStep &b, Memory m) {
    const Elements &one = elements(a, m), &other = elements(b, m);
    if (!one.known || !other.known || a.node->state()->sdfg() != b.node->state()->sdfg())
        return false;
    const SDFG &g = *a.node->state()->sdfg();
    const auto found = facts_.find(&g);
    const sym::Assumptions &facts = (found != facts_.end() ? found : facts_.emplace(&g, factsOf(g)).first)->second;
    const auto meet = [&](const std::vector<AccessInstance> &x, const std::vector<AccessInstance> &y) {
        return std::any_of(x.begin(), x.end(), [&](const AccessInstance &i) {
            return std::any_of(y.begin(), y.end(), [&](const AccessInstance &j) { return conflictOf(i, j, 0, facts).has_value(); });
        });
    };
    return !meet(one.writes, other.writes) && !meet(one.writes, other.reads) && !meet(one.reads, other.writes);
}

} // namespace sdfgc::analysis
