// Arrays of a kernel's body in device memory.
#include "KernelArrays.h"

#include "Lower/Memory/Elements.h"

#include "sdfgc/Analysis/Verify.h"

namespace sdfgc::tree::lowering {

using analysis::Executor;
using ir::DataDesc;

namespace {

/// The arena of a kernel's container, with memory of a size reserved before the launch; none if there is no such container.
VarId reserveArena(Instance &in, Name name, const DataDesc &d, sym::Expr size) {
    MemoryPlace arena;
    for (Instance *at = &in; at && !arena.valid(); at = at->parent)
        if (auto it = at->places.find(d.arena); it != at->places.end() && at->g->arrays.contains(d.arena))
            arena = it->second;
    if (!arena.valid()) {
        in.error(diag::Id::NoPlace, analysis::placeOf(*in.g, d, name), name.str());
        return {};
    }
    auto *allocate = in.fn->device.host->add<Allocate>(arena.var, size);
    allocate->reserve = true;
    allocate->zero = in.isZeroed(name);
    return arena.var;
}

} // namespace

MemoryPlace slice(Instance &in, Name name, const DataDesc &d, sym::Expr size, Block &out) {
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
    VarId id = in.function().vars.add(std::move(v));
    MemRef slice;
    slice.var = arena;
    slice.offset = sym::call(device.level == Executor::Block ? number::blockInGrid : number::threadInGrid, {}) * size;
    slice.address = true;
    out.add<Declare>(id)->target = in.function().refs.add(std::move(slice));
    return placeFor(in, id, d);
}

MemoryPlace gridArray(Instance &in, Name name, const DataDesc &d, sym::Expr size) {
    const VarId arena = reserveArena(in, name, d, size);
    return arena ? placeFor(in, arena, d) : MemoryPlace();
}

} // namespace sdfgc::tree::lowering
