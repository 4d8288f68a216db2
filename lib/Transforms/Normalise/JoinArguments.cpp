// join-arguments: merge two arguments through which a nested SDFG reads and writes the same elements.
//
//     nested f: x <- A[0:N]; y -> A[0:N]   { y[i] = 2 * x[i] }    ->    nested f: y <- A[0:N]; y -> A[0:N]   { y[i] = 2 * y[i] }
//
// Two names for one memory are two containers in the nested SDFG, and the gradient of one would miss accesses to the other.
//
// Legal when:
//   - Both edges access the same elements.
//   - Both arguments have the same type, shape and strides, and neither name is an argument on the other side.
//
// Not handled: arguments that overlap in part. differentiate rejects them if one is written (SD4714).
#include "Transforms/Edits/HostReads.h"
#include "Transforms/Normalise/Normalise.h"

#include "sdfgc/Analysis/Memory/Access.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/Nest/Nest.h"
#include "sdfgc/Transforms/Passes.h"

namespace sdfgc::transforms {

using namespace ir;

namespace {

/// Do the edges refer to the same elements, with equal declarations of the arguments at their ends?
bool meanTheSame(const Edge &in, const Edge &out, const SDFG &inner) {
    const DataDesc *a = inner.desc(in.dstConn), *b = inner.desc(out.srcConn);
    return a && b && analysis::isPlain(a) && analysis::isPlain(b) && a->dtype == b->dtype && a->shape == b->shape &&
           a->strides == b->strides && in.memlet.data == out.memlet.data && in.memlet.subset &&
           in.memlet.subset == out.memlet.subset && out.memlet.wcr.empty();
}

bool joinArguments(SDFG &g) {
    bool changed = false;
    for (State *s : allStates(g))
        for (const auto &n : s->nodes()) {
            auto *nested = dyn_cast<NestedSDFGNode>(n.get());
            if (!nested || !nested->sdfg)
                continue;
            SDFG &inner = *nested->sdfg;
            const std::set<Name> inFlow = analysis::containersReadByControlFlow(inner);
            for (const Edge *out : nested->outEdges())
                for (const Edge *in : nested->inEdges()) {
                    const Name from = in->dstConn, to = out->srcConn;
                    if (from == to || nested->outConnector(from) || nested->inConnector(to) || !meanTheSame(*in, *out, inner))
                        continue;
                    if (inFlow.count(from))
                        renameInControlFlow(inner, from, to);
                    renameDataflow(inner, from, to);
                    inner.arrays.erase(from);
                    changed = true;
                    break;
                }
        }
    return changed;
}

} // namespace

std::unique_ptr<pass::Pass> createJoinArguments() { return std::make_unique<ForEachSdfg>(joinArguments); }

} // namespace sdfgc::transforms
