// Replaces ScaLAPACK for ranks that are threads of one process.
//
// Rules: the emulation of MPI has no ScaLAPACK. Every rank gets the entire matrix and computes its own elements in loops: slow, but
// correct up to the order of sums. Memory use and messages differ from ScaLAPACK's.
#pragma once

#include "sdfgc/rt/complex.h"
#include "sdfgc/rt/scalapack/cyclic.h"

namespace sdfgc::scalapack {

class Engine {
public:
    void open(const mpi::Caller &, const mpi::Communicator &, const Position &) {}
    void free() noexcept {}

    /// Like ScaLAPACK's descriptor, with context 0.
    void describe(const mpi::Caller &, const Layout &l, int64_t stride, int *numbers) const {
        const int64_t all[9] = {1, 0, l.cols, l.rows, l.colBlock, l.rowBlock, 0, 0, stride};
        std::copy(all, all + 9, numbers);
    }

    /// c = a b.
    template <class A, class B, class T>
    void multiply(const mpi::Caller &c, const mpi::Communicator &ranks, const Position &p, const Part<A> &a, const Part<B> &b,
                  Part<T> &out) {
        const std::vector<T> allA = whole(c, ranks, p, a), allB = whole(c, ranks, p, b);
        const int64_t k = a.layout.cols, n = b.layout.cols;
        each(p, out, [&](T &element, int64_t i, int64_t j) {
            element = 0;
            for (int64_t l = 0; l < k; ++l)
                element += allA[std::size_t(i * k + l)] * allB[std::size_t(l * n + j)];
        });
    }
    /// y = a x, or the transposed a.
    template <class A, class X, class T>
    void multiplyVector(const mpi::Caller &c, const mpi::Communicator &ranks, const Position &p, bool transposed, const Part<A> &a,
                        const Part<X> &x, Part<T> &y) {
        const std::vector<T> allA = whole(c, ranks, p, a), allX = whole(c, ranks, p, x);
        const int64_t n = a.layout.cols;
        each(p, y, [&](T &element, int64_t, int64_t i) {
            element = 0;
            for (std::size_t l = 0; l < allX.size(); ++l)
                element += allA[transposed ? l * std::size_t(n) + std::size_t(i) : std::size_t(i * n) + l] * allX[l];
        });
    }
    /// The same matrix in another layout.
    template <class A, class T>
    void move(const mpi::Caller &c, const mpi::Communicator &ranks, const Position &p, const Part<A> &from, Part<T> &to) {
        const std::vector<T> all = whole(c, ranks, p, from);
        each(p, to, [&](T &element, int64_t i, int64_t j) { element = all[std::size_t(i * from.layout.cols + j)]; });
    }

private:
    /// Calls visit(element, row, column) for the elements of a part, by their places in the whole.
    template <class T, class Visit> static void each(const Position &p, Part<T> &part, Visit visit) {
        const Layout &l = part.layout;
        for (int64_t i = 0; i < part.rows; ++i)
            for (int64_t j = 0; j < part.cols; ++j)
                visit(part.at(i, j), globalOf(i, l.rowBlock, p.pi, p.px), globalOf(j, l.colBlock, p.pj, p.py));
    }
    /// All elements of a matrix, in rows.
    template <class A>
    static std::vector<std::remove_const_t<A>> whole(const mpi::Caller &c, const mpi::Communicator &ranks, const Position &mine,
                                                     const Part<A> &part) {
        using T = std::remove_const_t<A>;
        const Layout &l = part.layout;
        std::vector<int> counts, places;
        int count = 0;
        const auto at = [&](int r) { return Position{mine.px, mine.py, r / mine.py, r % mine.py}; };
        for (int r = 0; r < ranks.size; ++r) {
            places.push_back(count);
            counts.push_back(static_cast<int>(l.rowsAt(at(r)) * l.colsAt(at(r))));
            count += counts.back();
        }
        std::vector<T> own, all(static_cast<std::size_t>(count)), out(all.size());
        for (int64_t i = 0; i < part.rows; ++i)
            for (int64_t j = 0; j < part.cols; ++j)
                own.push_back(part.at(i, j));
        const MPI_Datatype type = mpi::detail::basicType<T>();
        mpi::check(c,
                   MPI_Allgatherv(own.data(), static_cast<int>(own.size()), type, all.data(), counts.data(), places.data(), type,
                                  ranks.handle),
                   "MPI_Allgatherv");
        const T *next = all.data();
        for (int r = 0; r < ranks.size; ++r) {
            const Position p = at(r);
            for (int64_t i = 0; i < l.rowsAt(p); ++i)
                for (int64_t j = 0; j < l.colsAt(p); ++j)
                    out[std::size_t(globalOf(i, l.rowBlock, p.pi, p.px) * l.cols + globalOf(j, l.colBlock, p.pj, p.py))] = *next++;
        }
        return out;
    }
};

} // namespace sdfgc::scalapack
