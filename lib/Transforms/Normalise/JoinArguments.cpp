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
#include "sdfgc/Tasklet/Ast.h"
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

/// All code that determines the control flow of an SDFG and its assignments.
std::vector<std::string *> codeOfFlow(SDFG &g) {
    std::vector<std::string *> out;
    for (Region *r : allRegions(g)) {
        if (auto *l = dyn_cast<LoopRegion>(r))
            for (std::optional<Code> *c : {&l->init, &l->condition, &l->update})
                if (*c)
                    out.push_back(&(*c)->text);
        for (const auto &b : r->blocks())
            if (auto *c = dyn_cast<ConditionalBlock>(b.get()))
                for (auto &branch : c->branches())
                    if (branch.condition)
                        out.push_back(&branch.condition->text);
        for (const auto &e : r->edges()) {
            out.push_back(&e->condition.text);
            for (auto &[symbol, value] : e->assignments)
                out.push_back(&value);
        }
    }
    return out;
}

void renameInFlow(SDFG &g, Name from, Name to) {
    for (std::string *text : codeOfFlow(g))
        if (const auto parsed = py::parseBlock(*text); parsed.value && text->find(from.str()) != std::string::npos)
            *text = py::print(py::substitute(*parsed.value, {{from, py::name(to)}}));
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
                        renameInFlow(inner, from, to);
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
