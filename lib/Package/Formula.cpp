#include "Formula.h"

#include <cctype>

namespace sdfgc::package {
namespace {

using sym::Expr;
using sym::SymbolicKind;

constexpr int maxDepth = 100;

/// Prints products and calls fully parenthesised; outermost sums have no parentheses.
class Printer {
public:
    Printer(Language l, const std::function<std::string(Name)> &spell, const std::string &functions)
        : language_(l), spell_(spell), functions_(functions) {}

    /// Empty if it cannot be expressed; `ok` is then false.
    std::string print(Expr e, bool operand = false, int depth = 0) {
        if (depth > maxDepth)
            return fail();
        std::span<const Expr> args = e.operands();
        switch (e.kind()) {
        case SymbolicKind::Integer:
            return e.numerator() < 0 && operand ? "(" + std::to_string(e.numerator()) + ")" : std::to_string(e.numerator());
        case SymbolicKind::Symbol: {
            std::string name = spell_(e.name());
            return name.empty() ? fail() : name;
        }
        case SymbolicKind::Add:
            return quotient(e, operand, depth, [&] { return sum(args, depth); });
        case SymbolicKind::Mul:
            return quotient(e, operand, depth, [&] { return joined(args, "*", true, depth); });
        case SymbolicKind::Pow: {
            std::optional<int64_t> n = args[1].asInt();
            if (!n || *n < 2 || *n > 8)
                return fail();
            const std::string base = print(args[0], true, depth + 1);
            std::string out = base;
            for (int64_t i = 1; i < *n; ++i)
                out += "*" + base;
            return "(" + out + ")";
        }
        case SymbolicKind::FloorDiv:
            return language_ == Language::Python ? infix(args, "//", depth) : call("floorDiv", args, depth);
        case SymbolicKind::Mod:
            return language_ == Language::Python ? infix(args, "%", depth) : call("mod", args, depth);
        case SymbolicKind::CeilDiv:
            return call(language_ == Language::Python ? "ceil_div" : "ceilDiv", args, depth);
        case SymbolicKind::Abs:
            return call("abs", args, depth);
        case SymbolicKind::Min:
            return nested("min", args, depth);
        case SymbolicKind::Max:
            return nested("max", args, depth);
        default:
            return fail();
        }
    }
    bool ok = true;

private:
    std::string fail() {
        ok = false;
        return {};
    }

    /// A sum or product with an exact divisor becomes a single division.
    template <class Plain> std::string quotient(Expr e, bool operand, int depth, Plain plain) {
        auto [num, den] = sym::asFraction(e);
        if (den.isOne()) {
            const std::string text = plain();
            return operand ? "(" + text + ")" : text;
        }
        if (language_ == Language::Fortran)
            return fail();
        return "(" + print(num, true, depth + 1) + (language_ == Language::Python ? " // " : " / ") + print(den, true, depth + 1) +
               ")";
    }

    static bool isNegative(Expr term) {
        const Expr factor = term.kind() == SymbolicKind::Mul ? term.operands()[0] : term;
        return factor.isInteger() && factor.numerator() < 0 && factor.numerator() != INT64_MIN;
    }

    /// Terms with a negative coefficient come last and are subtracted.
    std::string sum(std::span<const Expr> terms, int depth) {
        std::string out;
        for (const bool negative : {false, true})
            for (Expr t : terms)
                if (isNegative(t) == negative)
                    out += std::string(negative      ? (out.empty() ? "-" : " - ")
                                       : out.empty() ? ""
                                                     : " + ") +
                           print(negative ? -t : t, true, depth + 1);
        return out;
    }

    std::string joined(std::span<const Expr> args, const char *op, bool operand, int depth) {
        std::string out;
        for (Expr a : args)
            out += (out.empty() ? "" : op) + print(a, operand, depth + 1);
        return out;
    }

    std::string infix(std::span<const Expr> args, const std::string &op, int depth) {
        return "(" + print(args[0], true, depth + 1) + " " + op + " " + print(args[1], true, depth + 1) + ")";
    }

    std::string call(const char *function, std::span<const Expr> args, int depth) {
        if (language_ == Language::Fortran)
            return fail();
        return functions_ + function + "(" + joined(args, ", ", false, depth) + ")";
    }

    /// min and max take two arguments in C++.
    std::string nested(const char *function, std::span<const Expr> args, int depth) {
        if (language_ != Language::Cpp || args.size() <= 2)
            return call(function, args, depth);
        std::string out = print(args[0], false, depth + 1);
        for (Expr a : args.subspan(1))
            out = functions_ + function + "(" + out + ", " + print(a, false, depth + 1) + ")";
        return out;
    }

    Language language_;
    const std::function<std::string(Name)> &spell_;
    const std::string &functions_;
};

} // namespace

std::vector<std::string> formulaFunctions(const std::string &text) {
    std::vector<std::string> out;
    for (const char *function : {"abs", "ceilDiv", "floorDiv", "max", "min", "mod"})
        for (std::size_t at = text.find(function); at != std::string::npos; at = text.find(function, at + 1))
            if ((at == 0 ||
                 (!std::isalnum(static_cast<unsigned char>(text[at - 1])) && text[at - 1] != '_' && text[at - 1] != '.')) &&
                text.compare(at + std::string_view(function).size(), 1, "(") == 0) {
                out.emplace_back(function);
                break;
            }
    return out;
}

std::optional<std::string> formula(Expr e, Language language, const std::function<std::string(Name)> &spell,
                                   const std::string &functions) {
    Printer p(language, spell, functions);
    std::string text = p.print(e);
    return p.ok ? std::optional(std::move(text)) : std::nullopt;
}

} // namespace sdfgc::package
