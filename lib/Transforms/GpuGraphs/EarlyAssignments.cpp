#include "Transforms/GpuGraphs/EarlyAssignments.h"

#include "sdfgc/Analysis/Flow/AssignedSymbols.h"
#include "sdfgc/Analysis/Flow/FlowWalk.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"

#include <algorithm>

namespace sdfgc::transforms {

using namespace ir;

namespace {

/// The names that an edge assigns, and those in the assigned values.
struct Assigned {
    std::set<Name> set, of;
    Assigned() = default;
    explicit Assigned(const InterstateEdge &e) {
        for (const auto &[symbol, value] : e.assignments) {
            set.insert(symbol);
            of.merge(analysis::namesInCode({value, Language::Python}, *e.src->sdfg()));
        }
    }
};

bool overlap(const std::set<Name> &a, const std::set<Name> &b) {
    return std::any_of(a.begin(), a.end(), [&b](Name n) { return b.count(n) != 0; });
}

bool isSymbol(const SDFG &g, Name n) {
    const Type *type = g.symbols.find(n);
    return !g.desc(n) && !(type && type->isCallback());
}

/// `before`: null if the region starts with the state.
bool canMove(const State &s, const InterstateEdge *before, const InterstateEdge &after) {
    if (after.assignments.empty() || (before && !before->isUnconditional()) || !after.isUnconditional())
        return false;
    const Assigned later(after), earlier = before ? Assigned(*before) : Assigned();
    return std::all_of(later.of.begin(), later.of.end(), [&s](Name n) { return isSymbol(*s.sdfg(), n); }) &&
           !overlap(earlier.set, later.set) && !overlap(earlier.set, later.of) && !overlap(earlier.of, later.set) &&
           !overlap(analysis::readIn(s), later.set);
}

} // namespace

bool assignEarly(Region &r, const std::function<bool(State &, Block &)> &parts,
                 const std::function<std::string(const std::string &)> &fresh) {
    bool changed = false;
    const std::vector<Block *> order = analysis::blocksInOrder(r);
    for (auto b = order.rbegin(); b != order.rend(); ++b) { // an assignment hoisted above one state may be hoisted further
        auto *s = dyn_cast<State>(*b);
        const bool isFirst = s && s->inEdges().empty() && r.start() == s; // finding the start takes time
        if (!s || (s->inEdges().size() != 1 && !isFirst) || s->outEdges().size() != 1)
            continue;
        InterstateEdge &after = *s->outEdges().front();
        if (!canMove(*s, isFirst ? nullptr : s->inEdges().front(), after) || !parts(*s, *after.dst))
            continue;
        if (isFirst)
            r.addStateBefore(s, fresh("before_" + s->label));
        std::move(after.assignments.begin(), after.assignments.end(), std::back_inserter(s->inEdges().front()->assignments));
        after.assignments.clear();
        changed = true;
    }
    return changed;
}

} // namespace sdfgc::transforms
