// The parts of ScaLAPACK, PBLAS and BLACS that programs use.
//
// Rules: the functions are declared here, with integers of 32 bits, since packages have no header; the installed library is the one
// for the installed MPI. ScaLAPACK is column-major: a row-major matrix is its transpose, on the transposed grid. The ranks of a
// grid are numbered by rows, which are the columns of the transposed grid. BLACS ignores MPI's return codes, so its communicators
// abort the job if MPI fails; errors are therefore checked beforehand.
#pragma once

#include "sdfgc/rt/complex.h"
#include "sdfgc/rt/scalapack/cyclic.h"

namespace sdfgc::scalapack {
namespace detail {

extern "C" {
int Csys2blacs_handle(MPI_Comm);
void Cfree_blacs_system_handle(int);
void Cblacs_gridinit(int *context, const char *order, int rows, int columns);
void Cblacs_gridexit(int context);
void descinit_(int *, const int *, const int *, const int *, const int *, const int *, const int *, const int *, const int *,
               int *);
}

/// The routines of one type under common names.
#define SDFGC_PBLAS_ROUTINES(T, x)                                                                                                 \
    extern "C" {                                                                                                                   \
    void p##x##gemm_(const char *, const char *, const int *, const int *, const int *, const T *, const T *, const int *,         \
                     const int *, const int *, const T *, const int *, const int *, const int *, const T *, T *, const int *,      \
                     const int *, const int *);                                                                                    \
    void p##x##gemv_(const char *, const int *, const int *, const T *, const T *, const int *, const int *, const int *,          \
                     const T *, const int *, const int *, const int *, const int *, const T *, T *, const int *, const int *,      \
                     const int *, const int *);                                                                                    \
    void p##x##gemr2d_(const int *, const int *, const T *, const int *, const int *, const int *, T *, const int *, const int *,  \
                       const int *, const int *);                                                                                  \
    }                                                                                                                              \
    template <> struct Routines<T> {                                                                                               \
        static constexpr auto gemm = p##x##gemm_;                                                                                  \
        static constexpr auto gemv = p##x##gemv_;                                                                                  \
        static constexpr auto gemr2d = p##x##gemr2d_;                                                                              \
    };
template <class T> struct Routines;
SDFGC_PBLAS_ROUTINES(float, s)
SDFGC_PBLAS_ROUTINES(double, d)
SDFGC_PBLAS_ROUTINES(rt::complex64, c)
SDFGC_PBLAS_ROUTINES(rt::complex128, z)
#undef SDFGC_PBLAS_ROUTINES

constexpr int one = 1;

} // namespace detail

/// ScaLAPACK's state for a grid, and its routines on it.
class Engine {
public:
    /// Must be called by all ranks of the communicator, which are those of the grid.
    void open(const mpi::Caller &c, const mpi::Communicator &ranks, const Position &p) {
        mpi::check(c, MPI_Comm_set_errhandler(ranks.handle, MPI_ERRORS_ARE_FATAL), "MPI_Comm_set_errhandler");
        system_ = context_ = detail::Csys2blacs_handle(ranks.handle);
        detail::Cblacs_gridinit(&context_, "Col", static_cast<int>(p.py), static_cast<int>(p.px));
        mpi::check(c, MPI_Comm_set_errhandler(ranks.handle, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
        if (context_ < 0)
            mpi::fail(c, "BLACS made no grid of " + mpi::text({p.px, p.py}) + " ranks");
    }
    /// MPI must still be running.
    void free() noexcept {
        if (context_ >= 0)
            detail::Cblacs_gridexit(context_);
        if (system_ >= 0)
            detail::Cfree_blacs_system_handle(system_);
        context_ = system_ = -1;
    }

    /// ScaLAPACK's descriptor of a matrix, which it sees transposed.
    void describe(const mpi::Caller &c, const Layout &l, int64_t stride, int *numbers) const {
        const int rows = int(l.cols), cols = int(l.rows), rowBlock = int(l.colBlock), colBlock = int(l.rowBlock), zero = 0;
        const int leading = int(stride);
        int info = 0;
        detail::descinit_(numbers, &rows, &cols, &rowBlock, &colBlock, &zero, &zero, &context_, &leading, &info);
        if (info != 0)
            mpi::fail(c, "descinit does not take its argument " + std::to_string(-info));
    }

    /// c = a b.
    template <class A, class B, class T>
    void multiply(const mpi::Caller &c, const mpi::Communicator &, const Position &, const Part<A> &a, const Part<B> &b,
                  Part<T> &out) {
        const Numbers da(*this, c, a), db(*this, c, b), dc(*this, c, out);
        const int m = int(out.layout.rows), n = int(out.layout.cols), k = int(a.layout.cols);
        const T alpha = 1, beta = 0;
        using detail::one;
        detail::Routines<T>::gemm("N", "N", &n, &m, &k, &alpha, b.data, &one, &one, db, a.data, &one, &one, da, &beta, out.data,
                                  &one, &one, dc);
    }
    /// y = a x, or the transposed a.
    template <class A, class X, class T>
    void multiplyVector(const mpi::Caller &c, const mpi::Communicator &, const Position &, bool transposed, const Part<A> &a,
                        const Part<X> &x, Part<T> &y) {
        const Numbers da(*this, c, a), dx(*this, c, x), dy(*this, c, y);
        const int rows = int(a.layout.cols), cols = int(a.layout.rows);
        const T alpha = 1, beta = 0;
        using detail::one;
        detail::Routines<T>::gemv(transposed ? "N" : "T", &rows, &cols, &alpha, a.data, &one, &one, da, x.data, &one, &one, dx,
                                  &one, &beta, y.data, &one, &one, dy, &one);
    }
    /// The same matrix in another layout.
    template <class A, class T>
    void move(const mpi::Caller &c, const mpi::Communicator &, const Position &, const Part<A> &from, Part<T> &to) {
        const Numbers df(*this, c, from), dt(*this, c, to);
        const int rows = int(from.layout.cols), cols = int(from.layout.rows);
        using detail::one;
        detail::Routines<T>::gemr2d(&rows, &cols, from.data, &one, &one, df, to.data, &one, &one, dt, &context_);
    }

private:
    struct Numbers {
        int numbers[9];
        template <class T> Numbers(const Engine &e, const mpi::Caller &c, const Part<T> &p) {
            e.describe(c, p.layout, p.stride, numbers);
        }
        operator const int *() const { return numbers; }
    };
    int system_ = -1, context_ = -1;
};

} // namespace sdfgc::scalapack
