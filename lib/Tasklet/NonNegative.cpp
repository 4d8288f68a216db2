// Which integer expressions cannot be negative, so that C++'s division and remainder agree with Python's.
//
// Integers do not overflow (signed overflow has no meaning in C++ either), so sums and products of nonnegative numbers are
// nonnegative. A conversion may change the sign, so a fact about an operand counts only if the type of the operation can hold its
// values.
#include "Tasklet/Lower.h"
#include "Tasklet/Numbers.h"

#include <algorithm>
#include <limits>

namespace sdfgc::py::detail {

namespace {

/// Does a nonnegative value stay nonnegative when it is converted to the integer type?
bool keepsNonNegative(const Expr &e, Type from, Type to) {
    if (from.isBool() || to.isBool() || to.isUnsigned()) // wraps around, but not to a negative number
        return true;
    const int64_t have = from.bytes().value_or(8), room = to.bytes().value_or(8);
    if (e.kind == ExprKind::Int) {
        const auto v = unsignedValue(e.text);
        return v && *v <= uint64_t(std::numeric_limits<int64_t>::max()) >> (8 * (8 - room));
    }
    return from.isUnsigned() ? have < room : have <= room;
}

} // namespace

bool Lowering::isNonNegative(const Expr &e) const {
    const Type t = valueOf(e.type);
    if (t.isUnsigned() || t.isBool() || e.kind == ExprKind::Int || (oracle_ && oracle_(e)))
        return true;
    const auto arg = [&](std::size_t k) { return isNonNegativeIn(t, *e.args[k]); };
    switch (e.kind) {
    case ExprKind::Cast:
        return e.args.size() == 1 && arg(0);
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
    case Op::BitOr:
    case Op::BitXor:
        return arg(0) && arg(1);
    case Op::BitAnd:
        return arg(0) || arg(1);
    case Op::CMod:
    case Op::Shr:
        return arg(0);
    default:
        return false; // a left shift may reach the sign bit, which C++ defines
    }
}

bool Lowering::isNonNegativeIn(Type t, const Expr &e) const {
    const Type from = laneOf(promoted(valueOf(e.type))), to = laneOf(valueOf(t));
    return isIntegral(from) && isIntegral(to) && isNonNegative(e) && keepsNonNegative(e, from, to);
}

bool Lowering::callIsNonNegative(const Expr &e) const {
    if (!isIntegral(e.type) || e.args.size() < 2)
        return false;
    const Expr &f = *e.args[0];
    const auto check = [&](const ExprRef &a) { return isNonNegativeIn(e.type, *a); };
    if (isName(f, "min"))
        return std::all_of(e.args.begin() + 1, e.args.end(), check);
    if (isName(f, "max"))
        return std::any_of(e.args.begin() + 1, e.args.end(), check);
    if (isName(f, "floordiv") || isName(f, "floormod"))
        return e.args.size() == 3 && check(e.args[2]) && (isName(f, "floormod") || check(e.args[1]));
    return isName(f, "abs");
}

} // namespace sdfgc::py::detail
