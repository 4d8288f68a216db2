// Text of expressions: for people, and in the grammar of 2.x files. Both depend on nothing but the structure of the expression.
#include "Symbolic/Node.h"
#include "sdfgc/Support/FloatText.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sdfgc::sym {
namespace {

enum Precedence {
    Ternary,
    Disjunction,
    Conjunction,
    Negation,
    Comparison,
    BitwiseOr,
    BitwiseXor,
    BitwiseAnd,
    Shifts,
    Sum,
    Product,
    Unary,
    Power,
    Atom
};

struct Infix {
    std::string_view text;
    Precedence precedence;
};

std::optional<Infix> infixOf(SymbolicKind k) {
    switch (k) {
    case SymbolicKind::Eq:
        return Infix{" == ", Comparison};
    case SymbolicKind::Ne:
        return Infix{" != ", Comparison};
    case SymbolicKind::Lt:
        return Infix{" < ", Comparison};
    case SymbolicKind::Le:
        return Infix{" <= ", Comparison};
    case SymbolicKind::Gt:
        return Infix{" > ", Comparison};
    case SymbolicKind::Ge:
        return Infix{" >= ", Comparison};
    case SymbolicKind::Is:
        return Infix{" is ", Comparison};
    case SymbolicKind::IsNot:
        return Infix{" is not ", Comparison};
    case SymbolicKind::BitOr:
        return Infix{" | ", BitwiseOr};
    case SymbolicKind::BitXor:
        return Infix{" ^ ", BitwiseXor};
    case SymbolicKind::BitAnd:
        return Infix{" & ", BitwiseAnd};
    case SymbolicKind::Shl:
        return Infix{" << ", Shifts};
    case SymbolicKind::Shr:
        return Infix{" >> ", Shifts};
    case SymbolicKind::FloorDiv:
        return Infix{" // ", Product};
    case SymbolicKind::Mod:
        return Infix{" % ", Product};
    default:
        return std::nullopt;
    }
}

/// Names of the kinds that print as functions.
std::string_view functionName(SymbolicKind k, bool dace) {
    switch (k) {
    case SymbolicKind::FloorDiv:
        return "int_floor";
    case SymbolicKind::CeilDiv:
        return "int_ceil";
    case SymbolicKind::Mod:
        return "Mod";
    case SymbolicKind::Floor:
        return "floor";
    case SymbolicKind::Ceil:
        return dace ? "ceiling" : "ceil";
    case SymbolicKind::Abs:
        return dace ? "Abs" : "abs";
    case SymbolicKind::Min:
        return dace ? "Min" : "min";
    case SymbolicKind::Max:
        return dace ? "Max" : "max";
    case SymbolicKind::Not:
        return "Not";
    case SymbolicKind::Select:
        return "IfExpr";
    case SymbolicKind::BitAnd:
        return "bitwise_and";
    case SymbolicKind::BitOr:
        return "bitwise_or";
    case SymbolicKind::BitXor:
        return "bitwise_xor";
    case SymbolicKind::BitNot:
        return "bitwise_invert";
    case SymbolicKind::Shl:
        return "left_shift";
    case SymbolicKind::Shr:
        return "right_shift";
    case SymbolicKind::Approx:
        return "SymExpr";
    default:
        return {};
    }
}

class Printer {
public:
    /// Prints the grammar of files if `facts` is given, otherwise text for people.
    explicit Printer(const Assumptions *facts) : facts_(facts), dace_(facts != nullptr) {}

    std::string print(Expr e, int surrounding) {
        int own = Atom;
        std::string text = node(e, own);
        return own < surrounding ? "(" + text + ")" : text;
    }

private:
    std::string node(Expr e, int &precedence) {
        switch (e.kind()) {
        case SymbolicKind::Add:
            precedence = Sum;
            return sum(e);
        case SymbolicKind::Mul:
            precedence = Product;
            return product(e, false);
        case SymbolicKind::Pow:
            precedence = isReciprocal(e) ? Product : Power;
            return isReciprocal(e) ? product(e, false) : power(e);
        case SymbolicKind::And:
            return dace_ ? nested(e, "And") : joined(e, " and ", Conjunction, precedence);
        case SymbolicKind::Or:
            return dace_ ? nested(e, "Or") : joined(e, " or ", Disjunction, precedence);
        case SymbolicKind::Attr: // after digits, the point would be read as a decimal point
            return print(e.operands()[0], isNumber(e.operands()[0]) ? Atom + 1 : Atom) + "." + e.name().str();
        case SymbolicKind::Subscript:
            return subscript(e);
        case SymbolicKind::Call:
            return e.name().str() + list("(", e.operands(), ")");
        case SymbolicKind::Cast:
            return castName(e.type()) + list("(", e.operands(), ")");
        default:
            break;
        }
        if (e.operands().empty())
            return leaf(e, precedence);
        std::optional<Infix> infix = infixOf(e.kind());
        if (infix && (!dace_ || infix->precedence == Comparison))
            return binary(e, *infix, precedence);
        if (!dace_ && (e.kind() == SymbolicKind::Not || e.kind() == SymbolicKind::BitNot || e.kind() == SymbolicKind::Select))
            return special(e, precedence);
        if (!dace_ && e.kind() == SymbolicKind::Approx)
            return print(e.operands()[0], Ternary) + " ~ " + print(e.operands()[1], Ternary);
        return std::string(functionName(e.kind(), dace_)) + list("(", e.operands(), ")");
    }

    std::string leaf(Expr e, int &precedence) {
        switch (e.kind()) {
        case SymbolicKind::Integer:
            return signedText(std::to_string(e.numerator()), precedence);
        case SymbolicKind::Rational:
            precedence = Product;
            return std::to_string(e.numerator()) + "/" + std::to_string(e.denominator());
        case SymbolicKind::Float:
            return signedText(floatText(e.floatValue()), precedence);
        case SymbolicKind::Complex:
            return complexText(e);
        case SymbolicKind::Bool:
            return e.boolValue() ? "True" : "False";
        case SymbolicKind::None:
            return "None";
        case SymbolicKind::Undefined:
            return dace_ ? "$?" : "?";
        case SymbolicKind::Infinity:
            return "oo";
        case SymbolicKind::NegInfinity:
            return signedText("-oo", precedence);
        case SymbolicKind::NaN:
            return "nan";
        case SymbolicKind::Symbol:
            return dace_ ? symbol(e.name()) : e.name().str();
        default:
            return std::string(functionName(e.kind(), dace_)) + "()";
        }
    }

    static std::string signedText(std::string text, int &precedence) {
        if (text[0] == '-')
            precedence = Unary;
        return text;
    }

    static std::string complexText(Expr e) {
        double re = e.floatValue(), im = e.imagValue();
        const bool isSum = std::isfinite(re) && std::isfinite(im) && !(re == 0 && std::signbit(re)); // -0.0 + x loses its sign
        if (!isSum) {
            auto part = [](double v) { return Expr::floating(v).str(); };
            return "complex(" + part(re) + ", " + part(im) + ")";
        }
        return "(" + floatText(re) + (std::signbit(im) ? " - " : " + ") + floatText(std::fabs(im)) + "j)c128";
    }

    /// `$N` for int32 and for symbols without known facts, otherwise `symbol($N, dtype=..., ...)` with keywords in text order.
    std::string symbol(Name name) {
        auto at = facts_->find(name);
        if (at == facts_->end())
            return "$" + name.str();
        const SymbolFacts &f = at->second;
        std::vector<std::pair<std::string, std::string>> keywords = f.other;
        auto flag = [&](bool set, const char *key) {
            if (set)
                keywords.emplace_back(key, "True");
        };
        flag(f.nonnegative, "nonnegative");
        flag(f.nonzero, "nonzero");
        flag(f.positive, "positive");
        std::sort(keywords.begin(), keywords.end());
        std::string text;
        if (f.type && f.type != Type(ScalarKind::Int32))
            text += ", dtype=dace." + f.type.str();
        for (const auto &[key, value] : keywords)
            text += ", " + key + "=" + value;
        return text.empty() ? "$" + name.str() : "symbol($" + name.str() + text + ")";
    }

    std::string castName(Type t) const { return dace_ ? "dace." + t.str() : t.str(); }

    std::string list(const char *open, std::span<const Expr> ops, const char *close) {
        std::string text = open;
        for (std::size_t i = 0; i < ops.size(); ++i)
            text += (i ? ", " : "") + print(ops[i], Ternary);
        return text + close;
    }

    std::string subscript(Expr e) {
        if (!dace_)
            return e.name().str() + list("[", e.operands(), "]");
        std::string indices = list(", ", e.operands(), ")");
        return "Subscript($" + e.name().str() + (e.operands().empty() ? ")" : indices);
    }

    /// Functions of two arguments in files.
    std::string nested(Expr e, const std::string &name) {
        std::string text = print(e.operands()[0], Ternary);
        for (Expr op : e.operands().subspan(1))
            text = name + "(" + text + ", " + print(op, Ternary) + ")";
        return text;
    }

    std::string joined(Expr e, std::string_view between, Precedence own, int &precedence) {
        precedence = own;
        std::string text;
        for (Expr op : e.operands())
            text += (text.empty() ? std::string() : std::string(between)) + print(op, own + 1);
        return text;
    }

    std::string binary(Expr e, Infix infix, int &precedence) {
        precedence = infix.precedence;
        // Comparisons do not associate (they would chain); the others associate to the left.
        int left = infix.precedence == Comparison ? Comparison + 1 : infix.precedence;
        return print(e.operands()[0], left) + std::string(infix.text) + print(e.operands()[1], infix.precedence + 1);
    }

    std::string special(Expr e, int &precedence) {
        std::span<const Expr> ops = e.operands();
        if (e.kind() == SymbolicKind::Select) {
            precedence = Ternary;
            return print(ops[1], Disjunction) + " if " + print(ops[0], Disjunction) + " else " + print(ops[2], Ternary);
        }
        precedence = e.kind() == SymbolicKind::Not ? Negation : Unary;
        return (e.kind() == SymbolicKind::Not ? "not " : "~") + print(ops[0], precedence);
    }

    /// Is it printed as a division? A power of a sum is not: its text would be parsed as the expanded power.
    static bool isReciprocal(Expr factor) {
        if (factor.kind() != SymbolicKind::Pow || !exponentOf(factor).isInteger())
            return false;
        int64_t n = exponentOf(factor).numerator();
        const bool hasMagnitude = n != std::numeric_limits<int64_t>::min();
        return n == -1 || (n < 0 && hasMagnitude && baseOf(factor).kind() != SymbolicKind::Add);
    }

    /// Prints with a minus sign that can be pulled out. The least integer does not: its magnitude has no literal.
    static bool isNegativeTerm(Expr term) {
        Num c = isNumber(term) ? *asNumber(term) : coefficientOf(term);
        return c.isNegative() && !(c.isExact() && c.n == std::numeric_limits<int64_t>::min());
    }

    std::string sum(Expr e) {
        std::vector<Expr> terms(e.operands().begin(), e.operands().end());
        if (dace_ && isNumber(terms.back())) // files have the constant first
            std::rotate(terms.begin(), terms.end() - 1, terms.end());
        if (!dace_) { // people prefer a first term without a sign
            auto positive = std::find_if(terms.begin(), terms.end(), [](Expr t) { return !isNegativeTerm(t); });
            if (positive != terms.end())
                std::rotate(terms.begin(), positive, positive + 1);
        }
        std::string text = print(terms[0], Sum);
        for (std::size_t i = 1; i < terms.size(); ++i)
            text += isNegativeTerm(terms[i]) ? " - " + magnitude(terms[i]) : " + " + print(terms[i], Sum + 1);
        return text;
    }

    /// A negative term without its sign.
    std::string magnitude(Expr term) {
        if (isNumber(term))
            return print(number(-*asNumber(term)), Sum + 1);
        return product(term, true);
    }

    std::string product(Expr e, bool withoutSign) {
        Num c = coefficientOf(e);
        std::string sign;
        if (isNegativeTerm(e)) {
            c = -c;
            sign = withoutSign ? "" : "-";
        }
        std::span<const Expr> factors = factorsOf(e);
        return sign + (dace_ ? fileProduct(c, factors) : fraction(c, factors));
    }

    /// `1/2*$M*1/$N`
    std::string fileProduct(const Num &c, std::span<const Expr> factors) {
        std::string text = c.isOne() ? "" : print(number(c), c.isExact() ? Sum : Unary);
        for (Expr f : factors) {
            if (!text.empty())
                text += '*';
            text += isReciprocal(f) ? "1/" + power(f) : print(f, Product + 1);
        }
        return text;
    }

    /// `M*N/(2*K)`. Sums in the denominator are divided by one at a time, since their product would be multiplied out when parsed.
    std::string fraction(const Num &c, std::span<const Expr> factors) {
        std::string above;
        std::vector<std::string> below;
        bool sumBelow = false;
        auto append = [](std::string &to, const std::string &text, const char *between) {
            to += (to.empty() ? "" : between) + text;
        };
        if (!c.isExact() || c.n != 1)
            above = print(c.isExact() ? Expr(c.n) : number(c), Unary);
        if (c.isExact() && c.d != 1)
            below.push_back(std::to_string(c.d));
        for (Expr f : factors) {
            if (!isReciprocal(f)) {
                append(above, print(f, Product + 1), "*");
                continue;
            }
            below.push_back(power(f));
            sumBelow = sumBelow || baseOf(f).kind() == SymbolicKind::Add;
        }
        if (above.empty())
            above = "1";
        std::string divisors;
        for (const std::string &text : below)
            append(divisors, text, sumBelow ? "/" : "*");
        if (below.empty())
            return above;
        return above + "/" + (below.size() > 1 && !sumBelow ? "(" + divisors + ")" : divisors);
    }

    /// `base**exponent`; for a negative constant exponent only its magnitude, as the caller divides.
    std::string power(Expr e) {
        Expr exponent = exponentOf(e);
        std::string base = print(baseOf(e), Atom);
        if (isReciprocal(e)) {
            exponent = number(-exactNumber(exponent));
            if (exponent.isOne())
                return base;
        }
        return base + "**" + print(exponent, Atom);
    }

    const Assumptions *facts_;
    bool dace_;
};

} // namespace

std::string Expr::str() const { return Printer(nullptr).print(*this, Ternary); }
std::string printDace(Expr e, const Assumptions &facts) { return Printer(&facts).print(e, Ternary); }

} // namespace sdfgc::sym
