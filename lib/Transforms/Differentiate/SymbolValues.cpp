// Expresses symbol values assigned on edges so that they can be reassigned before the reversed code.
//
//     j = idx[i]                                   j = idx[i]
//     k = i - j                                    k = i - idx[i]
//     state: A[k] is read                          state: gradient_A[k] is added to
//
// Assignments of one edge do not see each other. So each value is expressed in terms of quantities that do not change:
// variables of surrounding loops, and containers that are never overwritten. If that is impossible, as for `k = (2 * k
// + 1) % N`, a tape stores the value of each iteration.
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

bool isCallback(const SDFG &g, Name n) {
    const Type *symbol = g.symbols.find(n);
    const DataDesc *container = g.desc(n);
    return (symbol && symbol->isCallback()) || (container && container->dtype.isCallback());
}

namespace {

/// Calls f(code, SDFG) for the code of control flow in a block, at any depth.
template <class F> void forEachCode(const Block &b, const F &f) {
    const SDFG &g = *b.sdfg();
    if (const auto *c = dyn_cast<ConditionalBlock>(&b))
        for (const auto &branch : c->branches()) {
            if (branch.condition)
                f(*branch.condition, g);
            forEachCode(*branch.region, f);
        }
    if (const auto *l = dyn_cast<LoopRegion>(&b))
        for (const auto *code : {&l->init, &l->condition, &l->update})
            if (*code)
                f(**code, g);
    const auto *r = dyn_cast<Region>(&b);
    if (!r)
        return;
    for (const auto &e : r->edges()) {
        f(e->condition, g);
        for (const auto &[symbol, value] : e->assignments)
            f({value, Language::Python}, g);
    }
    for (const auto &inner : r->blocks())
        forEachCode(*inner, f);
}

} // namespace

Name callbackIn(const Block &b) {
    Name found;
    forEachCode(b, [&found](const Code &code, const SDFG &g) {
        for (const Name n : found.empty() ? analysis::namesInCode(code, g) : std::set<Name>())
            if (isCallback(g, n))
                found = n;
    });
    return found;
}

namespace {

bool isInLoop(const Region *r) {
    while (r && !isa<LoopRegion>(r))
        r = r->parent();
    return r != nullptr;
}

} // namespace

std::set<Name> assignedOnce(const SDFG &g) {
    std::map<Name, int> times;
    for (const InterstateEdge *e : allInterstateEdges(g))
        for (const auto &[symbol, value] : e->assignments)
            times[symbol] += isInLoop(e->src->parent()) ? 2 : 1;
    for (const Region *r : allRegions(g))
        if (const auto *l = dyn_cast<LoopRegion>(r))
            times[l->variable] += 2;
    std::set<Name> given = analysis::requiredSymbols(g); // which have had a value before
    if (g.parentNode)
        for (const auto &[symbol, value] : g.parentNode->symbolMapping)
            given.insert(symbol);
    std::set<Name> out;
    for (const auto &[symbol, count] : times)
        if (count == 1 && !given.count(symbol))
            out.insert(symbol);
    return out;
}

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
            isLost |= now.lost.count(n) || isCallback(g, n) || (g.desc(n) && program_.isOverwritten(n, to));
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

/// What edges of the chain have given symbols, at each of its blocks; only what must be said again.
std::vector<FlowReverser::Symbols> FlowReverser::valuesAlong(const std::vector<Block *> &chain) const {
    const Region &r = *chain.front()->parent();
    Symbols now;
    std::set<Name> changed = assignedIn(r);
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
        changed = assignedIn(*b);
    }
    return out;
}

/// The value of a symbol that a tape keeps from one block on, as code reads it at another one; nothing after an error.
std::optional<std::string> FlowReverser::notedValue(Name symbol, Block &since, Block &at) {
    const auto known = kept_.find({symbol, &since});
    if (known != kept_.end())
        return known->second.text(maker_.sdfg());
    const Type *type = maker_.sdfg().symbols.find(symbol);
    const auto made = type && type->isInteger() ? values_.noteAt(since, "tape_" + symbol.str(), type->scalar()) : std::nullopt;
    if (!made) {
        fail({diag::Id::GradientOfSymbol, symbol.str(),
              "compute it from variables of loops, and from arrays that nobody overwrites"},
             at);
        return std::nullopt;
    }
    kept_.emplace(std::pair(symbol, &since), *made);
    prepend(*since.parent(), &since, "note_" + symbol.str(), note(*made, symbol.str()));
    return made->text(maker_.sdfg());
}

/// Gives symbols the values that they had at a block, at the end of a region, where they do not have them.
void FlowReverser::restore(Region &into, Block &b, const Symbols &symbols) {
    const std::set<Name> own = assignedIn(b);
    Assignments values = symbols.values;
    std::set<Name> read = readIn(b);
    if (const nest::Run *run = program_.runAt(&b)) // which goes on in further states
        for (const State *s : run->states)
            read.merge(readIn(*s));
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
