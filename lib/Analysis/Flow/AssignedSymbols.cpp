#include "sdfgc/Analysis/Flow/AssignedSymbols.h"

#include "sdfgc/Analysis/Flow/Loops.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"

#include <algorithm>

namespace sdfgc::analysis {

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

void addRead(const State &s, SymbolUse &use, std::unordered_set<Name> &out) {
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

namespace {

void addAssignedOnEdges(const Region &r, std::set<Name> &out) {
    for (const auto &e : r.edges())
        for (const auto &[symbol, value] : e->assignments)
            out.insert(symbol);
}

void addAssigned(const Block &b, std::set<Name> &out) {
    forEachRegion(b, [&out](const Region &r) {
        addAssignedOnEdges(r, out);
        if (const auto *l = dyn_cast<LoopRegion>(&r); l && !l->variable.empty())
            out.insert(l->variable);
    });
}

} // namespace

std::set<Name> assignedIn(const Block &b) {
    std::set<Name> out;
    addAssigned(b, out);
    return out;
}

std::set<Name> assignedInside(const Region &r) {
    std::set<Name> out;
    addAssignedOnEdges(r, out);
    for (const auto &b : r.blocks())
        addAssigned(*b, out);
    return out;
}

std::set<Name> readIn(const Block &b) {
    SymbolUse use;
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
                    inCode.merge(namesInCode(**code, *r.sdfg()));
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
        for (const Name n : found.empty() ? namesInCode(code, g) : std::set<Name>())
            if (isCallback(g, n))
                found = n;
    });
    return found;
}

std::set<Name> assignedOnce(const SDFG &g) {
    std::map<Name, int> times;
    for (const InterstateEdge *e : allInterstateEdges(g))
        for (const auto &[symbol, value] : e->assignments)
            times[symbol] += loopAround(e->src->parent()) ? 2 : 1;
    for (const Region *r : allRegions(g))
        if (const auto *l = dyn_cast<LoopRegion>(r))
            times[l->variable] += 2;
    std::set<Name> given = requiredSymbols(g); // these have a value at the start
    if (g.parentNode)
        for (const auto &[symbol, value] : g.parentNode->symbolMapping)
            given.insert(symbol);
    std::set<Name> out;
    for (const auto &[symbol, count] : times)
        if (count == 1 && !given.count(symbol))
            out.insert(symbol);
    return out;
}

} // namespace sdfgc::analysis
