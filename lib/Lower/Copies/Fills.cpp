// Fills.
#include "Fills.h"

#include "Lower/Expressions/Symbols.h"
#include "Lower/Flow/Loops.h"

namespace sdfgc::tree::lowering {

using namespace ir;
using analysis::Axis;
using analysis::isRun;
using analysis::volume;

namespace {

/// The host queues fills of device memory, one per contiguous range.
void queueFill(Instance &in, const CopySide &dst, const py::ExprRef &value, int stream, tree::Block &out) {
    std::vector<Axis> axes = dst.axes();
    tree::Block *at = &out;
    sym::Expr start = dst.start();
    in.fn->names.open();
    while (!axes.empty() && !isRun(axes)) { // rows that are contiguous
        For &loop = countingLoop(in, "row", axes.front().size, *at);
        start += sym::Expr::symbol(in.varName(loop.var)) * axes.front().stride;
        axes.erase(axes.begin());
        at = &loop.body;
    }
    auto *fill = at->add<DeviceFill>();
    fill->target = addressAt(in, dst.place, start);
    fill->count = printable(in, volume(axes));
    fill->type = dst.place.type;
    fill->value = value;
    fill->stream = stream;
    in.usesStream(stream);
    in.fn->names.close();
}

} // namespace

void fill(Instance &in, const CopySide &dst, const py::ExprRef &value, int stream, tree::Block &out) {
    checkRegion(in, dst.place, dst.subset, out);
    std::vector<Axis> axes = dst.axes();
    if (!in.fn->device.inside && dst.place.onDevice())
        return queueFill(in, dst, value, stream, out);
    if (isRun(axes) && !in.fn->device.inside) {
        auto *fill = out.add<Fill>();
        fill->target = addressAt(in, dst.place, dst.start());
        fill->count = printable(in, volume(axes));
        fill->type = dst.place.type;
        fill->value = value;
        return;
    }
    tree::Block *at = &out;
    sym::Expr offset = dst.start();
    in.fn->names.open();
    for (std::size_t d = 0; d < axes.size(); ++d) {
        For &loop = countingLoop(in, Name("i" + std::to_string(d)), axes[d].size, *at);
        offset += sym::Expr::symbol(in.varName(loop.var)) * axes[d].stride;
        at = &loop.body;
    }
    at->add<tree::Code>()->stmts.push_back(py::assign(read(in, dst.place, offset), value));
    in.fn->names.close();
}

} // namespace sdfgc::tree::lowering
