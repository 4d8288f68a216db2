// Operators and comparisons: the type in which operands are combined, and the instruction for it.
#include "Builder.h"
#include "Lanes.h"

#include <cmath>
#include <cstdlib>

namespace sdfgc::interpret {

using py::ExprKind;
using py::Op;

Operand Builder::unary(const py::Expr &e) {
    if (e.op == Op::Neg && e.args[0]->kind == ExprKind::Int) { // the most negative integers have no positive counterpart
        const uint64_t v = std::strtoull(e.args[0]->text.c_str(), nullptr, 10);
        if (v == uint64_t(INT32_MAX) + 1)
            return constant(ScalarKind::Int32, INT32_MIN);
        if (v == uint64_t(INT64_MAX) + 1)
            return constant(ScalarKind::Int64, INT64_MIN);
    }
    Operand a = expression(*e.args[0]);
    if (e.op == Op::Not) {
        a = asBool(a);
        const Operand out = reserve(a.type);
        emit({unaryOperation(Op::Not, ScalarKind::Bool), out.at, a.at, nullptr, lanesOf(a.type)});
        return out;
    }
    a = convert(a, withLanes(arithmeticTypeOf(lane(a.type)), lanesOf(a.type)));
    if (e.op == Op::Pos)
        return a;
    const Operation run = unaryOperation(e.op, lane(a.type).scalar());
    if (!run)
        return refuse("`" + py::print(e) + "` of " + a.type.str());
    const Operand out = reserve(a.type);
    emit({run, out.at, a.at, nullptr, lanesOf(a.type)});
    return out;
}

/// `a op b` in a type. A real operand combined with a complex one stays real.
Operand Builder::combined(Op op, Type t, Operand a, Operand b) {
    const bool oneReal = t.isComplex() && a.type.isComplex() != b.type.isComplex();
    const Operation mixed = oneReal ? complexWithReal(op, t.scalar(), b.type.isComplex()) : nullptr;
    const Type part = t.isComplex() && t.scalar() == ScalarKind::Complex64 ? ScalarKind::Float32 : ScalarKind::Float64;
    a = convert(a, mixed && !a.type.isComplex() ? part : t);
    b = convert(b, mixed && !b.type.isComplex() ? part : t);
    const Operation run = mixed ? mixed : binaryOperation(op, lane(t).scalar());
    if (!run)
        return refuse("an operator on " + a.type.str());
    const Operand out = reserve(t);
    emit({run, out.at, a.at, b.at, lanesOf(t), site_});
    return out;
}

Operand Builder::binary(Op op, Operand a, Operand b) {
    if (a.type.isPointer() || b.type.isPointer()) {
        if (op == Op::Add && a.type.isPointer() && b.type.isInteger())
            return advance(a, b);
        return refuse("arithmetic on addresses");
    }
    Type t = arithmeticType(a.type, b.type);
    if (op == Op::IntFloor)
        op = isWholeType(t) ? Op::FloorDiv : Op::TrueDiv;
    const bool whole = isWholeType(t);
    if (division_ == Division::C && (op == Op::TrueDiv || (whole && op == Op::FloorDiv)))
        op = Op::CDiv;
    else if (division_ == Division::C && op == Op::Mod)
        op = Op::CMod;
    else if ((division_ == Division::Symbolic && whole) || division_ == Division::Lowered)
        op = op == Op::TrueDiv ? Op::CDiv : op;
    else if (op == Op::TrueDiv)
        t = floatingType(t);
    const bool floors = op == Op::FloorDiv || op == Op::Mod || (division_ == Division::Symbolic && op == Op::CDiv);
    const Operand withSign = lane(a.type).isUnsigned() ? b : a; // a literal, which is never negative, takes the other's type
    if (floors && mixedSigns(a.type, b.type) && !literals_.count(withSign.at))
        t = withLanes(ScalarKind::Int64, lanesOf(t));
    const bool bits = op == Op::BitAnd || op == Op::BitOr || op == Op::BitXor;
    const bool bools = bits && lane(a.type).isBool() && lane(b.type).isBool();
    const Operand out = combined(op, t, a, b);
    if (bools)
        return convert(out, withLanes(ScalarKind::Bool, lanesOf(t)));
    if (division_ == Division::C && op == Op::FloorDiv && !whole) // of floats: a quotient rounded down, as an int
        return convert(callFunction("floor", {out}), ScalarKind::Int32);
    return out;
}

Operand Builder::wholePower(Operand base, uint64_t n) {
    const Type t = base.type;
    if (n == 0)
        return convert(constant(ScalarKind::Int32, int32_t(1)), t);
    if (n == 1)
        return base;
    if (n <= 3) {
        const Operand square = binary(Op::Mul, base, base);
        return n == 2 ? square : binary(Op::Mul, square, base);
    }
    if (t.isVector())
        return binary(Op::Mul, wholePower(base, n / 2), wholePower(base, n - n / 2));
    const Operand out = reserve(t);
    emit({interpret::wholePower(t.scalar()), out.at, base.at, nullptr, static_cast<int64_t>(n)});
    return out;
}

Operand Builder::power(const py::Expr &e) {
    Operand base = expression(*e.args[0]);
    const Operand exponent = expression(*e.args[1]);
    const bool converted = e.args[1]->kind == ExprKind::Cast; // in that case the type of the exponent matters
    const double number = numberIn(*e.args[1]).value_or(NAN); // NaN: unknown
    const bool whole = std::floor(number) == number, negative = number < 0;
    base = convert(base, converted ? arithmeticType(base.type, exponent.type)
                                   : withLanes(arithmeticTypeOf(lane(base.type)), lanesOf(base.type)));
    const auto reciprocal = [&](Operand x, Type t) {
        return binary(Op::CDiv, convert(constant(ScalarKind::Int32, int32_t(1)), t), convert(x, t));
    };
    if (std::fabs(number) == 0.5) {
        const Operand root = callFunction("sqrt", {convert(base, floatingType(base.type))});
        return negative ? reciprocal(root, root.type) : root;
    }
    const bool integerExponent = isWholeType(exponent.type);
    const bool isVariable = converted && integerExponent && negative; // an integer, as with a variable exponent
    if (whole && std::fabs(number) <= 1 << 30 && !isVariable && (integerExponent || !isWholeType(base.type))) {
        if (!negative)
            return wholePower(base, static_cast<uint64_t>(number));
        if (division_ == Division::Python)
            base = convert(base, floatingType(base.type));
        return reciprocal(wholePower(base, static_cast<uint64_t>(-number)), base.type);
    }
    const Type t = arithmeticType(base.type, exponent.type);
    const Operation run = binaryOperation(Op::Pow, lane(t).scalar());
    if (!run)
        return refuse("`" + py::print(e) + "`");
    const Operand a = convert(base, t), b = convert(exponent, t), out = reserve(t);
    emit({run, out.at, a.at, b.at, lanesOf(t)});
    return out;
}

Operand Builder::boolean(const py::Expr &e) {
    // Operands after the deciding one are not evaluated: `i < N and A[i] > 0`.
    const Operand first = asBool(expression(*e.args[0]));
    const Operand out = reserve(first.type);
    copy(out, first);
    std::vector<std::size_t> decided;
    for (std::size_t k = 1; k < e.args.size(); ++k) {
        if (out.type.isVector()) {
            const Operand next = asBool(expression(*e.args[k]));
            copy(out, binary(e.op == Op::And ? Op::BitAnd : Op::BitOr, out, next));
            continue;
        }
        if (e.op == Op::And) {
            decided.push_back(jumpLater(out));
        } else {
            const std::size_t go = jumpLater(out);
            decided.push_back(jumpLater());
            land(go);
        }
        copy(out, asBool(expression(*e.args[k])));
    }
    for (const std::size_t j : decided)
        land(j);
    return out;
}

Operand Builder::compare(Op op, Operand a, Operand b) {
    if (a.type.isPointer() || b.type.isPointer()) {
        if (op != Op::Is && op != Op::IsNot && op != Op::Eq && op != Op::Ne)
            return refuse("an order of addresses");
        const Operand out = reserve(ScalarKind::Bool);
        const bool none = !a.type.isPointer() || !b.type.isPointer(); // a number is never None
        const bool equal = op == Op::Is || op == Op::Eq;
        if (none)
            return constant(ScalarKind::Bool, !equal);
        emit({[](const Instruction *i, Machine &) {
                  const Pointer x = interpret::as<Pointer>(i->a), y = interpret::as<Pointer>(i->b);
                  interpret::as<bool>(i->to) = (x.buffer == y.buffer && (!x.buffer || x.offset == y.offset)) == (i->n == 1);
                  return i + 1;
              },
              out.at, a.at, b.at, equal ? 1 : 0});
        return out;
    }
    Type t = arithmeticType(a.type, b.type);
    Operation run = nullptr;
    if (mixedSigns(a.type, b.type)) { // by value
        const bool wide = sizeOf(lane(a.type)) == 8 || sizeOf(lane(b.type)) == 8;
        t = withLanes(ScalarKind::Int64, lanesOf(t));
        if (wide) {
            if (lane(a.type).isUnsigned()) {
                std::swap(a, b);
                op = op == Op::Lt ? Op::Gt : op == Op::Gt ? Op::Lt : op == Op::Le ? Op::Ge : op == Op::Ge ? Op::Le : op;
            }
            const Operand x = convert(a, t), y = convert(b, withLanes(ScalarKind::UInt64, lanesOf(t)));
            const Operand out = reserve(withLanes(ScalarKind::Bool, lanesOf(t)));
            emit({mixedComparison(op), out.at, x.at, y.at, lanesOf(t)});
            return out;
        }
    }
    run = interpret::comparison(op, lane(t).scalar());
    if (!run)
        return refuse("a comparison of " + a.type.str() + " with " + b.type.str());
    const Operand x = convert(a, t), y = convert(b, t), out = reserve(withLanes(ScalarKind::Bool, lanesOf(t)));
    emit({run, out.at, x.at, y.at, lanesOf(t)});
    return out;
}

Operand Builder::comparison(const py::Expr &e) {
    Operand result;
    for (std::size_t k = 0; k + 1 < e.args.size(); ++k) {
        const Op op = e.ops[k];
        const py::Expr &right = *e.args[k + 1];
        const auto operand = [&](const py::Expr &x, const py::Expr &other) { // against None, a container is its address
            if (other.kind == ExprKind::None && x.kind == ExprKind::Name)
                if (const Operand address = names_.address(*this, x.name))
                    return address;
            return expression(x);
        };
        const Operand a = operand(*e.args[k], right);
        Operand one;
        if (op == Op::In || op == Op::NotIn) {
            for (const py::ExprRef &x : right.args) {
                const Operand same = compare(Op::Eq, a, expression(*x));
                one = one ? convert(binary(Op::BitOr, one, same), ScalarKind::Bool) : same;
            }
            if (right.kind != ExprKind::Tuple || !one)
                return refuse("`in` on anything but a tuple");
            if (op == Op::NotIn)
                one = compare(Op::Eq, one, constant(ScalarKind::Bool, false));
        } else {
            one = compare(op, a, operand(right, *e.args[k]));
        }
        result = result ? binary(Op::BitAnd, result, one) : one;
    }
    return result;
}

} // namespace sdfgc::interpret
