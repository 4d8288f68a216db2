// GPU_Device maps: kernels and their launches.
#include "Kernels.h"

#include "KernelFunctions.h"
#include "Lower/Expressions/Symbols.h"
#include "Lower/Flow/Loops.h"
#include "Lower/Flow/Maps.h"
#include "Lower/Flow/Reductions.h"
#include "Lower/Flow/States.h"

namespace sdfgc::tree::lowering {

using namespace ir;
using analysis::Executor;

namespace {

/// The loop over one axis of the grid; also sets that axis's size in the launch.
For &spreadLoop(Instance &in, Name parameter, const sym::Range &r, const KernelShape &shape, int axis, Launch &launch,
                tree::Block &out) {
    auto *loop = out.add<For>();
    sym::Expr steps = r.steps();
    const std::size_t a = static_cast<std::size_t>(axis);
    sym::Expr blocks = shape.threadBlocks ? steps : sym::ceilDiv(steps, shape.block[a]);
    const int64_t most = shape.most[a];
    const bool fits = most == 0 || (blocks.asInt() && *blocks.asInt() <= most);
    if (!shape.threadBlocks && !blocks.asInt())
        blocks = sym::call(number::blocks, {steps, shape.block[a]}); // more readable than the quotient
    launch.grid[a] = printable(in, fits ? blocks : sym::min({blocks, most}));
    loop->spread = Spread{shape.threadBlocks ? Spread::Grid : Spread::Threads, axis, fits, shape.threadBlocks && fits};
    setLoop(in, *loop, parameter, r);
    return *loop;
}

/// Creates the loops of a kernel's map and sets the grid of the launch. Returns the innermost body.
tree::Block &gridLoops(Instance &in, const MapEntry &m, const KernelShape &shape, Launch &launch, SymbolScope &symbols,
                       tree::Block &out) {
    const std::size_t rank = m.params.size();
    const std::size_t combined = rank > 3 ? rank - 2 : 0; // leading parameters that share z
    tree::Block *at = &out;
    if (combined > 0) {
        sym::Expr total = 1;
        for (std::size_t d = 0; d < combined; ++d)
            total *= inVariables(in, m.ranges[d].steps());
        For &loop = spreadLoop(in, "z", {0, total - 1, 1, 1}, shape, 2, launch, *at);
        at = &loop.body;
        splitIndex(in, m, 0, combined, sym::Expr::symbol(in.varName(loop.var)), symbols, *at);
    }
    for (std::size_t d = combined; d < rank; ++d) {
        const int axis = static_cast<int>(rank - 1 - d);
        For &loop = spreadLoop(in, m.params[d], boundsOf(in, m.ranges[d]), shape, axis, launch, *at);
        symbols.define(m.params[d], loop.var);
        at = &loop.body;
    }
    return *at;
}

} // namespace

void lowerKernel(Instance &in, MapEntry &m, tree::Block &out) {
    KernelShape shape = kernelShape(in, m);
    std::unique_ptr<Launch> launch = launchOf(in, m, shape);
    tree::Block body;
    FunctionContext::Device outer = in.fn->device;
    in.fn->device = {true, shape.threadBlocks ? Executor::Block : Executor::Thread, shape.block, launch.get(), &out};
    SymbolScope symbols(in);
    in.fn->names.open();
    Omp clauses; // not used in kernels
    const std::vector<ReductionPlan> reductions = planReductions(in, m, body, clauses);
    shape.reduces = !reductions.empty();
    dynamicRanges(in, m, symbols, body, true);
    tree::Block &innermost = gridLoops(in, m, shape, *launch, symbols, body);
    lowerScope(in, &m, innermost);
    finishReductions(in, reductions, body);
    in.fn->names.close();
    in.fn->device = outer;

    const KernelInfo info = kernelInfo(m, shape, body);
    finishKernel(in, m, nameKernel(in.program(), m), std::move(body), info, *launch);
    out.body.push_back(std::move(launch));
}

} // namespace sdfgc::tree::lowering
