// Lowers Python operators to C++ operators and runtime calls with the same meaning.
#include "Tasklet/Lower.h"
#include "Tasklet/Numbers.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace sdfgc::py::detail {

namespace {

ExprRef make(Expr e, ExprKind kind, std::vector<ExprRef> args, Type t) {
    e.kind = kind;
    e.args = std::move(args);
    e.type = t;
    return share(std::move(e));
}

ExprRef withArgs(const ExprRef &e, std::vector<ExprRef> args) {
    if (args == e->args)
        return e;
    Expr copy = *e;
    copy.args = std::move(args);
    return share(std::move(copy));
}

ExprRef withOp(const ExprRef &e, Op op) {
    Expr copy = *e;
    copy.op = op;
    return share(std::move(copy));
}

ExprRef compareNode(Op op, ExprRef a, ExprRef b, Position at) {
    Expr e;
    e.ops = {op};
    e.at = at;
    const int64_t lanes = std::max(a->type.lanes(), b->type.lanes());
    const Type result = lanes > 1 ? Type::vector(ScalarKind::Bool, lanes) : Type(ScalarKind::Bool);
    return make(std::move(e), ExprKind::Compare, {std::move(a), std::move(b)}, result);
}

ExprRef boolNode(Op op, std::vector<ExprRef> args, Position at) {
    Expr e;
    e.op = op;
    e.at = at;
    return make(std::move(e), ExprKind::BoolOp, std::move(args), ScalarKind::Bool);
}

// The standard library's comparison of integers by value, for mixed signs.
std::string_view exactComparison(Op op) {
    switch (op) {
    case Op::Eq:
        return "cmp_equal";
    case Op::Ne:
        return "cmp_not_equal";
    case Op::Lt:
        return "cmp_less";
    case Op::Le:
        return "cmp_less_equal";
    case Op::Gt:
        return "cmp_greater";
    case Op::Ge:
        return "cmp_greater_equal";
    default:
        return "";
    }
}

bool isNumberLiteral(const Expr &e) { return literalValue(e).has_value(); }

// The literal as a float literal of type t, if this is exact.
ExprRef floatLiteral(const Expr &e, Type t) {
    if (e.kind == ExprKind::Unary) {
        const ExprRef inner = floatLiteral(*e.args[0], t);
        return inner ? unary(Op::Neg, inner, t) : nullptr;
    }
    const double value = floatValue(e.text);
    const double limit = t == Type(ScalarKind::Float32) ? 16777216.0 : 9007199254740992.0; // integers up to here are exact
    if (e.kind == ExprKind::Int && value > limit)
        return nullptr;
    if (e.kind == ExprKind::Float && t == Type(ScalarKind::Float32) &&
        (std::isinf(value) || std::strtof(e.text.c_str(), nullptr) != static_cast<float>(value)))
        return nullptr; // rounding from decimal to float directly may differ from rounding to double first
    Expr copy = e;
    copy.kind = ExprKind::Float;
    copy.text = e.kind == ExprKind::Int ? floatToken(value) : e.text;
    copy.type = t;
    return share(std::move(copy));
}

} // namespace

ExprRef convert(const ExprRef &e, Type t) {
    if (e->type == t || !t)
        return e;
    const bool plainFloat = t == Type(ScalarKind::Float32) || t == Type(ScalarKind::Float64);
    if (plainFloat && isNumberLiteral(*e))
        if (ExprRef l = floatLiteral(*e, t))
            return l;
    return castTo(t, e);
}

ExprRef literal(int64_t v, Type t) {
    const ExprRef digits = withType(intLit(v), ScalarKind::Int32);
    if (t.isInteger() || t.isBool() || !t)
        return withType(digits, t ? t : Type(ScalarKind::Int32));
    return convert(digits, t.isComplex() ? realOf(t) : t);
}

ExprRef Lowering::node(const ExprRef &e) const {
    switch (e->kind) {
    case ExprKind::Binary:
        return binary(e);
    case ExprKind::Unary:
        return e->op == Op::Not ? withArgs(e, {truth(e->args[0])}) : e;
    case ExprKind::BoolOp: {
        std::vector<ExprRef> args;
        for (const ExprRef &a : e->args)
            args.push_back(truth(a));
        return withArgs(e, std::move(args));
    }
    case ExprKind::Compare:
        return compare(e);
    case ExprKind::IfExp:
        return choice(e);
    case ExprKind::Cast:
        return cast(e);
    case ExprKind::Call:
        return call(e);
    case ExprKind::Attribute:
        if (laneOf(valueOf(e->args[0]->type)).isNumeric() && (e->name.view() == "real" || e->name.view() == "imag"))
            return complexPart(e, e->name.view(), e->args[0]);
        return e;
    default:
        return e;
    }
}

ExprRef Lowering::binary(const ExprRef &e) const {
    switch (e->op) {
    case Op::TrueDiv:
        return trueDivision(e);
    case Op::FloorDiv:
    case Op::IntFloor:
    case Op::Mod:
        return floorOperator(e);
    case Op::Pow:
        return power(e);
    case Op::Shl:
    case Op::Shr:
        return shift(e);
    case Op::MatMul:
        return e;
    default:
        return operands(e);
    }
}

// std::complex<T> has operators with itself and with T only.
ExprRef Lowering::operands(const ExprRef &e) const {
    if (!e->type.isComplex())
        return e;
    std::vector<ExprRef> args;
    for (const ExprRef &a : e->args) {
        const Type t = valueOf(a->type);
        args.push_back(t ? convert(a, t.isComplex() ? e->type : realOf(e->type)) : a);
    }
    return withArgs(e, std::move(args));
}

ExprRef Lowering::trueDivision(const ExprRef &e) const {
    const ExprRef division = withOp(e, Op::CDiv);
    const Type a = valueOf(e->args[0]->type), b = valueOf(e->args[1]->type);
    if (semantics_ == Semantics::Dace || !a || !b || !isIntegral(a) || !isIntegral(b))
        return operands(division);
    if (semantics_ == Semantics::Symbolic)
        return inOneSign(division);
    // One operand of type double is enough; converting a literal reads better than a cast.
    const bool right = isNumberLiteral(*e->args[1]) && !isNumberLiteral(*e->args[0]) && !e->type.isVector();
    return withArgs(division,
                    {right ? e->args[0] : convert(e->args[0], e->type), right ? convert(e->args[1], e->type) : e->args[1]});
}

// A quotient with a signed inferred type whose operands C's operator would convert to unsigned numbers.
ExprRef Lowering::inOneSign(const ExprRef &e) const {
    if (!e->type.isSigned())
        return e;
    std::vector<ExprRef> args = e->args;
    for (ExprRef &a : args)
        if (promoted(valueOf(a->type)).isUnsigned())
            a = convert(a, e->type);
    return withArgs(e, std::move(args));
}

ExprRef Lowering::floorOperator(const ExprRef &e) const {
    const Type a = valueOf(e->args[0]->type), b = valueOf(e->args[1]->type);
    const bool division = e->op != Op::Mod;
    const bool integers = a && b && isIntegral(a) && isIntegral(b);
    const auto isNonNegativeHere = [&](const ExprRef &x) { return isNonNegativeIn(e->type, *x); };
    if (integers && semantics_ == Semantics::Dace)
        return withOp(e, division ? Op::CDiv : Op::CMod);
    if (integers && std::all_of(e->args.begin(), e->args.end(), isNonNegativeHere))
        return inOneSign(withOp(e, division ? Op::CDiv : Op::CMod));
    if (laneOf(e->type).isComplex())
        return e;
    const bool floats = e->type.isFloat() || (a && b && !integers);
    const Type common = floats ? arithmeticType(a, b) : Type();
    std::vector<ExprRef> args = {floats ? convert(e->args[0], common) : e->args[0],
                                 floats ? convert(e->args[1], common) : e->args[1]};
    if (semantics_ == Semantics::Dace && floats) {
        if (!division)
            return py::call("fmod", std::move(args), common);
        const ExprRef quotient = py::binary(Op::CDiv, args[0], args[1], common);
        return convert(py::call("floor", {quotient}, common), e->type);
    }
    return py::call(division ? "floordiv" : "floormod", std::move(args), e->type);
}

// C's shifts have the type of the left operand.
ExprRef Lowering::shift(const ExprRef &e) const {
    const ExprRef &left = e->args[0];
    const bool widen =
        semantics_ != Semantics::Dace && e->type && left->type && !e->type.isVector() && !(promoted(left->type) == e->type);
    return widen ? withArgs(e, {convert(left, e->type), e->args[1]}) : e;
}

ExprRef Lowering::truth(const ExprRef &e) const {
    return e->type.isComplex() ? compareNode(Op::Ne, e, literal(0, realOf(e->type)), e->at) : e;
}

// A chain becomes a conjunction of pairs, which share the operand between them.
ExprRef Lowering::compare(const ExprRef &e) const {
    std::vector<ExprRef> pairs;
    for (std::size_t k = 0; k < e->ops.size(); ++k)
        pairs.push_back(comparePair(e->ops[k], e->args[k], e->args[k + 1], e->at));
    return pairs.size() == 1 ? pairs[0] : boolNode(Op::And, std::move(pairs), e->at);
}

ExprRef Lowering::comparePair(Op op, ExprRef a, ExprRef b, Position at) const {
    if ((op == Op::In || op == Op::NotIn) && b->kind == ExprKind::Tuple)
        return membership(op, a, b, at);
    if (op == Op::Is || op == Op::IsNot)
        op = op == Op::Is ? Op::Eq : Op::Ne;
    const Type ta = valueOf(a->type), tb = valueOf(b->type);
    if (ta.isComplex() || tb.isComplex()) {
        const Type t = commonType(ta, tb);
        a = ta ? convert(a, ta.isComplex() ? t : realOf(t)) : a;
        b = tb ? convert(b, tb.isComplex() ? t : realOf(t)) : b;
    }
    // C compares a negative number with an unsigned one as a huge unsigned number.
    const Type pa = promoted(ta), pb = promoted(tb);
    if (semantics_ != Semantics::Dace && mixedSigns(pa, pb) && !isNonNegative(*(pa.isSigned() ? a : b))) {
        const bool wide = (pa.isUnsigned() ? pa : pb).bytes().value_or(8) >= 8;
        if (const std::string_view exact = wide ? exactComparison(op) : ""; !exact.empty())
            return py::call(exact, {a, b}, ScalarKind::Bool);
        (pa.isUnsigned() ? a : b) = convert(pa.isUnsigned() ? a : b, ScalarKind::Int64);
    }
    return compareNode(op, std::move(a), std::move(b), at);
}

ExprRef Lowering::membership(Op op, const ExprRef &a, const ExprRef &b, Position at) const {
    std::vector<ExprRef> tests;
    for (const ExprRef &member : b->args)
        tests.push_back(comparePair(op == Op::In ? Op::Eq : Op::Ne, a, member, at));
    if (tests.empty())
        return withType(boolLit(op == Op::NotIn), ScalarKind::Bool);
    return tests.size() == 1 ? tests[0] : boolNode(op == Op::In ? Op::Or : Op::And, std::move(tests), at);
}

// C++ finds the common type of plain numbers itself; class types need help.
ExprRef Lowering::choice(const ExprRef &e) const {
    const ExprRef condition = truth(e->args[0]);
    if (condition->type.isVector())
        return py::call("select", {condition, e->args[1], e->args[2]}, e->type);
    std::vector<ExprRef> args = {condition, e->args[1], e->args[2]};
    const Type a = valueOf(args[1]->type), b = valueOf(args[2]->type);
    const auto isClass = [](Type t) { return t.isComplex() || t.isVector() || isLowPrecision(t); };
    if (a && b && !(a == b) && (isClass(a) || isClass(b)))
        for (std::size_t k = 1; k < 3; ++k)
            args[k] = convert(args[k], e->type);
    return withArgs(e, std::move(args));
}

ExprRef Lowering::cast(const ExprRef &e) const {
    if (e->args.size() != 1)
        return e;
    ExprRef a = e->args[0];
    const Type from = valueOf(a->type);
    if (from.isComplex() && e->type.isBool())
        return truth(a);
    if (from.isComplex() && (e->type.isInteger() || e->type.isFloat()))
        a = py::call("real", {a}, realOf(from));
    const ExprRef converted = convert(a, e->type);
    return converted->kind == ExprKind::Cast && a == e->args[0] ? e : converted;
}

ExprRef Lowering::forStore(const ExprRef &e, Type t) const {
    t = valueOf(t);
    const Type from = valueOf(e->type);
    if (!t || !from || from == t)
        return e;
    if (from.isComplex() && !t.isComplex() && t.isNumeric())
        return cast(castTo(t, e));
    const bool explicitOnly = (from.isComplex() && t.isComplex()) || (from.isVector() && t.isVector());
    return explicitOnly ? convert(e, t) : e;
}

} // namespace sdfgc::py::detail
