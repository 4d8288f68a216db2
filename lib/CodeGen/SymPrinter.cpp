#include "sdfgc/CodeGen/SymPrinter.h"
#include "sdfgc/Tree/SymbolicToPython.h"
#include "sdfgc/Tree/Tree.h"

#include "sdfgc/Support/FloatText.h"
#include "sdfgc/Symbolic/Factor.h"
#include "sdfgc/Symbolic/Rounding.h"
#include "sdfgc/Tasklet/FunctionNames.h"

#include <algorithm>
#include <limits>

namespace sdfgc::codegen {

using sym::Expr;
using sym::SymbolicKind;

namespace {

std::string integer(int64_t v, bool inOpenCl) {
    if (v == std::numeric_limits<int64_t>::min())
        return inOpenCl ? "LONG_MIN" : "INT64_MIN";
    std::string text = std::to_string(v);
    if (v > std::numeric_limits<int32_t>::max() || v < std::numeric_limits<int32_t>::min())
        text += inOpenCl ? "L" : "LL";
    return text;
}

/// Coefficient of a term and the term without it.
std::pair<int64_t, Expr> coefficient(Expr term) {
    if (term.isInteger())
        return {term.numerator(), Expr(1)};
    if (term.kind() == SymbolicKind::Mul)
        for (Expr f : term.operands())
            if (f.isInteger() && f.numerator() != 0 && f.numerator() != std::numeric_limits<int64_t>::min()) {
                Expr rest = 1;
                for (Expr g : term.operands())
                    if (g != f)
                        rest *= g;
                return {f.numerator(), rest};
            }
    return {1, term};
}

const char *comparison(SymbolicKind k) {
    switch (k) {
    case SymbolicKind::Eq:
    case SymbolicKind::Is:
        return "==";
    case SymbolicKind::Ne:
    case SymbolicKind::IsNot:
        return "!=";
    case SymbolicKind::Lt:
        return "<";
    case SymbolicKind::Le:
        return "<=";
    case SymbolicKind::Gt:
        return ">";
    case SymbolicKind::Ge:
        return ">=";
    default:
        return nullptr;
    }
}

/// The exponent if a symbol is squared or cubed, which is printed as a product.
std::optional<int64_t> smallPower(Expr e) {
    if (e.kind() != SymbolicKind::Pow || !e.operands()[0].isSymbol())
        return std::nullopt;
    const std::optional<int64_t> n = e.operands()[1].asInt();
    return n && *n >= 2 && *n <= 3 ? n : std::nullopt;
}

/// Is it a symbol minus a constant, N - 2? If it wraps around, the result is too large for any memory.
bool isLess(Expr sum) {
    const auto terms = sum.operands();
    return terms.size() == 2 && std::any_of(terms.begin(), terms.end(), [](Expr t) { return t.isSymbol(); }) &&
           std::any_of(terms.begin(), terms.end(), [](Expr t) { return t.isInteger() && t.numerator() < 0; });
}

/// Terms in the order in which they are printed; `mayLead`: nothing comes before them.
std::vector<Expr> ordered(std::vector<Expr> terms, bool mayLead) {
    const auto isPositive = [](Expr t) { return !t.isInteger() && coefficient(t).first > 0; };
    const bool constantFirst = mayLead && std::none_of(terms.begin(), terms.end(), isPositive);
    const auto rank = [&](Expr t) {
        return t.isInteger() ? (constantFirst && t.asInt().value_or(0) > 0 ? 0 : 2) : isPositive(t) ? 0 : 1;
    };
    std::stable_sort(terms.begin(), terms.end(), [&](Expr a, Expr b) { return rank(a) < rank(b); });
    return terms;
}

/// The factors of a product of several sums that was multiplied out; otherwise the expression alone.
std::vector<Expr> sumFactors(Expr e) {
    std::vector<Expr> factors = sym::factors(e);
    const auto isSum = [](Expr f) { return f.kind() == SymbolicKind::Add; };
    return std::count_if(factors.begin(), factors.end(), isSum) > 1 ? factors : std::vector<Expr>{e};
}

} // namespace

std::string SymPrinter::print(Expr e, Precedence context) const {
    Text t = render(e);
    return t.precedence < context ? "(" + t.text + ")" : t.text;
}

std::string SymPrinter::printCount(Expr e) const {
    SymPrinter printer(uses_, spell_, inOpenCl_);
    printer.isCount_ = true;
    return printer.print(e);
}

SymPrinter::Text SymPrinter::callOf(Name function, std::span<const Expr> args) const {
    if (sym::isRealFunction(function))
        return realCall(function, args);
    if (const auto known = py::numberFunction(function.view())) {
        if (known->topic == "cmath") // an integer computed from real numbers
            return {cast("int64_t", realCall(function, args).text), Precedence::Primary};
        return runtime(known->topic.data(), known->name.c_str(), args);
    }
    if (py::isHeaderFunction(function.view()))
        use("dace");
    const std::string name = spell_ ? spell_(function) : function.str();
    return name.ends_with('<') ? call(name + args[0].name().str() + ">", args.subspan(1)) : call(name, args);
}

SymPrinter::Text SymPrinter::call(const std::string &function, std::span<const Expr> args) const {
    std::string text = function + "(";
    for (std::size_t i = 0; i < args.size(); ++i)
        text += (i ? ", " : "") + print(args[i]);
    return {text + ")", Precedence::Primary};
}

/// A call of a function of the runtime's headers, `sdfgc::rt::min`. In OpenCL C it takes two integers of 64 bits.
SymPrinter::Text SymPrinter::runtime(const char *topic, const char *function, std::span<const Expr> args) const {
    use(topic);
    const std::string name(function);
    if (!inOpenCl_)
        return call(name, args);
    const std::string here = "sdfgc_" + name.substr(name.rfind(':') + 1) + "_int64";
    if (args.size() < 3)
        return call(here, args);
    return {here + "(" + print(args[0]) + ", " + runtime(topic, function, args.subspan(1)).text + ")", Precedence::Primary};
}

/// A conversion to a type with a name in C++.
std::string SymPrinter::cast(const std::string &type, const std::string &text) const {
    return inOpenCl_ ? "((" + type + ")(" + text + "))" : "static_cast<" + type + ">(" + text + ")";
}

/// A call of sizes.h.
SymPrinter::Text SymPrinter::ofSizes(const char *function, std::span<const Expr> args) const {
    use("sizes");
    return call(std::string("sdfgc::rt::") + function, args);
}

SymPrinter::Text SymPrinter::binary(const char *op, Precedence p, Expr a, Expr b) const {
    auto above = static_cast<Precedence>(static_cast<int>(p) + 1);
    return {print(a, p) + " " + op + " " + print(b, above), p};
}

SymPrinter::Text SymPrinter::joined(const char *op, Precedence p, std::span<const Expr> args) const {
    auto above = static_cast<Precedence>(static_cast<int>(p) + 1);
    std::string text;
    for (std::size_t i = 0; i < args.size(); ++i)
        text += (i ? std::string(" ") + op + " " : "") + print(args[i], above);
    return {text, p};
}

SymPrinter::Text SymPrinter::multiplied(std::span<const Expr> factors) const {
    return isCount_ ? ofSizes("elements", factors) : joined("*", Precedence::Multiplicative, factors);
}

/// The factor that most terms have in common, if at least two have it; the first one in the order of the terms.
std::optional<Expr> SymPrinter::commonFactor(const std::vector<Expr> &terms) {
    std::vector<std::pair<Expr, int>> counts;
    auto count = [&](Expr factor) {
        auto it = std::find_if(counts.begin(), counts.end(), [&](const auto &c) { return c.first == factor; });
        if (it == counts.end())
            counts.emplace_back(factor, 1);
        else
            ++it->second;
    };
    for (Expr t : terms) {
        if (t.kind() == SymbolicKind::Mul)
            for (Expr f : t.operands())
                if (!f.freeSymbols().empty())
                    count(f);
        if (t.kind() != SymbolicKind::Mul && !t.freeSymbols().empty())
            count(t);
    }
    auto best = std::max_element(counts.begin(), counts.end(), [](const auto &a, const auto &b) { return a.second < b.second; });
    return best != counts.end() && best->second > 1 ? std::optional(best->first) : std::nullopt;
}

/// Removes `k` times a sum from a list of terms: 4, -2 * N and i are -2 times `N - 2`, and i. Returns `k`, or nothing if no terms
/// are such a multiple.
std::optional<Expr> SymPrinter::takeMultiple(std::vector<Expr> &terms, Expr sum) {
    if (sum.kind() != SymbolicKind::Add)
        return std::nullopt;
    for (Expr t : terms) {
        Expr k = t / sum.operands()[0];
        if (!sym::asFraction(k).second.isOne())
            continue;
        std::vector<Expr> rest = terms;
        const bool all = std::all_of(sum.operands().begin(), sum.operands().end(), [&](Expr part) {
            auto it = std::find(rest.begin(), rest.end(), k * part);
            if (it == rest.end())
                return false;
            rest.erase(it);
            return true;
        });
        if (all) {
            terms = std::move(rest);
            return k;
        }
    }
    return std::nullopt;
}

/// A factor that is a sum, with the common factor of its coefficients in front: `6 * (W - 4)`.
std::string SymPrinter::factor(Expr e) const {
    const int64_t common = e.kind() == SymbolicKind::Add ? sym::integerContent(e) : 1;
    if (common == 1)
        return print(e, Precedence::Multiplicative);
    return std::to_string(common) + " * " + print(e / common, Precedence::Multiplicative);
}

/// After a `*`, rounded quotients and remainders (`i / 2`, `i % 2`) need parentheses.
std::string SymPrinter::secondFactor(Expr e) const {
    const bool isProduct = (e.kind() == SymbolicKind::Mul || e.kind() == SymbolicKind::Pow) && sym::asFraction(e).second.isOne();
    return e.kind() != SymbolicKind::Add && !isProduct ? print(e, Precedence::Unary) : factor(e);
}

/// A sum that is a product of sums is printed as one, as the sizes of ranges were written: `(M - 2) * (N - 2)`. Other sums are
/// printed with common factors taken out, like a hand-written array index: `N * (i + 1) + j`. Positive terms come first, then
/// negative ones, the constant last; a positive constant comes first if no other term is positive: `31 - t`.
SymPrinter::Text SymPrinter::sum(Expr e) const {
    auto [num, den] = sym::asFraction(e);
    if (!den.isOne())
        return fraction(num, den);
    if (const std::vector<Expr> factors = isCount_ ? sym::factors(e) : sumFactors(e); factors.size() > 1)
        return multiplied(factors);
    if (isCount_ && !isLess(e))
        return count(e);
    std::vector<Expr> terms(e.operands().begin(), e.operands().end());
    std::string text;
    int groups = 0;
    for (; std::optional<Expr> common = commonFactor(terms); ++groups) {
        Expr inside = 0;
        std::vector<Expr> rest;
        for (Expr t : terms) {
            if (t == *common)
                inside += 1;
            else if (t.kind() == SymbolicKind::Mul &&
                     std::find(t.operands().begin(), t.operands().end(), *common) != t.operands().end())
                inside += t / *common;
            else
                rest.push_back(t);
        }
        bool factorFirst = inside.freeSymbols().empty() || common->freeSymbols()[0].str() < inside.freeSymbols()[0].str();
        Expr outside = *common;
        while (std::optional<Expr> k = takeMultiple(rest, inside))
            outside += *k;
        Expr first = factorFirst ? outside : inside, second = factorFirst ? inside : outside;
        text += (text.empty() ? "" : " + ") + factor(first) + " * " + secondFactor(second);
        terms = std::move(rest);
    }
    if (!text.empty() && terms.empty())
        return {text, groups == 1 ? Precedence::Multiplicative : Precedence::Additive};
    for (Expr t : ordered(std::move(terms), text.empty())) {
        auto [c, rest] = coefficient(t);
        bool negative = c < 0 && c != std::numeric_limits<int64_t>::min();
        Expr magnitude = negative ? -t : t;
        if (text.empty())
            text = negative ? "-" + print(magnitude, Precedence::Unary) : print(t, Precedence::Additive);
        else
            text += (negative ? " - " : " + ") + print(magnitude, Precedence::Multiplicative);
    }
    return {text, Precedence::Additive};
}

/// A sum that is a number of elements, with the factor common to all terms taken out.
SymPrinter::Text SymPrinter::count(Expr sum) const {
    std::vector<Expr> factors;
    const auto terms = [&sum] { return std::vector<Expr>(sum.operands().begin(), sum.operands().end()); };
    while (const std::optional<Expr> common = sum.kind() == SymbolicKind::Add ? commonFactor(terms()) : std::nullopt) {
        Expr rest = 0;
        for (const Expr t : sum.operands())
            rest += t / *common;
        if (!sym::asFraction(rest).second.isOne())
            break;
        factors.push_back(*common);
        sum = rest;
    }
    if (factors.empty())
        return ofSizes("total", ordered(terms(), true));
    factors.push_back(sum);
    return multiplied(factors);
}

SymPrinter::Text SymPrinter::product(Expr e) const {
    auto [num, den] = sym::asFraction(e);
    if (!den.isOne())
        return fraction(num, den);
    if (const auto scaled = sym::scaledPower(e)) {
        const Text raised = power(scaled->base, scaled->exponent);
        const Expr others = Expr(scaled->coefficient) * scaled->rest;
        if (others.isOne())
            return raised;
        return isCount_ ? multiplied(std::vector<Expr>{others, e / others})
                        : Text{print(others, Precedence::Multiplicative) + " * " + raised.text, Precedence::Multiplicative};
    }
    auto [c, rest] = coefficient(e);
    if (c == -1 && !rest.isOne())
        return {"-" + print(rest, Precedence::Unary), Precedence::Unary};
    // Factors that are symbols come before the coefficient-free rest in canonical order; the coefficient leads.
    std::vector<Expr> factors;
    for (Expr f : e.operands())
        if (const std::optional<int64_t> times = smallPower(f))
            factors.insert(factors.end(), static_cast<std::size_t>(*times), f.operands()[0]); // K * K * W, not (K * K) * W
        else
            for (Expr part : sumFactors(f))
                factors.push_back(part);
    return multiplied(factors);
}

/// Is the C++ text of `e` of integer type? Powers of symbols are (`rt::ipow`), although their exponents might be negative.
static bool isWhole(Expr e) {
    switch (e.kind()) {
    case SymbolicKind::Integer:
    case SymbolicKind::Symbol:
    case SymbolicKind::FloorDiv:
    case SymbolicKind::CeilDiv:
    case SymbolicKind::Floor:
    case SymbolicKind::Ceil:
        return true;
    case SymbolicKind::Add:
    case SymbolicKind::Mul:
    case SymbolicKind::Pow:
    case SymbolicKind::Min:
    case SymbolicKind::Max:
        return std::all_of(e.operands().begin(), e.operands().end(), isWhole);
    default:
        return false;
    }
}

SymPrinter::Text SymPrinter::render(Expr e) const {
    auto args = e.operands();
    if (const char *op = comparison(e.kind()))
        return binary(op,
                      e.kind() == SymbolicKind::Eq || e.kind() == SymbolicKind::Ne ? Precedence::Equality : Precedence::Relational,
                      args[0], args[1]);
    switch (e.kind()) {
    case SymbolicKind::Integer:
        return {integer(e.numerator(), inOpenCl_), e.numerator() < 0 ? Precedence::Unary : Precedence::Primary};
    case SymbolicKind::Rational:
        return fraction(Expr(e.numerator()), Expr(e.denominator()));
    case SymbolicKind::Float: {
        const std::string s = floatText(e.floatValue());
        return {s, s[0] == '-' ? Precedence::Unary : Precedence::Primary};
    }
    case SymbolicKind::Complex:
        return {"std::complex<double>(" + std::to_string(e.floatValue()) + ", " + std::to_string(e.imagValue()) + ")",
                Precedence::Primary};
    case SymbolicKind::Bool:
        return {e.boolValue() ? "true" : "false", Precedence::Primary};
    case SymbolicKind::None:
        return {inOpenCl_ ? "0" : "nullptr", Precedence::Primary};
    case SymbolicKind::Undefined:
        return {"0", Precedence::Primary}; // the lowering rejects this if code depends on it
    case SymbolicKind::Infinity:
        use("cmath");
        return {"INFINITY", Precedence::Primary};
    case SymbolicKind::NegInfinity:
        use("cmath");
        return {"-INFINITY", Precedence::Unary};
    case SymbolicKind::NaN:
        use("cmath");
        return {"NAN", Precedence::Primary};
    case SymbolicKind::Symbol:
        return {e.name().str(), Precedence::Primary};
    case SymbolicKind::Add:
        return sum(e);
    case SymbolicKind::Mul:
        return product(e);
    case SymbolicKind::Pow: {
        std::optional<int64_t> n = args[1].asInt();
        if (n && *n < 0)
            return fraction(Expr(1), sym::pow(args[0], -args[1]));
        if (smallPower(e))
            return multiplied(std::vector<Expr>(static_cast<std::size_t>(*n), args[0]));
        if (args[0].kind() == SymbolicKind::Float || args[1].kind() == SymbolicKind::Float ||
            args[1].kind() == SymbolicKind::Rational)
            return realCall("pow", args);
        return power(args[0], args[1]);
    }
    case SymbolicKind::FloorDiv:
        if (sym::realPart(args[0]) || sym::realPart(args[1]))
            return roundedReal("floor", args[0] / args[1]);
        return runtime("math", "sdfgc::rt::floordiv", args);
    case SymbolicKind::Mod:
        return runtime("math", "sdfgc::rt::floormod", args);
    case SymbolicKind::CeilDiv:
        if (sym::realPart(args[0]) || sym::realPart(args[1]))
            return roundedReal("ceil", args[0] / args[1]);
        return runtime("math", "sdfgc::rt::int_ceil", args);
    case SymbolicKind::Floor:
    case SymbolicKind::Ceil: {
        auto [num, den] = sym::asFraction(args[0]);
        if (den.isOne() && isWhole(num))
            return render(num);
        if (sym::realPart(args[0]))
            return roundedReal(e.kind() == SymbolicKind::Floor ? "floor" : "ceil", args[0]);
        std::vector<Expr> parts{num, den};
        return runtime("math", e.kind() == SymbolicKind::Floor ? "sdfgc::rt::floordiv" : "sdfgc::rt::int_ceil", parts);
    }
    case SymbolicKind::Abs:
        return runtime("math", "sdfgc::rt::abs", args);
    case SymbolicKind::Min:
        return runtime("math", "sdfgc::rt::min", args);
    case SymbolicKind::Max:
        return runtime("math", "sdfgc::rt::max", args);
    case SymbolicKind::And:
        return joined("&&", Precedence::And, args);
    case SymbolicKind::Or:
        return joined("||", Precedence::Or, args);
    case SymbolicKind::Not:
        return {"!" + print(args[0], Precedence::Unary), Precedence::Unary};
    case SymbolicKind::Select: {
        auto above = Precedence::Or;
        return {print(args[0], above) + " ? " + print(args[1]) + " : " + print(args[2]), Precedence::Conditional};
    }
    case SymbolicKind::BitAnd:
        return joined("&", Precedence::BitAnd, args);
    case SymbolicKind::BitOr:
        return joined("|", Precedence::BitOr, args);
    case SymbolicKind::BitXor:
        return joined("^", Precedence::BitXor, args);
    case SymbolicKind::BitNot:
        return {"~" + print(args[0], Precedence::Unary), Precedence::Unary};
    case SymbolicKind::Shl:
        return binary("<<", Precedence::Shift, args[0], args[1]);
    case SymbolicKind::Shr:
        return binary(">>", Precedence::Shift, args[0], args[1]);
    case SymbolicKind::Cast:
        return {cast(inOpenCl_ ? e.type().openClName() : e.type().cppName(), print(args[0])), Precedence::Primary};
    case SymbolicKind::Attr:
        return {print(args[0], Precedence::Primary) + "->" + e.name().str(), Precedence::Primary};
    case SymbolicKind::Subscript:
        return {e.name().str() + "[" + (args.empty() ? "0" : print(args[0])) + "]", Precedence::Primary};
    case SymbolicKind::Call:
        if (e.name() == tree::cDivision)
            return binary("/", Precedence::Multiplicative, args[0], args[1]);
        if (e.name() == tree::cRemainder)
            return binary("%", Precedence::Multiplicative, args[0], args[1]);
        return callOf(e.name(), args);
    case SymbolicKind::Approx:
        return render(args[0]);
    default:
        return {e.str(), Precedence::Conditional};
    }
}

} // namespace sdfgc::codegen
