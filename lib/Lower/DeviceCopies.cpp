// Copies and fills of a GPU program: what the host queues on a stream, and what threads of a kernel do. How is decided by the pass
// select-copies (sdfgc/Analysis/Copies.h has the table); here the calls and the loops around them are made.
#include "Lowering.h"

#include "sdfgc/Analysis/Async.h"
#include "sdfgc/Analysis/Copies.h"

namespace sdfgc::tree {

using namespace ir;
using analysis::axesOf;
using analysis::Axis;
using analysis::isRun;
using analysis::offsetOfLinear;
using analysis::volume;

bool Lowering::onDevice(const Place &p) const { return p.desc && p.desc->storage == Storage::GPU_Global; }

/// Does the host hand this copy to the device?
bool Lowering::queued(const Instance &in, const Place &src, const Place &dst) const {
    return !in.fn->device.inside && (onDevice(src) || onDevice(dst));
}

namespace {

/// One side of a copy, for messages: `A[0:N]`.
std::string text(const ir::Node *end, const sym::Subset &subset) {
    const auto *access = dyn_cast<AccessNode>(end);
    return (access ? access->data.str() : "") + "[" + subset.str() + "]";
}

bool isByRows(CopyMethod m) { return m == CopyMethod::Pitched || m == CopyMethod::Pitched3D || m == CopyMethod::Batched; }

} // namespace

/// Does the copy still have the shape that its method was chosen for? What is known of symbols here may show that less would do.
bool Lowering::suits(const CopySide &src, const CopySide &dst, const analysis::CopyShape &shape, const Edge &e) {
    analysis::CopyEnds ends;
    ends.fromDevice = onDevice(src.place);
    ends.toDevice = onDevice(dst.place);
    ends.converts = src.place.type != dst.place.type;
    ends.resolves = !e.memlet.wcr.empty();
    const CopyMethod method = e.memlet.copy, now = analysis::chooseCopy(ends, shape);
    if (now == method || (isByRows(method) && (isByRows(now) || now == CopyMethod::Linear)))
        return true;
    const std::string from = text(e.src, src.subset), to = text(e.dst, dst.subset);
    if (method == CopyMethod::Undecided)
        error(diag::Id::UndecidedCopy, analysis::placeOf(e), from, to);
    else
        error(diag::Id::UnsuitableCopy, analysis::placeOf(e), from, to, name(method), name(now));
    return false;
}

void Lowering::deviceCopy(Instance &in, const CopySide &src, const CopySide &dst, const Edge &e, tree::Block &out) {
    const analysis::CopyShape shape =
        analysis::copyShape(axesOf(src.place.strides, src.subset), axesOf(dst.place.strides, dst.subset));
    const CopyMethod method = e.memlet.copy;
    if (!suits(src, dst, shape, e))
        return;
    const std::vector<analysis::CopyDim> &dims = shape.dims;
    sym::Expr srcStart = startOffset(src.place, src.subset), dstStart = startOffset(dst.place, dst.subset);
    tree::Block *at = &out;
    auto copy = std::make_unique<DeviceCopy>();
    in.fn->names.open();
    std::size_t left = dims.size(); // dimensions that the call covers, from the innermost on
    if (shape.inRows())
        copy->width = final(in, dims[--left].size);
    if (left > 0) {
        const analysis::CopyDim &rows = dims[--left];
        copy->rows = final(in, rows.size);
        copy->sourcePitch = final(in, rows.from);
        copy->targetPitch = final(in, rows.to);
    }
    if (method == CopyMethod::Pitched3D && left > 0) {
        const analysis::CopyDim &slices = dims[--left];
        copy->slices = final(in, slices.size);
        copy->sourceSlice = final(in, slices.from);
        copy->targetSlice = final(in, slices.to);
    }
    for (std::size_t d = 0; d < left; ++d) {
        auto *loop = at->add<For>();
        loop->var = declareValue(in, "row", ScalarKind::Int64);
        in.fn->facts[varName(in, loop->var)].nonnegative = true;
        loop->begin = 0;
        loop->end = final(in, dims[d].size - 1);
        at = &loop->body;
        sym::Expr k = sym::Expr::symbol(varName(in, loop->var));
        srcStart += k * dims[d].from;
        dstStart += k * dims[d].to;
    }
    copy->source = addressAt(in, src.place, srcStart);
    copy->target = addressAt(in, dst.place, dstStart);
    copy->type = src.place.type;
    copy->direction = onDevice(src.place) ? (onDevice(dst.place) ? DeviceCopy::DeviceToDevice : DeviceCopy::DeviceToHost)
                                          : DeviceCopy::HostToDevice;
    copy->stream = e.memlet.stream.value_or(0);
    usesStream(in, copy->stream);
    in.fn->names.close();
    at->body.push_back(std::move(copy));
}

void Lowering::deviceFill(Instance &in, const CopySide &dst, const py::ExprRef &value, int stream, tree::Block &out) {
    std::vector<Axis> axes = axesOf(dst.place.strides, dst.subset);
    tree::Block *at = &out;
    sym::Expr start = startOffset(dst.place, dst.subset);
    in.fn->names.open();
    while (!axes.empty() && !isRun(axes)) { // rows that are runs
        auto *loop = at->add<For>();
        loop->var = declareValue(in, "row", ScalarKind::Int64);
        loop->begin = 0;
        loop->end = final(in, axes.front().size - 1);
        start += sym::Expr::symbol(varName(in, loop->var)) * axes.front().stride;
        axes.erase(axes.begin());
        at = &loop->body;
    }
    auto *fill = at->add<DeviceFill>();
    fill->target = addressAt(in, dst.place, start);
    fill->count = final(in, volume(axes));
    fill->type = dst.place.type;
    fill->value = value;
    fill->stream = stream;
    usesStream(in, stream);
    in.fn->names.close();
}

void Lowering::kernelCopy(Instance &in, const CopySide &src, const CopySide &dst, const Edge &e, tree::Block &out) {
    if (e.memlet.copy != CopyMethod::Cooperative)
        return copyLoops(in, src, dst, e, out);
    std::vector<Axis> from = axesOf(src.place.strides, src.subset), to = axesOf(dst.place.strides, dst.subset);
    in.fn->names.open();
    auto *loop = out.add<For>();
    loop->var = declareValue(in, "k", ScalarKind::Int64);
    loop->begin = 0;
    loop->end = final(in, volume(to) - 1);
    // What each block has of its own, each block copies.
    const bool byGrid = in.fn->device.level == analysis::Executor::Grid && dst.place.desc->storage != Storage::GPU_Shared;
    loop->spread = Spread{byGrid ? Spread::Threads : Spread::Block, -1, false, false};
    sym::Expr k = sym::Expr::symbol(varName(in, loop->var));
    in.fn->facts[varName(in, loop->var)].nonnegative = true;
    py::ExprRef value = read(in, src.place, startOffset(src.place, src.subset) + offsetOfLinear(from, k));
    py::ExprRef target = read(in, dst.place, startOffset(dst.place, dst.subset) + offsetOfLinear(to, k));
    if (e.memlet.wcr.empty()) {
        loop->body.add<tree::Code>()->stmts.push_back(py::assign(target, value));
    } else {
        auto wcr = py::parseWcr(e.memlet.wcr);
        auto *update = loop->body.add<Update>();
        update->target = refOf(*target);
        update->value = value;
        update->reduction = wcr.value ? wcr.value->kind : py::Reduction::Custom;
        update->lambda = wcr.value ? resolution(in, wcr.value->lambda, dst.place.type) : nullptr;
        update->atomic = true;
    }
    in.fn->names.close();
}

/// The container gets memory of the size that it has here, or gives it back.
void Lowering::poolMemory(Instance &in, const analysis::AsyncOp &op, diag::Location at, tree::Block &out) {
    const DataDesc *d = in.g->arrays.find(op.data);
    auto place = in.places.find(op.data);
    const bool known = d && place != in.places.end() && place->second.valid();
    if (!known || fn(in).vars[place->second.var].kind != VarKind::PoolBuffer) {
        error(diag::Id::NoPlace, std::move(at), op.data.str());
        return;
    }
    const VarId v = place->second.var;
    if (op.kind == analysis::AsyncOp::Free) {
        out.add<Release>(v, op.stream);
        return;
    }
    place->second = placeFor(in, v, *d);
    auto *allocate = out.add<Allocate>(v, final(in, sub(in, d->totalSize)));
    allocate->stream = op.stream;
    allocate->zero = zeroed(*in.g).count(op.data) != 0;
}

/// Copies, fills and the operations of Async are the only library nodes that reach the lowering.
void Lowering::libraryNode(Instance &in, LibraryNode &n, tree::Block &out) {
    auto op = analysis::asyncOp(n);
    if (!op)
        return copyOrFillNode(in, n, out);
    if (op->ofThreads()) {
        out.add<Barrier>()->ofGrid = op->kind == analysis::AsyncOp::GridBarrier;
        return;
    }
    if (op->kind == analysis::AsyncOp::Reserve)
        return reserve(in, op->data, analysis::placeOf(n), out);
    usesStream(in, std::max(op->stream, 0));
    switch (op->kind) {
    case analysis::AsyncOp::Barrier:
    case analysis::AsyncOp::GridBarrier:
    case analysis::AsyncOp::Reserve:
        return;
    case analysis::AsyncOp::Allocate:
    case analysis::AsyncOp::Free:
        return poolMemory(in, *op, analysis::placeOf(n), out);
    case analysis::AsyncOp::Synchronise:
        out.add<Synchronise>()->stream = op->stream;
        return;
    case analysis::AsyncOp::Record: {
        auto *record = out.add<EventRecord>();
        record->event = op->event;
        record->stream = op->stream;
        module_->events = std::max(module_->events, op->event + 1);
        return;
    }
    case analysis::AsyncOp::Wait: {
        auto *wait = out.add<EventWait>();
        wait->event = op->event;
        wait->stream = op->stream;
        module_->events = std::max(module_->events, op->event + 1);
        return;
    }
    }
}

} // namespace sdfgc::tree
