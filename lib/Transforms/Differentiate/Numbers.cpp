// Numbers the iterations of loops without a variable: a tape has an element for each iteration, and the reversed loop
// counts back.
//
//     while s > tol { s = f(s) }     ->     for iteration = 0; s > tol; iteration = iteration + 1 { s = f(s) }
#include "Transforms/Differentiate/PrimalProgram.h"

#include "sdfgc/Nest/Nest.h"
#include "sdfgc/Tasklet/Ast.h"

namespace sdfgc::transforms::gradient {

using namespace ir;

void printHeaders(SDFG &g) {
    for (Region *r : allRegions(g))
        if (auto *l = dyn_cast<LoopRegion>(r); l && !nest::isKept(*l) && analysis::hasPlainHeader(*l))
            for (std::optional<Code> *c : {&l->init, &l->condition})
                *c = Code((*c)->blockOrRaw());
}

std::vector<LoopRegion *> numberLoops(SDFG &g) {
    std::vector<LoopRegion *> out;
    for (Region *r : allRegions(g)) {
        auto *l = dyn_cast<LoopRegion>(r);
        const auto says = [](const std::optional<Code> &c) { return c && !c->empty(); };
        if (!l || !l->variable.empty() || says(l->init) || says(l->update) || nest::isKept(*l))
            continue;
        l->variable = g.freshName("iteration");
        g.symbols[l->variable] = ScalarKind::Int64;
        const std::string i = l->variable.str();
        l->init = Code{i + " = 0", Language::Python};
        l->update = Code{i + " = " + i + " + 1", Language::Python};
        l->updateBeforeCondition = true;
        out.push_back(l);
    }
    return out;
}

void forgetNumbers(LoopRegion &l) {
    l.sdfg()->symbols.erase(l.variable);
    l.variable = Name();
    l.init.reset();
    l.update.reset();
}

} // namespace sdfgc::transforms::gradient
