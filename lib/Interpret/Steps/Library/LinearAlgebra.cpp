// Factorisations and operations based on them (format reference 7.4), by textbook algorithms.
//
//   Getrf   P A = L U by partial pivoting: L below the diagonal, which is one, U above; row k was exchanged with row _ipiv[k] - 1
//   Getrs   the solution of A X = B from these         Getri   the inverse from these
//   Potrf   A = L L^H, or U^H U if the node is not `lower`; the other triangle is left alone
//   Solve   Getrf, then Getrs                          Inv     Getrf, then Getri
//   Cholesky                                           Potrf, the other triangle zero
//   Trsm    op(A) X = B, or X op(A) = B, by one triangle of A
//
// Matrices of Getrf, Getrs and Getri may have a first dimension along a batch.
//
// `_res` is LAPACK's info: 0, or the one-based index of the first pivot that is zero (or not positive). Nodes of lapack that
// request cuSolverDn use column-major matrices. Low-precision numbers are computed as float.
#include "Matrix.h"
#include "Nodes.h"

#include <cmath>

namespace sdfgc::interpret {

namespace {

template <class T> struct Matrix {
    int64_t rows = 0, columns = 0;
    std::vector<T> values;
    Matrix(int64_t rows, int64_t columns) : rows(rows), columns(columns), values(static_cast<std::size_t>(rows * columns)) {}
    T &operator()(int64_t i, int64_t j) { return values[static_cast<std::size_t>(i * columns + j)]; }
};
using Pivots = std::vector<int64_t>; // rows, from zero

template <class T> T conjugated(T x) {
    if constexpr (isComplexType<T>)
        return std::conj(x);
    else
        return x;
}
/// The magnitude by which LAPACK chooses pivots.
template <class T> auto magnitude(T x) { return std::abs(std::real(x)) + std::abs(std::imag(x)); }

/// Replaces the matrix with L and U; returns the exchanged rows and LAPACK's info.
template <class T> int factorLU(Matrix<T> &a, Pivots &pivots) {
    int info = 0;
    for (int64_t k = 0; k < a.rows; ++k) {
        int64_t best = k;
        for (int64_t i = k + 1; i < a.rows; ++i)
            if (magnitude(a(i, k)) > magnitude(a(best, k)))
                best = i;
        pivots.push_back(best);
        for (int64_t j = 0; j < a.columns; ++j)
            std::swap(a(k, j), a(best, j));
        if (a(k, k) == T(0)) {
            info = info ? info : static_cast<int>(k + 1);
            continue;
        }
        for (int64_t i = k + 1; i < a.rows; ++i) {
            a(i, k) /= a(k, k);
            for (int64_t j = k + 1; j < a.columns; ++j)
                a(i, j) -= a(i, k) * a(k, j);
        }
    }
    return info;
}

template <class T> void solveLU(Matrix<T> &lu, const Pivots &pivots, Matrix<T> &b) {
    const int64_t n = lu.rows;
    for (int64_t j = 0; j < b.columns; ++j) {
        for (int64_t k = 0; k < n; ++k)
            std::swap(b(k, j), b(pivots[static_cast<std::size_t>(k)], j));
        for (int64_t i = 0; i < n; ++i)
            for (int64_t k = 0; k < i; ++k)
                b(i, j) -= lu(i, k) * b(k, j);
        for (int64_t i = n; i-- > 0;) {
            for (int64_t k = i + 1; k < n; ++k)
                b(i, j) -= lu(i, k) * b(k, j);
            b(i, j) /= lu(i, i);
        }
    }
}

/// Replaces the right-hand side with the solution.
template <class T> void solveTriangle(Matrix<T> &a, bool lower, bool unit, Matrix<T> &b) {
    for (int64_t j = 0; j < b.columns; ++j)
        for (int64_t q = 0; q < a.rows; ++q) {
            const int64_t i = lower ? q : a.rows - 1 - q;
            for (int64_t k = lower ? 0 : i + 1; k < (lower ? i : a.rows); ++k)
                b(i, j) -= a(i, k) * b(k, j);
            if (!unit)
                b(i, j) /= a(i, i);
        }
}

/// Replaces L and U with the inverse; a singular matrix is left alone.
template <class T> int invertLU(Matrix<T> &lu, const Pivots &pivots) {
    Matrix<T> inverse(lu.rows, lu.rows);
    for (int64_t k = 0; k < lu.rows; ++k) {
        if (lu(k, k) == T(0))
            return static_cast<int>(k + 1);
        inverse(k, k) = T(1);
    }
    solveLU(lu, pivots, inverse);
    lu = inverse;
    return 0;
}

/// Replaces the lower triangle with L.
template <class T> int factorCholesky(Matrix<T> &a) {
    for (int64_t j = 0; j < a.rows; ++j) {
        auto diagonal = std::real(a(j, j));
        for (int64_t k = 0; k < j; ++k)
            diagonal -= std::norm(a(j, k));
        if (!(diagonal > 0))
            return static_cast<int>(j + 1);
        a(j, j) = std::sqrt(diagonal);
        for (int64_t i = j + 1; i < a.rows; ++i) {
            for (int64_t k = 0; k < j; ++k)
                a(i, j) -= a(i, k) * conjugated(a(j, k));
            a(i, j) /= a(j, j);
        }
    }
    return 0;
}

/// A node on matrices; `Node::run<T>` implements it for an element type.
template <class Node> class MatrixStep : public LibraryStep {
protected:
    MatrixStep(NodeReader &r, Elements matrix)
        : a_(keep(std::move(matrix))), info_(outputIfAny(r, "_res")),
          byColumns_(r.node.implementation == "cuSolverDn" && r.node.libraryName() == "lapack") {
        if (!r.refused() && !a_.type.isFloat() && !a_.type.isComplex())
            r.refuse("a library node of class " + r.node.className() + " on matrices of " + a_.type.str());
    }
    void compute(Machine &m) final {
        const std::size_t dims = static_cast<std::size_t>(std::count(a_.alwaysOne.begin(), a_.alwaysOne.end(), false));
        if (!Node::mayBatch || dims != 3)
            return computeOne(m);
        const int64_t batch = a_.shape[a_.dimensions(3).front()];
        for (int64_t k = 0; k < batch; ++k) {
            number_ = k;
            computeOne(m);
        }
        number_.reset();
    }

    Grid grid(const Elements &e) const {
        Grid g(e, number_);
        if (byColumns_ && e.shape.size() > 1)
            g.transpose();
        return g;
    }
    template <class T> Matrix<T> read(Machine &m, Elements &e) const {
        const Grid g = grid(e);
        Matrix<T> out(g.rows, g.columns);
        for (int64_t i = 0; i < g.rows; ++i)
            for (int64_t j = 0; j < g.columns; ++j)
                out(i, j) = e.get<T>(m, g.at(i, j));
        return out;
    }
    template <class T> void write(Machine &m, Elements &e, Matrix<T> &values) const {
        const Grid g = grid(e);
        if (g.rows != values.rows || g.columns != values.columns) {
            mismatch(m, e);
            return;
        }
        for (int64_t i = 0; i < g.rows; ++i)
            for (int64_t j = 0; j < g.columns; ++j)
                e.put(m, g.at(i, j), values(i, j));
    }
    /// The exchanged rows; a row outside of the matrix is reported and not exchanged.
    Pivots readPivots(Machine &m, Elements &e, int64_t rows) const {
        Pivots out;
        for (int64_t k = 0; k < rows; ++k) {
            out.push_back(e.get<int64_t>(m, firstPivot(rows) + k) - 1);
            if (out.back() >= 0 && out.back() < rows)
                continue;
            m.report(FaultKind::Outside, e.site(), "row " + std::to_string(out.back() + 1) + " is not a row of the matrix");
            out.back() = k;
        }
        return out;
    }
    void writeInfo(Machine &m, int info) {
        if (info_)
            info_->put(m, 0, info);
    }

    int64_t firstPivot(int64_t rows) const { return number_.value_or(0) * rows; }

    static constexpr bool mayBatch = false; // a matrix of three dimensions is a batch
    Elements &a_;

private:
    void computeOne(Machine &m) {
        const Grid g(a_, number_);
        if (!g.isMatrix || g.rows != g.columns) {
            mismatch(m, a_);
            return;
        }
        withNumber(arithmeticTypeOf(a_.type).scalar(), [&](auto tag) {
            using T = typename decltype(tag)::type;
            if constexpr (!std::is_integral_v<T>)
                static_cast<Node *>(this)->template run<T>(m);
        });
    }

    Elements *info_;
    const bool byColumns_;
    std::optional<int64_t> number_; // of the matrix in its batch
};

class Getrf final : public MatrixStep<Getrf> {
public:
    static constexpr bool mayBatch = true;
    explicit Getrf(NodeReader &r)
        : MatrixStep(r, r.input("_xin")), out_(keep(r.output("_xout"))), pivots_(keep(r.output("_ipiv"))) {}
    template <class T> void run(Machine &m) {
        Matrix<T> a = read<T>(m, a_);
        Pivots pivots;
        const int info = factorLU(a, pivots);
        write(m, out_, a);
        for (std::size_t k = 0; k < pivots.size(); ++k)
            pivots_.put(m, firstPivot(a.rows) + static_cast<int64_t>(k), pivots[k] + 1);
        writeInfo(m, info);
    }

private:
    Elements &out_, &pivots_;
};

class Getrs final : public MatrixStep<Getrs> {
public:
    static constexpr bool mayBatch = true;
    explicit Getrs(NodeReader &r)
        : MatrixStep(r, r.input("_a")), right_(keep(r.input("_rhs_in"))), pivots_(keep(r.input("_ipiv"))),
          out_(keep(r.output("_rhs_out"))) {}
    template <class T> void run(Machine &m) {
        Matrix<T> a = read<T>(m, a_), b = read<T>(m, right_);
        if (b.rows != a.rows) {
            mismatch(m, right_);
            return;
        }
        solveLU(a, readPivots(m, pivots_, a.rows), b);
        write(m, out_, b);
        writeInfo(m, 0);
    }

private:
    Elements &right_, &pivots_, &out_;
};

class Getri final : public MatrixStep<Getri> {
public:
    static constexpr bool mayBatch = true;
    explicit Getri(NodeReader &r)
        : MatrixStep(r, r.input("_xin")), pivots_(keep(r.input("_ipiv"))), out_(keep(r.output("_xout"))) {}
    template <class T> void run(Machine &m) {
        Matrix<T> a = read<T>(m, a_);
        const int info = invertLU(a, readPivots(m, pivots_, a.rows));
        write(m, out_, a);
        writeInfo(m, info);
    }

private:
    Elements &pivots_, &out_;
};

/// A triangle on the right is handled as one on the left by transposing it and the unknown.
class Trsm final : public MatrixStep<Trsm> {
public:
    explicit Trsm(NodeReader &r)
        : MatrixStep(r, r.input("_a")), right_(keep(r.input("_b"))), out_(keep(r.output("_c"))), lower_(r.boolean("lower", true)),
          transposed_(r.boolean("transA", false)), unit_(r.boolean("unit", false)), left_(r.boolean("left", true)) {}
    template <class T> void run(Machine &m) {
        Matrix<T> a = read<T>(m, a_), given = read<T>(m, right_), b = left_ ? given : turned(given);
        if (b.rows != a.rows || a.rows != a.columns) {
            mismatch(m, right_);
            return;
        }
        if (transposed_ == left_)
            a = turned(a);
        solveTriangle(a, lower_ != (transposed_ == left_), unit_, b);
        Matrix<T> x = left_ ? b : turned(b);
        write(m, out_, x);
    }

private:
    template <class T> static Matrix<T> turned(Matrix<T> &a) {
        Matrix<T> out(a.columns, a.rows);
        for (int64_t i = 0; i < a.rows; ++i)
            for (int64_t j = 0; j < a.columns; ++j)
                out(j, i) = a(i, j);
        return out;
    }
    Elements &right_, &out_;
    const bool lower_, transposed_, unit_, left_;
};

class Solve final : public MatrixStep<Solve> {
public:
    explicit Solve(NodeReader &r) : MatrixStep(r, r.input("_ain")), right_(keep(r.input("_bin"))), out_(keep(r.output("_bout"))) {}
    template <class T> void run(Machine &m) {
        Matrix<T> a = read<T>(m, a_), b = read<T>(m, right_);
        if (b.rows != a.rows) {
            mismatch(m, right_);
            return;
        }
        Pivots pivots;
        factorLU(a, pivots);
        solveLU(a, pivots, b);
        write(m, out_, b);
    }

private:
    Elements &right_, &out_;
};

class Inv final : public MatrixStep<Inv> {
public:
    explicit Inv(NodeReader &r) : MatrixStep(r, r.input("_ain")), out_(keep(r.output(r.hasOutput("_aout") ? "_aout" : "_ain"))) {}
    template <class T> void run(Machine &m) {
        Matrix<T> a = read<T>(m, a_);
        Pivots pivots;
        factorLU(a, pivots);
        invertLU(a, pivots);
        write(m, out_, a);
    }

private:
    Elements &out_;
};

class Cholesky final : public MatrixStep<Cholesky> {
public:
    /// `clears`: the other triangle becomes zero. Otherwise it keeps the input's values.
    Cholesky(NodeReader &r, Name in, Name out, bool clears)
        : MatrixStep(r, r.input(in)), out_(keep(r.output(out))), lower_(r.boolean("lower", true)), clears_(clears) {}

    template <class T> void run(Machine &m) {
        const Grid from = grid(a_), to = grid(out_);
        if (from.rows != to.rows || from.columns != to.columns) {
            mismatch(m, out_);
            return;
        }
        const int64_t n = from.rows;
        Matrix<T> l(n, n); // the upper factor is the conjugate transpose of the lower one
        for (int64_t i = 0; i < n; ++i)
            for (int64_t j = 0; j <= i; ++j)
                l(i, j) = lower_ ? a_.get<T>(m, from.at(i, j)) : conjugated(a_.get<T>(m, from.at(j, i)));
        const int info = factorCholesky(l);
        const bool inPlace = a_.isSameAs(out_);
        for (int64_t i = 0; i < n; ++i)
            for (int64_t j = 0; j < n; ++j) {
                if (lower_ ? j <= i : i <= j)
                    out_.put(m, to.at(i, j), lower_ ? l(i, j) : conjugated(l(j, i)));
                else if (clears_)
                    out_.put(m, to.at(i, j), T(0));
                else if (!inPlace)
                    out_.put(m, to.at(i, j), a_.get<T>(m, from.at(i, j)));
            }
        writeInfo(m, info);
    }

private:
    Elements &out_;
    const bool lower_, clears_;
};

} // namespace

std::unique_ptr<NodeStep> makeGetrf(NodeReader &r) { return std::make_unique<Getrf>(r); }
std::unique_ptr<NodeStep> makeGetrs(NodeReader &r) { return std::make_unique<Getrs>(r); }
std::unique_ptr<NodeStep> makeGetri(NodeReader &r) { return std::make_unique<Getri>(r); }
std::unique_ptr<NodeStep> makePotrf(NodeReader &r) { return std::make_unique<Cholesky>(r, "_xin", "_xout", false); }
std::unique_ptr<NodeStep> makeTrsm(NodeReader &r) { return std::make_unique<Trsm>(r); }
std::unique_ptr<NodeStep> makeSolve(NodeReader &r) { return std::make_unique<Solve>(r); }
std::unique_ptr<NodeStep> makeInv(NodeReader &r) { return std::make_unique<Inv>(r); }
std::unique_ptr<NodeStep> makeCholesky(NodeReader &r) { return std::make_unique<Cholesky>(r, "_a", "_b", true); }

} // namespace sdfgc::interpret
