// Factorisations and solvers: the nodes of lapack and linalg (format reference 7.4), and Trsm of blas.
//
//   Getrf    LU with partial pivoting, pivots from one     Inv        copy, factor, invert
//   Getrs    solution from LU                              Solve      copy, factor, solve
//   Getri    inverse from LU                               Cholesky   copy, factor, clear the other triangle
//   Potrf    Cholesky factor of one triangle               Trsm       copy, solve with one triangle
//
// Getrf, Getrs and Getri also take a batch: if the matrices have three dimensions, the first one is that of the batch, in all operands.
//
// The nodes work on copies, or in place where input and output are the same memory. `_res` is LAPACK's info: zero, or the first
// pivot that is zero (not positive). DaCe ignores the info of nodes without `_res`, so it is not computed for them.
#include "Dense.h"
#include "Expanders.h"

namespace sdfgc::libnodes {

using namespace ir;

namespace {

/// The node's operands as matrices.
class Routine {
public:
    /// `mayBatch`: a matrix of three dimensions is a batch.
    Routine(State &s, LibraryNode &n, pass::Context &c, Name matrix, Dense::Library library = Dense::Library::Lapack,
            bool mayBatch = false)
        : x_(s, n, c), dense_(x_, x_.input(matrix).type, library), batched_(mayBatch && x_.input(matrix).rank() == 3) {}

    Expansion &x() { return x_; }
    Dense &dense() { return dense_; }
    bool refused() const { return refused_; }

    Matrix input(Name connector) { return matrix(connector, x_.input(connector)); }
    Matrix output(Name connector) { return matrix(connector, x_.output(connector)); }
    /// A matrix to work on, from an input that becomes an output.
    Matrix start(Name in, Name out, bool symmetric = false) {
        Matrix from = input(in), to = output(out);
        return refused_ ? Matrix()
                        : dense_.start(from, to, sameMemory(x_.input(in), x_.output(out)), wcrOf(out).empty(), symmetric);
    }
    /// A matrix that is only read: the operand itself, or a packed copy.
    Matrix readable(Name connector) {
        Matrix m = input(connector);
        if (refused_ || dense_.isReady(m))
            return m;
        return copyOf(m);
    }
    Matrix copyOf(const Matrix &m) {
        if (refused_)
            return m;
        Matrix copy = dense_.temporary("_copy", m);
        dense_.copy(m, copy);
        return copy;
    }
    void end(const Matrix &work, Name out) { dense_.end(work, output(out), wcrOf(out)); }
    /// A vector of integers at a connector, or one for each matrix of a batch; pivots lie next to each other. For a node on the device they are in device memory, and
    /// copied to the host at the end if they are needed there.
    Name integers(Name connector, bool isInput) {
        Operand o = isInput ? x_.input(connector) : x_.output(connector);
        const bool isContiguous = batched_ ? o.rank() == 2 && o.strides[1].isOne() && o.strides[0] == o.shape[1]
                                           : o.rank() == 0 || (o.rank() == 1 && o.strides[0].isOne());
        if (!o || !isContiguous || !(o.type == Type(ScalarKind::Int32)))
            return refuse("`" + connector.str() + "` must be contiguous and of type int32"), connector;
        x_.bind(connector, o);
        if (x_.where() != Where::Device || o.desc->storage == Storage::GPU_Global || isInput)
            return connector;
        Name onDevice = dense_.integers(connector.str(), o.rank() == 0 ? std::vector<sym::Expr>{1} : o.shape);
        forHost_.emplace_back(onDevice, connector);
        return onDevice;
    }
    /// The destination of LAPACK's info; empty if it is not requested.
    Name info() {
        if (!x_.node().outEdge("_res"))
            return {};
        return batched_ ? refuse("`_res` is not available for a batch"), Name() : integers("_res", false);
    }
    bool finish() {
        if (refused_)
            return false;
        for (const auto &[from, to] : forHost_)
            x_.copied(x_.addState("result"), from, to);
        dense_.remark();
        x_.finish();
        return true;
    }

private:
    const std::string &wcrOf(Name out) { return x_.node().outEdge(out)->memlet.wcr; }
    Matrix matrix(Name connector, const Operand &o) {
        if (!o) {
            refuse("operand `" + connector.str() + "` is missing");
            return {};
        }
        if (!dense_.supported())
            refuse("matrices of " + o.type.str() + " are not supported");
        auto m = dense_.bind(connector, o, batched_);
        if (!m)
            refuse("operand `" + connector.str() + "` is not a matrix");
        else if (m->batchDim && sym::isEqual(m->batch, batch_.value_or(m->batch)) == sym::Truth::False)
            refuse("its operands have different numbers of matrices of a batch");
        else if (m->batchDim)
            batch_ = m->batch;
        return m.value_or(Matrix());
    }
    void refuse(std::string why) {
        if (!refused_)
            x_.refuse(std::move(why));
        refused_ = true;
    }
    Expansion x_;
    Dense dense_;
    const bool batched_;
    std::optional<sym::Expr> batch_; // how many matrices it has
    bool refused_ = false;
    std::vector<std::pair<Name, Name>> forHost_; // in device memory, in host memory
};

} // namespace

bool expandGetrf(State &s, LibraryNode &n, pass::Context &c) {
    Routine k(s, n, c, "_xin", Dense::Library::Lapack, true);
    Name pivots = k.integers("_ipiv", false), info = k.info();
    Matrix work = k.start("_xin", "_xout");
    if (k.refused())
        return false;
    k.dense().factor(work, pivots, info);
    k.end(work, "_xout");
    return k.finish();
}

bool expandGetrs(State &s, LibraryNode &n, pass::Context &c) {
    Routine k(s, n, c, "_a", Dense::Library::Lapack, true);
    Name pivots = k.integers("_ipiv", true), info = k.info();
    Matrix lu = k.readable("_a"), work = k.start("_rhs_in", "_rhs_out");
    if (k.refused())
        return false;
    k.dense().solve(lu, pivots, work, info);
    k.end(work, "_rhs_out");
    return k.finish();
}

bool expandGetri(State &s, LibraryNode &n, pass::Context &c) {
    Routine k(s, n, c, "_xin", Dense::Library::Lapack, true);
    Name pivots = k.integers("_ipiv", true), info = k.info();
    Matrix work = k.start("_xin", "_xout");
    if (k.refused())
        return false;
    k.dense().invert(work, pivots, info);
    k.end(work, "_xout");
    return k.finish();
}

bool expandPotrf(State &s, LibraryNode &n, pass::Context &c) {
    Routine k(s, n, c, "_xin");
    Name info = k.info();
    Matrix work = k.start("_xin", "_xout", true);
    if (k.refused())
        return false;
    k.dense().factorPositive(work, k.x().boolean("lower", true), info);
    k.end(work, "_xout");
    return k.finish();
}

bool expandCholesky(State &s, LibraryNode &n, pass::Context &c) {
    Routine k(s, n, c, "_a");
    Matrix work = k.start("_a", "_b", true);
    if (k.refused())
        return false;
    bool lower = k.x().boolean("lower", true);
    k.dense().factorPositive(work, lower);
    k.dense().clearTriangle(work, lower);
    k.end(work, "_b");
    return k.finish();
}

bool expandTrsm(State &s, LibraryNode &n, pass::Context &c) {
    Routine k(s, n, c, "_a", Dense::Library::Blas);
    const Matrix a = k.readable("_a"), work = k.start("_b", "_c");
    if (k.refused())
        return false;
    const Triangle t{k.x().boolean("lower", true), k.x().boolean("transA", false), k.x().boolean("unit", false),
                     k.x().boolean("left", true)};
    if (sym::isEqual(a.rows, a.columns) == sym::Truth::False ||
        sym::isEqual(a.rows, t.left ? work.rows : work.columns) == sym::Truth::False)
        return k.x().refuse("the shapes of its operands do not match");
    k.dense().solveTriangle(a, t, work);
    k.end(work, "_c");
    return k.finish();
}

bool expandSolve(State &s, LibraryNode &n, pass::Context &c) {
    Routine k(s, n, c, "_ain");
    Matrix a = k.copyOf(k.input("_ain")), work = k.start("_bin", "_bout");
    if (k.refused())
        return false;
    Name pivots = k.dense().pivots(a.rows);
    k.dense().factor(a, pivots);
    k.dense().solve(a, pivots, work);
    k.end(work, "_bout");
    return k.finish();
}

bool expandInv(State &s, LibraryNode &n, pass::Context &c) {
    Routine k(s, n, c, "_ain");
    Name out = n.outEdge("_aout") ? "_aout" : "_ain";
    Matrix work = k.start("_ain", out);
    if (k.refused())
        return false;
    Name pivots = k.dense().pivots(work.rows);
    k.dense().factor(work, pivots);
    k.dense().invert(work, pivots);
    k.end(work, out);
    return k.finish();
}

} // namespace sdfgc::libnodes
