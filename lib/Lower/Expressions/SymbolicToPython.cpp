// Symbolic expressions as trees of Python and back.
#include "SymbolicToPython.h"

namespace sdfgc::tree::lowering {

using py::ExprKind;
using py::ExprRef;

ExprRef pythonOf(const Instance &in, sym::Expr e) {
    return tree::pythonOf(e, [&in](Name n) {
        const auto fact = in.fn->facts.find(n);
        const bool isTyped = fact != in.fn->facts.end() && fact->second.type;
        return py::name(n, isTyped ? fact->second.type : Type(ScalarKind::Int64));
    });
}

std::optional<sym::Expr> symbolicOf(const py::Expr &e) {
    auto operand = [&](std::size_t i) { return symbolicOf(*e.args[i]); };
    switch (e.kind) {
    case ExprKind::Int: {
        errno = 0;
        char *end = nullptr;
        long long v = std::strtoll(e.text.c_str(), &end, 0);
        return errno || *end ? std::nullopt : std::optional<sym::Expr>(sym::Expr(static_cast<int64_t>(v)));
    }
    case ExprKind::Name:
        return e.type.isInteger() ? std::optional(sym::Expr::symbol(e.name)) : std::nullopt;
    case ExprKind::Unary: {
        auto a = operand(0);
        return e.op == py::Op::Neg && a ? std::optional(-*a) : std::nullopt;
    }
    case ExprKind::Binary: {
        if (e.args[0]->type.isFloat() || e.args[1]->type.isFloat())
            return std::nullopt;
        auto a = operand(0), b = operand(1);
        if (!a || !b)
            return std::nullopt;
        switch (e.op) {
        case py::Op::Add:
            return *a + *b;
        case py::Op::Sub:
            return *a - *b;
        case py::Op::Mul:
            return *a * *b;
        case py::Op::FloorDiv:
            return sym::floorDiv(*a, *b);
        case py::Op::Mod:
            return sym::mod(*a, *b);
        default:
            return std::nullopt;
        }
    }
    default:
        return std::nullopt;
    }
}

std::function<bool(const py::Expr &)> nonNegativeOracle(const Instance &in) {
    return [&in](const py::Expr &e) {
        auto s = symbolicOf(e);
        return s && sym::isNonNegative(*s, in.fn->facts) == sym::Truth::True;
    };
}

} // namespace sdfgc::tree::lowering
