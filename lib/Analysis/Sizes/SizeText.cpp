// Which expressions a size may contain.
#include "Analysis/Sizes/SizeBinders.h"

namespace sdfgc::analysis {

using namespace size;

namespace {

bool isPart(sym::Expr e) {
    if (e.overflowed())
        return false;
    switch (e.kind()) {
    case sym::SymbolicKind::Pow: {
        const auto by = e.operands()[1].asInt();
        return by && *by >= 0;
    }
    case sym::SymbolicKind::Call:
        return isBinder(e);
    case sym::SymbolicKind::Symbol:
    case sym::SymbolicKind::Subscript:
    case sym::SymbolicKind::Integer:
    case sym::SymbolicKind::Rational: // a coefficient, of a sum of squares for example
    case sym::SymbolicKind::Bool:
    case sym::SymbolicKind::Add:
    case sym::SymbolicKind::Mul:
    case sym::SymbolicKind::FloorDiv:
    case sym::SymbolicKind::CeilDiv:
    case sym::SymbolicKind::Mod:
    case sym::SymbolicKind::Floor:
    case sym::SymbolicKind::Ceil:
    case sym::SymbolicKind::Abs:
    case sym::SymbolicKind::Min:
    case sym::SymbolicKind::Max:
    case sym::SymbolicKind::Eq:
    case sym::SymbolicKind::Ne:
    case sym::SymbolicKind::Lt:
    case sym::SymbolicKind::Le:
    case sym::SymbolicKind::Gt:
    case sym::SymbolicKind::Ge:
    case sym::SymbolicKind::And:
    case sym::SymbolicKind::Or:
    case sym::SymbolicKind::Not:
    case sym::SymbolicKind::Select:
        return true;
    default:
        return false;
    }
}

} // namespace

std::optional<sym::Expr> unsupportedPart(const SizeExpr &e) {
    for (sym::Expr o : e.tree().operands())
        if (const auto inner = unsupportedPart(o))
            return inner;
    return isPart(e.tree()) ? std::nullopt : std::optional(e.tree());
}

} // namespace sdfgc::analysis
