// Dense linear algebra on single matrices: the building blocks of the LAPACK and linalg nodes.
//
// Every operation works in place on a matrix with contiguous rows (contiguous columns for LAPACK on the device, which is
// column-major). Operands with another layout are copied to a temporary and back. Each operation is one state with one C++ tasklet:
// a call of LAPACKE or CBLAS, or of the device's library (runtime-headers/sdfgc/rt/gpu_solver.h, gpu_blas.h). Without a library
// that supports the type, the tasklet consists of loops.
#pragma once

#include "Expansion.h"

namespace sdfgc::libnodes {

/// A container seen as a matrix (a vector is a matrix of one column), or as a batch of them.
struct Matrix {
    Name data;
    Type type;
    sym::Expr rows = 1, columns = 1, rowStride = 1, columnStride = 1;
    std::vector<std::size_t> dims;       // which dimensions of the container rows and columns are
    std::size_t rank = 2;                // of the container
    std::optional<std::size_t> batchDim; // the dimension along the batch, if it is one
    sym::Expr batch = 1, batchStride = 0;
    /// The element of a matrix, with the number of the matrix in its batch.
    std::vector<sym::Expr> at(sym::Expr row, sym::Expr column, sym::Expr number) const;
    bool contiguousRows() const { return columnStride.isOne(); }
    bool contiguousColumns() const { return rowStride.isOne(); }
};

/// Which triangle of a matrix is meant, and how it is used.
struct Triangle {
    bool lower = true, transposed = false;
    bool unit = false; // ones on the diagonal, which is not read
    bool left = true;  // it is left of the unknown
};

class Dense {
public:
    /// The library whose operations are requested.
    enum class Library { Lapack, Blas };
    /// `type`: of the matrices.
    Dense(Expansion &x, Type type, Library library = Library::Lapack);
    bool supported() const { return type_.isFloat() || type_.isComplex(); }
    /// Which implementation was taken, and why.
    void remark();

    /// Does a matrix have the layout that the operations need?
    bool isReady(const Matrix &m) const {
        return m.type == type_ && !m.dims.empty() && (isByColumns() ? m.contiguousColumns() : m.contiguousRows());
    }

    /// Binds the operand under the name; nothing if more than two of its dimensions are longer than one. `batched`: there is one more
    /// dimension, the first.
    std::optional<Matrix> bind(Name name, const Operand &o, bool batched = false);
    /// A packed temporary, of a batch if `like` is one.
    Matrix temporary(std::string_view name, const Matrix &like);
    /// A matrix to work on with the content of `in`: `out` itself if its layout fits, else a temporary. `same`: both are the same
    /// memory. `direct`: is `out` simply overwritten? `symmetric`: contiguous rows are as good as contiguous columns.
    Matrix start(const Matrix &in, const Matrix &out, bool same, bool direct, bool symmetric = false);
    /// Copies the result back to `out`.
    void end(const Matrix &work, const Matrix &out, const std::string &wcr);
    void copy(const Matrix &from, const Matrix &to, const std::string &wcr = "");
    void setIdentity(const Matrix &m);
    /// Sets the triangle above (`lower`) or below the diagonal to zero.
    void clearTriangle(const Matrix &m, bool lower);

    // `info` gets LAPACK's result; an empty name means that it is not requested. `factor`, `solve` and `invert` also work on batches,
    // without info: the pivots of each matrix follow those of the one before.
    void factor(const Matrix &m, Name pivots, Name info = {});                      // getrf
    void solve(const Matrix &lu, Name pivots, const Matrix &right, Name info = {}); // getrs
    void invert(const Matrix &lu, Name pivots, Name info = {});                     // getri
    void factorPositive(const Matrix &m, bool lower, Name info = {});               // potrf
    void solveTriangle(const Matrix &a, const Triangle &t, const Matrix &right);    // trsm, of BLAS

    Name pivots(sym::Expr n) { return integers("_pivots", {n}); }
    /// A temporary of integers in the memory that the operations use.
    Name integers(std::string_view name, std::vector<sym::Expr> shape) {
        return x_.temporary(name, ScalarKind::Int32, std::move(shape), storage());
    }

private:
    enum class By { Loops, Host, Device };
    bool onDevice() const { return by_ == By::Device; }
    bool isByColumns() const { return onDevice() && library_ == Library::Lapack; }
    ir::Storage storage() const { return x_.where() == Where::Device ? ir::Storage::GPU_Global : ir::Storage::Default; }
    std::string pointer(Name container, const char *direction) const;
    std::string ofBatch(const std::string &pointer, const Matrix &m, sym::Expr stride);
    std::string inBatch(const Matrix &m, std::string code);
    std::string order(const Matrix &m) { return x_.word("n", m.rows); }
    std::string leading(const Matrix &m);
    std::string magnitude(const std::string &v) const;
    void call(const char *label, std::vector<Name> inputs, std::vector<Name> outputs, Name info, const std::string &routine,
              std::vector<std::string> arguments, const Matrix &batch = {});
    void loops(const char *label, std::vector<Name> inputs, std::vector<Name> outputs, Name info, const std::string &code);
    Expansion &x_;
    Type type_;
    Library library_;
    bool byColumns_; // nodes of the library lapack that ask for cuSolverDn: matrices are stored by columns (DaCe hands cuSOLVER
                     // rows as columns)
    By by_ = By::Loops;
    char letter_ = 0; // of the routines
    std::string why_; // loops
};

} // namespace sdfgc::libnodes
