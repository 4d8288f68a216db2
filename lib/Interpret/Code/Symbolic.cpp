// Symbolic arithmetic: sizes, subsets, ranges. It is exact integer arithmetic in 64 bits; Quotients.cpp has the operations that
// divide.
#include "Builder.h"

#include "../Values.h"

#include "sdfgc/IR/Operators.h"

namespace sdfgc::interpret {

using py::Op;
using sym::SymbolicKind;

const int64_t *Builder::integer(sym::Expr e) {
    const Operand value = convert(symbolic(sym::exact(e)), ScalarKind::Int64);
    return &interpret::as<int64_t>(value.at);
}

Operand Builder::foldSymbolic(Op op, sym::Expr e) {
    Operand out = symbolic(e.operands()[0]);
    for (std::size_t k = 1; k < e.operands().size(); ++k)
        out = binary(op, out, symbolic(e.operands()[k]));
    return out;
}

Operand Builder::symbolic(sym::Expr e) { return truncated(quotientOf(e)); }

Operand Builder::plainSymbolic(sym::Expr e) {
    switch (e.kind()) {
    case SymbolicKind::Integer:
        return constant(ScalarKind::Int64, e.numerator());
    case SymbolicKind::Float:
        return constant(ScalarKind::Float64, e.floatValue());
    case SymbolicKind::Bool:
        return constant(ScalarKind::Bool, e.boolValue());
    case SymbolicKind::None:
        return constant(Type::pointer(Type()), Pointer());
    case SymbolicKind::Symbol:
        if (const Operand found = names_.read(*this, e.name())) {
            const Type t = found.type;
            return t.isInteger() && t.scalar() != ScalarKind::UInt64 ? convert(found, ScalarKind::Int64) : found;
        }
        return refuse("the symbol `" + e.name().str() + "`, which is not defined");
    case SymbolicKind::Add:
        return foldSymbolic(Op::Add, e);
    case SymbolicKind::Mul:
        return foldSymbolic(Op::Mul, e);
    case SymbolicKind::And:
    case SymbolicKind::Or:
        return foldSymbolic(e.kind() == SymbolicKind::And ? Op::BitAnd : Op::BitOr, e);
    case SymbolicKind::Min:
    case SymbolicKind::Max: {
        Operand out = symbolic(e.operands()[0]);
        for (std::size_t k = 1; k < e.operands().size(); ++k)
            out = callFunction(e.kind() == SymbolicKind::Min ? "min" : "max", {out, symbolic(e.operands()[k])});
        return out;
    }
    case SymbolicKind::Approx:
        return symbolic(sym::exact(e));
    default:
        return symbolicOperation(e);
    }
}

Operand Builder::symbolicOperation(sym::Expr e) {
    const auto operands = e.operands();
    const auto operand = [&](std::size_t k) { return symbolic(operands[k]); };
    const auto two = [&](Op op) {
        const Operand a = operand(0);
        return binary(op, a, operand(1));
    };
    if (const auto op = ir::comparisonOf(e.kind())) {
        const Operand a = operand(0);
        return compare(*op, a, operand(1));
    }
    if (const auto op = ir::arithmeticOf(e.kind()))
        return two(*op);
    switch (e.kind()) {
    case SymbolicKind::Pow:
        if (const auto n = operands[1].asInt(); n && *n >= 0)
            return wholePower(operand(0), static_cast<uint64_t>(*n));
        return two(Op::Pow);
    case SymbolicKind::CeilDiv:
        return callFunction("int_ceil", {operand(0), operand(1)});
    case SymbolicKind::Floor:
        return callFunction("floor", {operand(0)});
    case SymbolicKind::Ceil:
        return callFunction("ceil", {operand(0)});
    case SymbolicKind::Abs:
        return callFunction("abs", {operand(0)});
    case SymbolicKind::Not:
        return compare(Op::Eq, asBool(operand(0)), constant(ScalarKind::Bool, false));
    case SymbolicKind::Select: {
        const Operand condition = asBool(operand(0)), a = operand(1), b = operand(2);
        const Operand out = reserve(commonType(a.type, b.type));
        copy(out, convert(b, out.type));
        const std::size_t no = jumpLater(condition);
        copy(out, convert(a, out.type));
        land(no);
        return out;
    }
    case SymbolicKind::Cast:
        return convert(operand(0), e.type());
    case SymbolicKind::Subscript: {
        std::vector<py::ExprRef> index;
        py::Expr subscript;
        subscript.kind = py::ExprKind::Subscript;
        subscript.args.push_back(py::name(e.name()));
        // The indices in Python, since conditions name elements of containers the same way.
        for (const sym::Expr i : operands) {
            const auto parsed = py::parseExpr(i.str());
            if (!parsed.value)
                return refuse("`" + e.str() + "`");
            subscript.args.push_back(*parsed.value);
        }
        return expression(subscript);
    }
    case SymbolicKind::Attr: {
        const auto parsed = py::parseExpr(e.str());
        return parsed.value ? expression(**parsed.value) : refuse("`" + e.str() + "`");
    }
    case SymbolicKind::Call: {
        std::vector<Operand> arguments;
        for (std::size_t k = 0; k < operands.size(); ++k)
            arguments.push_back(operand(k));
        return callFunction(e.name().str(), arguments);
    }
    default:
        return refuse("`" + e.str() + "`");
    }
}

} // namespace sdfgc::interpret
