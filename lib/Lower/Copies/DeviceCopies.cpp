// Copies in a GPU program.
#include "DeviceCopies.h"

#include "Lower/Expressions/Symbols.h"
#include "Lower/Flow/Loops.h"

#include "sdfgc/Analysis/Memory/Copies.h"
#include "sdfgc/Analysis/Verify.h"

namespace sdfgc::tree::lowering {

using namespace ir;
using analysis::Axis;
using analysis::offsetOfLinear;
using analysis::volume;

namespace {

/// Do all of these move rows, so that they are interchangeable?
bool isByRows(CopyMethod m) { return m == CopyMethod::Pitched || m == CopyMethod::Pitched3D || m == CopyMethod::Batched; }

/// Does the copy still have the shape for which its method was chosen? The facts about symbols known here may show that a simpler
/// method would do.
bool suits(const Instance &in, const CopySide &src, const CopySide &dst, const analysis::CopyShape &shape, const Edge &e) {
    analysis::CopyEnds ends;
    ends.fromDevice = src.place.onDevice();
    ends.toDevice = dst.place.onDevice();
    ends.converts = src.place.type != dst.place.type;
    ends.resolves = !e.memlet.wcr.empty();
    const CopyMethod method = e.memlet.copy, now = analysis::chooseCopy(ends, shape);
    if (now == method || (isByRows(method) && (isByRows(now) || now == CopyMethod::Linear)))
        return true;
    refuseCopy(in, src, dst, e, now);
    return false;
}

} // namespace

void queueCopy(Instance &in, const CopySide &src, const CopySide &dst, const Edge &e, int stream, tree::Block &out) {
    const analysis::CopyShape shape = analysis::copyShape(src.axes(), dst.axes());
    const CopyMethod method = e.memlet.copy;
    if (!suits(in, src, dst, shape, e))
        return;
    const std::vector<analysis::CopyDim> &dims = shape.dims;
    sym::Expr srcStart = src.start(), dstStart = dst.start();
    tree::Block *at = &out;
    auto copy = std::make_unique<DeviceCopy>();
    in.fn->names.open();
    std::size_t left = dims.size(); // dimensions that the call covers, innermost first
    if (shape.inRows())
        copy->width = printable(in, dims[--left].size);
    if (left > 0) {
        const analysis::CopyDim &rows = dims[--left];
        copy->rows = printable(in, rows.size);
        copy->sourcePitch = printable(in, rows.from);
        copy->targetPitch = printable(in, rows.to);
    }
    if (method == CopyMethod::Pitched3D && left > 0) {
        const analysis::CopyDim &slices = dims[--left];
        copy->slices = printable(in, slices.size);
        copy->sourceSlice = printable(in, slices.from);
        copy->targetSlice = printable(in, slices.to);
    }
    for (std::size_t d = 0; d < left; ++d) {
        For &loop = countingLoop(in, "row", dims[d].size, *at);
        at = &loop.body;
        sym::Expr k = sym::Expr::symbol(in.varName(loop.var));
        srcStart += k * dims[d].from;
        dstStart += k * dims[d].to;
    }
    copy->source = addressAt(in, src.place, srcStart);
    copy->target = addressAt(in, dst.place, dstStart);
    copy->type = src.place.type;
    copy->direction = src.place.onDevice() ? (dst.place.onDevice() ? DeviceCopy::DeviceToDevice : DeviceCopy::DeviceToHost)
                                           : DeviceCopy::HostToDevice;
    copy->stream = stream;
    in.usesStream(stream);
    in.fn->names.close();
    at->body.push_back(std::move(copy));
}

void cooperativeCopy(Instance &in, const CopySide &src, const CopySide &dst, const Edge &e, tree::Block &out) {
    std::vector<Axis> from = src.axes(), to = dst.axes();
    in.fn->names.open();
    For &loop = countingLoop(in, "k", volume(to), out);
    // Each block copies memory that is private to it.
    const bool byGrid = in.fn->device.level == analysis::Executor::Grid && !in.fn->device.isOneBlock &&
                        dst.place.desc->storage != Storage::GPU_Shared;
    loop.spread = Spread{byGrid ? Spread::Threads : Spread::Block, -1, false, false};
    sym::Expr k = sym::Expr::symbol(in.varName(loop.var));
    copyElement(in, src, src.start() + offsetOfLinear(from, k), dst, dst.start() + offsetOfLinear(to, k), e,
                needsAtomics(in, dst.place, e.memlet), loop.body);
    in.fn->names.close();
}

} // namespace sdfgc::tree::lowering
