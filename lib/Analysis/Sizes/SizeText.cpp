// Which expressions a size may contain.
#include "Analysis/Sizes/SizeBinders.h"

namespace sdfgc::analysis {

using namespace size;

namespace {

bool isPart(sym::Expr e) {
    if (e.overflowed())
        return false;
    switch (e.kind()) {
    case sym::Kind::Pow: {
        const auto by = e.operands()[1].asInt();
        return by && *by >= 0;
    }
    case sym::Kind::Call:
        return isBinder(e);
    case sym::Kind::Symbol:
    case sym::Kind::Subscript:
    case sym::Kind::Integer:
    case sym::Kind::Rational: // a coefficient, of a sum of squares for example
    case sym::Kind::Bool:
    case sym::Kind::Add:
    case sym::Kind::Mul:
    case sym::Kind::FloorDiv:
    case sym::Kind::CeilDiv:
    case sym::Kind::Mod:
    case sym::Kind::Floor:
    case sym::Kind::Ceil:
    case sym::Kind::Abs:
    case sym::Kind::Min:
    case sym::Kind::Max:
    case sym::Kind::Eq:
    case sym::Kind::Ne:
    case sym::Kind::Lt:
    case sym::Kind::Le:
    case sym::Kind::Gt:
    case sym::Kind::Ge:
    case sym::Kind::And:
    case sym::Kind::Or:
    case sym::Kind::Not:
    case sym::Kind::Select:
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
