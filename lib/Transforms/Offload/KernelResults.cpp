#include "Transforms/Offload/KernelResults.h"

#include "Transforms/Edits/Outline.h"

#include "sdfgc/Analysis/Flow/AssignedSymbols.h"
#include "sdfgc/Analysis/Flow/SymbolLiveness.h"
#include "sdfgc/Analysis/Symbols/Mentions.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"

#include <algorithm>

namespace sdfgc::transforms {

using namespace ir;
using diag::Reason;
using diag::Why;

std::set<Name> symbolResults(const std::vector<Block *> &chain) {
    std::set<Name> assigned, results;
    for (Block *b : chain) {
        assigned.merge(analysis::assignedIn(*b));
        if (b != chain.front())
            for (const InterstateEdge *e : b->inEdges())
                for (const auto &[symbol, value] : e->assignments)
                    assigned.insert(symbol);
    }
    for (const Name symbol : analysis::SymbolLiveness(*chain.back()->sdfg()).after(*chain.back()))
        if (assigned.count(symbol))
            results.insert(symbol);
    return results;
}

bool isForKernel(const InterstateEdge &e) {
    const SDFG &g = *e.src->sdfg();
    std::set<Name> sizes;
    for (const auto &[name, d] : g.arrays)
        for (const Name n : d.freeSymbols())
            sizes.insert(n);
    const analysis::SymbolTypes types(g);
    return e.isUnconditional() && analysis::containersRead(e, g).empty() &&
           std::none_of(e.assignments.begin(), e.assignments.end(), [&](const auto &a) {
               return analysis::callsFunctions(a.second) || sizes.count(a.first) || !types.of(a.first).isScalar() ||
                      !types.of(a.first).isNumeric();
           });
}

Reason whyNoResults(Block &b) {
    const analysis::SymbolTypes types(*b.sdfg());
    for (const Name symbol : symbolResults({&b}))
        if (!types.of(symbol).isScalar() || !types.of(symbol).isNumeric())
            return {Why::LiveOut, "symbol `" + symbol.str() + "`, which is no number, is read after it"};
    return {};
}

void returnSymbols(std::vector<Block *> &chain) {
    const std::set<Name> results = symbolResults(chain);
    if (results.empty())
        return;
    SDFG &g = *chain.back()->sdfg();
    Region &r = *chain.back()->parent();
    const analysis::SymbolTypes types(g);
    State *const last = r.addStateAfter(chain.back(), g.freshLabel("results"));
    r.addStateAfter(last, g.freshLabel("after_results"));
    InterstateEdge *const back = last->outEdges().front();
    for (const Name symbol : results) {
        const Name result = g.freshName(symbol.str() + "_result");
        DataDesc d = DataDesc::scalar(types.of(symbol), true);
        d.storage = Storage::CPU_Heap;
        d.lifetime = Lifetime::SDFG;
        g.arrays.set(result, d);
        Tasklet *const t = last->addTasklet("result", {"__out = " + symbol.str(), Language::Python});
        t->addOut("__out", d.dtype);
        last->connect(t, "__out", last->add<AccessNode>(result), {}, Memlet::simple(result, d.fullSubset()));
        back->assignments.emplace_back(symbol, result.str());
    }
    last->renumber();
    chain.push_back(last);
}

} // namespace sdfgc::transforms
