#include "Expressions.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

namespace sdfgc::tree::text {

using py::Expr;
using py::ExprKind;
using py::ExprRef;
using py::Op;

std::span<const Operator> operators() {
    static constexpr auto all = std::to_array<Operator>({
        {Op::Add, "+", Sum},
        {Op::Sub, "-", Sum},
        {Op::Mul, "*", Product},
        {Op::TrueDiv, "/", Product},
        {Op::FloorDiv, "//", Product},
        {Op::Mod, "%", Product},
        {Op::MatMul, "@", Product},
        {Op::IntFloor, "floordiv", Product},
        {Op::CDiv, "div", Product},
        {Op::CMod, "mod", Product},
        {Op::Shl, "<<", Shift},
        {Op::Shr, ">>", Shift},
        {Op::BitAnd, "&", BitwiseAnd},
        {Op::BitOr, "|", BitwiseOr},
        {Op::BitXor, "^", BitwiseXor},
        {Op::Eq, "==", Comparison},
        {Op::Ne, "!=", Comparison},
        {Op::Lt, "<", Comparison},
        {Op::Le, "<=", Comparison},
        {Op::Gt, ">", Comparison},
        {Op::Ge, ">=", Comparison},
        {Op::Is, "is", Comparison},
        {Op::IsNot, "isnot", Comparison},
        {Op::In, "in", Comparison},
        {Op::NotIn, "notin", Comparison},
        {Op::Pow, "**", Power},
    });
    return all;
}

std::string_view operatorText(Op op) {
    for (const Operator &o : operators())
        if (o.op == op)
            return o.text;
    return {};
}

namespace {

int precedenceOf(Op op) {
    for (const Operator &o : operators())
        if (o.op == op)
            return o.precedence;
    return Postfix;
}

/// Operands narrower than int are computed in int.
Type promoted(Type t) { return t.isBool() || (t.isInteger() && t.bytes().value_or(8) < 4) ? Type(ScalarKind::Int32) : t; }

Type common(const std::vector<ExprRef> &args, std::size_t from) {
    Type t = args.size() > from && args[from] ? args[from]->type : Type();
    for (std::size_t i = from + 1; i < args.size(); ++i)
        if (args[i])
            t = commonType(t, args[i]->type);
    return t;
}

Type ofInteger(const std::string &digits) {
    int64_t v = 0;
    auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), v);
    if (error != std::errc() || end != digits.data() + digits.size())
        return ScalarKind::UInt64;
    return v <= std::numeric_limits<int32_t>::max() ? ScalarKind::Int32 : ScalarKind::Int64;
}

} // namespace

Type impliedType(const Expr &e, const Surroundings &s) {
    switch (e.kind) {
    case ExprKind::Int:
        return ofInteger(e.text);
    case ExprKind::Float:
        return ScalarKind::Float64;
    case ExprKind::Imaginary:
        return ScalarKind::Complex128;
    case ExprKind::Bool:
    case ExprKind::BoolOp:
    case ExprKind::Compare:
        return ScalarKind::Bool;
    case ExprKind::Name:
        return s.typeOf(e.name);
    case ExprKind::MemRef:
        return s.typeOfMemory(refOf(e));
    case ExprKind::Unary:
        return e.op == Op::Not ? Type(ScalarKind::Bool) : promoted(e.args[0]->type);
    case ExprKind::Binary:
        if (e.op == Op::Shl || e.op == Op::Shr)
            return promoted(e.args[0]->type);
        return promoted(common(e.args, 0));
    case ExprKind::IfExp:
        return common(e.args, 1);
    case ExprKind::Call:
        return common(e.args, 1);
    case ExprKind::Cast:
        return e.type;
    default:
        return {};
    }
}

Type typeOfReference(const Function &f, const MemRef &r) {
    if (r.castTo && r.address)
        return Type::pointer(r.castTo);
    if (r.castTo)
        return r.castTo;
    const Type t = f.vars[r.var].type;
    return r.address ? Type::pointer(t) : t;
}

std::string nameText(Name n) {
    const std::string &s = n.str();
    auto isWord = [](unsigned char c) { return std::isalnum(c) || c == '_' || c >= 0x80; };
    const bool plain = !s.empty() && !std::isdigit(static_cast<unsigned char>(s[0])) && std::all_of(s.begin(), s.end(), isWord);
    return plain ? s : quoted(s);
}

std::string ExpressionPrinter::text(const Expr &e, int least) const {
    int precedence = Postfix;
    std::string t = bare(e, precedence);
    if (!(e.type == impliedType(e, around_)))
        return "(" + t + " : " + type_(e.type) + ")";
    return precedence < least ? "(" + t + ")" : t;
}

std::string ExpressionPrinter::list(const std::vector<ExprRef> &all, std::size_t from) const {
    std::string out;
    for (std::size_t i = from; i < all.size(); ++i)
        out += (i > from ? ", " : "") + (all[i] ? text(*all[i], Lambda) : "?");
    return out;
}

std::string ExpressionPrinter::literal(const Expr &e) const {
    const bool isWord = !e.text.empty() && std::isalpha(static_cast<unsigned char>(e.text[0]));
    switch (e.kind) {
    case ExprKind::Imaginary:
        return (isWord ? "$" : "") + e.text + "j";
    case ExprKind::Float:
        // `inf` is not a name, and a token without point and exponent is not an integer.
        return (isWord || e.text.find_first_of(".eE") == std::string::npos ? "$" : "") + e.text;
    case ExprKind::String:
        return quoted(e.text);
    case ExprKind::Raw:
        return quoted(e.text, '`');
    case ExprKind::None:
        return "None";
    default:
        return e.text;
    }
}

std::string ExpressionPrinter::operation(const Expr &e, int &precedence) const {
    switch (e.kind) {
    case ExprKind::Unary:
        precedence = e.op == Op::Not ? Negation : Sign;
        return (e.op == Op::Not ? "not " : e.op == Op::Neg ? "-" : e.op == Op::Pos ? "+" : "~") + text(*e.args[0], precedence);
    case ExprKind::Binary: {
        const int own = precedence = precedenceOf(e.op);
        const bool power = e.op == Op::Pow; // right-associative; its exponent may be signed
        return text(*e.args[0], power ? own + 1 : own) + " " + std::string(operatorText(e.op)) + " " +
               text(*e.args[1], power ? Sign : own + 1);
    }
    case ExprKind::BoolOp: {
        precedence = e.op == Op::And ? Conjunction : Disjunction;
        std::string out;
        for (std::size_t i = 0; i < e.args.size(); ++i)
            out += (i ? e.op == Op::And ? " and " : " or " : "") + text(*e.args[i], precedence + 1);
        return out;
    }
    case ExprKind::Compare: {
        precedence = Comparison;
        std::string out = text(*e.args[0], Comparison + 1);
        for (std::size_t i = 0; i < e.ops.size(); ++i)
            out += " " + std::string(operatorText(e.ops[i])) + " " + text(*e.args[i + 1], Comparison + 1);
        return out;
    }
    case ExprKind::IfExp:
        precedence = Conditional;
        return text(*e.args[1], Disjunction) + " if " + text(*e.args[0], Disjunction) + " else " + text(*e.args[2], Conditional);
    default: {
        precedence = Lambda;
        std::string out = "lambda";
        for (std::size_t i = 0; i < e.params.size(); ++i)
            out += (i ? ", " : " ") + e.params[i].str();
        return out + ": " + text(*e.args[0], Lambda);
    }
    }
}

std::string ExpressionPrinter::call(const Expr &e) const {
    std::string out = text(*e.args[0], Postfix) + "(" + list(e.args, 1);
    bool first = e.args.size() == 1;
    for (const py::Keyword &k : e.keywords) {
        out += (first ? "" : ", ") + k.name.str() + "=" + text(*k.value, Lambda);
        first = false;
    }
    return out + ")";
}

std::string ExpressionPrinter::bare(const Expr &e, int &precedence) const {
    switch (e.kind) {
    case ExprKind::Name:
        return e.name.str();
    case ExprKind::MemRef: {
        std::string t = memory_(refOf(e), e.args);
        precedence = t[0] == '&' ? Sign : Postfix;
        return t;
    }
    case ExprKind::Attribute: {
        const bool number = e.args[0]->kind == ExprKind::Int || e.args[0]->kind == ExprKind::Float;
        return text(*e.args[0], number ? Postfix + 1 : Postfix) + "." + e.name.str();
    }
    case ExprKind::Subscript:
        return text(*e.args[0], Postfix) + ".[" + list(e.args, 1) + "]";
    case ExprKind::Slice:
        return ".[" + list(e.args) + "]";
    case ExprKind::Call:
        return call(e);
    case ExprKind::Cast:
        return "<" + type_(e.type) + ">(" + list(e.args) + ")";
    case ExprKind::Tuple:
        return "(" + list(e.args) + (e.args.size() == 1 ? ",)" : ")");
    case ExprKind::Unary:
    case ExprKind::Binary:
    case ExprKind::BoolOp:
    case ExprKind::Compare:
    case ExprKind::IfExp:
    case ExprKind::Lambda:
        return operation(e, precedence);
    default:
        return literal(e);
    }
}

} // namespace sdfgc::tree::text
