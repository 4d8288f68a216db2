#include "sdfgc/Analysis/Symbols/Mentions.h"

#include "sdfgc/IR/Identifier.h"
#include "sdfgc/Tasklet/Ast.h"

#include <algorithm>

namespace sdfgc::analysis {

using namespace ir;

Mentions::Mentions(const SDFG &g, Of what) : what_(what) {
    for (const auto &[name, d] : g.arrays)
        descriptor(d);
    for (const Block *b : allBlocks(g))
        block(*b);
    for (const InterstateEdge *e : allInterstateEdges(g)) {
        code(e->condition);
        if (what_ == Of::Everything)
            for (const auto &[symbol, value] : e->assignments)
                words(value);
    }
    for (const auto *texts : {&g.globalCode, &g.initCode, &g.exitCode})
        for (const TargetCode &t : *texts)
            words(t.code.text());
}

void Mentions::words(const std::string &text) {
    for (const Name n : identifiers(text))
        names_.insert(n);
}

void Mentions::code(const std::optional<Code> &c) {
    if (c)
        code(*c);
}

void Mentions::block(const Block &b) {
    if (const auto *s = dyn_cast<State>(&b)) {
        all_ |= s->symbolInstrument != DataInstrumentation::No_Instrumentation;
        state(*s);
    } else if (const auto *l = dyn_cast<LoopRegion>(&b)) {
        code(l->init);
        code(l->condition);
        code(l->update);
    } else if (const auto *c = dyn_cast<ConditionalBlock>(&b)) {
        for (const auto &branch : c->branches())
            code(branch.condition);
    }
}

void Mentions::state(const State &s) {
    for (const auto &n : s.nodes())
        node(*n);
    for (const auto &e : s.edges()) {
        use_.add(*e, names_);
        names_.insert(ownerOf(e->memlet.data));
        for (const auto *subset : {&e->memlet.subset, &e->memlet.otherSubset})
            if (*subset) {
                const std::set<Name> symbols = (*subset)->freeSymbols();
                names_.insert(symbols.begin(), symbols.end());
            }
        words(e->memlet.wcr);
    }
}

void Mentions::node(const Node &n) {
    const auto *t = dyn_cast<Tasklet>(&n);
    const bool computes = t && t->code.isPython() && what_ == Of::Structure;
    if (!computes)
        use_.add(n, names_);
    if (const auto *a = dyn_cast<AccessNode>(&n)) {
        names_.insert(ownerOf(a->data));
        code(a->dataInstrumentCondition);
    } else if (t) {
        if (!computes)
            code(t->code);
        for (const Code *c : {&t->codeGlobal, &t->codeInit, &t->codeExit})
            code(*c);
    } else if (const auto *nested = dyn_cast<NestedSDFGNode>(&n)) {
        for (const auto &[inner, value] : nested->symbolMapping)
            names_.insert(value.freeSymbols().begin(), value.freeSymbols().end());
    }
}

void Mentions::descriptor(const DataDesc &d) {
    use_.add(d, names_);
    const std::set<Name> symbols = d.freeSymbols();
    names_.insert(symbols.begin(), symbols.end());
}

bool callsFunctions(const std::string &value) {
    return value.find('(') != std::string::npos && !py::blockNames(py::parseBlockOrRaw(value)).called.empty();
}

void KeptInterface::keep() {
    const std::set<Name> after = freeSymbols(root_);
    for (const Name n : before_)
        if (!after.count(n) && std::find(root_.handleSizes.begin(), root_.handleSizes.end(), n) == root_.handleSizes.end())
            root_.passedSymbols.push_back(n);
}

} // namespace sdfgc::analysis
