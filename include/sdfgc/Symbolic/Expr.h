// Symbolic expressions: sizes, ranges, subsets, symbol mappings (format reference 1.8 and 1.9).
//
// Expressions are interned (hash-consed) and immutable: an Expr is one pointer, structurally equal expressions are the
// same pointer, and free symbols are computed once. Construction simplifies into a canonical form: sums of products
// with exact rational coefficients over symbols and opaque terms, in an order that depends only on their text. So `N -
// 1 + 1` is `N`, and `a == b` is pointer equality for everything that the canonical form decides. Arithmetic is exact
// over the rationals; a coefficient that exceeds 64 bits makes the expression `overflowed()` and never wraps silently.
//
// Symbols are identified by name alone. Declared types and assumptions (`symbol($N, dtype=..., positive=True)`) are
// facts about the scope. The owner of the scope stores them (ir::SDFG::symbols, ir::SDFG::symbolHints) and passes them
// as Assumptions.
#pragma once

#include "sdfgc/Support/Name.h"
#include "sdfgc/Types/Type.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace sdfgc::sym {

enum class SymbolicKind : uint8_t {
    Integer,
    Rational,
    Float,
    Complex,
    Bool,
    None,
    Undefined /* ? */,
    Infinity,
    NegInfinity,
    NaN,
    Symbol,
    Add,
    Mul,
    Pow, // n-ary Add and Mul; a quotient is Mul with Pow(x, -1)
    FloorDiv,
    CeilDiv,
    Mod,
    Floor,
    Ceil,
    Abs,
    Min,
    Max, // FloorDiv and Mod as in Python; Min, Max n-ary
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Is,
    IsNot,
    And,
    Or,
    Not,
    Select, // Select(c, t, f)
    BitAnd,
    BitOr,
    BitXor,
    BitNot,
    Shl,
    Shr,
    Cast,      // type() and one operand
    Attr,      // operand . name()
    Subscript, // name()[operands...]
    Call,      // name()(operands...)
    Approx,    // SymExpr(exact, over-approximation)
};

/// Facts about symbols, by name. An absent entry means an integer of unknown sign.
struct SymbolFacts {
    Type type;                // void when unknown
    bool nonnegative = false; // >= 0
    bool positive = false;    // > 0
    bool nonzero = false;
    std::vector<std::pair<std::string, std::string>> other; // other keywords as written, kept for saving

    bool operator==(const SymbolFacts &) const = default;
};
using Assumptions = std::map<Name, SymbolFacts>;

class Expr {
public:
    /// The integer 0.
    Expr();
    Expr(int v) : Expr(static_cast<int64_t>(v)) {}
    Expr(int64_t v);
    static Expr rational(int64_t num, int64_t den); // den != 0; reduced
    static Expr floating(double v);
    static Expr complex(double re, double im);
    static Expr boolean(bool v);
    static Expr none();
    static Expr undefined();
    static Expr infinity(bool negative = false);
    static Expr nan();
    static Expr symbol(Name name);

    SymbolicKind kind() const;
    std::span<const Expr> operands() const;
    Name name() const;           // Symbol, Attr, Subscript, Call
    Type type() const;           // Cast
    int64_t numerator() const;   // Integer, Rational
    int64_t denominator() const; // 1 for Integer
    double floatValue() const;   // Float; real part of Complex
    double imagValue() const;
    bool boolValue() const;

    bool isInteger() const { return kind() == SymbolicKind::Integer; }
    bool isConstant(int64_t v) const { return isInteger() && numerator() == v; }
    bool isZero() const { return isConstant(0); }
    bool isOne() const { return isConstant(1); }
    bool isSymbol() const { return kind() == SymbolicKind::Symbol; }
    bool isSymbol(Name n) const { return isSymbol() && name() == n; }
    std::optional<int64_t> asInt() const; // value of an Integer
    /// Does it contain `?`?
    bool isUndefined() const;
    bool overflowed() const;

    /// The free symbols, sorted by name (names of Subscripts and bases of Attrs count as symbols). Computed once per
    /// expression.
    const std::vector<Name> &freeSymbols() const;
    bool dependsOn(Name symbol) const;

    /// Returns readable text, in Python syntax with bare names: `N - 1`, `i // 2`, `min(N, 4)`. For messages, dumps and
    /// comments.
    std::string str() const;

    friend bool operator==(Expr a, Expr b) { return a.node_ == b.node_; }
    /// A total order that depends only on structure and text.
    static int compare(Expr a, Expr b);
    std::size_t hash() const { return std::hash<const void *>()(node_); }
    struct Node;
    const Node *node() const { return node_; }
    explicit Expr(const Node *n) : node_(n) {}

private:
    const Node *node_;
};

// ---- construction: every function simplifies
Expr operator+(Expr a, Expr b);
Expr operator-(Expr a, Expr b);
Expr operator-(Expr a);
Expr operator*(Expr a, Expr b);
Expr operator/(Expr a, Expr b); // exact rational quotient
inline Expr &operator+=(Expr &a, Expr b) { return a = a + b; }
inline Expr &operator-=(Expr &a, Expr b) { return a = a - b; }
inline Expr &operator*=(Expr &a, Expr b) { return a = a * b; }
Expr pow(Expr base, Expr exponent);
Expr floorDiv(Expr a, Expr b); // Python //
Expr ceilDiv(Expr a, Expr b);  // int_ceil
Expr mod(Expr a, Expr b);      // Python %, sign of b
Expr floor(Expr a);
Expr ceil(Expr a);
Expr abs(Expr a);
Expr min(std::vector<Expr> args); // flattened, constants folded, duplicates removed
Expr max(std::vector<Expr> args);
Expr compare(SymbolicKind op, Expr a, Expr b); // Eq .. IsNot, of truncated quotients; folds constants and provable cases
Expr logicalAnd(std::vector<Expr> args);
Expr logicalOr(std::vector<Expr> args);
Expr logicalNot(Expr a); // pushes through comparisons
Expr select(Expr c, Expr t, Expr f);
Expr bitwise(SymbolicKind op, Expr a, Expr b); // BitAnd, BitOr, BitXor, Shl, Shr
Expr bitNot(Expr a);
Expr cast(Type t, Expr a); // kept, but a cast of a bare symbol is the symbol (format reference 1.8)
Expr attr(Expr base, Name member);
Expr subscript(Name container, std::vector<Expr> indices);
Expr call(Name function, std::vector<Expr> args); // known names (Min, int_floor, ...) become their own kinds
Expr approx(Expr exact, Expr over);

// ---- queries
/// Replaces symbols simultaneously (also base names of Attr and Subscript if the replacement is a symbol) and
/// simplifies again.
Expr substitute(Expr e, const std::map<Name, Expr> &replacements);
/// Replaces every Approx with its exact side.
Expr exact(Expr e);
/// Replaces every Approx with its over-approximation.
Expr overApproximation(Expr e);
/// Rewrites bottom-up: `f` returns the replacement of a node whose operands are already rewritten.
Expr rewrite(Expr e, const std::function<Expr(Expr)> &f);
/// Returns the expression as one fraction: numerator and denominator without common integer content and without nested
/// quotients. Integers have denominator 1.
std::pair<Expr, Expr> asFraction(Expr e);
/// Returns the integer value of a quotient of integers where one is needed: C's, rounded towards zero. Returns `e`
/// itself if it is not such a quotient, and nothing if the rounding direction depends on an unknown sign.
std::optional<Expr> truncated(Expr e, const Assumptions &facts = {});
/// Returns the largest integer that divides every coefficient of a sum, or the coefficient of a product; positive. 1
/// for 0 and for non-integer coefficients.
int64_t integerContent(Expr e);
/// If e = c0 + sum of coefficient * symbol is affine in `symbol`, returns {coefficient, rest}.
std::optional<std::pair<Expr, Expr>> affineIn(Expr e, Name symbol);

enum class Truth : uint8_t { False, True, Unknown };
/// Interval and sign reasoning under assumptions; conservative. `a < b`, `a <= b`, `a == b` compare truncated
/// quotients: 1/3 and 1/2 are equal. Signs are those of the exact values.
Truth isLess(Expr a, Expr b, const Assumptions &facts = {});
Truth isLessEqual(Expr a, Expr b, const Assumptions &facts = {});
Truth isEqual(Expr a, Expr b, const Assumptions &facts = {});
Truth isNonNegative(Expr a, const Assumptions &facts = {});
Truth isPositive(Expr a, const Assumptions &facts = {});
/// Returns the value under a full binding of the free symbols, by exact evaluation. Quotients that are compared, or
/// that are the result, are truncated. Nothing if a symbol is unbound, or if the value is undefined or not an exact
/// number.
std::optional<int64_t> evaluate(Expr e, const std::map<Name, int64_t> &values);

// ---- text
struct ParseResult {
    std::optional<Expr> expr;
    std::string error;      // the reason if there is no expr
    std::size_t offset = 0; // byte in the text
};
/// Parses a symbolic string of any version: `$N` and bare names, `symbol($N, dtype=..., positive=True)` (facts are
/// added to `*facts` if given), typed literals, casts, functions (format reference 1.8, including "sdfgc should read
/// them"). Depth is limited (no stack overflow on hostile input). A name followed by `(` is a function, or a Subscript
/// if `isContainer(name)`.
ParseResult parse(std::string_view text, Assumptions *facts = nullptr, const std::function<bool(Name)> &isContainer = nullptr);
/// Prints in the grammar of 2.x files: `$N` for int32 and undeclared symbols, otherwise `symbol($N, dtype=dace.int64,
/// positive=True)`. parse(printDace(e, f)) == e.
std::string printDace(Expr e, const Assumptions &facts);

} // namespace sdfgc::sym

template <> struct std::hash<sdfgc::sym::Expr> {
    std::size_t operator()(sdfgc::sym::Expr e) const { return e.hash(); }
};
