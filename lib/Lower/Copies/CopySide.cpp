// One side of a copy.
#include "CopySide.h"

#include "Lower/Expressions/Expressions.h"
#include "Lower/Expressions/Symbols.h"
#include "Lower/Flow/Reductions.h"
#include "Lower/Memory/Places.h"

#include "sdfgc/Analysis/Memory/Copies.h"
#include "sdfgc/Analysis/Scopes.h"
#include "sdfgc/Analysis/Verify.h"
#include "sdfgc/Tasklet/Conversions.h"

namespace sdfgc::tree::lowering {

using namespace ir;

std::optional<CopySide> copySide(Instance &in, Edge &e, bool source) {
    auto *node = dyn_cast<AccessNode>(source ? analysis::pathSource(&e) : analysis::pathDestination(&e));
    if (!node) {
        in.error(diag::Id::NoPlace, analysis::placeOf(e), source ? "the source" : "the destination");
        return std::nullopt;
    }
    CopySide side;
    side.place = placeAt(in, e, *node);
    if (!side.place.valid() || !side.place.desc) {
        in.error(diag::Id::NoPlace, analysis::placeOf(e), node->data.str());
        return std::nullopt;
    }
    if (const MemoryPlace *accumulator = source ? nullptr : accumulatorOf(in, e, node->data)) {
        side.place = *accumulator;
        side.accumulates = true;
    }
    auto subset = source ? analysis::sourceSubset(&e) : analysis::destinationSubset(&e);
    if (subset) {
        side.subset = inVariables(in, *subset);
        return side;
    }
    auto other = source ? analysis::destinationSubset(&e) : analysis::sourceSubset(&e);
    side.subset = inVariables(in, side.place.desc->fullSubset());
    if (other)
        side.subset = analysis::missingSubset(inVariables(in, *other), side.subset, in.fn->facts);
    return side;
}

void refuseCopy(const Instance &in, const CopySide &src, const CopySide &dst, const Edge &e, CopyMethod suitable) {
    auto text = [](const ir::Node *end, const sym::Subset &subset) {
        const auto *access = dyn_cast<AccessNode>(end);
        return (access ? access->data.str() : "") + "[" + subset.str() + "]";
    };
    const std::string from = text(analysis::pathSource(&e), src.subset), to = text(analysis::pathDestination(&e), dst.subset);
    if (e.memlet.copy == CopyMethod::Undecided)
        in.error(diag::Id::UndecidedCopy, analysis::placeOf(e), from, to);
    else
        in.error(diag::Id::UnsuitableCopy, analysis::placeOf(e), from, to, name(e.memlet.copy), name(suitable));
}

void copyElement(Instance &in, const CopySide &src, sym::Expr srcOffset, const CopySide &dst, sym::Expr dstOffset, const Edge &e,
                 bool atomic, tree::Block &out) {
    py::ExprRef value = read(in, src.place, srcOffset);
    if (e.memlet.wcr.empty()) {
        out.add<tree::Code>()->stmts.push_back(py::assign(read(in, dst.place, dstOffset), py::asStored(dst.place.type, value)));
        return;
    }
    auto wcr = py::parseWcr(e.memlet.wcr);
    auto *update = out.add<Update>();
    update->target = elementAt(in, dst.place, dstOffset);
    update->reduction = wcr.value ? wcr.value->kind : py::Reduction::Custom;
    update->value = py::operandOf(update->reduction, dst.place.type, value);
    update->lambda = wcr.value ? resolution(in, wcr.value->lambda, dst.place.type) : nullptr;
    update->atomic = atomic;
}

} // namespace sdfgc::tree::lowering
