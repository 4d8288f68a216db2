// Powers: products, integer powers, square roots, and pow for the rest (format reference 9.2).
#include "Tasklet/Lower.h"

#include <cmath>

namespace sdfgc::py::detail {

namespace {

// Is it cheap and free of side effects, so that an expression may contain it twice?
bool isSimple(const Expr &e) {
    if (e.kind == ExprKind::Name || e.kind == ExprKind::MemRef)
        return true;
    if (e.kind == ExprKind::Attribute)
        return isSimple(*e.args[0]);
    if (e.kind != ExprKind::Subscript)
        return false;
    for (const ExprRef &a : e.args)
        if (a->kind != ExprKind::Int && !isSimple(*a))
            return false;
    return true;
}

/// The value of a numeric exponent, including one that was converted to the type of the base: `complex128(2)`. A converted power of
/// a negative integer is an integer, as it is for a variable.
std::optional<double> exponentValue(const Expr &e) {
    if (e.kind != ExprKind::Cast || e.args.size() != 1)
        return literalValue(e);
    const auto value = exponentValue(*e.args[0]);
    return value && !(isIntegral(e.type) && *value < 0) ? keptIn(e.type, *value) : std::nullopt;
}

} // namespace

ExprRef Lowering::wholePower(const ExprRef &base, uint64_t n, Type t) const {
    if (n == 0)
        return literal(1, t);
    if (n == 1)
        return convert(base, t);
    const ExprRef factor = promoted(valueOf(base->type)) == t ? base : convert(base, t);
    if (n > 3 || !isSimple(*base))
        return py::call("ipow", {convert(base, t), literal(static_cast<int64_t>(n), ScalarKind::Int32)}, t);
    const ExprRef square = py::binary(Op::Mul, factor, factor, t);
    return n == 2 ? square : py::binary(Op::Mul, square, factor, t);
}

ExprRef Lowering::power(const ExprRef &e) const {
    const ExprRef &base = e->args[0], &exponent = e->args[1];
    const Type a = valueOf(base->type), b = valueOf(exponent->type), t = e->type;
    if (!a || !b || !t)
        return py::call("pow", {base, exponent}, t);
    const auto value = exponentValue(*exponent);
    constexpr double largest = 1 << 30;
    if (value && std::fabs(*value) == 0.5) {
        const ExprRef root = py::call("sqrt", {convert(base, t)}, t);
        return *value > 0 ? root : py::binary(Op::CDiv, literal(1, t), root, t);
    }
    if (value && std::floor(*value) == *value && std::fabs(*value) <= largest) {
        const ExprRef product = wholePower(base, static_cast<uint64_t>(std::fabs(*value)), t);
        return *value >= 0 ? product : py::binary(Op::CDiv, literal(1, t), product, t);
    }
    if (isIntegral(a) && isIntegral(b))
        return py::call("ipow", {convert(base, t), exponent}, t);
    const auto argument = [&](const ExprRef &x, Type from) {
        return t.isComplex() && !from.isComplex() ? convert(x, realOf(t)) : convert(x, t);
    };
    return py::call("pow", {argument(base, a), argument(exponent, b)}, t);
}

} // namespace sdfgc::py::detail
