// Distributed linear algebra. The PBLAS nodes of a graph call these functions.
//
// Rules: matrices are distributed in blocks over a grid of ranks (scalapack/cyclic.h): the first Px x Py ranks of the program's
// world, or a grid of the program. Ranks outside of it skip the operation. Each operation is collective over the grid: its ranks
// first check that sizes agree and that every rank's arrays are large enough, so an error on one rank becomes an error on all, with
// its text, and no rank waits forever. Sizes beyond 2^31 - 1 are errors. With SDFGC_MPI_EMULATE, loops replace ScaLAPACK.
// ScaLAPACK's state for a grid is created once and freed with the program.
//
//   struct state_t { mpi::Program mpi; scalapack::Program scalapack{mpi}; ... };
//   __state->scalapack.gemm("Pgemm `ab`", dims(Px, Py), dims(M, N, K), block(A, ...), block(aSizes, 2, 1), block(B, ...), ...);
#pragma once

#include "sdfgc/rt/mpi.h"
#ifdef SDFGC_MPI_EMULATE
#include "sdfgc/rt/scalapack/emulate.h"
#else
#include "sdfgc/rt/scalapack/blacs.h"
#endif

namespace sdfgc::scalapack {

using mpi::block;
using mpi::Block;
using mpi::dims;
using mpi::Dims;
using mpi::grid;
using mpi::GridNumber;

class Program {
public:
    explicit Program(const mpi::Program &ranks) noexcept : ranks_(ranks) {}
    Program(const Program &) = delete;
    Program &operator=(const Program &) = delete;
    ~Program() {
        if (!mpi::isRunning())
            return;
        for (auto &[key, g] : grids_) {
            g.engine.free();
            g.own.free();
        }
    }

    /// C = A B with m x k and k x n elements, in blocks of `sa` and `sb`; C is in blocks of sa[0] x sb[1].
    template <class On, class A, class SA, class B, class SB, class C>
    void gemm(const char *element, const On &on, const Dims &mnk, const Block<A> &a, const Block<SA> &sa, const Block<B> &b,
              const Block<SB> &sb, const Block<C> &c) {
        Call call(*this, element, on);
        if (!call)
            return;
        const int64_t m = mnk[0], n = mnk[1], k = mnk[2], a0 = entry(sa, 0), a1 = entry(sa, 1), b0 = entry(sb, 0),
                      b1 = entry(sb, 1);
        call.agree({{"m", m, 0}, {"n", n, 0}, {"k", k, 0}, {aSizes, a0, 1}, {aSizes, a1, 1}, {bSizes, b0, 1}, {bSizes, b1, 1}});
        const Part<A> pa = call.part(a, Layout::of(m, k, a0, a1), true, "_a");
        const Part<B> pb = call.part(b, Layout::of(k, n, b0, b1), true, "_b");
        Part<C> pc = call.part(c, Layout::of(m, n, a0, b1), false, "_c");
        call.start();
        if (k == 0)
            pc.clear();
        else if (m > 0 && n > 0)
            call.engine().multiply(call, call.ranks(), call.position(), pa, pb, pc);
        pc.unpack();
    }

    /// y = A x, or the transposed A; A has m x n elements. x is in blocks of `sx`; y in blocks of `sy`, or of the number of
    /// elements on rank 0, which may hold all of y.
    template <class On, class A, class SA, class X, class SX, class Y, class... SY>
    void gemv(const char *element, const On &on, bool transposed, const Dims &mn, const Block<A> &a, const Block<SA> &sa,
              const Block<X> &x, const Block<SX> &sx, const Block<Y> &y, const SY &...sy) {
        Call call(*this, element, on);
        if (!call)
            return;
        const int64_t m = mn[0], n = mn[1], a0 = entry(sa, 0), a1 = entry(sa, 1), x0 = entry(sx, 0);
        const int64_t blockY = call.agree({{"m", m, 0}, {"n", n, 0}, {aSizes, a0, 1}, {aSizes, a1, 1}, {bSizes, x0, 1}},
                                          std::max<int64_t>({sizeof...(sy) ? 0 : y.count(), entry(sy, 0)..., 1}));
        const Part<A> pa = call.part(a, Layout::of(m, n, a0, a1), true, "_a");
        const Part<X> px = call.part(x, Layout::vector(transposed ? m : n, x0), true, "_b");
        Part<Y> py = call.part(y, Layout::vector(transposed ? n : m, blockY), false, "_c");
        call.start();
        if (px.layout.cols == 0)
            py.clear();
        else if (py.layout.cols > 0)
            call.engine().multiplyVector(call, call.ranks(), call.position(), transposed, pa, px, py);
        py.unpack();
    }

    /// From the whole matrix on rank 0 to blocks of `sizes`. `whole` and `mine`, if not null, receive ScaLAPACK's descriptors of
    /// both.
    template <class On, class A, class S, class B>
    void scatter(const char *element, const On &on, const Block<A> &in, const Block<S> &sizes, const Block<B> &out, int *whole,
                 int *mine) {
        Call call(*this, element, on);
        if (!call) { // BLACS's descriptor of an absent matrix
            for (int *numbers : {whole, mine})
                if (numbers)
                    numbers[0] = 1, numbers[1] = -1;
            return;
        }
        const Layout blocks = call.agreed(in, sizes);
        const Part<A> from = call.part(in, Layout::whole(blocks.rows, blocks.cols), true, "_inbuffer");
        Part<B> to = call.part(out, blocks, false, "_outbuffer");
        call.start();
        if (whole)
            call.engine().describe(call, from.layout, from.stride, whole);
        if (mine)
            call.engine().describe(call, to.layout, to.stride, mine);
        call.engine().move(call, call.ranks(), call.position(), from, to);
        to.unpack();
    }
    /// The reverse.
    template <class On, class A, class S, class B>
    void gather(const char *element, const On &on, const Block<A> &in, const Block<S> &sizes, const Block<B> &out) {
        Call call(*this, element, on);
        if (!call)
            return;
        const Layout blocks = call.agreed(out, sizes);
        const Part<A> from = call.part(in, blocks, true, "_inbuffer");
        Part<B> to = call.part(out, Layout::whole(blocks.rows, blocks.cols), false, "_outbuffer");
        call.start();
        call.engine().move(call, call.ranks(), call.position(), from, to);
        to.unpack();
    }

private:
    static constexpr const char *aSizes = "_a_block_sizes", *bSizes = "_b_block_sizes", *sizesName = "_block_sizes";

    struct Grid {
        mpi::ProcessGrid own; // not of a grid of the program
        Engine engine;
    };
    /// A number that must agree on all ranks, and its least value.
    struct Size {
        const char *name;
        int64_t value, least;
    };

    /// One operation on this rank.
    class Call : public mpi::Caller {
    public:
        Call(Program &p, const char *element, const Dims &shape) : Caller(p.ranks_.caller(element)) {
            Grid &g = p.grids_[{-1, shape[0], shape[1]}];
            const bool isNew = g.own.shape.empty();
            if (isNew)
                g.own = mpi::cartesian(*this, p.ranks_.communicator(), shape);
            enter(g, g.own, isNew);
        }
        Call(Program &p, const char *element, GridNumber number) : Caller(p.ranks_.caller(element)) {
            const mpi::ProcessGrid &of = p.ranks_.grid_of(number.number);
            if (of.shape.size() != 2)
                mpi::fail(*this, "a grid of " + mpi::text(of.shape) + " ranks, and it needs one of two dimensions");
            const auto [at, isNew] = p.grids_.try_emplace({number.number, of.shape[0], of.shape[1]});
            enter(at->second, of, isNew);
        }

        /// Does this rank take part?
        explicit operator bool() const { return ranks_.isMember(); }
        Engine &engine() const { return *engine_; }
        const mpi::Communicator &ranks() const { return ranks_; }
        const Position &position() const { return position_; }

        /// Fails on all ranks unless all have the same numbers. Returns those of rank 0.
        int64_t agree(const std::vector<Size> &sizes, int64_t ofFirst = 0) {
            std::vector<int64_t> sent, most(2 * sizes.size() + 1);
            for (const Size &s : sizes)
                sent.insert(sent.end(), {s.value, -s.value});
            sent.push_back(ranks_.rank == 0 ? ofFirst : 0);
            largest(sent, most);
            for (std::size_t i = 0; i < sizes.size(); ++i) {
                const std::string name = "`" + std::string(sizes[i].name) + "`", value = std::to_string(most[2 * i]);
                if (most[2 * i] != -most[2 * i + 1])
                    mpi::fail(*this, name + " is " + value + " on one rank of the grid and " + std::to_string(-most[2 * i + 1]) +
                                         " on another");
                if (most[2 * i] < sizes[i].least || most[2 * i] > INT_MAX)
                    mpi::fail(*this, name + " is " + value + ": ScaLAPACK takes numbers from " + std::to_string(sizes[i].least) +
                                         " to " + std::to_string(INT_MAX));
            }
            return most.back();
        }
        /// The layout of the blocks of `whole`, which has one or two dimensions.
        template <class T, class S> Layout agreed(const Block<T> &whole, const Block<S> &sizes) {
            const bool isVector = whole.rank < 2;
            const int64_t rows = isVector ? 1 : whole.extents[0], cols = isVector ? whole.count() : whole.extents[1];
            const int64_t first = entry(sizes, 0), second = isVector ? 1 : entry(sizes, 1);
            agree({{"rows", rows, 0}, {"columns", cols, 0}, {sizesName, first, 1}, {sizesName, second, 1}});
            return isVector ? Layout::vector(cols, first) : Layout::of(rows, cols, first, second);
        }
        template <class T> Part<T> part(const Block<T> &buffer, const Layout &l, bool filled, const char *name) {
            return Part<T>(buffer, l, position_, filled, name, wrong_);
        }
        /// Fails on all ranks if one of them has found an error.
        void start() const {
            std::vector<int64_t> failed(1);
            largest({wrong_.empty() ? 0 : ranks_.size - ranks_.rank}, failed);
            if (!wrong_.empty())
                mpi::fail(*this, wrong_);
            if (failed[0])
                mpi::fail(*this, "rank " + std::to_string(ranks_.size - failed[0]) + " of the grid cannot take part");
        }

    private:
        void enter(Grid &g, const mpi::ProcessGrid &of, bool isNew) {
            if (!of.takesPart)
                return;
            ranks_ = of.communicator;
            engine_ = &g.engine;
            position_ = {of.shape[0], of.shape[1], of.coordinates[0], of.coordinates[1]};
            if (isNew)
                g.engine.open(*this, ranks_, position_);
        }
        void largest(const std::vector<int64_t> &sent, std::vector<int64_t> &most) const {
            mpi::check(*this,
                       MPI_Allreduce(sent.data(), most.data(), static_cast<int>(sent.size()), MPI_INT64_T, MPI_MAX, ranks_.handle),
                       "MPI_Allreduce");
        }
        mpi::Communicator ranks_;
        Engine *engine_ = nullptr;
        Position position_;
        std::string wrong_; // the error on this rank
    };

    /// The n-th size; 1 if there are fewer.
    template <class T> static int64_t entry(const Block<T> &sizes, int64_t n) {
        const int64_t count = sizes.rank == 0 ? 1 : sizes.extents[0];
        return n < count ? static_cast<int64_t>(sizes.data[n * (sizes.rank == 0 ? 0 : sizes.strides[0])]) : 1;
    }

    const mpi::Program &ranks_;
    std::map<Dims, Grid> grids_; // by the number of a grid of the program, or -1, and the shape
};

} // namespace sdfgc::scalapack
