// Symbolic expressions as trees of Python.
#include "sdfgc/Tree/SymbolicToPython.h"

#include "sdfgc/IR/Operators.h"
#include "sdfgc/Support/FloatText.h"
#include "sdfgc/Symbolic/Rounding.h"

#include <limits>

namespace sdfgc::tree {

using py::ExprKind;
using py::ExprRef;

namespace {

using NameOf = std::function<ExprRef(Name)>;

/// An integer literal with the type of offsets.
ExprRef typedInt(int64_t v) {
    auto lit = std::make_shared<py::Expr>(*py::intLit(v));
    lit->type = ScalarKind::Int64;
    return lit;
}

/// The terms, combined from the left.
ExprRef fold(py::Op op, const std::vector<ExprRef> &terms, Type t) {
    ExprRef out = terms.front();
    for (std::size_t i = 1; i < terms.size(); ++i)
        out = py::binary(op, out, terms[i], t);
    return out;
}

/// The type of arithmetic on the operands.
Type joined(const std::vector<ExprRef> &args) {
    Type t;
    for (const ExprRef &a : args)
        t = commonType(t, a->type);
    return t;
}

/// Is a term of a sum a negative integer, or a product with one?
bool isNegative(sym::Expr e) {
    const std::optional<int64_t> v = e.kind() == sym::SymbolicKind::Mul ? e.operands()[0].asInt() : e.asInt();
    return v && *v < 0 && *v != std::numeric_limits<int64_t>::min();
}

/// `b - a` rather than `-1 * a + b`, `N - 3` rather than `N + -3`; a constant goes last.
ExprRef sum(sym::Expr e, const NameOf &nameOf, const std::vector<ExprRef> &terms) {
    const Type t = joined(terms);
    ExprRef out;
    for (std::size_t i = 0; i < terms.size(); ++i)
        if (sym::Expr term = e.operands()[i]; !isNegative(term) && !term.isInteger())
            out = out ? py::binary(py::Op::Add, out, terms[i], t) : terms[i];
    if (!out)
        return fold(py::Op::Add, terms, t);
    for (bool constant : {false, true})
        for (std::size_t i = 0; i < terms.size(); ++i) {
            const sym::Expr term = e.operands()[i];
            if (term.isInteger() != constant || (!constant && !isNegative(term)))
                continue;
            out = isNegative(term) ? py::binary(py::Op::Sub, out, pythonOf(-term, nameOf), t)
                                   : py::binary(py::Op::Add, out, terms[i], t);
        }
    return out;
}

/// A node without text or operator.
ExprRef makeNode(ExprKind kind, std::vector<ExprRef> args, Type t) {
    auto e = std::make_shared<py::Expr>();
    e->kind = kind;
    e->args = std::move(args);
    e->type = t;
    return e;
}

/// The function that represents a kind; none for other kinds.
const char *functionOf(sym::SymbolicKind k) {
    switch (k) {
    case sym::SymbolicKind::Min:
        return "min";
    case sym::SymbolicKind::Max:
        return "max";
    case sym::SymbolicKind::Abs:
        return "abs";
    case sym::SymbolicKind::CeilDiv:
        return "int_ceil";
    case sym::SymbolicKind::Floor:
        return "floor";
    case sym::SymbolicKind::Ceil:
        return "ceil";
    default:
        return nullptr;
    }
}

/// An expression without operands; null for others.
ExprRef leaf(sym::Expr e, const NameOf &nameOf) {
    switch (e.kind()) {
    case sym::SymbolicKind::Integer:
        return typedInt(e.numerator());
    case sym::SymbolicKind::Float:
        return py::floatLit(floatText(e.floatValue()));
    case sym::SymbolicKind::Bool:
        return py::boolLit(e.boolValue());
    case sym::SymbolicKind::None:
        return makeNode(ExprKind::None, {}, Type());
    case sym::SymbolicKind::Symbol:
        return nameOf(e.name());
    default:
        return nullptr;
    }
}

/// A call of a function, or a C division created by printable().
ExprRef callOf(sym::Expr e, std::vector<ExprRef> args) {
    if (e.name() == cDivision)
        return py::binary(py::Op::CDiv, args[0], args[1], joined(args));
    if (e.name() == cRemainder)
        return py::binary(py::Op::CMod, args[0], args[1], joined(args));
    const Type t = joined(args);
    return py::call(e.name(), std::move(args), t);
}

/// The operation of an expression on its operands.
ExprRef operation(sym::Expr e, const NameOf &nameOf, std::vector<ExprRef> args) {
    switch (e.kind()) {
    case sym::SymbolicKind::Add:
        return sum(e, nameOf, args);
    case sym::SymbolicKind::Mul:
        if (const auto power = sym::scaledPower(e)) {
            const ExprRef raised =
                py::binary(py::Op::Pow, typedInt(power->base), pythonOf(power->exponent, nameOf), ScalarKind::Int64);
            const sym::Expr others = sym::Expr(power->coefficient) * power->rest;
            return others.isOne() ? raised : py::binary(py::Op::Mul, pythonOf(others, nameOf), raised, joined(args));
        }
        return fold(py::Op::Mul, args, joined(args));
    case sym::SymbolicKind::Pow:
        return py::binary(py::Op::Pow, args[0], args[1], joined(args));
    case sym::SymbolicKind::BitNot:
        return py::unary(py::Op::Invert, args[0], args[0]->type);
    case sym::SymbolicKind::Not:
        return py::unary(py::Op::Not, args[0], ScalarKind::Bool);
    case sym::SymbolicKind::And:
        return py::boolOp(py::Op::And, std::move(args));
    case sym::SymbolicKind::Or:
        return py::boolOp(py::Op::Or, std::move(args));
    case sym::SymbolicKind::Select:
        return makeNode(ExprKind::IfExp, args, commonType(args[1]->type, args[2]->type));
    case sym::SymbolicKind::Cast:
        return py::castTo(e.type(), args[0]);
    case sym::SymbolicKind::Call:
        return callOf(e, std::move(args));
    case sym::SymbolicKind::Attr: {
        auto a = std::make_shared<py::Expr>(*makeNode(ExprKind::Attribute, args, ScalarKind::Int64));
        a->name = e.name();
        return a;
    }
    case sym::SymbolicKind::Subscript:
        args.insert(args.begin(), py::name(e.name()));
        return makeNode(ExprKind::Subscript, args, ScalarKind::Int64);
    default:
        return py::raw(e.str());
    }
}

} // namespace

ExprRef pythonOf(sym::Expr e, const std::function<ExprRef(Name)> &nameOf) {
    // Expressions that contain quotients become one exact fraction (format reference 1.9).
    if (e.kind() == sym::SymbolicKind::Add || e.kind() == sym::SymbolicKind::Mul || e.kind() == sym::SymbolicKind::Pow ||
        e.kind() == sym::SymbolicKind::Rational) {
        const auto [num, den] = sym::asFraction(e);
        if (!den.isOne() && num != e) {
            const ExprRef above = pythonOf(num, nameOf), below = pythonOf(den, nameOf);
            return py::binary(py::Op::CDiv, above, below, joined({above, below}));
        }
    }
    if (ExprRef found = leaf(e, nameOf))
        return found;
    std::vector<ExprRef> args;
    for (sym::Expr a : e.operands())
        args.push_back(pythonOf(a, nameOf));
    if (auto op = ir::comparisonOf(e.kind()))
        return py::compare(*op, args[0], args[1]);
    if (auto op = ir::arithmeticOf(e.kind()))
        return py::binary(*op, args[0], args[1], joined(args));
    if (const char *function = functionOf(e.kind()))
        return py::call(function, args, joined(args));
    return operation(e, nameOf, std::move(args));
}

} // namespace sdfgc::tree
