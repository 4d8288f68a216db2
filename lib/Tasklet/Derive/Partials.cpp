// The table of derivatives.
#include "Tasklet/Derive/Simplify.h"
#include "Tasklet/Derive/Steps.h"
#include "Tasklet/Infer.h"
#include "Tasklet/Numbers.h"

#include <cmath>

namespace sdfgc::py {

using namespace detail;

namespace {

/// A row of the table: derivatives by argument; empty for passive arguments and for those without a derivative.
struct Row {
    Differentiable is = Differentiable::Unlisted;
    std::vector<ExprRef> partials;
};

Row row(std::initializer_list<const char *> partials) {
    Row r{Differentiable::Yes, {}};
    for (const char *text : partials)
        r.partials.push_back(*parseExpr(text).value);
    return r;
}

const std::map<std::string_view, Row> &functionRows() {
    static const std::map<std::string_view, Row> rows = {
#define SDFGC_DERIVATIVE1(Name, X) {#Name, row({X})},
#define SDFGC_DERIVATIVE2(Name, A, B) {#Name, row({A, B})},
#define SDFGC_DERIVATIVE3(Name, A, B, C) {#Name, row({A, B, C})},
#define SDFGC_PASSIVE(Name) {#Name, {Differentiable::Passive, {}}},
#define SDFGC_NO_DERIVATIVE(Name) {#Name, {Differentiable::No, {}}},
#include "sdfgc/Tasklet/Derivatives.def"
    };
    return rows;
}

const std::map<Op, Row> &operatorRows() {
    static const std::map<Op, Row> rows = {
#define SDFGC_OPERATOR1(Which, X) {Op::Which, row({X})},
#define SDFGC_OPERATOR2(Which, A, B) {Op::Which, row({A, B})},
#define SDFGC_PASSIVE_OPERATOR(Which) {Op::Which, {Differentiable::Passive, {}}},
#include "sdfgc/Tasklet/Derivatives.def"
    };
    return rows;
}

/// Numbers of a row in the type that the function computes in.
ExprRef inType(const ExprRef &partial, Type t) {
    if (!(promoted(t) == Type(ScalarKind::Float32)))
        return partial;
    return rewrite(partial, [](const ExprRef &e) {
        if (e->kind != ExprKind::Float)
            return e;
        return castTo(ScalarKind::Float32, e);
    });
}

ExprRef number(double v, const Expr &like, Type t) {
    constexpr double exact = 1 << 24;
    if (std::floor(v) == v && std::fabs(v) <= exact)
        return intLit(static_cast<int64_t>(v));
    const ExprRef token = floatLit(floatToken(std::fabs(v)));
    const ExprRef signedToken = v < 0 ? unary(Op::Neg, token) : token;
    return promoted(t) == Type(ScalarKind::Float32) || like.kind == ExprKind::Cast ? castTo(promoted(t), signedToken) : signedToken;
}

/// Powers whose exponent is a number: 2 * a for a ** 2, 1 / (2 * y) for a root.
ExprRef powerWithNumber(const Expr &flat, double exponent, Name result, Type t) {
    const ExprRef &a = flat.args[flat.kind == ExprKind::Call ? 1 : 0], &b = flat.args[flat.kind == ExprKind::Call ? 2 : 1];
    if (exponent == 0.5)
        return quotient(intLit(1), product(intLit(2), name(result)));
    const ExprRef lowered = number(exponent - 1, *b, t);
    const ExprRef power = exponent == 1                 ? intLit(1)
                          : exponent == 2               ? a
                          : flat.kind == ExprKind::Call ? call(flat.args[0]->name, {a, lowered})
                                                        : binary(Op::Pow, a, lowered);
    return product(number(exponent, *b, t), power);
}

bool isPower(const Expr &flat) {
    if (flat.kind == ExprKind::Binary)
        return flat.op == Op::Pow;
    return flat.kind == ExprKind::Call && (isName(*flat.args[0], "pow") || isName(*flat.args[0], "ipow"));
}

ExprRef ofChoice(const Expr &flat, std::size_t k) { return choice(flat.args[0], intLit(k == 1 ? 1 : 0), intLit(k == 1 ? 0 : 1)); }

const Row &rowOf(const Expr &flat) {
    static const Row passive{Differentiable::Passive, {}}, unlisted{};
    if (flat.kind == ExprKind::Binary || flat.kind == ExprKind::Unary) {
        const auto it = operatorRows().find(flat.op);
        return it == operatorRows().end() ? unlisted : it->second;
    }
    if (flat.kind != ExprKind::Call)
        return flat.kind == ExprKind::Compare || flat.kind == ExprKind::BoolOp ? passive : unlisted;
    const auto it = functionRows().find(flat.args[0]->kind == ExprKind::Name ? flat.args[0]->name.view() : "");
    return it == functionRows().end() ? unlisted : it->second;
}

std::string what(const Expr &flat) {
    if (flat.kind == ExprKind::Call)
        return print(*flat.args[0]);
    return "`" + print(flat) + "`";
}

} // namespace

Differentiable differentiable(std::string_view function) {
    const auto it = functionRows().find(function);
    return it == functionRows().end() ? Differentiable::Unlisted : it->second.is;
}

namespace detail {

ExprRef partialOf(const Expr &flat, std::size_t k, Name result, Ties ties, const Builder &builder) {
    if (flat.kind == ExprKind::IfExp)
        return ofChoice(flat, k);
    if (flat.kind == ExprKind::Cast)
        return intLit(1);
    const Row &r = rowOf(flat);
    if (r.is == Differentiable::Passive)
        return intLit(0);
    const std::size_t first = flat.kind == ExprKind::Call ? 1 : 0;
    if (r.is != Differentiable::Yes || k - first >= r.partials.size())
        refuse(flat.kind == ExprKind::Call ? DerivativeError::Kind::Function : DerivativeError::Kind::Construct, what(flat),
               flat.at);
    if (const std::size_t given = flat.args.size() - first; given != r.partials.size())
        refuse(DerivativeError::Kind::Construct,
               what(flat) + " with " + std::to_string(given) + (given == 1 ? " argument" : " arguments"), flat.at);
    const Type t = builder.typeOf(std::make_shared<const Expr>(flat));
    if (isPower(flat) && k == first)
        if (const auto exponent = numberValue(*flat.args[first + 1]))
            return powerWithNumber(flat, *exponent, result, t);
    const bool split = ties == Ties::Split;
    std::map<Name, ExprRef> values = {{"y", name(result)},
                                      {"tie_a", split ? binary(Op::TrueDiv, intLit(1), intLit(2)) : intLit(1)},
                                      {"tie_b", split ? binary(Op::TrueDiv, intLit(1), intLit(2)) : intLit(0)}};
    constexpr std::string_view many[] = {"a", "b", "c"};
    for (std::size_t j = first; j < flat.args.size(); ++j)
        values.emplace(r.partials.size() == 1 ? Name("x") : Name(many[j - first]), flat.args[j]);
    const ExprRef plain = inType(r.partials[k - first], t);
    return rewrite(substitute(plain, values), [](const ExprRef &e) { // folds what constant arguments make constant
        if (e->kind == ExprKind::Binary && e->op == Op::Mul)
            return product(e->args[0], e->args[1]);
        return e->kind == ExprKind::Unary && e->op == Op::Neg && !isLiteral(*e) ? negated(e->args[0]) : e;
    });
}

bool canBeInfinite(const Expr &flat, const Builder &builder) {
    static const std::set<std::string_view> functions = {
#define SDFGC_SINGULAR(Name) #Name,
#include "sdfgc/Tasklet/Derivatives.def"
    };
    static const std::set<Op> operators = {
#define SDFGC_SINGULAR_OPERATOR(Which) Op::Which,
#include "sdfgc/Tasklet/Derivatives.def"
    };
    const bool isCall = flat.kind == ExprKind::Call;
    const bool listed = isCall ? flat.args[0]->kind == ExprKind::Name && functions.count(flat.args[0]->name.view())
                               : flat.kind == ExprKind::Binary && operators.count(flat.op);
    if (!listed || (isCall ? flat.args.size() != 3 : false))
        return listed;
    const ExprRef &second = flat.args[isCall ? 2 : 1];
    const std::optional<double> number = numberValue(*second);
    if (isPower(flat))
        return !number || *number < 1;
    return !number && !laneOf(builder.typeOf(second)).isInteger(); // a divisor, or the second argument of another function
}

} // namespace detail

} // namespace sdfgc::py
