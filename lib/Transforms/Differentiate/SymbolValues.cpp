// Values of symbols that edges assign, given once more in front of what is reversed.
//
//     j = idx[i]                                   j = idx[i]
//     k = i - j                                    k = i - idx[i]
//     state: A[k] is read                          state: gradient_A[k] is added to
//
// Assignments of one edge do not see each other. So each value is written in terms of what does not change: variables of loops around, and
// containers that nobody overwrites.
#include "Transforms/Differentiate/SymbolValues.h"

#include "Transforms/Differentiate/Flow.h"

#include "sdfgc/Analysis/Symbols.h"

#include <algorithm>

namespace sdfgc::transforms::gradient {

using namespace ir;

namespace {

/// Calls f for each region in a block, itself included.
template <class F> void forEachRegion(const Block &b, const F &f) {
    if (const auto *c = dyn_cast<ConditionalBlock>(&b))
        for (const auto &branch : c->branches())
            forEachRegion(*branch.region, f);
    const auto *r = dyn_cast<Region>(&b);
    if (!r)
        return;
    f(*r);
    for (const auto &inner : r->blocks())
        forEachRegion(*inner, f);
}

void addRead(const State &s, analysis::SymbolUse &use, std::unordered_set<Name> &out) {
    for (const auto &n : s.nodes()) {
        use.add(*n, out);
        const auto *a = dyn_cast<AccessNode>(n.get());
        if (const DataDesc *d = a ? s.sdfg()->desc(a->data) : nullptr)
            use.add(*d, out);
    }
    for (const auto &e : s.edges())
        use.add(*e, out);
}

} // namespace

std::set<Name> assignedIn(const Block &b) {
    std::set<Name> out;
    forEachRegion(b, [&out](const Region &r) {
        for (const auto &e : r.edges())
            for (const auto &[symbol, value] : e->assignments)
                out.insert(symbol);
        if (const auto *l = dyn_cast<LoopRegion>(&r); l && !l->variable.empty())
            out.insert(l->variable);
    });
    return out;
}

std::set<Name> readIn(const Block &b) {
    analysis::SymbolUse use;
    std::unordered_set<Name> out;
    if (const auto *s = dyn_cast<State>(&b))
        addRead(*s, use, out);
    std::set<Name> inCode;
    forEachRegion(b, [&](const Region &r) {
        for (const auto &inner : r.blocks())
            if (const auto *s = dyn_cast<State>(inner.get()))
                addRead(*s, use, out);
        if (const auto *l = dyn_cast<LoopRegion>(&r))
            for (const auto *code : {&l->init, &l->condition, &l->update})
                if (*code)
                    inCode.merge(analysis::namesInCode(**code, *r.sdfg()));
    });
    inCode.insert(out.begin(), out.end());
    return inCode;
}

namespace {

bool isInLoop(const Region *r) {
    while (r && !isa<LoopRegion>(r))
        r = r->parent();
    return r != nullptr;
}

/// Symbols that one edge outside of loops assigns: they keep that value.
std::set<Name> assignedOnce(const SDFG &g) {
    std::map<Name, int> times;
    for (const InterstateEdge *e : allInterstateEdges(g))
        for (const auto &[symbol, value] : e->assignments)
            times[symbol] += isInLoop(e->src->parent()) ? 2 : 1;
    std::set<Name> out;
    for (const auto &[symbol, count] : times)
        if (count == 1)
            out.insert(symbol);
    return out;
}

} // namespace

/// Follows the values of symbols along an edge. `constant`: symbols that have one value throughout the program.
void FlowReverser::follow(const InterstateEdge &e, const Block &to, const std::set<Name> &constant, Symbols &now) const {
    const SDFG &g = *to.sdfg();
    std::map<Name, py::ExprRef> known;
    for (const auto &[symbol, value] : now.values)
        if (const auto parsed = py::parseExpr(value); parsed.value)
            known.emplace(symbol, *parsed.value);
    Symbols next = now;
    for (const auto &[symbol, value] : e.assignments) {
        if (constant.count(symbol))
            continue;
        const std::string text = py::print(py::substitute(py::parseBlockOrRaw(value), known));
        bool isLost = false;
        for (const Name n : analysis::namesInCode({text, Language::Python}, g))
            isLost |= now.lost.count(n) || (g.desc(n) && program_.isOverwritten(n, to));
        std::erase_if(next.values, [symbol = symbol](const auto &a) { return a.first == symbol; });
        if (isLost) {
            next.lost.insert(symbol);
        } else {
            next.lost.erase(symbol);
            next.values.emplace_back(symbol, text);
        }
    }
    now = std::move(next);
}

/// What edges of the chain have given symbols, at each of its blocks; only what must be said again.
std::vector<FlowReverser::Symbols> FlowReverser::valuesAlong(const std::vector<Block *> &chain) const {
    const Region &r = *chain.front()->parent();
    const std::set<Name> constant = assignedOnce(*r.sdfg());
    Symbols now;
    now.lost = assignedIn(r);
    if (const auto *l = dyn_cast<LoopRegion>(&r))
        now.lost.erase(l->variable);
    std::erase_if(now.lost, [&constant](Name n) { return constant.count(n) != 0; });
    std::vector<Symbols> out;
    for (Block *b : chain) {
        for (const InterstateEdge *e : r.inEdges(b))
            follow(*e, *b, constant, now);
        out.push_back(now);
        for (const Name n : assignedIn(*b)) {
            std::erase_if(now.values, [n](const auto &a) { return a.first == n; });
            if (!constant.count(n))
                now.lost.insert(n);
        }
    }
    return out;
}

/// Gives symbols the values that they had at a block, at the end of a region, where they do not have them.
void FlowReverser::restore(Region &into, const Block &b, const Symbols &symbols) {
    const std::set<Name> own = assignedIn(b);
    for (const Name n : readIn(b))
        if (symbols.lost.count(n) && !own.count(n))
            return fail(
                {diag::Id::GradientOfSymbol, n.str(), "compute it from variables of loops, and from arrays that nobody overwrites"},
                b);
    Assignments &now = restored_[&into];
    Assignments missing;
    for (const auto &a : symbols.values)
        if (std::find(now.begin(), now.end(), a) == now.end())
            missing.push_back(a);
    now = symbols.values;
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
