// Expresses symbol values assigned on edges so that they can be reassigned before the reversed code.
//
//     j = idx[i]                                   j = idx[i]
//     k = i - j                                    k = i - idx[i]
//     state: A[k] is read                          state: gradient_A[k] is added to
//
// Assignments of one edge do not see each other. So each value is expressed in terms of quantities that do not change:
// variables of surrounding loops, and containers that are never overwritten. If that is impossible, as for `k = (2 * k
// + 1) % N`, a tape stores the value of each iteration.

#include "Transforms/Differentiate/Flow.h"

#include "sdfgc/Analysis/Flow/AssignedSymbols.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"

#include <algorithm>

namespace sdfgc::transforms::gradient {

using namespace ir;

/// Follows the values of symbols along an edge.
void FlowReverser::follow(const InterstateEdge &e, Block &to, Symbols &now) const {
    const SDFG &g = *to.sdfg();
    std::map<Name, py::ExprRef> known;
    for (const auto &[symbol, value] : now.values)
        if (const auto parsed = py::parseExpr(value); parsed.value)
            known.emplace(symbol, *parsed.value);
    Symbols next = now;
    for (const auto &[symbol, value] : e.assignments) {
        if (constant_.count(symbol))
            continue;
        const std::string text = py::print(py::substitute(py::parseBlockOrRaw(value), known));
        bool isLost = false;
        for (const Name n : analysis::namesInCode({text, Language::Python}, g))
            isLost |= now.lost.count(n) || analysis::isCallback(g, n) || (g.desc(n) && program_.isOverwritten(n, to));
        std::erase_if(next.values, [symbol = symbol](const auto &a) { return a.first == symbol; });
        if (isLost) {
            next.lost[symbol] = &to;
        } else {
            next.lost.erase(symbol);
            next.values.emplace_back(symbol, text);
        }
    }
    now = std::move(next);
}

/// The values that edges of the chain have assigned to symbols, at each of its blocks; only those that must be reassigned.
std::vector<FlowReverser::Symbols> FlowReverser::valuesAlong(const std::vector<Block *> &chain) const {
    const Region &r = *chain.front()->parent();
    Symbols now;
    std::set<Name> changed = analysis::assignedIn(r);
    if (const auto *l = dyn_cast<LoopRegion>(&r))
        changed.erase(l->variable);
    std::vector<Symbols> out;
    for (Block *b : chain) {
        for (const Name n : changed) {
            std::erase_if(now.values, [n](const auto &a) { return a.first == n; });
            if (!constant_.count(n))
                now.lost[n] = b;
        }
        for (const InterstateEdge *e : b->inEdges())
            follow(*e, *b, now);
        out.push_back(now);
        changed = analysis::assignedIn(*b);
    }
    return out;
}

/// The value of a symbol that a tape stores from one block on, as text for code at another block; nothing after an error.
std::optional<std::string> FlowReverser::notedValue(Name symbol, Block &since, Block &at) {
    const auto known = kept_.find({symbol, &since});
    if (known != kept_.end())
        return known->second.text(maker_.sdfg());
    const Type *type = maker_.sdfg().symbols.find(symbol);
    const auto made = type && type->isInteger() ? values_.noteAt(since, "tape_" + symbol.str(), type->scalar()) : std::nullopt;
    if (!made) {
        fail({diag::Id::GradientOfSymbol, symbol.str(), "compute it from loop variables and from arrays that are not overwritten"},
             at);
        return std::nullopt;
    }
    kept_.emplace(std::pair(symbol, &since), *made);
    prepend(*since.parent(), &since, "note_" + symbol.str(), note(*made, symbol.str()));
    return made->text(maker_.sdfg());
}

/// At the end of a region, restores the values that symbols had at a block, unless they still have them.
void FlowReverser::restore(Region &into, Block &b, const Symbols &symbols) {
    const std::set<Name> own = analysis::assignedIn(b);
    Assignments values = symbols.values;
    std::set<Name> read = analysis::readIn(b);
    if (const nest::Run *run = program_.runAt(&b)) // which continues in further states
        for (const State *s : run->states)
            read.merge(analysis::readIn(*s));
    for (const Name n : read) {
        const auto lost = symbols.lost.find(n);
        if (lost == symbols.lost.end() || own.count(n))
            continue;
        const std::optional<std::string> value = notedValue(n, *lost->second, b);
        if (!value)
            return;
        values.emplace_back(n, *value);
    }
    Assignments &now = restored_[&into];
    Assignments missing;
    for (const auto &a : values)
        if (std::find(now.begin(), now.end(), a) == now.end())
            missing.push_back(a);
    now = std::move(values);
    if (missing.empty())
        return;
    if (!last_[&into])
        place(into, addState(into, "restore"));
    Block *from = last_[&into];
    State *s = addState(into, "restored");
    into.connect(from, s, {"1", Language::Python}, missing);
    last_[&into] = s;
}

} // namespace sdfgc::transforms::gradient
