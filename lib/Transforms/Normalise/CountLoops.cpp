// count-loops: turn `while` loops that count into `for` loops.
//
//     i = 0                                      for i = 0; i < N; i = i + 1 {
//     while i < N {                      ->          a
//         a                                      }
//         i = i + 1
//     }
//
// The header gives the trip count, which determines the size of tapes (Differentiate/Values.h) and allows the loop to be
// cut into segments.
//
// Legal when:
//   1. The condition tests one symbol, to which the end of each iteration adds a constant (sdfgc/Analysis/Flow/LoopHeader.h).
//      Nothing in the iteration reads the symbol after that.
//   2. The only edge to the loop assigns the initial value of the symbol. Nothing assigns the names in that value, so the
//      header evaluates to the same.
//
// Not handled: loops whose body ends in a branch, `do ... while` loops, and counters in containers (demote-symbols turns
// many of these into symbols).
#include "Transforms/Normalise/Normalise.h"

#include "sdfgc/Analysis/Flow/AssignedSymbols.h"
#include "sdfgc/Analysis/Flow/Loops.h"

#include "sdfgc/Analysis/Flow/LoopHeader.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/Transforms/Passes.h"

#include <algorithm>

namespace sdfgc::transforms {

using namespace ir;

namespace {

using Assignment = std::pair<Name, std::string>;

Assignment *assignmentOf(InterstateEdge &e, Name symbol) {
    const auto it = std::find_if(e.assignments.begin(), e.assignments.end(), [symbol](const auto &a) { return a.first == symbol; });
    return it == e.assignments.end() ? nullptr : &*it;
}

bool reads(const std::string &code, Name symbol, const SDFG &g) {
    return analysis::namesInCode({code, Language::Python}, g).count(symbol) != 0;
}

/// The edge in a body that assigns the symbol's next value, if nothing else in the iteration sees that value.
InterstateEdge *updateAtEnd(LoopRegion &l, Name symbol) {
    const std::vector<Block *> chain = analysis::sequenceOf(l);
    for (std::size_t k = chain.size(); k-- > 0;) {
        for (InterstateEdge *e : chain[k]->inEdges()) {
            if (isa<ConditionalBlock>(chain[k]) || analysis::readIn(*chain[k]).count(symbol))
                return nullptr;
            if (!assignmentOf(*e, symbol))
                continue;
            const bool seen = std::any_of(e->assignments.begin(), e->assignments.end(),
                                          [&](const auto &a) { return a.first != symbol && reads(a.second, symbol, *l.sdfg()); });
            return seen ? nullptr : e;
        }
    }
    return nullptr;
}

/// The assignment to the symbol on the only edge to a loop, if its value is the same whenever the loop is reached.
Assignment *valueAtEntry(LoopRegion &l, Name symbol, const std::set<Name> &assigned) {
    const std::vector<InterstateEdge *> &edges = l.inEdges();
    Assignment *a = edges.size() == 1 ? assignmentOf(*edges[0], symbol) : nullptr;
    if (!a)
        return nullptr;
    for (const Name n : analysis::namesInCode({a->second, Language::Python}, *l.sdfg()))
        if (assigned.count(n) || l.sdfg()->desc(n))
            return nullptr;
    const bool seen = std::any_of(edges[0]->assignments.begin(), edges[0]->assignments.end(), [&](const auto &other) {
        return other.first != symbol && reads(other.second, symbol, *l.sdfg());
    });
    return seen ? nullptr : a;
}

/// Returns whether the loop got a header.
bool countInHeader(LoopRegion &l, const std::set<Name> &assigned) {
    const analysis::LoopHeader t = analysis::tripCountOf(l, analysis::factsOf(*l.sdfg()));
    if (!t.counted() || t.changing != std::vector<Name>{t.variable} || t.first != sym::Expr::symbol(t.variable))
        return false;
    InterstateEdge *update = updateAtEnd(l, t.variable);
    Assignment *entry = valueAtEntry(l, t.variable, assigned);
    if (!update || !entry)
        return false;
    const std::string i = t.variable.str();
    l.variable = t.variable;
    l.init = Code{i + " = " + entry->second, Language::Python};
    l.update = Code{i + " = " + assignmentOf(*update, t.variable)->second, Language::Python};
    const auto drop = [&t](InterstateEdge &e) {
        std::erase_if(e.assignments, [&t](const auto &a) { return a.first == t.variable; });
    };
    drop(*update);
    drop(*l.inEdges().front());
    return true;
}

} // namespace

bool countLoops(SDFG &g) {
    std::set<Name> assigned;
    for (const InterstateEdge *e : allInterstateEdges(g))
        for (const auto &[symbol, value] : e->assignments)
            assigned.insert(symbol);
    bool changed = false;
    for (Region *r : allRegions(g))
        if (auto *l = dyn_cast<LoopRegion>(r); l && l->variable.empty() && !l->inverted)
            changed |= countInHeader(*l, assigned);
    return changed;
}

std::unique_ptr<pass::Pass> createCountLoops() { return std::make_unique<ForEachSdfg>(countLoops); }

} // namespace sdfgc::transforms
