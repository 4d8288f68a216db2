#include "Transforms/Edits/Outline.h"

#include "sdfgc/Analysis/Flow/AssignedSymbols.h"
#include "sdfgc/Analysis/Symbols/PassSymbols.h"

#include <algorithm>

namespace sdfgc::transforms {

using namespace ir;

namespace {

void addBlocks(Block &b, std::vector<Block *> &out) {
    out.push_back(&b);
    if (auto *c = dyn_cast<ConditionalBlock>(&b))
        for (auto &branch : c->branches())
            for (const auto &inner : branch.region->blocks())
                addBlocks(*inner, out);
    if (auto *r = dyn_cast<Region>(&b))
        for (const auto &inner : r->blocks())
            addBlocks(*inner, out);
}

} // namespace

std::vector<Block *> blocksOf(Block &b) {
    std::vector<Block *> out;
    addBlocks(b, out);
    return out;
}

Level levelOfParts(const SDFG &g) { return g.isRoot() ? std::max(g.level, Level::Typed) : g.level; }

std::unique_ptr<NestedSDFGNode> outlined(Block &b, const std::string &name, const analysis::SymbolTypes &types) {
    const SDFG &g = *b.sdfg();
    auto node = std::make_unique<NestedSDFGNode>();
    node->label = name;
    node->sdfg = std::make_unique<SDFG>(Name(name));
    SDFG &inner = *node->sdfg;
    inner.parentNode = node.get();
    inner.label = name;
    inner.usesExplicitControlFlow = true;
    inner.level = levelOfParts(g);
    inner.symbolHints = analysis::factsOf(g); // facts from containers outside of it
    inner.arrays = g.arrays;
    for (const Name n : analysis::assignedIn(b))
        inner.symbols.set(n, types.of(n));
    inner.setStart(inner.adopt(ir::clone(b)));
    return node;
}

std::set<Name> writtenIn(Block &b) {
    std::set<Name> out;
    for (const Block *inner : blocksOf(b))
        if (const auto *s = dyn_cast<State>(inner))
            for (const AccessNode *a : nodesOf<AccessNode>(*s))
                if (!a->inEdges().empty() || a->setZero)
                    out.insert(a->data);
    return out;
}

std::set<Name> usedOutside(SDFG &g, Block &b) {
    const std::vector<Block *> inside = blocksOf(b);
    const std::set<const Block *> known(inside.begin(), inside.end());
    std::set<Name> out = analysis::containersReadByControlFlow(g);
    for (State *s : allStates(g))
        if (!known.count(s))
            for (const AccessNode *a : nodesOf<AccessNode>(*s))
                out.insert(a->data);
    return out;
}

std::set<Name> knownAt(SDFG &g, const Block &b) {
    std::set<Name> out = analysis::freeSymbols(g);
    if (g.parentNode)
        for (const auto &[symbol, value] : g.parentNode->symbolMapping)
            out.insert(symbol);
    std::vector<InterstateEdge *> in = b.inEdges();
    while (!in.empty()) {
        for (const auto &[symbol, value] : in.front()->assignments)
            out.insert(symbol);
        out.merge(analysis::assignedIn(*in.front()->src));
        in = in.front()->src->inEdges();
    }
    return out;
}

void passSymbols(NestedSDFGNode &node, const std::set<Name> &known, const analysis::SymbolTypes &types) {
    analysis::passRequiredSymbols(node, [&types](Name n) { return types.of(n); });
    for (const Name symbol : analysis::assignedIn(*node.sdfg))
        if (known.count(symbol))
            analysis::passSymbol(node, symbol, sym::Expr::symbol(symbol), types.of(symbol));
}

} // namespace sdfgc::transforms
