// Library nodes that reach the lowering.
#include "LibraryNodes.h"

#include "Copies.h"
#include "Fills.h"
#include "Lower/Expressions/Expressions.h"
#include "Lower/Memory/Reservations.h"

#include "sdfgc/Analysis/Device/Async.h"
#include "sdfgc/Analysis/Memory/Copies.h"
#include "sdfgc/Analysis/Verify.h"

#include <algorithm>

namespace sdfgc::tree::lowering {

using namespace ir;

namespace {

/// The value that a fill node writes; if the container of the value is not found, reports an error and returns nothing.
std::optional<py::ExprRef> fillValue(Instance &in, const LibraryNode &n) {
    if (Edge *given = n.inEdge("_fill_val")) {
        if (const auto value = in.edgeValues.find(given); value != in.edgeValues.end())
            return py::name(in.varName(value->second), in.function().vars[value->second].type);
        auto src = copySide(in, *given, true);
        return src ? std::optional(read(in, src->place, src->start())) : std::nullopt;
    }
    const json::Value *v = n.properties.find("value");
    return expression(in, ir::Code(v && !v->text().empty() ? v->text() : "0"), analysis::placeOf(n));
}

/// A copy or fill node.
void copyOrFill(Instance &in, LibraryNode &n, tree::Block &out) {
    const bool copies = analysis::isCopyNode(n);
    Edge *target = n.outEdge(copies ? "_cpy_out" : "_fill_out");
    if ((!copies && !analysis::isFillNode(n)) || !target) {
        in.error(diag::Id::LowerUnsupported, analysis::placeOf(n), "library node " + n.classPath, "no expansion is known for it");
        return;
    }
    auto dst = copySide(in, *target, false);
    if (!dst)
        return;
    if (copies) {
        Edge *source = n.inEdge("_cpy_in");
        auto src = source ? copySide(in, *source, true) : std::nullopt;
        if (src)
            copy(in, *src, *dst, *target, analysis::streamOf(n), out);
        return;
    }
    if (const std::optional<py::ExprRef> value = fillValue(in, n))
        fill(in, *dst, *value, analysis::streamOf(n), out);
}

} // namespace

void lowerLibraryNode(Instance &in, LibraryNode &n, tree::Block &out) {
    auto op = analysis::asyncOp(n);
    if (!op)
        return copyOrFill(in, n, out);
    if (!op->ofThreads() && op->kind != analysis::AsyncOp::Reserve)
        in.usesStream(std::max(op->stream, 0));
    switch (op->kind) {
    case analysis::AsyncOp::Barrier:
    case analysis::AsyncOp::GridBarrier:
        out.add<Barrier>()->ofGrid = op->kind == analysis::AsyncOp::GridBarrier && !in.fn->device.isOneBlock;
        return;
    case analysis::AsyncOp::Reserve:
        return reserve(in, op->data, analysis::placeOf(n), out);
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
        return in.usesEvent(op->event);
    }
    case analysis::AsyncOp::Wait: {
        auto *wait = out.add<EventWait>();
        wait->event = op->event;
        wait->stream = op->stream;
        return in.usesEvent(op->event);
    }
    }
}

} // namespace sdfgc::tree::lowering
