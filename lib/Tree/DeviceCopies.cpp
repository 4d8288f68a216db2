// Copies and fills of a GPU program: what the host queues on a stream, and what threads of a kernel do.
//
// A queued copy moves rows of contiguous elements: after neighbouring dimensions that are contiguous on both sides have been joined,
//
//     one run on both sides                         one row
//     one dimension with strides                    rows of one element
//     two dimensions, contiguous inner one          rows with pitches
//     more                                          loops of the host over the leading dimensions around one of these
//     sides that do not correspond by dimension     one element at a time
//
// Inside of a kernel each thread copies for itself; a copy at the level of a block (to or from shared memory) is shared by its threads,
// between barriers.
#include "Axes.h"
#include "Lowering.h"

#include "sdfgc/Analysis/Async.h"

namespace sdfgc::tree {

using namespace ir;

bool Lowering::onDevice(const Place &p) const { return p.desc && p.desc->storage == Storage::GPU_Global; }

/// Does the host hand this copy to the device?
bool Lowering::queued(const Instance &in, const Place &src, const Place &dst) const {
    return !in.fn->device.inside && (onDevice(src) || onDevice(dst));
}

namespace {

/// A dimension of a copy: both sides move.
struct Pair {
    sym::Expr size, from, to;
};

/// Joins a dimension with the one below it where that continues it on both sides.
std::vector<Pair> joined(const std::vector<Axis> &from, const std::vector<Axis> &to) {
    std::vector<Pair> out;
    for (std::size_t d = from.size(); d-- > 0;) {
        Pair p{from[d].size, from[d].stride, to[d].stride};
        if (!out.empty() && p.from == out.back().from * out.back().size && p.to == out.back().to * out.back().size)
            out.back().size *= p.size;
        else
            out.push_back(p);
    }
    return {out.rbegin(), out.rend()};
}

} // namespace

void Lowering::deviceCopy(Instance &in, const CopySide &src, const CopySide &dst, const Edge &e, tree::Block &out) {
    if (!e.memlet.wcr.empty() || src.place.type != dst.place.type) {
        error(diag::Id::DeviceCopyShape, analysis::placeOf(e), {e.memlet.wcr.empty() ? "convert elements" : "resolve write conflicts"});
        return;
    }
    std::vector<Axis> from = axesOf(src.place.strides, src.subset), to = axesOf(dst.place.strides, dst.subset);
    std::vector<Pair> dims;
    sym::Expr srcStart = startOffset(src.place, src.subset), dstStart = startOffset(dst.place, dst.subset);
    const bool runs = isRun(from) && isRun(to);
    bool corresponding = sameSizes(from, to);
    if (runs)
        dims.push_back({volume(to), 1, 1});
    else if (corresponding)
        dims = joined(from, to);
    else
        dims.push_back({volume(to), 0, 0});

    tree::Block *at = &out;
    auto copy = std::make_unique<DeviceCopy>();
    in.fn->names.open();
    auto loopOver = [&](sym::Expr size) {
        auto *loop = at->add<For>();
        loop->var = declareValue(in, "row", ScalarKind::Int64);
        in.fn->facts[varName(in, loop->var)].nonnegative = true;
        loop->begin = 0;
        loop->end = final(in, size - 1);
        at = &loop->body;
        return sym::Expr::symbol(varName(in, loop->var));
    };
    if (!runs && !corresponding) {
        sym::Expr k = loopOver(volume(to));
        srcStart += offsetOfLinear(from, k);
        dstStart += offsetOfLinear(to, k);
        dims.clear();
    }
    const bool contiguous = !dims.empty() && dims.back().from.isOne() && dims.back().to.isOne();
    const std::size_t taken = contiguous ? 2 : 1; // dimensions that one call covers
    std::size_t d = 0;
    for (; d + taken < dims.size() && !dims.empty(); ++d) {
        sym::Expr k = loopOver(dims[d].size);
        srcStart += k * dims[d].from;
        dstStart += k * dims[d].to;
    }
    if (contiguous)
        copy->width = final(in, dims.back().size);
    if (dims.size() > d + (contiguous ? 1 : 0)) { // rows
        copy->rows = final(in, dims[d].size);
        copy->sourcePitch = final(in, dims[d].from);
        copy->targetPitch = final(in, dims[d].to);
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
    auto privateToThread = [](const Place &p) { return p.desc && p.desc->storage == Storage::Register; };
    if (!in.fn->device.blockLevel || privateToThread(src.place) || privateToThread(dst.place))
        return copyLoops(in, src, dst, e, out);
    std::vector<Axis> from = axesOf(src.place.strides, src.subset), to = axesOf(dst.place.strides, dst.subset);
    out.add<Barrier>(); // what is overwritten has been read
    in.fn->names.open();
    auto *loop = out.add<For>();
    loop->var = declareValue(in, "k", ScalarKind::Int64);
    loop->begin = 0;
    loop->end = final(in, volume(to) - 1);
    loop->spread = Spread{Spread::Block, -1, false, false};
    sym::Expr k = sym::Expr::symbol(varName(in, loop->var));
    in.fn->facts[varName(in, loop->var)].nonnegative = true;
    py::ExprRef value = read(in, src.place, startOffset(src.place, src.subset) + offsetOfLinear(from, k));
    py::ExprRef target = read(in, dst.place, startOffset(dst.place, dst.subset) + offsetOfLinear(to, k));
    if (e.memlet.wcr.empty()) {
        loop->body.add<tree::Code>()->stmts.push_back(py::assign(target, value));
    } else {
        auto wcr = py::parseWcr(e.memlet.wcr);
        auto *update = loop->body.add<Update>();
        update->target = target->slot;
        update->value = value;
        update->reduction = wcr.value ? wcr.value->kind : py::Reduction::Custom;
        update->lambda = wcr.value ? resolution(in, wcr.value->lambda, dst.place.type) : nullptr;
        update->atomic = true;
    }
    in.fn->names.close();
    out.add<Barrier>();
}

/// Copies, fills and the operations of Async are the only library nodes that reach the lowering.
void Lowering::libraryNode(Instance &in, LibraryNode &n, tree::Block &out) {
    auto op = analysis::asyncOp(n);
    if (!op)
        return copyOrFillNode(in, n, out);
    usesStream(in, std::max(op->stream, 0));
    switch (op->kind) {
    case analysis::AsyncOp::Synchronise: out.add<Synchronise>()->stream = op->stream; return;
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
