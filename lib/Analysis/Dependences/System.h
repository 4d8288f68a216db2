// Systems of linear equations and inequalities over integers: have they a solution?
//
// This is the arithmetic of the dependence engine (sdfgc/Analysis/Dependences/Dependences.h). Unknowns are numbered columns; what
// they stand for, iterations or symbols, is known to Unknowns.h alone. Equations are solved exactly, by changes of unknowns that
// keep integers integers; what is left, inequalities, is decided by Fourier-Motzkin elimination. That finds every contradiction
// that holds over the rationals, and those that rounding constants shows, among them all that Banerjee's bounds show. Where an
// elimination is exact, "has a solution" is certain as well.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace sdfgc::analysis::dependences {

/// to += value * by; false where that leaves the 63 bits that all arithmetic here keeps to (so that a negation never overflows).
inline bool accumulate(int64_t &to, int64_t value, int64_t by) {
    int64_t product = 0;
    return !__builtin_mul_overflow(value, by, &product) && !__builtin_add_overflow(to, product, &to) &&
           to != std::numeric_limits<int64_t>::min();
}

/// The number of an unknown. Column 0 is the constant 1.
using Column = std::size_t;

/// A sum of unknowns with integer coefficients. A coefficient that leaves 64 bits makes it useless: `overflowed`.
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
    /// The form divided by a number that divides all of it; nothing if it does not.
    std::optional<Form> dividedBy(int64_t divisor) const;

private:
    std::vector<int64_t> values_; // by column
    bool overflowed_ = false;
};

enum class Feasibility : uint8_t {
    No,      // no solution
    Yes,     // certainly one
    Unknown, // perhaps one
};

/// Rows of one width, one after another.
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
    /// Removes row `i`; the last one takes its place.
    void remove(std::size_t i);

private:
    std::size_t width_;
    std::vector<int64_t> data_;
};

class System {
public:
    /// `symbols`: by column, does it have one value for all solutions that are compared? Such unknowns are the last to be expressed
    /// by others. Must outlive the system.
    explicit System(const std::vector<bool> &symbols)
        : symbols_(&symbols), equalities_(symbols.size()), inequalities_(symbols.size()), followed_(symbols.size()) {}

    void equalsZero(const Form &f);
    void nonNegative(const Form &f);
    /// Keeps `f` in terms of the unknowns that are left when equations are solved; its number.
    std::size_t follow(const Form &f);
    std::span<const int64_t> followed(std::size_t i) const { return followed_[i]; }
    /// Is it a sum of symbols, or a constant?
    bool isFixed(std::size_t i) const;
    /// followed(i) = 0; sign * followed(i) >= least.
    void makeZero(std::size_t i) { equalities_.add(followed_[i]); }
    void makeAtLeast(std::size_t i, int sign, int64_t least);

    /// Something is left out of the system: it may have solutions that are none.
    void becomeUncertain() { certain_ = false; }
    /// Solves the equations, which replaces unknowns, and decides the rest. May be called again when rows were added.
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
    bool symbolsAreMixed_ = false; // a column of a symbol stands for something else now
    bool certain_ = true;
    bool overflowed_ = false; // nothing is known any more
    Rows equalities_, inequalities_, followed_;
};

/// Have the inequalities (each at least zero) a solution in integers?
Feasibility solveInequalities(Rows rows);

} // namespace sdfgc::analysis::dependences
