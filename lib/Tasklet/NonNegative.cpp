// Which integer expressions cannot be negative, so that C++'s division and remainder do for Python's.
//
// Integers do not overflow (signed overflow has no meaning in C++ either), so sums and products of nonnegative numbers are
// nonnegative.
#include "Tasklet/Lower.h"

#include <algorithm>

namespace sdfgc::py::detail {

bool Lowering::isNonNegative(const Expr &e) const {
    const Type t = valueOf(e.type);
    if (t.isUnsigned() || t.isBool() || e.kind == ExprKind::Int || (oracle_ && oracle_(e)))
        return true;
    const auto arg = [&](std::size_t k) { return isNonNegative(*e.args[k]); };
    switch (e.kind) {
    case ExprKind::Cast:
        return t.isSigned() && isIntegral(e.args[0]->type) && arg(0) && t.bytes() >= e.args[0]->type.bytes();
    case ExprKind::IfExp:
        return arg(1) && arg(2);
    case ExprKind::Call:
        return callIsNonNegative(e);
    case ExprKind::Binary:
        break;
    default:
        return false;
    }
    switch (e.op) {
    case Op::Add:
    case Op::Mul:
    case Op::CDiv:
    case Op::Shl:
    case Op::BitOr:
    case Op::BitXor:
        return isIntegral(t) && arg(0) && arg(1);
    case Op::BitAnd:
        return arg(0) || arg(1);
    case Op::CMod:
    case Op::Shr:
        return isIntegral(t) && arg(0);
    default:
        return false;
    }
}

bool Lowering::callIsNonNegative(const Expr &e) const {
    if (!isIntegral(e.type) || e.args.size() < 2)
        return false;
    const Expr &f = *e.args[0];
    const auto check = [this](const ExprRef &a) { return isNonNegative(*a); };
    if (isName(f, "min"))
        return std::all_of(e.args.begin() + 1, e.args.end(), check);
    if (isName(f, "max"))
        return std::any_of(e.args.begin() + 1, e.args.end(), check);
    if (isName(f, "floordiv") || isName(f, "floormod"))
        return e.args.size() == 3 && check(e.args[2]) && (isName(f, "floormod") || check(e.args[1]));
    return isName(f, "abs");
}

} // namespace sdfgc::py::detail
