// Derivatives of a block by value: reverse mode compared with forward mode, both with finite differences, in either precision.
#pragma once

#include "Derivatives.h"
#include "Evaluate.h"

#include <cmath>
#include <random>

namespace sdfgc::py::test {

/// A block and the ranges of its inputs. Values avoid corners, which have separate tests.
struct Case {
    std::string code;
    double low = 0.2, high = 2;
    std::string same = ""; // an equivalent expression, for an interpreter that does not know the function
};

class Comparison {
public:
    static constexpr std::size_t points = 6;

    explicit Comparison(const Case &c) : case_(c), signature_(signatureFor(c.code)), numbers_(1) {
        for (const auto &[n, type] : signature_.inputs) {
            inputs_[n] = column(n, c.low, c.high);
            directions_[n] = column(n, -1, 1);
        }
        for (const auto &[n, type] : signature_.outputs)
            weights_[n] = column(n, -1, 1);
    }

    /// Returns the derivative in the direction that was tried.
    double check() const {
        INFO(case_.code);
        const Columns tangents = tangent(ScalarKind::Float64), gradients = reverse(ScalarKind::Float64);
        const double scale = 1 + std::fabs(dot(gradients, directions_)), differences = dot(this->differences(), weights_);
        CHECK(std::fabs(dot(tangents, weights_) - dot(gradients, directions_)) <= 1e-12 * scale);
        CHECK(std::fabs(dot(tangents, weights_) - differences) <= 1e-6 * scale);
        const Columns tangents32 = tangent(ScalarKind::Float32), gradients32 = reverse(ScalarKind::Float32);
        CHECK(std::fabs(dot(tangents32, weights_) - dot(gradients32, directions_)) <= 1e-5 * scale);
        close(tangents, tangents32);
        close(gradients, gradients32);
        return differences;
    }

private:
    Case case_;
    Signature signature_;
    std::mt19937 numbers_;
    Columns inputs_, directions_, weights_;

    Column column(Name n, double low, double high) {
        Column c;
        c.width = signature_.pointers.count(n) ? 3 : 1;
        std::uniform_real_distribution<double> between(low, high);
        for (std::size_t k = 0; k < points * c.width; ++k)
            c.values.push_back(static_cast<float>(between(numbers_)));
        return c;
    }

    static std::vector<StmtRef> code(const Case &c) { return *parseBlock(c.code).value; }

    /// The columns, renamed to their gradients.
    Columns gradientNames(const Columns &columns, const std::set<Name> &those) const {
        Columns out;
        for (const auto &[n, c] : columns)
            if (those.count(n))
                out[signature_.gradient(n)] = c;
        return out;
    }

    /// Converts each store to an element of a gradient to the addition that it represents.
    static std::vector<StmtRef> withSums(const std::vector<StmtRef> &block, const std::set<Name> &gradients) {
        std::vector<StmtRef> out;
        for (const StmtRef &s : block) {
            Stmt copy = *s;
            if (s->kind == StmtKind::Assign && s->targets[0]->kind == ExprKind::Subscript &&
                gradients.count(s->targets[0]->args[0]->name))
                copy.kind = StmtKind::AugAssign;
            copy.body = withSums(s->body, gradients);
            copy.orelse = withSums(s->orelse, gradients);
            out.push_back(std::make_shared<const Stmt>(std::move(copy)));
        }
        return out;
    }

    /// Runs a derivative with the primal values and `seeds`; the result has one column for each name in `of`.
    Columns run(const DerivativeOr &derived, const Columns &seeds, const Columns &of, Type t) const {
        INFO(text(derived));
        REQUIRE(std::holds_alternative<Derivative>(derived));
        const auto &d = std::get<Derivative>(derived);
        const std::set<Name> read = blockNames(d.block).read;
        Columns inputs, outputs, zero;
        std::set<Name> gradients;
        for (Name n : d.indexed)
            gradients.insert(signature_.gradient(n));
        for (const auto &[n, c] : inputs_)
            if (d.primals.count(n))
                inputs[n] = c;
        for (const auto &[n, c] : seeds)
            if (read.count(signature_.gradient(n)))
                inputs[signature_.gradient(n)] = c;
        for (const auto &[n, c] : of) {
            zero[n] = {std::vector<double>(c.values.size()), c.width};
            if (d.results.count(n))
                outputs[signature_.gradient(n)] = zero[n];
        }
        if (!outputs.empty())
            evaluate(withSums(d.block, gradients), inputs, outputs, points, t);
        for (const auto &[n, c] : of)
            if (d.results.count(n))
                zero[n] = outputs[signature_.gradient(n)];
        return zero;
    }

    Columns tangent(Type t) const { return run(tangentOf(code(case_), signatureFor(case_.code, t)), directions_, weights_, t); }
    Columns reverse(Type t) const { return run(reverseOf(code(case_), signatureFor(case_.code, t)), weights_, directions_, t); }

    Columns moved(double by) const {
        Columns at = inputs_, out = weights_;
        for (auto &[n, c] : at)
            for (std::size_t k = 0; k < c.values.size(); ++k)
                c.values[k] += by * directions_.at(n).values[k];
        evaluate(*parseBlock(case_.same.empty() ? case_.code : case_.same).value, at, out, points, ScalarKind::Float64);
        return out;
    }
    Columns differences() const {
        constexpr double h = 1e-6;
        Columns up = moved(h);
        const Columns down = moved(-h);
        for (auto &[n, c] : up)
            for (std::size_t k = 0; k < c.values.size(); ++k)
                c.values[k] = (c.values[k] - down.at(n).values[k]) / (2 * h);
        return up;
    }

    static double dot(const Columns &a, const Columns &b) {
        double sum = 0;
        for (const auto &[n, c] : a)
            for (std::size_t k = 0; k < c.values.size(); ++k)
                sum += c.values[k] * b.at(n).values[k];
        return sum;
    }
    static void close(const Columns &wide, const Columns &narrow) {
        for (const auto &[n, c] : wide)
            for (std::size_t k = 0; k < c.values.size(); ++k)
                CHECK(std::fabs(c.values[k] - narrow.at(n).values[k]) <= 2e-5 * (1 + std::fabs(c.values[k])));
    }
};

} // namespace sdfgc::py::test
