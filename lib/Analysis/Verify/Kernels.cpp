// The scheduled level inside of kernels: phases that depend on each other have a barrier between them (sdfgc/Analysis/Barriers.h),
// and copies that touch device memory say how they are made (sdfgc/Analysis/Copies.h).
#include "Analysis/Verify/Verifier.h"

#include "sdfgc/Analysis/Barriers.h"
#include "sdfgc/Analysis/Copies.h"

namespace sdfgc::analysis {

using namespace ir;

void Verifier::barriers(const SDFG &constRoot) {
    SDFG &root = const_cast<SDFG &>(constRoot); // the walk changes nothing unless it is told to
    StreamSteps steps(root);
    PhaseOrder(root, steps, [&](const PhaseConflict &c) {
        const std::vector<std::string> args = {c.laterName(), c.use.write ? "write" : "read", steps.name(c.use.memory),
                                               c.earlierName(), c.executor == Executor::Grid ? "grid" : "block"};
        const StreamStep *later = c.step < c.steps->size() ? &(*c.steps)[c.step] : nullptr;
        if (!later)
            report(diag::Id::ThreadsUnordered, *c.state, args);
        else if (later->edge)
            report(diag::Id::ThreadsUnordered, *later->edge, args);
        else
            report(diag::Id::ThreadsUnordered, *later->node, args);
        return false;
    }).run();
}

void Verifier::copyMethods(const SDFG &constRoot) {
    SDFG &root = const_cast<SDFG &>(constRoot);
    for (SDFG *g : allSDFGs(root))
        for (State *s : allStates(*g))
            for (const GraphCopy &c : deviceCopies(*s)) {
                const CopyMethod is = c.edge->memlet.copy, should = chooseCopy(c.ends(), c.shape());
                const std::vector<std::string> names = {c.from->data.str(), c.to->data.str(), std::string(name(is)),
                                                        std::string(name(should))};
                if (is == should)
                    continue;
                if (is == CopyMethod::Undecided)
                    report(diag::Id::UndecidedCopy, *c.edge, {names[0], names[1]});
                else
                    report(diag::Id::UnsuitableCopy, *c.edge, names);
            }
}

} // namespace sdfgc::analysis
