// Forms, rows, and the solution of equations over integers.
#include "Analysis/Dependences/System.h"

#include "Analysis/Dependences/Exact.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace sdfgc::analysis::dependences {

// ---------------------------------------------------------------------------------------------------- forms and rows

bool Form::isConstant() const {
    return std::all_of(values_.begin() + 1, values_.end(), [](int64_t v) { return v == 0; });
}

Form &Form::add(Column c, int64_t by) {
    if (c >= values_.size())
        values_.resize(c + 1);
    overflowed_ = !accumulate(values_[c], by, 1) || overflowed_;
    return *this;
}

Form &Form::add(const Form &other, int64_t scale) {
    if (other.columns() > columns())
        values_.resize(other.columns());
    overflowed_ = overflowed_ || other.overflowed_;
    for (std::size_t c = 0; c < other.columns(); ++c)
        overflowed_ = !accumulate(values_[c], other.values_[c], scale) || overflowed_;
    return *this;
}

std::optional<Form> Form::dividedBy(int64_t divisor) const {
    Form quotient = *this;
    for (int64_t &v : quotient.values_) {
        if (v % divisor != 0)
            return std::nullopt;
        v /= divisor;
    }
    return quotient;
}

void Rows::add(const Form &f) {
    addZero();
    const auto row = (*this)[size() - 1];
    for (Column c = 0; c < f.columns() && c < width_; ++c)
        row[c] = f[c];
}

void Rows::remove(std::size_t i) {
    const auto last = (*this)[size() - 1];
    std::copy(last.begin(), last.end(), (*this)[i].begin());
    removeLast();
}

// ---------------------------------------------------------------------------------------------------- systems

void System::equalsZero(const Form &f) {
    if (f.overflowed())
        becomeUncertain();
    else
        equalities_.add(f);
}

void System::nonNegative(const Form &f) {
    if (f.overflowed())
        becomeUncertain();
    else
        inequalities_.add(f);
}

std::size_t System::follow(const Form &f) {
    overflowed_ = overflowed_ || f.overflowed();
    followed_.add(f);
    return followed_.size() - 1;
}

bool System::isFixed(std::size_t i) const {
    const auto row = followed_[i];
    for (Column c = 1; c < row.size(); ++c)
        if (row[c] != 0 && (symbolsAreMixed_ || !(*symbols_)[c]))
            return false;
    return !overflowed_;
}

void System::makeAtLeast(std::size_t i, int sign, int64_t least) {
    inequalities_.addZero();
    const auto to = inequalities_[inequalities_.size() - 1];
    for (Column c = 0; c < to.size(); ++c)
        to[c] = sign * followed_[i][c];
    overflowed_ = !accumulate(to[0], least, -1) || overflowed_;
}

Feasibility System::solve() {
    if (!solveEqualities())
        return Feasibility::No;
    if (overflowed_)
        return Feasibility::Unknown;
    Feasibility f = solveInequalities(inequalities_);
    if (f == Feasibility::Unknown)
        f = solveExactly(inequalities_);
    return f == Feasibility::Yes && !certain_ ? Feasibility::Unknown : f;
}

/// Returns false on a contradiction.
bool System::solveEqualities() {
    while (!equalities_.empty() && !overflowed_) {
        const std::size_t last = equalities_.size() - 1;
        if (!reduce(equalities_[last]))
            return false;
        const std::optional<Column> c = chooseUnknown(equalities_[last]);
        if (!c) {
            equalities_.removeLast();
        } else if (std::abs(equalities_[last][*c]) == 1) {
            const std::vector<int64_t> equation(equalities_[last].begin(), equalities_[last].end());
            equalities_.removeLast();
            replaceBySum(*c, equation);
        } else {
            makeUnit(*c, equalities_[last]);
        }
    }
    return true;
}

/// Reduces the equation to lowest terms. Returns false if no integers solve it (the greatest common divisor test).
bool System::reduce(std::span<int64_t> equation) {
    int64_t common = 0;
    for (std::size_t c = 1; c < equation.size(); ++c)
        common = std::gcd(common, equation[c]);
    if (common == 0 || equation[0] % common != 0)
        return common == 0 && equation[0] == 0;
    for (int64_t &v : equation)
        v /= common;
    return true;
}

/// The unknown with the smallest coefficient; in a tie the innermost one, with symbols last. Nothing if there is none.
std::optional<Column> System::chooseUnknown(std::span<const int64_t> equation) const {
    std::optional<Column> best;
    for (Column c = 1; c < equation.size(); ++c) {
        if (equation[c] == 0)
            continue;
        const int64_t size = std::abs(equation[c]), least = best ? std::abs(equation[*best]) : 0;
        if (!best || size < least || (size == least && !(*symbols_)[c]))
            best = c;
    }
    return best;
}

template <class Change> void System::forAllRows(const Change &change) {
    for (Rows *rows : {&equalities_, &inequalities_, &followed_})
        for (std::size_t i = 0; i < rows->size(); ++i)
            change((*rows)[i]);
}

/// Solves `equation` for an unknown with the coefficient 1 or -1, and substitutes it everywhere.
void System::replaceBySum(Column c, std::span<const int64_t> equation) {
    forAllRows([&](std::span<int64_t> row) {
        const int64_t scale = -row[c] * equation[c];
        if (scale != 0)
            for (std::size_t k = 0; k < row.size(); ++k)
                overflowed_ = !accumulate(row[k], equation[k], scale) || overflowed_;
    });
}

/// Substitutes the unknown of `c`, which has the smallest coefficient, so that all other coefficients shrink: Euclid's algorithm.
/// With u = c + sum of q * other, which is an integer exactly if c is, c becomes u - sum of q * other.
void System::makeUnit(Column c, std::span<int64_t> equation) {
    symbolsAreMixed_ = symbolsAreMixed_ || (*symbols_)[c];
    std::vector<int64_t> quotients(equation.size());
    for (Column k = 1; k < equation.size(); ++k)
        if (k != c)
            quotients[k] = equation[k] / equation[c];
    forAllRows([&](std::span<int64_t> row) {
        const int64_t own = row[c];
        if (own != 0)
            for (Column k = 1; k < row.size(); ++k)
                overflowed_ = !accumulate(row[k], quotients[k], -own) || overflowed_;
    });
}

} // namespace sdfgc::analysis::dependences
