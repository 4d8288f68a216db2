// Interned nodes and how they are made. This layer does not simplify: `makeNode` stores its arguments unchanged.
#pragma once

#include "Symbolic/Number.h"
#include "sdfgc/Symbolic/Expr.h"

#include <atomic>

namespace sdfgc::sym {

/// Facts about a node that hold for every use of it.
enum NodeFlags : uint8_t {
    HasUndefined = 1,  // contains `?`
    HasOverflow = 2,   // contains a coefficient beyond 64 bits
    HasApprox = 4,     // contains an Approx
    IntegerValued = 8, // an integer whenever its symbols are
    BooleanValued = 16,
};

struct Expr::Node {
    SymbolicKind kind;
    uint8_t flags;
    uint16_t depth;  // operators on the longest path; bounded, so that recursion over an expression is
    uint16_t degree; // as a polynomial in its opaque terms, saturating
    uint32_t count;  // of operands
    uint32_t weight; // nodes when written out, those of shared operands each time, saturating
    std::size_t hash;
    const Expr *ops;
    int64_t a, b; // Integer, Rational: numerator, denominator; Float, Complex: bits of the parts; Bool: a; Undefined: a = overflow
    Name name;
    Type type;
    mutable std::atomic<const std::vector<Name> *> symbols{nullptr}; // filled on first use

    std::span<const Expr> operands() const { return {ops, count}; }
    bool has(uint8_t flag) const { return flags & flag; }
};

/// What distinguishes a node from others of its kind.
struct NodeKey {
    SymbolicKind kind;
    std::span<const Expr> ops = {};
    int64_t a = 0, b = 0;
    Name name = {};
    Type type = {};
};

/// The unique node with these parts. If an operand is undefined, so is the result, provided that the operator computes with it
/// (unlike calls, selections, subscripts and the like, which only carry it). An expression nested beyond `maxDepth` counts as
/// overflowed.
Expr makeNode(const NodeKey &key);
inline Expr node(SymbolicKind kind, std::span<const Expr> ops) { return makeNode({.kind = kind, .ops = ops}); }
inline Expr node(SymbolicKind kind, Expr a) { return node(kind, std::span(&a, 1)); }
inline Expr node(SymbolicKind kind, Expr a, Expr b) {
    const Expr ops[] = {a, b};
    return node(kind, ops);
}
constexpr unsigned maxDepth = 400;
/// Maximum number of nodes of a parsed expression when written out: nested powers on one line can describe a text too large for any
/// memory.
constexpr uint32_t maxWeight = 100000;

/// The undefined value for a number that overflowed 64 bits.
Expr overflow();
/// A number as an expression (also infinities and NaN).
Expr number(const Num &v);
/// The value of a constant, including infinities, NaN and booleans (1 and 0).
std::optional<Num> asNumber(Expr e);

inline bool isNumber(Expr e) {
    return e.kind() <= SymbolicKind::Complex || e.kind() == SymbolicKind::Infinity || e.kind() == SymbolicKind::NegInfinity ||
           e.kind() == SymbolicKind::NaN;
}
/// A truth value used as a number is 1 or 0.
inline Expr numeric(Expr e) { return e.kind() == SymbolicKind::Bool ? Expr(e.boolValue() ? 1 : 0) : e; }
inline bool isExactNumber(Expr e) { return e.kind() <= SymbolicKind::Rational; }
inline Num exactNumber(Expr e) {
    Num v(e.numerator());
    v.d = e.denominator();
    return v;
}
inline bool isIntegerValued(Expr e) { return e.node()->has(IntegerValued); }
inline bool isBooleanValued(Expr e) { return e.node()->has(BooleanValued); }
inline bool isUndefinedValue(Expr e) { return e.kind() == SymbolicKind::Undefined; }

/// Base and exponent of a factor: the operands of a Pow, otherwise the expression itself and 1.
inline Expr baseOf(Expr e) { return e.kind() == SymbolicKind::Pow ? e.operands()[0] : e; }
inline Expr exponentOf(Expr e) { return e.kind() == SymbolicKind::Pow ? e.operands()[1] : Expr(1); }

/// Factors of a term of a sum without its numeric coefficient. `e` must outlive the result.
std::span<const Expr> factorsOf(const Expr &e);
/// Numeric coefficient of a term (1 when there is none).
Num coefficientOf(Expr e);
/// Terms of a sum; for anything else, the expression itself. `e` must outlive the result.
inline std::span<const Expr> termsOf(const Expr &e) {
    return e.kind() == SymbolicKind::Add ? e.operands() : std::span<const Expr>(&e, 1);
}
/// Order of the terms of a sum, which ignores coefficients: higher degree first, then by text.
int compareTerms(std::span<const Expr> a, std::span<const Expr> b);

} // namespace sdfgc::sym
