// Prints symbolic expressions as C++: sizes, offsets, bounds.
#pragma once

#include "sdfgc/Symbolic/Expr.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace sdfgc::codegen {

/// C++ precedence of the outermost operator of a printed text; higher binds tighter.
enum class Precedence : int {
    Conditional,
    Or,
    And,
    BitOr,
    BitXor,
    BitAnd,
    Equality,
    Relational,
    Shift,
    Additive,
    Multiplicative,
    Unary,
    Primary
};

/// Prints with the fewest parentheses. Calls `uses` with the runtime topics that the text needs ("math", "cmath",
/// "omp"). Exact fractions become a C division of numerator by denominator (format reference 1.9); Python's floor
/// division and modulo become runtime calls, except the internal `__cdiv` and `__cmod`, which lowering creates for
/// operands that are known to be non-negative. `spell` returns the C++ names of other functions, such as those of
/// tree::number; a name that ends with `<` takes the first argument as its template argument.
class SymPrinter {
public:
    explicit SymPrinter(std::function<void(std::string_view)> uses = nullptr, std::function<std::string(Name)> spell = nullptr,
                        bool inOpenCl = false)
        : uses_(std::move(uses)), spell_(std::move(spell)), inOpenCl_(inOpenCl) {}
    std::string print(sym::Expr e, Precedence context = Precedence::Conditional) const;

    /// Prints a number of elements in memory: sums, products and powers are calls of sizes.h, which check for overflow.
    /// A single symbol, or one without a constant, is printed unchanged.
    std::string printCount(sym::Expr e) const;

private:
    struct Text {
        std::string text;
        Precedence precedence;
    };
    Text render(sym::Expr e) const;
    Text sum(sym::Expr e) const;
    Text count(sym::Expr sum) const;
    static std::optional<sym::Expr> commonFactor(const std::vector<sym::Expr> &terms);
    static std::optional<sym::Expr> takeMultiple(std::vector<sym::Expr> &terms, sym::Expr sum);
    std::string factor(sym::Expr e) const;
    std::string secondFactor(sym::Expr e) const;
    Text product(sym::Expr e) const;
    Text power(sym::Expr base, sym::Expr exponent) const;
    Text fraction(sym::Expr above, sym::Expr below) const;
    std::string real(sym::Expr e) const;
    Text roundedReal(const char *function, sym::Expr e) const;
    Text realCall(Name function, std::span<const sym::Expr> args) const;
    Text call(const std::string &function, std::span<const sym::Expr> args) const;
    Text ofSizes(const char *function, std::span<const sym::Expr> args) const;
    Text callOf(Name function, std::span<const sym::Expr> args) const;
    Text binary(const char *op, Precedence p, sym::Expr a, sym::Expr b) const;
    Text multiplied(std::span<const sym::Expr> factors) const;
    Text joined(const char *op, Precedence p, std::span<const sym::Expr> args) const;
    Text runtime(const char *topic, const char *function, std::span<const sym::Expr> args) const;
    std::string cast(const std::string &type, const std::string &text) const;
    void use(std::string_view topic) const {
        if (uses_)
            uses_(topic);
    }
    std::function<void(std::string_view)> uses_;
    std::function<std::string(Name)> spell_;
    bool inOpenCl_;        // the text is OpenCL C: calls of runtime-headers/sdfgc/rt/gpu/opencl_device.h, in 64 bits
    bool isCount_ = false; // printCount
    bool isReal_ = false;  // inside an argument of a real-valued function, where quotients keep their fractions
};

} // namespace sdfgc::codegen
