// Copies between containers: one run of memory, loops over corresponding dimensions, or row-major order of both subsets (format
// reference 6.14). Streams push and pop. References are set.
#include "Lowering.h"

#include "sdfgc/Analysis/Async.h"
#include "sdfgc/Analysis/Axes.h"

namespace sdfgc::tree {

using namespace ir;
using analysis::axesOf;
using analysis::Axis;
using analysis::isRun;
using analysis::offsetOfLinear;
using analysis::sameSizes;
using analysis::volume;

std::optional<Lowering::CopySide> Lowering::copySide(Instance &in, Edge &e, bool source) {
    auto *node = dyn_cast<AccessNode>(source ? analysis::pathSource(&e) : analysis::pathDestination(&e));
    if (!node)
        return std::nullopt;
    CopySide side;
    side.place = placeAt(in, e, *node);
    if (!side.place.valid() || !side.place.desc) {
        error(diag::Id::NoPlace, analysis::placeOf(e), node->data.str());
        return std::nullopt;
    }
    auto subset = source ? analysis::sourceSubset(&e) : analysis::destinationSubset(&e);
    if (subset) {
        side.subset = sub(in, *subset);
        return side;
    }
    auto other = source ? analysis::destinationSubset(&e) : analysis::sourceSubset(&e);
    side.subset = sub(in, side.place.desc->fullSubset());
    if (other)
        side.subset = analysis::missingSubset(sub(in, *other), side.subset, in.fn->facts);
    return side;
}

/// A transfer (analysis::isTransfer).
void Lowering::copyEdge(Instance &in, Edge &e, tree::Block &out) {
    auto *srcNode = static_cast<AccessNode *>(analysis::pathSource(&e)),
         *dstNode = static_cast<AccessNode *>(analysis::pathDestination(&e));
    if (analysis::memletPath(&e).back()->dstConn == Name("set")) {
        auto src = copySide(in, e, true);
        Place ref = placeOfNode(in, *dstNode);
        if (src && ref.valid())
            out.add<SetPointer>(ref.var, addressAt(in, src->place, startOffset(src->place, src->subset)));
        return;
    }
    const DataDesc *sd = in.g->desc(srcNode->data), *dd = in.g->desc(dstNode->data);
    if ((sd && sd->isStream()) || (dd && dd->isStream()))
        return streamCopy(in, placeAt(in, e, *srcNode), placeAt(in, e, *dstNode), e, out);
    auto src = copySide(in, e, true), dst = copySide(in, e, false);
    if (src && dst)
        copy(in, *src, *dst, e, out);
}

void Lowering::copy(Instance &in, const CopySide &src, const CopySide &dst, const Edge &e, tree::Block &out) {
    std::vector<Axis> from = axesOf(src.place.strides, src.subset), to = axesOf(dst.place.strides, dst.subset);
    if (sym::isEqual(volume(from), volume(to), in.fn->facts) == sym::Truth::False && !e.memlet.allowOob &&
        src.place.type == dst.place.type) {
        error(diag::Id::CopyVolume, analysis::placeOf(e), src.subset.str(), dst.subset.str());
        return;
    }
    if (queued(in, src.place, dst.place))
        return deviceCopy(in, src, dst, e, out);
    if (in.fn->device.inside)
        return kernelCopy(in, src, dst, e, out);
    bool bytes = src.place.type == dst.place.type || src.place.type.isVector() != dst.place.type.isVector();
    bool apart = src.place.var != dst.place.var;
    if (e.memlet.wcr.empty() && bytes && apart && !from.empty() && isRun(from) && isRun(to)) {
        auto *m = out.add<Memcpy>();
        m->source = addressAt(in, src.place, startOffset(src.place, src.subset));
        m->target = addressAt(in, dst.place, startOffset(dst.place, dst.subset));
        m->count = final(in, volume(from));
        m->type = src.place.type;
        return;
    }
    copyLoops(in, src, dst, e, out);
}

void Lowering::copyLoops(Instance &in, const CopySide &src, const CopySide &dst, const Edge &e, tree::Block &out) {
    std::vector<Axis> from = axesOf(src.place.strides, src.subset), to = axesOf(dst.place.strides, dst.subset);
    bool byDimension = sameSizes(from, to);
    // Loops run over the destination; the source follows by dimension or by row-major number.
    const std::vector<Axis> &axes = to.size() >= from.size() ? to : from;
    bool overTarget = &axes == &to;
    tree::Block *at = &out;
    sym::Expr offset = 0, linear = 0, follow = 0;
    in.fn->names.open();
    for (std::size_t d = 0; d < axes.size(); ++d) {
        auto *loop = at->add<For>();
        loop->var = declareValue(in, Name("i" + std::to_string(d)), ScalarKind::Int64);
        sym::Expr i = sym::Expr::symbol(varName(in, loop->var));
        in.fn->facts[varName(in, loop->var)].nonnegative = true;
        loop->begin = 0;
        loop->end = final(in, axes[d].size - 1);
        offset += i * axes[d].stride;
        linear = linear * axes[d].size + i;
        if (byDimension)
            follow += i * (overTarget ? from : to)[d].stride;
        at = &loop->body;
    }
    if (!byDimension)
        follow = offsetOfLinear(overTarget ? from : to, linear);
    sym::Expr srcOffset = startOffset(src.place, src.subset) + (overTarget ? follow : offset);
    sym::Expr dstOffset = startOffset(dst.place, dst.subset) + (overTarget ? offset : follow);
    py::ExprRef value = read(in, src.place, srcOffset);
    if (!e.memlet.wcr.empty()) {
        auto wcr = py::parseWcr(e.memlet.wcr);
        auto *update = at->add<Update>();
        update->target = elementAt(in, dst.place, dstOffset);
        update->value = value;
        update->reduction = wcr.value ? wcr.value->kind : py::Reduction::Custom;
        update->lambda = wcr.value ? resolution(in, wcr.value->lambda, dst.place.type) : nullptr;
        update->atomic = e.memlet.wcrMode != WcrMode::Plain;
    } else {
        at->add<tree::Code>()->stmts.push_back(py::assign(read(in, dst.place, dstOffset), value));
    }
    in.fn->names.close();
}

/// Does a stream fill the array, and another stream take all of it? Then there are as many elements as the first stream had: the
/// two are DaCe's ArrayStreamView.
static bool passesOn(const AccessNode &array) {
    auto isStream = [](const ir::Node *n) {
        const auto *a = dyn_cast<AccessNode>(n);
        const DataDesc *d = a ? a->state()->sdfg()->desc(a->data) : nullptr;
        return d && d->isStream();
    };
    return array.inEdges().size() == 1 && isStream(analysis::pathSource(array.inEdges().front())) &&
           std::any_of(array.outEdges().begin(), array.outEdges().end(),
                       [&](Edge *e) { return isStream(analysis::pathDestination(e)); });
}

void Lowering::streamCopy(Instance &in, const Place &src, const Place &dst, Edge &e, tree::Block &out) {
    if (!src.valid() || !dst.valid()) {
        error(diag::Id::NoPlace, analysis::placeOf(e), e.memlet.data.str());
        return;
    }
    bool fromStream = src.desc && src.desc->isStream(), toStream = dst.desc && dst.desc->isStream();
    if (fromStream && toStream) {
        error(diag::Id::LowerUnsupported, analysis::placeOf(e), "a copy from stream to stream", "pop into a container first");
        return;
    }
    auto subsetOf = [&](const Place &p, bool source) {
        auto s = source ? analysis::sourceSubset(&e) : analysis::destinationSubset(&e);
        return s ? sub(in, *s) : sub(in, p.desc->fullSubset());
    };
    const Place &array = fromStream ? dst : src;
    sym::Subset inArray = subsetOf(array, !fromStream), inStream = subsetOf(fromStream ? src : dst, fromStream);
    RefId arraySlot = addressAt(in, array, startOffset(array, inArray));
    RefId streamSlot = elementAt(in, fromStream ? src : dst, startOffset(fromStream ? src : dst, inStream));
    sym::Expr count = final(in, inArray.numElements());
    if (fromStream) {
        auto *pop = out.add<StreamPop>();
        pop->stream = streamSlot;
        pop->target = arraySlot;
        pop->count = count;
        if (const auto *into = dyn_cast<AccessNode>(analysis::pathDestination(&e)); into && passesOn(*into)) {
            pop->countVar = declareValue(in, Name(into->data.str() + "_count"), ScalarKind::Int64);
            out.body.insert(out.body.end() - 1, std::make_unique<Declare>(pop->countVar));
            in.popped[into] = pop->countVar;
        }
        return;
    }
    const auto popped = in.popped.find(analysis::pathSource(&e));
    if (popped != in.popped.end())
        count = sym::Expr::symbol(varName(in, popped->second));
    auto *push = out.add<StreamPush>();
    push->stream = streamSlot;
    push->count = count;
    if (count.isOne())
        push->value = read(in, array, startOffset(array, inArray));
    else
        push->source = arraySlot;
}

/// Copy and fill library nodes are the only ones that reach the lowering.
void Lowering::copyOrFillNode(Instance &in, LibraryNode &n, tree::Block &out) {
    const bool copies = analysis::isCopyNode(n);
    Edge *target = n.outEdge(copies ? "_cpy_out" : "_fill_out");
    if ((!copies && !analysis::isFillNode(n)) || !target) {
        error(diag::Id::LowerUnsupported, analysis::placeOf(n), "library node " + n.classPath, "no expansion is known for it");
        return;
    }
    auto dst = copySide(in, *target, false);
    if (!dst)
        return;
    target->memlet.stream = analysis::streamOf(n);
    if (copies) {
        Edge *source = n.inEdge("_cpy_in");
        auto src = source ? copySide(in, *source, true) : std::nullopt;
        if (src)
            copy(in, *src, *dst, *target, out);
        return;
    }
    py::ExprRef value;
    if (Edge *given = n.inEdge("_fill_val")) {
        auto src = copySide(in, *given, true);
        if (!src)
            return;
        value = read(in, src->place, startOffset(src->place, src->subset));
    } else {
        const json::Value *v = n.properties.find("value");
        value = expression(in, v && !v->text().empty() ? v->text() : "0", Language::Python, analysis::placeOf(n));
    }
    std::vector<Axis> axes = axesOf(dst->place.strides, dst->subset);
    if (!in.fn->device.inside && onDevice(dst->place))
        return deviceFill(in, *dst, value, analysis::streamOf(n), out);
    if (isRun(axes) && !in.fn->device.inside) {
        auto *fill = out.add<Fill>();
        fill->target = addressAt(in, dst->place, startOffset(dst->place, dst->subset));
        fill->count = final(in, volume(axes));
        fill->type = dst->place.type;
        fill->value = value;
        return;
    }
    tree::Block *at = &out;
    sym::Expr offset = startOffset(dst->place, dst->subset);
    in.fn->names.open();
    for (std::size_t d = 0; d < axes.size(); ++d) {
        auto *loop = at->add<For>();
        loop->var = declareValue(in, Name("i" + std::to_string(d)), ScalarKind::Int64);
        loop->begin = 0;
        loop->end = final(in, axes[d].size - 1);
        offset += sym::Expr::symbol(varName(in, loop->var)) * axes[d].stride;
        at = &loop->body;
    }
    at->add<tree::Code>()->stmts.push_back(py::assign(read(in, dst->place, offset), value));
    in.fn->names.close();
}

} // namespace sdfgc::tree
