// Write-conflict resolution lambdas (format reference 6.10): the kind of reduction that they are, and its identity.
#include "Tasklet/AstUtil.h"
#include "Tasklet/Infer.h"
#include "Tasklet/Numbers.h"

#include <array>
#include <limits>

namespace sdfgc::py {

using namespace detail;

namespace {

// A polynomial with few terms in the two parameters: exponents of old and new, and the coefficient. Terms with coefficient 0 are
// absent.
using Polynomial = std::map<std::pair<int, int>, double>;

constexpr std::size_t maxTerms = 16; // larger ones are not known reductions

std::optional<Polynomial> combine(const std::optional<Polynomial> &a, const std::optional<Polynomial> &b, Op op) {
    if (!a || !b)
        return std::nullopt;
    Polynomial sum = op == Op::Mul ? Polynomial() : *a;
    if (op == Op::Mul) {
        for (const auto &[ea, ca] : *a)
            for (const auto &[eb, cb] : *b)
                sum[{ea.first + eb.first, ea.second + eb.second}] += ca * cb;
    } else {
        for (const auto &[e, c] : *b)
            sum[e] += op == Op::Add ? c : -c;
    }
    std::erase_if(sum, [](const auto &term) { return term.second == 0; });
    if (sum.size() > maxTerms)
        return std::nullopt;
    return sum;
}

class Classifier {
public:
    Classifier(Name old, Name fresh) : old_(old), new_(fresh) {}

    Reduction operator()(const Expr &body) const {
        if (const auto p = polynomial(body))
            return ofPolynomial(*p);
        switch (body.kind) {
        case ExprKind::Call:
            return ofCall(body);
        case ExprKind::IfExp:
            return ofChoice(body);
        case ExprKind::Binary:
            return ofBinary(body);
        case ExprKind::BoolOp:
            if (!bothParameters(body.args))
                return Reduction::Custom;
            return body.op == Op::And ? Reduction::LogicalAnd : Reduction::LogicalOr;
        case ExprKind::Compare:
            return body.ops == std::vector<Op>{Op::Ne} && bothParameters(body.args) ? Reduction::LogicalXor : Reduction::Custom;
        default:
            return Reduction::Custom;
        }
    }

private:
    Name old_, new_;

    bool isOld(const Expr &e) const { return e.kind == ExprKind::Name && e.name == old_; }
    bool isNew(const Expr &e) const { return e.kind == ExprKind::Name && e.name == new_; }
    bool bothParameters(const Expr &a, const Expr &b) const { return (isOld(a) && isNew(b)) || (isNew(a) && isOld(b)); }
    bool bothParameters(const std::vector<ExprRef> &args) const { return args.size() == 2 && bothParameters(*args[0], *args[1]); }

    std::optional<Polynomial> polynomial(const Expr &e) const {
        if (isOld(e))
            return Polynomial{{{1, 0}, 1}};
        if (isNew(e))
            return Polynomial{{{0, 1}, 1}};
        if (const auto v = literalValue(e); v && e.kind != ExprKind::Unary)
            return *v == 0 ? Polynomial() : Polynomial{{{0, 0}, *v}};
        if (e.kind == ExprKind::Unary && e.op == Op::Pos)
            return polynomial(*e.args[0]);
        if (e.kind == ExprKind::Unary && e.op == Op::Neg)
            return combine(Polynomial(), polynomial(*e.args[0]), Op::Sub);
        if (e.kind == ExprKind::Binary && (e.op == Op::Add || e.op == Op::Sub || e.op == Op::Mul))
            return combine(polynomial(*e.args[0]), polynomial(*e.args[1]), e.op);
        return std::nullopt;
    }

    static Reduction ofPolynomial(const Polynomial &p) {
        if (p == Polynomial{{{1, 0}, 1}, {{0, 1}, 1}})
            return Reduction::Sum;
        if (p == Polynomial{{{1, 1}, 1}})
            return Reduction::Product;
        if (p == Polynomial{{{1, 0}, 1}, {{0, 1}, -1}})
            return Reduction::Sub;
        return p == Polynomial{{{0, 1}, 1}} ? Reduction::Exchange : Reduction::Custom;
    }

    // max(a, b) and its other names; max(a, 2 * b) is not a maximum of the parameters.
    Reduction ofCall(const Expr &e) const {
        if (e.args.size() != 3 || !e.keywords.empty() || !bothParameters(*e.args[1], *e.args[2]))
            return Reduction::Custom;
        const std::string f = dottedName(*e.args[0]);
        if (f == "max" || f == "Max" || f == "np.maximum" || f == "numpy.maximum" || f == "dace.max")
            return Reduction::Max;
        if (f == "min" || f == "Min" || f == "np.minimum" || f == "numpy.minimum" || f == "dace.min")
            return Reduction::Min;
        return Reduction::Custom;
    }

    // a if a > b else b, in all four orders and with >=, <, <=.
    Reduction ofChoice(const Expr &e) const {
        const Expr &condition = *e.args[0];
        if (condition.kind != ExprKind::Compare || condition.ops.size() != 1 || !bothParameters(condition.args) ||
            !bothParameters(*e.args[1], *e.args[2]))
            return Reduction::Custom;
        const Op op = condition.ops[0];
        const bool greater = op == Op::Gt || op == Op::Ge;
        if (!greater && op != Op::Lt && op != Op::Le)
            return Reduction::Custom;
        const bool leftIfTrue = equal(*condition.args[0], *e.args[1]);
        return greater == leftIfTrue ? Reduction::Max : Reduction::Min;
    }

    Reduction ofBinary(const Expr &e) const {
        if ((e.op == Op::TrueDiv || e.op == Op::CDiv) && isOld(*e.args[0]) && isNew(*e.args[1]))
            return Reduction::Div;
        if (!bothParameters(e.args))
            return Reduction::Custom;
        switch (e.op) {
        case Op::BitAnd:
            return Reduction::BitAnd;
        case Op::BitOr:
            return Reduction::BitOr;
        case Op::BitXor:
            return Reduction::BitXor;
        default:
            return Reduction::Custom;
        }
    }
};

ExprRef typedLiteral(ExprKind kind, std::string text, Type t) {
    Expr e;
    e.kind = kind;
    e.text = std::move(text);
    e.type = t;
    return share(std::move(e));
}

ExprRef number(uint64_t v, Type t) {
    if (t.isBool())
        return typedLiteral(ExprKind::Bool, v ? "True" : "False", t);
    const ExprRef digits = typedLiteral(ExprKind::Int, std::to_string(v), t.isInteger() ? t : Type(ScalarKind::Int32));
    if (t == Type(ScalarKind::Float32) || t == Type(ScalarKind::Float64))
        return typedLiteral(ExprKind::Float, std::to_string(v) + ".0", t);
    return t.isInteger() ? digits : castTo(t, digits);
}

uint64_t largestInteger(Type t) {
    const uint64_t bits = static_cast<uint64_t>(t.bytes().value_or(8)) * 8 - (t.isSigned() ? 1 : 0);
    return bits >= 64 ? std::numeric_limits<uint64_t>::max() : (uint64_t(1) << bits) - 1;
}

// A value that no number of the type exceeds. Not the largest finite number: the maximum of minus infinity and minus infinity is
// minus infinity.
ExprRef largest(Type t) {
    if (t.isBool())
        return number(1, t);
    if (t.isInteger())
        return number(largestInteger(t), t);
    if (t == Type(ScalarKind::Float8E4M3FN)) // has no infinity
        return castTo(t, typedLiteral(ExprKind::Float, "448.0", ScalarKind::Float64));
    const bool plain = t == Type(ScalarKind::Float32) || t == Type(ScalarKind::Float64);
    const ExprRef value = typedLiteral(ExprKind::Float, "inf", plain ? t : Type(ScalarKind::Float32));
    return plain ? value : castTo(t, value);
}

ExprRef lowest(Type t) {
    if (t.isBool() || t.isUnsigned())
        return number(0, t);
    if (t.isInteger())
        return unary(Op::Neg, number(largestInteger(t) + 1, t), t);
    const ExprRef positive = largest(t);
    if (positive->kind == ExprKind::Cast)
        return castTo(t, unary(Op::Neg, positive->args[0], positive->args[0]->type));
    return unary(Op::Neg, positive, t);
}

std::optional<ExprRef> scalarIdentity(Reduction r, Type t) {
    const bool ordered = !t.isComplex(), bits = t.isInteger() || t.isBool();
    switch (r) {
    case Reduction::Sum:
    case Reduction::Sub:
    case Reduction::LogicalOr:
    case Reduction::LogicalXor:
        return number(0, t);
    case Reduction::Product:
    case Reduction::Div:
    case Reduction::LogicalAnd:
        return number(1, t);
    case Reduction::BitOr:
    case Reduction::BitXor:
        return bits ? std::optional(number(0, t)) : std::nullopt;
    case Reduction::BitAnd:
        if (!bits)
            return std::nullopt;
        return t.isSigned() ? unary(Op::Neg, number(1, t), t) : largest(t);
    case Reduction::Min:
        return ordered ? std::optional(largest(t)) : std::nullopt;
    case Reduction::Max:
        return ordered ? std::optional(lowest(t)) : std::nullopt;
    default:
        return std::nullopt;
    }
}

} // namespace

Parsed<Wcr> parseWcr(std::string_view text) {
    const Parsed<ExprRef> parsed = parseExpr(text);
    if (!parsed.value)
        return {std::nullopt, parsed.error};
    const ExprRef &lambda = *parsed.value;
    if (lambda->kind != ExprKind::Lambda || lambda->params.size() != 2 || lambda->params[0] == lambda->params[1])
        return {std::nullopt, {"expected a lambda with two parameters", lambda->at}};
    return {Wcr{Classifier(lambda->params[0], lambda->params[1])(*lambda->args[0]), lambda}, {}};
}

std::optional<ExprRef> reductionIdentity(Reduction r, Type t) {
    if (t.isNumeric())
        return scalarIdentity(r, t);
    if (!t.isVector())
        return std::nullopt;
    const auto lane = reductionIdentity(r, t.element());
    return lane ? std::optional(castTo(t, *lane)) : std::nullopt;
}

bool orderCounts(Reduction kind, Type t) {
    const Type element = t.isVector() ? t.element() : t;
    const bool exact = element.isInteger() || element.isBool();
    switch (kind) {
    case Reduction::Sum:
    case Reduction::Product:
    case Reduction::Sub:
        return !exact;
    case Reduction::Custom:
    case Reduction::Exchange:
    case Reduction::Div:
        return true;
    default:
        return false;
    }
}

std::string_view reductionName(Reduction r) {
    constexpr std::array<std::string_view, 16> names = {
        "Custom",     "Min",         "Max",         "Sum",          "Product",      "Logical_And", "Bitwise_And", "Logical_Or",
        "Bitwise_Or", "Logical_Xor", "Bitwise_Xor", "Min_Location", "Max_Location", "Exchange",    "Sub",         "Div"};
    return names[static_cast<std::size_t>(r)];
}

} // namespace sdfgc::py
