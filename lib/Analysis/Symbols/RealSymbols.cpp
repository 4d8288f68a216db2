#include "sdfgc/Analysis/Symbols/RealSymbols.h"

#include "sdfgc/Analysis/Flow/EdgeValues.h"
#include "sdfgc/Analysis/Flow/LoopHeader.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"

#include <algorithm>

namespace sdfgc::analysis {

using namespace ir;

namespace {

/// Symbols with a floating-point type that edges assign and nothing else sets.
std::set<Name> assignedReals(const SDFG &g) {
    std::set<Name> out;
    for (const InterstateEdge *e : allInterstateEdges(g))
        for (const auto &[symbol, value] : e->assignments)
            if (const Type *t = g.symbols.find(symbol); t && t->isFloat() && !(g.parentNode && g.parentNode->mapped(symbol)))
                out.insert(symbol);
    for (const Region *r : allRegions(g))
        if (const auto *l = dyn_cast<LoopRegion>(r))
            out.erase(l->variable);
    if (!out.empty())
        for (const Name n : freeSymbols(g))
            out.erase(n);
    return out;
}

/// Is the assigned value an integer if the candidates are?
bool holdsInteger(const std::string &value, const SDFG &g, const std::set<Name> &candidates) {
    const sym::ParseResult parsed = sym::parse(value, nullptr, [&g](Name n) { return g.desc(n) != nullptr; });
    if (!parsed.expr || hasQuotient(value))
        return false;
    std::map<Name, sym::Expr> integers; // stand for the candidates
    for (const Name n : candidates)
        if (parsed.expr->dependsOn(n))
            integers.emplace(n, sym::Expr::symbol(Name(n.str() + "_integer")));
    return isInteger(sym::substitute(*parsed.expr, integers), &g);
}

/// Does code have another result with integers than with real numbers of the same values? Tasklets divide them as real numbers.
bool tellsApart(const Code &c, bool inTasklet) {
    return !c.isPython() || (!inTasklet && hasQuotient(c.text())) || c.text().find("**") != std::string::npos ||
           c.text().find("pow(") != std::string::npos;
}

/// Removes names that such code mentions.
void removeDivided(const SDFG &g, std::set<Name> &candidates) {
    const auto code = [&](const std::optional<Code> &c, bool inTasklet = false) {
        if (!c || !tellsApart(*c, inTasklet))
            return;
        for (const Name n : namesInCode(*c, g))
            candidates.erase(n);
    };
    for (const Block *b : allBlocks(g)) {
        if (const auto *l = dyn_cast<LoopRegion>(b))
            for (const auto *c : {&l->init, &l->condition, &l->update})
                code(*c);
        if (const auto *c = dyn_cast<ConditionalBlock>(b))
            for (const auto &branch : c->branches())
                code(branch.condition);
        if (const auto *s = dyn_cast<State>(b))
            for (const auto &n : s->nodes()) {
                if (const auto *t = dyn_cast<Tasklet>(n.get()))
                    code(t->code, true);
                if (const auto *nested = dyn_cast<NestedSDFGNode>(n.get()))
                    for (const auto &[symbol, value] : nested->symbolMapping)
                        for (const Name mapped : value.freeSymbols())
                            candidates.erase(mapped); // it has a declared type inside
            }
    }
    for (const InterstateEdge *e : allInterstateEdges(g)) {
        code(e->condition);
        for (const auto &[symbol, value] : e->assignments)
            code(Code{value, Language::Python});
    }
}

} // namespace

std::set<Name> integersDeclaredReal(const SDFG &g) {
    std::set<Name> out = assignedReals(g);
    if (out.empty())
        return out;
    removeDivided(g, out);
    for (bool removed = true; removed;) {
        removed = false;
        for (const InterstateEdge *e : allInterstateEdges(g))
            for (const auto &[symbol, value] : e->assignments)
                if (out.count(symbol) && !holdsInteger(value, g, out)) {
                    out.erase(symbol);
                    removed = true;
                }
    }
    return out;
}

} // namespace sdfgc::analysis
