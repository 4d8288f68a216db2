// Types of expressions: the table of format reference 9.8, with C++'s promotions instead of its accidents.
#include "Tasklet/Infer.h"
#include "Tasklet/Numbers.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sdfgc::py {

namespace detail {

bool mixedSigns(Type a, Type b) { return (a.isSigned() && b.isUnsigned()) || (a.isUnsigned() && b.isSigned()); }

std::optional<double> literalValue(const Expr &e) {
    if (e.kind == ExprKind::Unary && e.op == Op::Neg) {
        const auto v = literalValue(*e.args[0]);
        return v ? std::optional<double>(-*v) : std::nullopt;
    }
    if (e.kind == ExprKind::Int || e.kind == ExprKind::Float)
        return floatValue(e.text);
    return std::nullopt;
}

std::optional<double> keptIn(Type t, double value) {
    const Type part = realOf(laneOf(valueOf(t)));
    const bool whole = std::floor(value) == value;
    bool kept = false;
    if (part.isBool()) {
        kept = value == 0 || value == 1;
    } else if (part.isInteger()) {
        const int bits = static_cast<int>(part.bytes().value_or(8)) * 8 - (part.isSigned() ? 1 : 0);
        kept = whole && value >= (part.isSigned() ? -std::ldexp(1.0, bits) : 0) && value < std::ldexp(1.0, bits);
    } else if (part.isFloat()) {
        const double exact = part.bytes().value_or(8) >= 8 ? 0x1p53 : part == Type(ScalarKind::Float32) ? 0x1p24 : 8;
        kept = !whole || std::fabs(value) <= exact;
    }
    return kept ? std::optional(value) : std::nullopt;
}

bool isRange(const Expr &e) {
    return e.kind == ExprKind::Call && isName(*e.args[0], "range") && e.args.size() >= 2 && e.args.size() <= 4 &&
           e.keywords.empty();
}

namespace {

Type powType(const Expr &e, Type a, Type b, Semantics s) {
    const auto exponent = literalValue(*e.args[1]);
    if (exponent && (*exponent == 0.5 || *exponent == -0.5)) // a square root in the type of the base
        return floating(promoted(a));
    if (isIntegral(a) && isIntegral(b) && exponent && *exponent < 0)
        return s == Semantics::Dace ? promoted(a) : floating(promoted(a));
    const bool whole = exponent && *exponent == std::floor(*exponent);
    if (whole && (isIntegral(b) || !isIntegral(a))) // repeated multiplication, in the type of the base
        return promoted(a);
    return arithmeticType(a, b);
}

Type shiftType(Type a, Type b, Semantics s) {
    return s == Semantics::Dace ? promoted(a) : arithmeticType(a, b); // C's shifts ignore the type of the count
}

/// The type of an integer division: int64 if one operand is signed and one unsigned, since C's operator would turn a negative
/// number into a huge one. A literal has no sign to lose.
Type divisionType(const Expr &e, Type a, Type b) {
    const Type t = arithmeticType(a, b);
    if (!mixedSigns(a, b) || !mixedSigns(promoted(a), promoted(b)))
        return t;
    const auto literal = literalValue(*e.args[promoted(a).isSigned() ? 0 : 1]);
    return literal && *literal >= 0 ? t : Type(ScalarKind::Int64);
}

Type quotientType(const Expr &e, Type a, Type b, Semantics s) {
    if (s == Semantics::Python)
        return floating(arithmeticType(a, b));
    return s == Semantics::Dace ? arithmeticType(a, b) : divisionType(e, a, b);
}

Type floorType(const Expr &e, Type a, Type b, Semantics s) {
    if (s != Semantics::Dace)
        return divisionType(e, a, b);
    const Type t = arithmeticType(a, b);
    return e.op == Op::FloorDiv && t.isFloat() ? Type(ScalarKind::Int32) : t;
}

} // namespace

Type binaryType(const Expr &e, Semantics s) {
    const Type a = valueOf(e.args[0]->type), b = valueOf(e.args[1]->type);
    if (!a || !b)
        return Type();
    switch (e.op) {
    case Op::TrueDiv:
        return quotientType(e, a, b, s);
    case Op::FloorDiv:
    case Op::Mod:
        return floorType(e, a, b, s);
    case Op::Pow:
        return powType(e, a, b, s);
    case Op::Shl:
    case Op::Shr:
        return shiftType(a, b, s);
    case Op::BitAnd:
    case Op::BitOr:
    case Op::BitXor:
        return a.isBool() && b.isBool() ? a : arithmeticType(a, b);
    default:
        return arithmeticType(a, b);
    }
}

} // namespace detail

using namespace detail;

namespace {

class Inference {
public:
    Inference(const Env &env, Semantics semantics) : env_(env), semantics_(semantics) {}

    ExprRef infer(const ExprRef &e) const {
        if (e->kind == ExprKind::Lambda)
            return lambda(e, std::vector<Type>(e->params.size()));
        const Expr *callee = e->kind == ExprKind::Call ? e->args[0].get() : nullptr;
        const ExprRef typed = mapChildren(e, [&](const ExprRef &c) { return c.get() == callee ? function(c) : infer(c); });
        const ExprRef decided = typed->kind == ExprKind::Binary && typed->op == Op::IntFloor ? division(typed) : typed;
        if (ExprRef exact = semantics_ == Semantics::Symbolic ? exactQuotients(*decided) : nullptr)
            return infer(exact);
        return withType(decided, typeOf(*decided));
    }

    ExprRef lambda(const ExprRef &e, const std::vector<Type> &params) const {
        Env inner = env_;
        inner.typeOf = [this, &e, &params](Name n) -> std::optional<Type> {
            const auto it = std::find(e->params.begin(), e->params.end(), n);
            if (it == e->params.end())
                return env_.typeOf ? env_.typeOf(n) : std::nullopt;
            const auto k = static_cast<std::size_t>(it - e->params.begin());
            return k < params.size() ? params[k] : Type();
        };
        const Inference body(inner, semantics_);
        return mapChildren(e, [&](const ExprRef &c) { return body.infer(c); });
    }

private:
    const Env &env_;
    Semantics semantics_;

    Type nameType(Name n, Type otherwise) const {
        const auto t = env_.typeOf ? env_.typeOf(n) : std::nullopt;
        return t ? *t : otherwise;
    }

    // int_floor(a, b): `a // b` of integers. DaCe also writes it for `x / 2` and `x * 0.5` of floating-point symbols, and divides
    // there (runtime/include/dace/math.h); the user's own `x // 2` stays `//`.
    static ExprRef division(const ExprRef &e) {
        const Type a = valueOf(e->args[0]->type), b = valueOf(e->args[1]->type);
        if (!a || !b)
            return e;
        Expr decided = *e;
        decided.op = a.isFloat() || a.isComplex() || b.isFloat() || b.isComplex() ? Op::TrueDiv : Op::FloorDiv;
        return share(std::move(decided));
    }

    // Function names have no type, except callbacks: because of their type, the printer spells them as symbols.
    ExprRef function(const ExprRef &callee) const {
        if (callee->kind != ExprKind::Name)
            return callee->kind == ExprKind::Attribute && isModule(*callee->args[0]) ? callee : infer(callee);
        const Type t = nameType(callee->name, Type());
        return t.isCallback() ? withType(callee, t) : callee;
    }

    Type typeOf(const Expr &e) const {
        switch (e.kind) {
        case ExprKind::Int:
            return intType(e.text);
        case ExprKind::Float:
            return e.type ? e.type : Type(ScalarKind::Float64);
        case ExprKind::Imaginary:
            return e.type ? e.type : Type(ScalarKind::Complex128);
        case ExprKind::Bool:
            return Type(ScalarKind::Bool);
        case ExprKind::String:
            return Type(ScalarKind::String);
        case ExprKind::Name:
            return nameType(e.name, e.type);
        case ExprKind::Attribute:
            return attributeType(e);
        case ExprKind::Subscript:
            return subscriptType(e);
        case ExprKind::Unary:
            return unaryType(e);
        case ExprKind::Binary:
            return binaryType(e, semantics_);
        case ExprKind::BoolOp:
        case ExprKind::Compare:
            return truthType(e);
        case ExprKind::IfExp:
            return choiceType(e.args[1]->type, e.args[2]->type);
        case ExprKind::Call:
            return callType(e);
        default:
            return e.type; // casts, memory references and raw text carry their types
        }
    }

    static Type intType(const std::string &digits) {
        const auto v = unsignedValue(digits);
        if (!v)
            return Type();
        if (*v <= uint64_t(std::numeric_limits<int32_t>::max()))
            return Type(ScalarKind::Int32);
        return Type(*v <= uint64_t(std::numeric_limits<int64_t>::max()) ? ScalarKind::Int64 : ScalarKind::UInt64);
    }

    static Type attributeType(const Expr &e) {
        const Type base = valueOf(e.args[0]->type);
        if (const auto field = base.field(e.name))
            return *field;
        const bool part = e.name.view() == "real" || e.name.view() == "imag";
        return part && base.isNumeric() ? promoted(realOf(base)) : Type();
    }

    static Type subscriptType(const Expr &e) {
        const Type base = e.args[0]->type;
        const bool slice =
            std::any_of(e.args.begin() + 1, e.args.end(), [](const ExprRef &a) { return a->kind == ExprKind::Slice; });
        return !slice && (base.isPointer() || base.isVector()) ? base.element() : base;
    }

    static Type unaryType(const Expr &e) {
        if (e.op == Op::Not)
            return truthType(e);
        if (e.op == Op::Neg && e.args[0]->kind == ExprKind::Int) { // the most negative numbers have no positive counterpart
            if (const auto v = intValue(e))
                return Type(*v >= std::numeric_limits<int32_t>::min() ? ScalarKind::Int32 : ScalarKind::Int64);
        }
        return promoted(valueOf(e.args[0]->type));
    }

    static Type truthType(const Expr &e) {
        int64_t lanes = 1;
        for (const ExprRef &a : e.args)
            lanes = std::max(lanes, a->type.isVector() ? a->type.lanes() : 1);
        return lanes > 1 ? Type::vector(ScalarKind::Bool, lanes) : Type(ScalarKind::Bool);
    }

    static Type choiceType(Type a, Type b) {
        if (a == b || !a || !b)
            return a ? a : b;
        return a.isPointer() && b.isPointer() ? a : commonType(valueOf(a), valueOf(b));
    }

    Type callType(const Expr &e) const {
        const Expr &callee = *e.args[0];
        if (callee.type.isCallback())
            return callee.type.returns().size() == 1 ? callee.type.returns()[0] : Type();
        if (callee.kind != ExprKind::Name || e.type.isStruct() || (env_.isCallback && env_.isCallback(callee.name)))
            return e.type;
        const Function *f = findFunction(callee.name.view());
        if (!f)
            return e.type;
        std::vector<Type> args;
        for (std::size_t k = 1; k < e.args.size(); ++k)
            args.push_back(e.args[k]->type);
        return resultType(*f, args);
    }
};

} // namespace

ExprRef inferTypes(const ExprRef &e, const Env &env, Semantics semantics) { return Inference(env, semantics).infer(e); }

ExprRef inferLambda(const ExprRef &lambda, const std::vector<Type> &params, const Env &env, Semantics semantics) {
    return lambda->kind == ExprKind::Lambda ? Inference(env, semantics).lambda(lambda, params) : inferTypes(lambda, env, semantics);
}

} // namespace sdfgc::py
