// How large an integer and everything that is computed for it can be: the question whether 32 bits hold an index.
#pragma once

#include "sdfgc/Symbolic/Expr.h"

namespace sdfgc::sym {

/// An upper bound of the magnitudes of integers: a sum of products of symbols with positive coefficients, in which a symbol
/// stands for its magnitude, or for 1 if that is 0. So no product is less than one of its factors.
class Magnitude {
public:
    /// The bound 0.
    Magnitude() = default;
    static Magnitude constant(int64_t value);
    static Magnitude symbol(Name name);

    friend Magnitude operator+(const Magnitude &a, const Magnitude &b);
    friend Magnitude operator*(const Magnitude &a, const Magnitude &b);
    /// A bound of both: the greater coefficient of each product.
    friend Magnitude either(const Magnitude &a, const Magnitude &b);
    /// Is it never greater than `other`, because each product divides one of `other`? May be false without reason.
    bool isWithin(const Magnitude &other) const;

    /// The bound divided by a positive integer.
    Magnitude over(int64_t divisor) const;
    /// The bound as an expression of its symbols. A fraction is rounded up to a multiple of 2^-16.
    Expr expr() const;
    /// The number of products.
    std::size_t size() const { return products_.size(); }
    /// The greatest coefficient; 0 for the bound 0.
    double greatestCoefficient() const;

private:
    std::map<std::vector<Name>, double> products_; // sorted factors: coefficient, positive
};

/// What is known of a symbol where its expression is evaluated.
struct SymbolRange {
    Magnitude magnitude;
    bool wide = false; // it has 64 bits whatever the others have, and so has what is computed from it
};

/// Bounds integers that expressions compute from symbols.
class Magnitudes {
public:
    /// `of` returns the range of a symbol, or nothing if it has none, which fails.
    explicit Magnitudes(std::function<std::optional<SymbolRange>(Name)> of) : of_(std::move(of)) {}

    /// A bound of the value of an expression. The bounds of its parts that are not wide are added to `greatest`, and so is its
    /// own. Nothing if it contains a function, a real number or a bit operation.
    std::optional<SymbolRange> add(Expr e);
    /// Adds a bound.
    void add(const Magnitude &m);
    /// A bound of everything added so far.
    Magnitude greatest() const;

private:
    std::optional<SymbolRange> bound(Expr e);
    std::optional<SymbolRange> sum(std::span<const Expr> terms);
    std::optional<SymbolRange> product(std::span<const Expr> factors);
    std::optional<SymbolRange> quotient(Expr dividend, Expr divisor);
    std::optional<SymbolRange> anyOf(std::span<const Expr> values);

    std::function<std::optional<SymbolRange>(Name)> of_;
    std::vector<Magnitude> all_; // without those within another
};

} // namespace sdfgc::sym
