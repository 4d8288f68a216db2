// GPU_Persistent maps: kernels that fill the device once and whose blocks meet at barriers of the grid.
//
//     map persist[_ = 0:0] GPU_Persistent {            void persist(...) {          // as many blocks as run at once
//       map a[i = 0:N] GPU_Device { t[i] = f(A[i]) }       for (i = thread of the grid; i < N; i += threads of the grid) t[i] =
//       f(A[i]); barrier of the grid                      ->        gridSync(); map b[i = 0:N] GPU_Device { B[i] = g(t) } for (i =
//       ...) B[i] = g(t);
//     }                                                }
//
// The map's own range says nothing; its first parameter is the thread's number in the grid. All threads go through the body
// together: states, conditions and loops of nested SDFGs, sequential maps. In it,
//
//     GPU_Device maps          are spread over the grid: an iteration is a thread, or a block where there are thread-block maps
//     inside;
//                              several parameters are counted as one, unless a range depends on another parameter
//     GPU_ThreadBlock maps     are run by each block, or by the first one when all blocks see what they write
//     tasklets                 likewise, by one thread; by all threads when they only write registers
//     copies                   are shared out among all threads, of each block where the target is shared memory
//
// All of it runs in blocks of one size, which shape-kernels decided.
//
// Device memory of the body is allocated by the host, once for the grid. The barriers are nodes of the graph (place-barriers). The
// rule comes from the reference on GPU code generation, section 5.7, with barriers by dependences and any number of dimensions.
#include "Lowering.h"

#include <utility>

namespace sdfgc::tree {

using namespace ir;
using analysis::Executor;

void Lowering::persistentKernel(Instance &in, MapEntry &m, tree::Block &out) {
    const KernelShape shape = kernelShape(in, m);
    const Name name = nameKernel(m);
    auto launch = std::make_unique<Launch>();
    launch->element = elementName(m);
    launch->block = shape.block;
    launch->grid[0] =
        sym::call(number::residentBlocks, {sym::Expr::symbol(name), final(in, shape.block[0] * shape.block[1] * shape.block[2])});
    launch->stream = m.stream.value_or(0);
    usesStream(in, launch->stream);

    tree::Block body;
    FunctionContext::Device outer = std::exchange(in.fn->device, {true, Executor::Grid, shape.block, launch.get(), {}, &out});
    SymbolScope symbols(in);
    in.fn->names.open();
    if (!m.params.empty())
        symbols.define(m.params[0], sym::call(number::threadInGrid, {}), ScalarKind::Int64);
    scope(in, &m, body);
    in.fn->names.close();
    in.fn->device = std::move(outer);

    KernelInfo info = kernelInfo(m, shape, body);
    info.persistent = true;
    finishKernel(in, m, name, std::move(body), info, *launch);
    out.body.push_back(std::move(launch));
}

/// A map over the device in a persistent kernel.
void Lowering::gridMap(Instance &in, MapEntry &m, tree::Block &out) {
    SymbolScope symbols(in);
    auto define = [&](Name n, sym::Expr e) { symbols.define(n, e, ScalarKind::Int64); };
    const bool byBlocks = analysis::runByBlocks(m);
    const std::array<sym::Expr, 3> &block = in.fn->device.block;
    const bool isRow = block[1].isOne() && block[2].isOne();
    const Spread spread{byBlocks ? Spread::Grid : Spread::Threads, byBlocks || isRow ? 0 : -1, false, false};
    const std::size_t rank = m.params.size();
    tree::Block *at = &out;
    auto loop = [&](Name parameter, const sym::Range &r) {
        auto *l = at->add<For>();
        finishSpread(in, *l, parameter, r);
        at = &l->body;
        return l;
    };
    if (rank > 1 && analysis::isBox(m.params, m.ranges)) {
        sym::Expr total = 1;
        for (const sym::Range &r : m.ranges)
            total *= sub(in, r.steps());
        For *all = loop("k", {0, total - 1, 1, 1});
        all->spread = spread;
        splitIndex(in, m, 0, rank, sym::Expr::symbol(varName(in, all->var)), *at, define);
    } else {
        for (std::size_t d = 0; d < rank; ++d) {
            For *l = loop(m.params[d], {sub(in, m.ranges[d].begin), sub(in, m.ranges[d].end), sub(in, m.ranges[d].step), 1});
            if (d + 1 == rank)
                l->spread = spread; // those around are loops of every thread
            define(m.params[d], sym::Expr::symbol(varName(in, l->var)));
        }
    }
    const Executor level = std::exchange(in.fn->device.level, byBlocks ? Executor::Block : Executor::Thread);
    in.fn->names.open();
    scope(in, &m, *at);
    in.fn->names.close();
    in.fn->device.level = level;
}

/// Device memory that all threads of a persistent kernel see.
Place Lowering::gridArray(Instance &in, Name name, const DataDesc &d, sym::Expr size) {
    const VarId arena = reserveArena(in, name, d, size);
    return arena ? placeFor(in, arena, d) : Place();
}

} // namespace sdfgc::tree
