// Divides equations by their strides.
//
// Let P be a stride: some coefficients of the equation are multiples of P; the other terms are the rest. If the rest is always more
// than -P and less than P, the rest must be zero, and so must the multiples divided by P. The remaining equations may have strides
// of their own.
#include "Analysis/Dependences/Pair.h"

#include <algorithm>

namespace sdfgc::analysis::dependences {

using sym::Expr;
using sym::SymbolicKind;

namespace {

/// sum of coefficient * unknown, plus a sum of symbols
struct Equation {
    std::vector<std::pair<Column, Expr>> coefficients;
    Expr rest = 0;

    void add(Column c, Expr coefficient) {
        for (auto at = coefficients.begin(); at != coefficients.end(); ++at)
            if (at->first == c) {
                at->second += coefficient;
                if (at->second.isZero())
                    coefficients.erase(at);
                return;
            }
        coefficients.emplace_back(c, coefficient);
    }
    bool isLinear() const {
        return std::all_of(coefficients.begin(), coefficients.end(), [](const auto &c) { return c.second.isInteger(); });
    }
};

std::span<const Expr> termsOf(const Expr &e) { return e.kind() == SymbolicKind::Add ? e.operands() : std::span<const Expr>(&e, 1); }

struct Quotient {
    Expr quotient = 0, rest;
};

/// Polynomial division of each term of `n` that the leading term of `by` divides.
Quotient divide(Expr n, Expr by) {
    Quotient result{0, n};
    const Expr leading = termsOf(by)[0];
    for (int steps = 0; steps < 16; ++steps) {
        Expr factor = 0;
        for (Expr term : termsOf(result.rest))
            if (Expr q = term / leading; !term.isZero() && isPure(q)) {
                factor = q;
                break;
            }
        if (factor.isZero())
            break;
        result.quotient += factor;
        result.rest -= factor * by;
    }
    return result;
}

class Division {
public:
    explicit Division(Unknowns &unknowns) : unknowns_(unknowns) {}

    void run(Equation e) {
        for (Expr stride : stridesOf(e))
            if (divideBy(e, stride))
                return;
        if (e.isLinear()) {
            result_.push_back(formOf(e));
        } else {
            const auto at =
                std::find_if(e.coefficients.begin(), e.coefficients.end(), [](const auto &c) { return !c.second.isInteger(); });
            unknowns_.becomeUncertain("the coefficient " + at->second.str() + " of an index is not a constant");
        }
    }

    std::vector<Form> take() { return std::move(result_); }

private:
    static std::vector<Expr> stridesOf(const Equation &e) {
        std::vector<Expr> strides;
        auto add = [&](Expr stride) {
            if (std::find(strides.begin(), strides.end(), stride) == strides.end())
                strides.push_back(stride);
        };
        for (const auto &[column, coefficient] : e.coefficients) {
            if (!coefficient.isInteger()) {
                add(coefficient);
                add(-coefficient);
            } else if (coefficient.numerator() > 1 || coefficient.numerator() < -1) {
                add(coefficient.numerator() > 1 ? coefficient : -coefficient);
            }
        }
        return strides;
    }

    bool divideBy(const Equation &e, Expr stride) {
        Equation multiples, rest;
        for (const auto &[column, coefficient] : e.coefficients) {
            const Quotient q = divide(coefficient, stride);
            if (q.rest.isZero())
                multiples.add(column, q.quotient);
            else if (coefficient.isInteger())
                rest.add(column, coefficient);
            else
                return false;
        }
        if (stride.isInteger() && rest.coefficients.empty())
            return false; // nothing to divide; common divisors are left to the divisor test
        const Quotient ofRest = divide(e.rest, stride);
        for (Expr rounding : {Expr(0), Expr(1), Expr(-1)}) {
            multiples.rest = ofRest.quotient + rounding;
            rest.rest = ofRest.rest - rounding * stride;
            const bool isRounded = !rounding.isZero();
            if (isRounded && !stride.isInteger())
                break;
            if (!isSmaller(formOf(rest), stride))
                continue;
            if (!rest.coefficients.empty() || !rest.rest.isZero())
                result_.push_back(formOf(rest));
            run(multiples);
            return true;
        }
        return false;
    }

    /// Is -stride < f < stride?
    bool isSmaller(const Form &f, Expr stride) {
        const Form bound = unknowns_.formOf(stride, {});
        for (int64_t sign : {1, -1}) {
            System beyond = unknowns_.system();
            beyond.nonNegative(Form().add(f, sign).add(bound, -1));
            if (beyond.solve() != Feasibility::No)
                return false;
        }
        return true;
    }

    Form formOf(const Equation &e) {
        Form f = unknowns_.formOf(e.rest, {});
        for (const auto &[column, coefficient] : e.coefficients)
            f.add(column, coefficient.numerator());
        return f;
    }

    Unknowns &unknowns_;
    std::vector<Form> result_;
};

/// Is there more than one varying unknown, with coefficients of different magnitude?
bool mayHaveStride(const Polynomial &p, const Unknowns &unknowns) {
    if (!p.products.empty())
        return true;
    int64_t size = 0;
    bool differ = false;
    for (Column c = 1; c < p.linear.columns(); ++c)
        if (const int64_t v = std::abs(p.linear[c]); v != 0 && !unknowns.symbols()[c]) {
            differ = differ || (size != 0 && size != v);
            size = v;
        }
    return differ;
}

} // namespace

std::vector<Form> divided(const Polynomial &equation, Unknowns &unknowns) {
    if (equation.linear.overflowed() || !mayHaveStride(equation, unknowns))
        return {equation.linear};
    Equation e;
    for (Column c = 1; c < equation.linear.columns(); ++c) {
        const int64_t v = equation.linear[c];
        if (v == 0)
            continue;
        if (std::optional<Expr> symbol = unknowns.symbolOf(c))
            e.rest += Expr(v) * *symbol;
        else
            e.add(c, Expr(v));
    }
    e.rest += Expr(equation.linear.constant());
    for (const auto &[coefficient, column] : equation.products)
        e.add(column, coefficient);
    Division division(unknowns);
    division.run(std::move(e));
    return division.take();
}

} // namespace sdfgc::analysis::dependences
