// GPU_Persistent maps: kernels that fill the device once and whose blocks synchronise at grid barriers.
#include "GridKernels.h"

#include "KernelFunctions.h"
#include "Lower/Expressions/Symbols.h"
#include "Lower/Flow/Loops.h"
#include "Lower/Flow/Maps.h"
#include "Lower/Flow/States.h"

#include "sdfgc/Analysis/Memory/Axes.h"
#include "sdfgc/Analysis/Memory/Copies.h"

#include <utility>

namespace sdfgc::tree::lowering {

using namespace ir;
using analysis::Executor;

void lowerGridKernel(Instance &in, MapEntry &m, tree::Block &out) {
    const KernelShape shape = kernelShape(in, m);
    const Name name = nameKernel(in.program(), m);
    std::unique_ptr<Launch> launch = launchOf(in, m, shape);
    const bool isOneBlock = !m.gpuGridLimit.empty();
    if (!isOneBlock)
        launch->grid[0] = sym::call(number::residentBlocks,
                                    {sym::Expr::symbol(name), printable(in, shape.block[0] * shape.block[1] * shape.block[2])});

    tree::Block body;
    FunctionContext::Device outer =
        std::exchange(in.fn->device, {true, Executor::Grid, shape.block, launch.get(), &out, isOneBlock});
    SymbolScope symbols(in);
    in.fn->names.open();
    if (!m.params.empty())
        symbols.define(m.params[0], sym::call(isOneBlock ? number::threadInBlock : number::threadInGrid, {}), ScalarKind::Int64);
    lowerScope(in, &m, body);
    in.fn->names.close();
    in.fn->device = std::move(outer);

    KernelInfo info = kernelInfo(m, shape, body);
    info.persistent = !isOneBlock;
    finishKernel(in, m, name, std::move(body), info, *launch);
    out.body.push_back(std::move(launch));
}

namespace {

/// The number of iterations of a box, or a number below one. Two sizes may be negative, and their product must not be positive.
sym::Expr iterationsOf(const Instance &in, const MapEntry &m) {
    sym::Expr total = 1;
    bool mayBeNegative = false;
    for (const sym::Range &r : m.ranges) {
        sym::Expr size = inVariables(in, r.steps());
        if (sym::isNonNegative(size, in.fn->facts) != sym::Truth::True && std::exchange(mayBeNegative, true))
            size = sym::max({0, size});
        total *= size;
    }
    return total;
}

} // namespace

void gridMap(Instance &in, MapEntry &m, tree::Block &out) {
    if (!in.fn->device.isOneBlock && !m.gpuGridLimit.empty()) {
        auto *only = out.add<If>();
        const py::ExprRef isFirst = py::compare(py::Op::Eq, py::call(number::blockInGrid, {}), py::intLit(0));
        only->branches.push_back({isFirst, std::make_unique<tree::Block>()});
        in.fn->device.isOneBlock = true;
        gridMap(in, m, *only->branches.back().body);
        in.fn->device.isOneBlock = false;
        return;
    }
    SymbolScope symbols(in);
    const bool byBlocks = analysis::runByBlocks(m);
    const std::array<sym::Expr, 3> &block = in.fn->device.block;
    const bool isRow = block[1].isOne() && block[2].isOne();
    if (in.fn->device.isOneBlock && byBlocks) { // the block runs all iterations
        const Executor level = std::exchange(in.fn->device.level, Executor::Block);
        mapLoops(in, m, out);
        in.fn->device.level = level;
        return;
    }
    const Spread::Level level = byBlocks ? Spread::Grid : in.fn->device.isOneBlock ? Spread::Block : Spread::Threads;
    const Spread spread{level, byBlocks || isRow ? 0 : -1, false, false};
    const std::size_t rank = m.params.size();
    tree::Block *at = &out;
    auto loop = [&](Name parameter, const sym::Range &r) {
        auto *l = at->add<For>();
        setLoop(in, *l, parameter, r);
        at = &l->body;
        return l;
    };
    if (rank > 1 && analysis::isBox(m.params, m.ranges)) {
        For *all = loop("k", {0, iterationsOf(in, m) - 1, 1, 1});
        all->spread = spread;
        splitIndex(in, m, 0, rank, sym::Expr::symbol(in.varName(all->var)), symbols, *at);
    } else {
        for (std::size_t d = 0; d < rank; ++d) {
            For *l = loop(m.params[d], boundsOf(in, m.ranges[d]));
            if (d + 1 == rank)
                l->spread = spread; // every thread runs the surrounding loops
            symbols.define(m.params[d], l->var);
        }
    }
    const Executor outer = std::exchange(in.fn->device.level, byBlocks ? Executor::Block : Executor::Thread);
    in.fn->names.open();
    lowerScope(in, &m, *at);
    in.fn->names.close();
    in.fn->device.level = outer;
}

} // namespace sdfgc::tree::lowering
