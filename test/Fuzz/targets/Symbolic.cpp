// Symbolic expressions: the simplified expression has the value of the text, and is the same after it is printed and parsed again.
//
// The text is also parsed as Python and evaluated as written, in exact rational arithmetic that is independent of simplification.
// `/` has the meaning that docs/user/semantics.md defines for symbolic expressions: the exact quotient, which is truncated towards
// zero where it is compared, tested, or the value of the expression. `//` is the floor of the exact quotient, `int_ceil` its
// ceiling, `a % b` is `a - b * (a // b)`. A text that divides by zero, needs more than 60 bits on the way, or contains operations
// unknown to this arithmetic has no value to compare.
#include "../Mutator.h"
#include "Symbolic/Exact.h"
#include "Target.h"

#include "sdfgc/Symbolic/Factor.h"
#include "sdfgc/Tasklet/Ast.h"

#include <algorithm>
#include <unordered_set>
#include <vector>

namespace sdfgc::fuzz {
namespace {

using exact::Rational;
using exact::Value;
using Binding = std::map<Name, int64_t>;

/// The text as written, with given values for all of its names.
class Written {
public:
    explicit Written(const Binding &at) : at_(at) {}

    Value of(const py::Expr &e) {
        switch (e.kind) {
        case py::ExprKind::Int:
            return literal(e.text);
        case py::ExprKind::Bool:
            return exact::truth(e.text == "True");
        case py::ExprKind::Name: {
            auto found = at_.find(e.name);
            return found == at_.end() ? std::nullopt : Value(Rational{found->second, 1});
        }
        case py::ExprKind::Unary:
            return unary(e);
        case py::ExprKind::Binary:
            return binary(e);
        case py::ExprKind::BoolOp:
            return junction(e);
        case py::ExprKind::Compare:
            return chain(e);
        case py::ExprKind::IfExp:
            return choice(e);
        case py::ExprKind::Call:
            return call(e);
        default:
            return std::nullopt;
        }
    }

private:
    static Value literal(const std::string &digits) {
        if (digits.size() > 18 || !std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; }))
            return std::nullopt;
        return exact::make(std::stoll(digits), 1);
    }

    /// All operands must have a value, even unused ones: an expression is simplified whichever of them is used.
    std::optional<std::vector<Rational>> operands(const std::vector<py::ExprRef> &args, std::size_t from = 0) {
        std::vector<Rational> values;
        for (std::size_t i = from; i < args.size(); ++i) {
            const Value v = of(*args[i]);
            if (!v)
                return std::nullopt;
            values.push_back(*v);
        }
        return values;
    }
    static bool isTrue(const Rational &v) { return exact::truncatedValue(v).n != 0; }

    Value unary(const py::Expr &e) {
        const Value v = of(*e.args[0]);
        if (!v)
            return v;
        switch (e.op) {
        case py::Op::Neg:
            return exact::negate(*v);
        case py::Op::Pos:
            return v;
        case py::Op::Not:
            return exact::truth(!isTrue(*v));
        case py::Op::Invert:
            return invert(*e.args[0], *v);
        default:
            return std::nullopt;
        }
    }

    /// `~` of a truth value is how some writers spell `not`. The result of arithmetic on truth values may or may not be a truth
    /// value.
    static Value invert(const py::Expr &e, const Rational &v) {
        if (isTruth(e))
            return exact::truth(!isTrue(v));
        return !hasTruth(e) && exact::isInteger(v) ? exact::make(-v.n - 1, 1) : std::nullopt;
    }
    static bool isTruth(const py::Expr &e) {
        const bool isOperator = e.kind == py::ExprKind::BoolOp || e.kind == py::ExprKind::Compare || e.kind == py::ExprKind::Bool;
        return isOperator ||
               (e.kind == py::ExprKind::Unary && (e.op == py::Op::Not || (e.op == py::Op::Invert && isTruth(*e.args[0]))));
    }
    static bool hasTruth(const py::Expr &e) {
        return isTruth(e) || std::any_of(e.args.begin(), e.args.end(), [](const py::ExprRef &arg) { return hasTruth(*arg); });
    }

    Value binary(const py::Expr &e) {
        const auto v = operands(e.args);
        return v ? binary(e.op, (*v)[0], (*v)[1]) : std::nullopt;
    }
    static Value binary(py::Op op, const Rational &a, const Rational &b) {
        switch (op) {
        case py::Op::Add:
            return exact::add(a, b);
        case py::Op::Sub:
            return exact::add(a, *exact::negate(b));
        case py::Op::Mul:
            return exact::multiply(a, b);
        case py::Op::TrueDiv:
            return exact::divide(a, b);
        case py::Op::FloorDiv:
            return quotient(a, b);
        case py::Op::Mod: {
            const Value whole = quotient(a, b), part = whole ? exact::multiply(b, *whole) : whole;
            return part ? exact::add(a, *exact::negate(*part)) : part;
        }
        case py::Op::Pow:
            return exact::isInteger(b) && b.n < 8 && b.n > -8 ? exact::power(a, static_cast<int64_t>(b.n)) : std::nullopt;
        case py::Op::BitAnd:
            return exact::integers(sym::SymbolicKind::BitAnd, a, b);
        case py::Op::BitXor:
            return exact::integers(sym::SymbolicKind::BitXor, a, b);
        case py::Op::Shl:
            return b.n >= 0 && b.n < 60 ? exact::integers(sym::SymbolicKind::Shl, a, b) : std::nullopt;
        case py::Op::Shr:
            return b.n >= 0 && b.n < 60 ? exact::integers(sym::SymbolicKind::Shr, a, b) : std::nullopt;
        default:
            return std::nullopt;
        }
    }
    static Value quotient(const Rational &a, const Rational &b) {
        const Value q = exact::divide(a, b);
        return q ? Value(exact::floorOf(*q)) : q;
    }

    Value junction(const py::Expr &e) {
        const auto v = operands(e.args);
        if (!v)
            return std::nullopt;
        return exact::truth(e.op == py::Op::And ? std::all_of(v->begin(), v->end(), isTrue)
                                                : std::any_of(v->begin(), v->end(), isTrue));
    }

    static std::optional<bool> holds(py::Op op, const Rational &x, const Rational &y) {
        const Rational a = exact::truncatedValue(x), b = exact::truncatedValue(y);
        switch (op) {
        case py::Op::Eq:
            return a.n == b.n;
        case py::Op::Ne:
            return a.n != b.n;
        case py::Op::Lt:
            return a.n < b.n;
        case py::Op::Le:
            return a.n <= b.n;
        case py::Op::Gt:
            return a.n > b.n;
        case py::Op::Ge:
            return a.n >= b.n;
        default:
            return std::nullopt;
        }
    }

    Value chain(const py::Expr &e) {
        const auto v = operands(e.args);
        bool all = true;
        for (std::size_t k = 0; v && k < e.ops.size(); ++k) {
            const std::optional<bool> link = holds(e.ops[k], (*v)[k], (*v)[k + 1]);
            if (!link)
                return std::nullopt;
            all = all && *link;
        }
        return v ? Value(exact::truth(all)) : std::nullopt;
    }

    Value choice(const py::Expr &e) {
        const auto v = operands(e.args);
        return v ? Value(isTrue((*v)[0]) ? (*v)[1] : (*v)[2]) : std::nullopt;
    }

    Value call(const py::Expr &e) {
        if (e.args[0]->kind != py::ExprKind::Name || !e.keywords.empty())
            return std::nullopt;
        const auto v = operands(e.args, 1);
        if (!v || v->empty())
            return std::nullopt;
        const std::string &name = e.args[0]->name.str();
        if (name == "Min" || name == "min")
            return *std::min_element(v->begin(), v->end(), exact::less);
        if (name == "Max" || name == "max")
            return *std::max_element(v->begin(), v->end(), exact::less);
        if (v->size() == 1)
            return function(name, (*v)[0]);
        return v->size() == 2 ? function(name, (*v)[0], (*v)[1]) : std::nullopt;
    }
    static Value function(const std::string &name, const Rational &a) {
        if (name == "floor")
            return exact::floorOf(a);
        if (name == "ceiling" || name == "ceil")
            return exact::negate(exact::floorOf(*exact::negate(a)));
        if (name == "Abs" || name == "abs")
            return a.n < 0 ? exact::negate(a) : a;
        return std::nullopt;
    }
    static Value function(const std::string &name, const Rational &a, const Rational &b) {
        if (name == "int_floor")
            return quotient(a, b);
        if (name == "Mod")
            return binary(py::Op::Mod, a, b);
        if (name == "int_ceil") {
            const Value down = quotient(*exact::negate(a), b);
            return down ? exact::negate(*down) : down;
        }
        return std::nullopt;
    }

    const Binding &at_;
};

/// Does it contain numbers that are rounded? The result of their products and sums depends on an order that the text does not
/// preserve.
bool hasRounding(sym::Expr e, std::unordered_set<sym::Expr> &seen) {
    const sym::SymbolicKind k = e.kind();
    if (k == sym::SymbolicKind::Float || k == sym::SymbolicKind::Complex || k == sym::SymbolicKind::NaN ||
        k == sym::SymbolicKind::Infinity || k == sym::SymbolicKind::NegInfinity)
        return true;
    auto inOperand = [&](sym::Expr operand) { return seen.insert(operand).second && hasRounding(operand, seen); };
    return std::any_of(e.operands().begin(), e.operands().end(), inOperand);
}

/// Python's parser does not accept `$N`.
std::string withoutDollars(std::string_view text) {
    std::string out(text);
    std::replace(out.begin(), out.end(), '$', ' ');
    return out;
}

void requireSameValue(const py::Expr &written, sym::Expr simplified, const Binding &at, std::string_view text) {
    const Value expected = Written(at).of(written);
    const std::optional<int64_t> found = sym::evaluate(simplified, at);
    if (!expected || !found)
        return;
    const auto wanted = static_cast<int64_t>(exact::truncatedValue(*expected).n);
    std::string detail(text);
    detail += "\nas " + simplified.str() + "\nis " + std::to_string(wanted) + ", not " + std::to_string(*found);
    for (const auto &[name, value] : at)
        detail += "\n" + name.str() + " = " + std::to_string(value);
    require(wanted == *found, "a simplified expression has the value of the text", detail);
}

} // namespace

void runInput(std::string_view input) {
    const sym::ParseResult parsed = sym::parse(input);
    require(parsed.expr || (!parsed.error.empty() && parsed.offset <= input.size()), "what is refused has a reason and a place",
            parsed.error);
    if (!parsed.expr || parsed.expr->overflowed())
        return;
    const sym::Expr e = *parsed.expr;
    const std::string printed = sym::printDace(e, {});
    const sym::ParseResult again = sym::parse(printed);
    std::unordered_set<sym::Expr> seen;
    require(again.expr && (*again.expr == e || hasRounding(e, seen)), "a printed expression is parsed as the same one",
            std::string(input) + "\n" + printed);
    const sym::ParseResult people = sym::parse(e.str());
    const py::Parsed<py::ExprRef> written = py::parseExpr(withoutDollars(input));
    Random random(input.size() + 1);
    for (int round = 0; round < 4; ++round) {
        Binding at;
        for (Name name : e.freeSymbols())
            at[name] = static_cast<int64_t>(random.below(17)) - 7;
        if (written.value)
            requireSameValue(**written.value, e, at, input);
        const std::optional<int64_t> value = sym::evaluate(e, at), read = people.expr ? sym::evaluate(*people.expr, at) : value;
        require(!value || !read || value == read, "the text for people has the value of the expression",
                std::string(input) + "\n" + e.str());
    }
    for (sym::Expr factor : sym::factors(e))
        (void)factor.str();
    (void)sym::truncated(e);
    (void)sym::asFraction(e);
}

std::string damaged(const std::string &input, uint64_t seed, std::size_t most) {
    Random random(seed, most);
    return random.oneIn(20) ? hostileExpression(random) : Mutator(seed, most).mutateText(input);
}

} // namespace sdfgc::fuzz
