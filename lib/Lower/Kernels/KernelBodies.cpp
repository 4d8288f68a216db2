// The contents of kernels.
#include "KernelBodies.h"

#include "GridKernels.h"
#include "Lower/Flow/Loops.h"
#include "Lower/Flow/Maps.h"
#include "Lower/Flow/States.h"
#include "Lower/Tasklets/Tasklets.h"

#include "sdfgc/Analysis/Device/Location.h"
#include "sdfgc/Analysis/Scopes.h"
#include "sdfgc/Analysis/Verify.h"

#include <algorithm>
#include <utility>

namespace sdfgc::tree::lowering {

using namespace ir;
using analysis::Executor;

namespace {

constexpr const char *kResolve = "let the pipeline run `resolve-thread-guards` after `default-schedules`";

/// Does a node, or an edge into a scope's exit, write memory other than registers and `own`?
bool writesBeyond(const ir::Node &n, Storage own) {
    for (const Edge *e : n.outEdges())
        if (const auto *a = dyn_cast<AccessNode>(analysis::pathDestination(e))) {
            const DataDesc *d = a->state()->sdfg()->desc(a->data);
            if (!d || (d->storage != Storage::Register && d->storage != own))
                return true;
        }
    return false;
}

/// A branch for the thread or block whose index is 0 in each of these numberings. Returns its body.
tree::Block &onlyFirst(const std::vector<py::ExprRef> &numbers, tree::Block &out) {
    std::vector<py::ExprRef> first;
    for (const py::ExprRef &number : numbers)
        first.push_back(py::compare(py::Op::Eq, number, py::intLit(0)));
    auto *only = out.add<If>();
    only->branches.push_back({first.size() == 1 ? first[0] : py::boolOp(py::Op::And, first), std::make_unique<tree::Block>()});
    return *only->branches.back().body;
}

/// A map with fewer dimensions than the block runs only on the first threads along the others. Returns the body for these threads.
tree::Block &firstThreads(const Instance &in, std::size_t rank, tree::Block &out) {
    const std::array<Name, 3> along{number::threadX, number::threadY, number::threadZ};
    std::vector<py::ExprRef> first;
    for (std::size_t axis = rank; axis < 3; ++axis)
        if (!in.fn->device.block[axis].isOne())
            first.push_back(py::name(along[axis]));
    return first.empty() ? out : onlyFirst(first, out);
}

/// A map over the threads of the block.
void threadBlockMap(Instance &in, MapEntry &m, tree::Block &out) {
    SymbolScope symbols(in);
    // Each block of a persistent kernel gets here: only one writes memory that all of them see.
    tree::Block *at =
        in.fn->device.level == Executor::Grid && !in.fn->device.isOneBlock && writesBeyond(*m.exit, Storage::GPU_Shared)
            ? &onlyFirst({py::call(number::blockInGrid, {})}, out)
            : &out;
    const std::size_t rank = m.params.size();
    const bool dynamic = m.schedule == Schedule::GPU_ThreadBlock_Dynamic;
    if (!dynamic)
        at = &firstThreads(in, rank, *at);
    for (std::size_t d = 0; d < rank; ++d) {
        auto *loop = at->add<For>();
        const sym::Range r = boundsOf(in, m.ranges[d]);
        const std::size_t axis = rank - 1 - d;
        if (dynamic) {
            if (axis == 0)
                loop->spread =
                    Spread{Spread::Block, in.fn->device.block[1].isOne() && in.fn->device.block[2].isOne() ? 0 : -1, false, false};
        } else if (axis < 3) { // further dimensions are loops of each thread
            std::optional<int64_t> steps = r.steps().asInt(), threads = in.fn->device.block[axis].asInt();
            loop->spread = Spread{Spread::Block, static_cast<int>(axis), true, steps && threads && *steps == *threads};
        }
        setLoop(in, *loop, m.params[d], r);
        symbols.define(m.params[d], loop->var);
        at = &loop->body;
    }
    const Executor level = std::exchange(in.fn->device.level, Executor::Thread);
    in.fn->names.open();
    lowerScope(in, &m, *at);
    in.fn->names.close();
    in.fn->device.level = level;
}

} // namespace

void lowerKernelMap(Instance &in, MapEntry &m, tree::Block &out) {
    if (m.schedule == Schedule::GPU_Warp)
        in.error(diag::Id::WarpMapRefused, analysis::placeOf(m), m.label, "no pass has resolved it", kResolve);
    const Executor level = in.fn->device.level;
    const bool overGrid = m.schedule == Schedule::GPU_Device && level == Executor::Grid;
    const bool spreads = overGrid || (isThreadBlock(m.schedule) && level != Executor::Thread);
    auto *block = out.add<tree::Block>();
    if (std::any_of(m.ranges.begin(), m.ranges.end(),
                    [](const sym::Range &r) { return !r.isPoint(); })) // not only names for values
        block->comment = "map " + m.label;
    in.fn->names.open();
    SymbolScope symbols(in);
    dynamicRanges(in, m, symbols, *block);
    if (overGrid)
        gridMap(in, m, *block);
    else if (spreads)
        threadBlockMap(in, m, *block);
    else
        mapLoops(in, m, *block);
    in.fn->names.close();
    for (const NodePtr &n : block->body)
        if (const auto *loop = dyn_cast<For>(n.get()); n->kind == TreeKind::Declare || (loop && loop->spread && loop->spread->once))
            block->braces = true; // an index may be declared before its guard
    if (m.gpuForceSyncthreads)
        out.add<Barrier>();
}

void lowerKernelTasklet(Instance &in, Tasklet &t, tree::Block &out) {
    if (const analysis::ThreadGuards guards = analysis::threadGuardsOf(t); !guards.guards.empty())
        in.error(diag::Id::GuardRefused, analysis::placeOf(t), guards.guards.front().text, t.label, "no pass has resolved it",
                 kResolve);
    if (in.fn->device.level == Executor::Thread || !writesBeyond(t, Storage::Register))
        return lowerTasklet(in, t, out);
    // Code outside of maps over threads runs once per block, or once for the grid: a single thread runs it.
    const FunctionContext::Device &device = in.fn->device;
    const bool once = device.level == Executor::Grid && !device.isOneBlock && writesBeyond(t, Storage::GPU_Shared);
    const bool isRow = device.isOneBlock && device.block[1].isOne() && device.block[2].isOne();
    const py::ExprRef thread =
        isRow ? py::name(number::threadX) : py::call(once ? number::threadInGrid : number::threadInBlock, {});
    lowerTasklet(in, t, onlyFirst({thread}, out));
}

} // namespace sdfgc::tree::lowering
