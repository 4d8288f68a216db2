// Copies between containers.
#include "Copies.h"

#include "DeviceCopies.h"
#include "Lower/Expressions/Symbols.h"
#include "Lower/Flow/Loops.h"
#include "Lower/Memory/Places.h"
#include "StreamCopies.h"

#include "sdfgc/Analysis/Scopes.h"
#include "sdfgc/Analysis/Verify.h"

namespace sdfgc::tree::lowering {

using namespace ir;
using analysis::Axis;
using analysis::offsetOfLinear;
using analysis::sameSizes;
using analysis::volume;

namespace {

/// Copies one contiguous range to another.
void copyBytes(Instance &in, const CopySide &src, const CopySide &dst, tree::Block &out) {
    auto *m = out.add<Memcpy>();
    m->source = addressAt(in, src.place, src.start());
    m->target = addressAt(in, dst.place, dst.start());
    m->count = printable(in, volume(src.axes()));
    m->type = src.place.type;
}

/// Copies element by element.
void copyLoops(Instance &in, const CopySide &src, const CopySide &dst, const Edge &e, tree::Block &out) {
    std::vector<Axis> from = src.axes(), to = dst.axes();
    bool byDimension = sameSizes(from, to);
    // Loops run over the destination; the source follows by dimension or by row-major index.
    const std::vector<Axis> &axes = to.size() >= from.size() ? to : from;
    bool overTarget = &axes == &to;
    tree::Block *at = &out;
    sym::Expr offset = 0, linear = 0, follow = 0;
    in.fn->names.open();
    for (std::size_t d = 0; d < axes.size(); ++d) {
        For &loop = countingLoop(in, Name("i" + std::to_string(d)), axes[d].size, *at);
        const sym::Expr i = sym::Expr::symbol(in.varName(loop.var));
        offset += i * axes[d].stride;
        linear = linear * axes[d].size + i;
        if (byDimension)
            follow += i * (overTarget ? from : to)[d].stride;
        at = &loop.body;
    }
    if (!byDimension)
        follow = offsetOfLinear(overTarget ? from : to, linear);
    sym::Expr srcOffset = src.start() + (overTarget ? follow : offset);
    sym::Expr dstOffset = dst.start() + (overTarget ? offset : follow);
    copyElement(in, src, srcOffset, dst, dstOffset, e, needsAtomics(in, dst.place, e.memlet) && !dst.accumulates, *at);
    in.fn->names.close();
}

} // namespace

void copyEdge(Instance &in, Edge &e, tree::Block &out) {
    auto *srcNode = static_cast<AccessNode *>(analysis::pathSource(&e)),
         *dstNode = static_cast<AccessNode *>(analysis::pathDestination(&e));
    if (analysis::setsReference(&e)) {
        auto src = copySide(in, e, true);
        MemoryPlace ref = placeOfNode(in, *dstNode);
        if (!ref.valid())
            return in.error(diag::Id::NoPlace, analysis::placeOf(e), dstNode->data.str());
        const DataDesc *d = in.g->desc(dstNode->data);
        if (src)
            out.add<SetPointer>(ref.var, d && isBehindElement(src->place, *d) ? elementAt(in, src->place, src->start())
                                                                              : addressAt(in, src->place, src->start()));
        return;
    }
    const DataDesc *sd = in.g->desc(srcNode->data), *dd = in.g->desc(dstNode->data);
    if ((sd && sd->isStream()) || (dd && dd->isStream()))
        return streamCopy(in, placeAt(in, e, *srcNode), placeAt(in, e, *dstNode), e, out);
    auto src = copySide(in, e, true), dst = copySide(in, e, false);
    if (src && dst)
        copy(in, *src, *dst, e, e.memlet.stream.value_or(0), out);
}

void copy(Instance &in, const CopySide &src, const CopySide &dst, const Edge &e, int stream, tree::Block &out) {
    std::vector<Axis> from = src.axes(), to = dst.axes();
    if (sym::isEqual(volume(from), volume(to), in.fn->facts) == sym::Truth::False && !e.memlet.allowOob &&
        src.place.type == dst.place.type) {
        in.error(diag::Id::CopyVolume, analysis::placeOf(e), src.subset.str(), dst.subset.str());
        return;
    }
    if (!e.memlet.allowOob) {
        checkRegion(in, src.place, src.subset, out);
        if (!dst.accumulates)
            checkRegion(in, dst.place, dst.subset, out);
    }
    if (!in.fn->device.inside && (src.place.onDevice() || dst.place.onDevice()))
        return queueCopy(in, src, dst, e, stream, out);
    if (in.fn->device.inside && e.memlet.copy == CopyMethod::Cooperative)
        return cooperativeCopy(in, src, dst, e, out);
    if (in.fn->device.inside)
        return copyLoops(in, src, dst, e, out);
    switch (e.memlet.copy) {
    case CopyMethod::Linear:
        return copyBytes(in, src, dst, out);
    case CopyMethod::Elements:
        return copyLoops(in, src, dst, e, out);
    default:
        refuseCopy(in, src, dst, e, CopyMethod::Elements);
    }
}

} // namespace sdfgc::tree::lowering
