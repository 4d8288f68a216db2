// GPU_Device maps: kernels, their launches, and thread-block maps inside of them.
//
// A kernel's body is lowered like any scope, in the terms of the host function around it, and then moved into a function of its own
// (Outline.h): what it uses becomes parameters. The parameters of the kernel's map are spread over the grid, last one along x:
//
//     no thread-block map inside      iteration = thread of the grid
//     thread-block maps inside        iteration = block; their parameters are spread over the threads of the block
//     dynamic ones                    iteration = block; the threads take turns with the iterations of the last parameter, and each
//                                     goes through the others
//
// How large blocks are, and how many there are at most, shape-kernels decided: an axis with such a limit is a loop with the stride
// of the grid. Parameters beyond the third share the z axis. What all iterations of a kernel's map only accumulate (resolve-wcr:
// Reduction) each thread accumulates for itself; its block combines the values and updates memory once. Barriers between the phases
// of a block are nodes of the graph (place-barriers). Persistent kernels are in GridKernels.cpp.
#include "Lowering.h"
#include "sdfgc/Tree/Effects.h"
#include "sdfgc/Tree/Outline.h"
#include "sdfgc/Tree/TidyKernel.h"

#include <algorithm>
#include <set>
#include <utility>

namespace sdfgc::tree {

using namespace ir;
using analysis::Executor;

namespace {

/// Functions of BLAS and LAPACK, which tasklets of expanded library nodes call: no GPU has them.
bool isHostLibrary(std::string_view name) {
    return name.substr(0, 6) == "cblas_" || name.substr(0, 8) == "LAPACKE_" || name.substr(0, 5) == "fftw_";
}

std::set<Name> namesInText(const Function &f, tree::Block &b) {
    EffectTable table(f);
    std::set<Name> names;
    for (const NodePtr &n : b.body) {
        const Effects &m = table.of(*n);
        names.insert(m.inText.begin(), m.inText.end());
    }
    return names;
}

std::string kernelName(const MapEntry &m) {
    std::string name;
    for (char c : m.label)
        name += std::isalnum(static_cast<unsigned char>(c)) || c == '_' ? c : '_';
    if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])))
        name.insert(0, "kernel_");
    return name;
}

} // namespace

// ---------------------------------------------------------------------------------------------------- shape

/// As shape-kernels decided, in terms of variables.
Lowering::KernelShape Lowering::kernelShape(Instance &in, MapEntry &m) {
    KernelShape shape;
    shape.threadBlocks = analysis::runByBlocks(m);
    for (std::size_t axis = 0; m.gpuBlockSize && axis < std::min<std::size_t>(3, m.gpuBlockSize->size()); ++axis)
        shape.block[axis] = final(in, sub(in, (*m.gpuBlockSize)[axis]));
    for (std::size_t axis = 0; axis < std::min<std::size_t>(3, m.gpuGridLimit.size()); ++axis)
        shape.most[axis] = m.gpuGridLimit[axis].asInt().value_or(0);
    return shape;
}

// ---------------------------------------------------------------------------------------------------- loops that are spread

/// The loops of a kernel's map; `launch` gets the grid. Returns the innermost body.
tree::Block *Lowering::gridLoops(Instance &in, MapEntry &m, const KernelShape &shape, Launch &launch, tree::Block &out,
                                 const std::function<void(Name, sym::Expr)> &define) {
    tree::Block *at = &out;
    const std::size_t rank = m.params.size();
    const std::size_t combined = rank > 3 ? rank - 2 : 0; // leading parameters that share z
    if (combined > 0) {
        sym::Expr total = 1;
        for (std::size_t d = 0; d < combined; ++d)
            total *= sub(in, m.ranges[d].steps());
        at = spreadLoop(in, "z", {0, total - 1, 1, 1}, shape, 2, launch, *at);
        splitIndex(in, m, 0, combined, sym::Expr::symbol(varName(in, static_cast<For &>(*out.body.back()).var)), *at, define);
    }
    for (std::size_t d = combined; d < rank; ++d) {
        tree::Block *outer = at;
        at = spreadLoop(in, m.params[d], {sub(in, m.ranges[d].begin), sub(in, m.ranges[d].end), sub(in, m.ranges[d].step), 1},
                        shape, static_cast<int>(rank - 1 - d), launch, *at);
        define(m.params[d], sym::Expr::symbol(varName(in, static_cast<For &>(*outer->body.back()).var)));
    }
    return at;
}

void Lowering::splitIndex(Instance &in, MapEntry &m, std::size_t first, std::size_t last, sym::Expr number, tree::Block &out,
                          const std::function<void(Name, sym::Expr)> &define) {
    for (std::size_t d = last; d-- > first;) {
        sym::Expr size = sub(in, m.ranges[d].steps());
        sym::Expr index = d > first ? sym::mod(number, size) : number;
        VarId v = declareValue(in, m.params[d], ScalarKind::Int64, true);
        out.add<Declare>(v)->init = py::lowerOperators(
            py::inferTypes(toPy(in, final(in, sub(in, m.ranges[d].begin) + sub(in, m.ranges[d].step) * index)), environment(in)),
            semantics());
        define(m.params[d], sym::Expr::symbol(varName(in, v)));
        number = sym::floorDiv(number, size);
    }
}

/// One axis of the grid.
tree::Block *Lowering::spreadLoop(Instance &in, Name parameter, const sym::Range &r, const KernelShape &shape, int axis,
                                  Launch &launch, tree::Block &out) {
    auto *loop = out.add<For>();
    sym::Expr steps = r.steps();
    const std::size_t a = static_cast<std::size_t>(axis);
    sym::Expr blocks = shape.threadBlocks ? steps : sym::ceilDiv(steps, shape.block[a]);
    const int64_t most = shape.most[a];
    const bool fits = most == 0 || (blocks.asInt() && *blocks.asInt() <= most);
    if (!shape.threadBlocks && !blocks.asInt())
        blocks = sym::call(number::blocks, {steps, shape.block[a]}); // reads better than the quotient
    launch.grid[a] = final(in, fits ? blocks : sym::min({blocks, most}));
    loop->spread = Spread{shape.threadBlocks ? Spread::Grid : Spread::Threads, axis, fits, shape.threadBlocks && fits};
    finishSpread(in, *loop, parameter, r);
    return &loop->body;
}

void Lowering::finishSpread(Instance &in, For &loop, Name parameter, const sym::Range &r) {
    loop.begin = final(in, r.begin);
    loop.end = final(in, r.end);
    loop.step = final(in, r.step);
    std::optional<int64_t> step = loop.step.asInt();
    loop.descending = step && *step < 0;
    loop.var = declareValue(in, parameter, ScalarKind::Int64);
    sym::Expr lowest = loop.descending ? loop.end : loop.begin;
    in.fn->facts[varName(in, loop.var)].nonnegative = sym::isNonNegative(lowest, in.fn->facts) == sym::Truth::True;
}

// ---------------------------------------------------------------------------------------------------- kernels

void Lowering::kernel(Instance &in, MapEntry &m, tree::Block &out) {
    KernelShape shape = kernelShape(in, m);
    auto launch = std::make_unique<Launch>();
    launch->element = elementName(m);
    launch->block = shape.block;
    launch->stream = m.stream.value_or(0);
    usesStream(in, launch->stream);

    tree::Block body;
    FunctionContext::Device outer = in.fn->device;
    in.fn->device = {true, shape.threadBlocks ? Executor::Block : Executor::Thread, shape.block, launch.get(), {}, &out};
    SymbolScope symbols(in);
    in.fn->names.open();
    Omp clauses; // kernels have none
    const std::vector<ReductionPlan> reductions = planReductions(in, m, body, clauses);
    shape.reduces = !reductions.empty();
    tree::Block *at = gridLoops(in, m, shape, *launch, body, [&](Name n, sym::Expr e) { symbols.define(n, e, ScalarKind::Int64); });
    scope(in, &m, *at);
    finishReductions(in, reductions, body);
    in.fn->names.close();
    in.fn->device = outer;

    const KernelInfo info = kernelInfo(m, shape, body);
    finishKernel(in, m, nameKernel(m), std::move(body), info, *launch);
    out.body.push_back(std::move(launch));
}

KernelInfo Lowering::kernelInfo(const MapEntry &m, const KernelShape &shape, tree::Block &body) const {
    KernelInfo info;
    // C++ of the graph may let threads meet: dace::warpReduce does in what DaCe's expansions of reductions leave.
    info.barriers = shape.reduces || contains(body, Kind::Barrier) || contains(body, Kind::RawTasklet);
    sym::Expr threads = shape.block[0] * shape.block[1] * shape.block[2];
    info.maxThreads = m.gpuLaunchBounds == "0" ? threads.asInt().value_or(0)
                                               : std::max<int64_t>(0, std::strtoll(m.gpuLaunchBounds.c_str(), nullptr, 10));
    info.minBlocks = m.gpuMinWarpsPerEu;
    info.maxRegisters = m.gpuMaxNReg;
    return info;
}

Name Lowering::nameKernel(const MapEntry &m) { return functionName(kernelName(m), "_kernel"); }

/// Moves the body into a function and fills in the launch's arguments.
void Lowering::finishKernel(Instance &in, MapEntry &m, Name name, tree::Block body, const KernelInfo &info, Launch &launch) {
    auto typeOf = [&](Name n) {
        if (auto it = in.fn->facts.find(n); it != in.fn->facts.end() && in.fn->names.visible(n))
            return it->second.type;
        // A scalar of the host that an index mentions.
        const Table<VarId, Variable> &vars = fn(in).vars;
        auto v = std::find_if(vars.begin(), vars.end(), [n](const Variable &x) { return x.name == n && x.kind == VarKind::Value; });
        return v != vars.end() && in.fn->names.visible(n) ? v->type : Type();
    };
    auto refuse = [&](const Variable &v, Obstacle why) {
        if (why == Obstacle::Written)
            error(diag::Id::KernelWritesValue, analysis::placeOf(m), m.label, v.name);
        else
            error(diag::Id::KernelVariable, analysis::placeOf(m), m.label, v.name);
    };
    tidyKernel(fn(in), body);
    if (!context_.options.emulate)
        for (Name n : namesInText(fn(in), body))
            if (isHostLibrary(n.view()))
                error(diag::Id::KernelCallsHost, analysis::placeOf(m), m.label, n.str());
    Outlined outlined = outline(fn(in), std::move(body), name, typeOf, refuse);
    if (outlined.function->needsState)
        error(diag::Id::KernelVariable, analysis::placeOf(m), m.label, "__state");
    outlined.function->comment = "kernel " + m.label;
    outlined.function->kernel = info;
    launch.arguments = std::move(outlined.arguments);
    launch.function = module_->functions.add(std::move(outlined.function));
}

/// The arena of a container of a kernel, with memory of a size in front of the launch; none if there is no such container.
VarId Lowering::reserveArena(Instance &in, Name name, const DataDesc &d, sym::Expr size) {
    Place arena;
    for (Instance *at = &in; at && !arena.valid(); at = at->parent)
        if (auto it = at->places.find(d.arena); it != at->places.end() && at->g->arrays.contains(d.arena))
            arena = it->second;
    if (!arena.valid()) {
        error(diag::Id::NoPlace, analysis::placeOf(*in.g, d, name), name.str());
        return {};
    }
    auto *allocate = in.fn->device.host->add<Allocate>(arena.var, size);
    allocate->reserve = true;
    allocate->zero = zeroed(*in.g).count(name) != 0;
    return arena.var;
}

/// A slice of the arena, for each thread or block.
Place Lowering::slice(Instance &in, Name name, const DataDesc &d, sym::Expr size, tree::Block &out) {
    const FunctionContext::Device &device = in.fn->device;
    sym::Expr slices = 1;
    for (std::size_t axis = 0; axis < 3; ++axis)
        slices *= device.launch->grid[axis] * (device.level == Executor::Block ? sym::Expr(1) : device.launch->block[axis]);
    const VarId arena = reserveArena(in, name, d, slices * size);
    if (!arena)
        return {};
    Variable v;
    v.name = in.fn->names.declare(name);
    v.type = d.dtype;
    v.kind = VarKind::Pointer;
    VarId id = fn(in).vars.add(std::move(v));
    MemRef slice;
    slice.var = arena;
    slice.offset = sym::call(device.level == Executor::Block ? number::blockInGrid : number::threadInGrid, {}) * size;
    slice.address = true;
    out.add<Declare>(id)->target = fn(in).refs.add(std::move(slice));
    return placeFor(in, id, d);
}

// ---------------------------------------------------------------------------------------------------- inside of kernels

/// A map inside of a kernel: over the grid of a persistent one, over the threads of the block, or a loop of each thread.
void Lowering::deviceMap(Instance &in, MapEntry &m, tree::Block &out) {
    const Executor level = in.fn->device.level;
    const bool overGrid = m.schedule == Schedule::GPU_Device && level == Executor::Grid;
    const bool spreads = overGrid || (isThreadBlock(m.schedule) && level != Executor::Thread);
    auto *block = out.add<tree::Block>();
    block->comment = "map " + m.label;
    in.fn->names.open();
    SymbolScope symbols(in);
    for (Edge *e : m.inEdges())
        if (isDynamicRange(e->dstConn))
            symbols.define(e->dstConn, 0, Type());
    dynamicRanges(in, m, *block);
    if (overGrid)
        gridMap(in, m, *block);
    else if (spreads)
        threadBlockMap(in, m, *block);
    else
        mapLoops(in, m, *block);
    in.fn->names.close();
    for (const NodePtr &n : block->body)
        if (const auto *loop = dyn_cast<For>(n.get()); n->kind == Kind::Declare || (loop && loop->spread && loop->spread->once))
            block->braces = true; // an index may be declared in front of its guard
    if (m.gpuForceSyncthreads)
        out.add<Barrier>();
}

/// A map of fewer dimensions than the block has is for the first threads along the others. Returns where they work.
tree::Block &Lowering::firstThreads(Instance &in, std::size_t rank, tree::Block &out) {
    const std::array<Name, 3> along{number::threadX, number::threadY, number::threadZ};
    std::vector<py::ExprRef> first;
    for (std::size_t axis = rank; axis < 3; ++axis)
        if (!in.fn->device.block[axis].isOne())
            first.push_back(py::name(along[axis]));
    return first.empty() ? out : onlyFirst(first, out);
}

void Lowering::threadBlockMap(Instance &in, MapEntry &m, tree::Block &out) {
    SymbolScope symbols(in);
    // Each block of a persistent kernel comes by: what is seen by all of them, one writes.
    tree::Block *at = in.fn->device.level == Executor::Grid && writesBeyond(*m.exit, Storage::GPU_Shared)
                          ? &onlyFirst({py::call(number::blockInGrid, {})}, out)
                          : &out;
    const std::size_t rank = m.params.size();
    const bool dynamic = m.schedule == Schedule::GPU_ThreadBlock_Dynamic;
    if (!dynamic)
        at = &firstThreads(in, rank, *at);
    for (std::size_t d = 0; d < rank; ++d) {
        auto *loop = at->add<For>();
        sym::Range r{sub(in, m.ranges[d].begin), sub(in, m.ranges[d].end), sub(in, m.ranges[d].step), 1};
        const std::size_t axis = rank - 1 - d;
        if (dynamic) {
            if (axis == 0)
                loop->spread =
                    Spread{Spread::Block, in.fn->device.block[1].isOne() && in.fn->device.block[2].isOne() ? 0 : -1, false, false};
        } else if (axis < 3) { // further ones are loops of each thread
            std::optional<int64_t> steps = r.steps().asInt(), threads = in.fn->device.block[axis].asInt();
            loop->spread = Spread{Spread::Block, static_cast<int>(axis), true, steps && threads && *steps == *threads};
        }
        finishSpread(in, *loop, m.params[d], r);
        symbols.define(m.params[d], sym::Expr::symbol(varName(in, loop->var)), ScalarKind::Int64);
        at = &loop->body;
    }
    const Executor level = std::exchange(in.fn->device.level, Executor::Thread);
    in.fn->names.open();
    scope(in, &m, *at);
    in.fn->names.close();
    in.fn->device.level = level;
}

} // namespace sdfgc::tree
