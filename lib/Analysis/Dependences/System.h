// Systems of linear equations and inequalities over integers: do they have a solution?
//
// This is the arithmetic of the dependence engine (sdfgc/Analysis/Dependences/Dependences.h). Unknowns are numbered columns; only
// Unknowns.h knows which iterations or symbols they represent. Equations are solved exactly, by substitutions that keep integers
// integers; the remaining inequalities are decided by Fourier-Motzkin elimination. This finds every contradiction that holds over
// the rationals, and those that rounding constants reveals; these include everything that Banerjee's bounds show. If the
// eliminations are exact, "has a solution" is certain as well.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace sdfgc::analysis::dependences {

/// to += value * by; false if the result exceeds 63 bits, the range of all arithmetic here (so that a negation never overflows).
inline bool accumulate(int64_t &to, int64_t value, int64_t by) {
    int64_t product = 0;
    return !__builtin_mul_overflow(value, by, &product) && !__builtin_add_overflow(to, product, &to) &&
           to != std::numeric_limits<int64_t>::min();
}

/// The index of an unknown. Column 0 is the constant 1.
using Column = std::size_t;

/// A sum of unknowns with integer coefficients. A form whose coefficient overflows 64 bits is unusable: `overflowed`.
class Form {
public:
    Form() : values_(1) {}
    explicit Form(int64_t constant) : values_{constant} {}
    static Form unknown(Column c) { return Form().add(c, 1); }

    int64_t operator[](Column c) const { return c < values_.size() ? values_[c] : 0; }
    int64_t constant() const { return values_[0]; }
    std::size_t columns() const { return values_.size(); }
    bool isConstant() const;
    bool overflowed() const { return overflowed_; }

    Form &add(Column c, int64_t by);
    Form &add(const Form &other, int64_t scale = 1);
    Form plus(int64_t constant) const { return Form(*this).add(0, constant); }
    /// The difference of two forms.
    friend Form operator-(const Form &a, const Form &b) { return Form(a).add(b, -1); }
    /// The form divided by a number; nothing if the division is not exact.
    std::optional<Form> dividedBy(int64_t divisor) const;

private:
    std::vector<int64_t> values_; // by column
    bool overflowed_ = false;
};

enum class Feasibility : uint8_t {
    No,      // no solution
    Yes,     // certainly one
    Unknown, // possibly one
};

/// Rows of equal width, stored one after another.
class Rows {
public:
    explicit Rows(std::size_t width) : width_(width) {}
    std::size_t width() const { return width_; }
    std::size_t size() const { return data_.size() / width_; }
    bool empty() const { return data_.empty(); }
    std::span<int64_t> operator[](std::size_t i) { return {data_.data() + i * width_, width_}; }
    std::span<const int64_t> operator[](std::size_t i) const { return {data_.data() + i * width_, width_}; }
    void add(const Form &f);
    void add(std::span<const int64_t> row) { data_.insert(data_.end(), row.begin(), row.end()); }
    void addZero() { data_.resize(data_.size() + width_); }
    void removeLast() { data_.resize(data_.size() - width_); }
    /// Removes row `i` by moving the last one to its position.
    void remove(std::size_t i);

private:
    std::size_t width_;
    std::vector<int64_t> data_;
};

class System {
public:
    /// `symbols`: for each column, whether it has a single value in all solutions that are compared. Such unknowns are eliminated
    /// last. It must outlive the system.
    explicit System(const std::vector<bool> &symbols)
        : symbols_(&symbols), equalities_(symbols.size()), inequalities_(symbols.size()), followed_(symbols.size()) {}

    void equalsZero(const Form &f);
    void nonNegative(const Form &f);
    /// Keeps `f` expressed in the remaining unknowns while equations are solved; returns its index.
    std::size_t follow(const Form &f);
    std::span<const int64_t> followed(std::size_t i) const { return followed_[i]; }
    /// Is it a constant or a sum of symbols?
    bool isFixed(std::size_t i) const;
    /// followed(i) = 0; sign * followed(i) >= least.
    void makeZero(std::size_t i) { equalities_.add(followed_[i]); }
    void makeAtLeast(std::size_t i, int sign, int64_t least);

    /// A constraint is missing, so the system may have solutions that are not real ones.
    void becomeUncertain() { certain_ = false; }
    /// Solves the equations by substitution and decides the remaining inequalities. May be called again after rows were added.
    Feasibility solve();
    const Rows &inequalities() const { return inequalities_; }

private:
    bool solveEqualities();
    bool reduce(std::span<int64_t> equation);
    std::optional<Column> chooseUnknown(std::span<const int64_t> equation) const;
    void replaceBySum(Column c, std::span<const int64_t> equation);
    void makeUnit(Column c, std::span<int64_t> equation);
    template <class Change> void forAllRows(const Change &change);

    const std::vector<bool> *symbols_;
    bool symbolsAreMixed_ = false; // a symbol's column now stands for something else
    bool certain_ = true;
    bool overflowed_ = false; // the result is unknown
    Rows equalities_, inequalities_, followed_;
};

/// Do the inequalities (each at least zero) have an integer solution?
Feasibility solveInequalities(Rows rows);

} // namespace sdfgc::analysis::dependences
