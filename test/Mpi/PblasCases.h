// Products and copies of block-cyclic matrices, compared with loops, for any number of ranks: with the emulation, and with
// ScaLAPACK under mpirun.
#pragma once

#include "sdfgc/rt/scalapack.h"

#include <cmath>
#include <functional>
#include <random>
#include <string>

namespace sdfgc::scalapack::test {

template <class T> T elementOf(int64_t seed, int64_t i, int64_t j) {
    const auto value = [&](int64_t s) { return static_cast<double>((s * 31 + i * 17 + j * 23 + i * j * 5) % 19) / 8 - 1; };
    if constexpr (sizeof(T) == 2 * sizeof(decltype(std::abs(T()))))
        return {static_cast<decltype(std::abs(T()))>(value(seed)), static_cast<decltype(std::abs(T()))>(value(seed + 7))};
    else
        return static_cast<T>(value(seed));
}

/// A rank's part of a matrix with the elements `of(i, j)`, in an array whose gaps contain -99.
template <class T> struct Local {
    Layout layout;
    Position at;
    int64_t rows, cols, rowStep, colStep;
    std::vector<T> memory;

    Local(const Layout &l, const Position &p, std::mt19937 &random) : layout(l), at(p) {
        const int64_t more = static_cast<int64_t>(random() % 3);
        rows = l.rowsAt(p);
        cols = l.colsAt(p);
        colStep = random() % 3 == 0 ? 2 : 1;
        rowStep = std::max<int64_t>(cols * colStep, 1) + more;
        memory.assign(static_cast<std::size_t>(std::max<int64_t>(rows * rowStep, 1)), T(-99));
    }
    T &element(int64_t i, int64_t j) { return memory[static_cast<std::size_t>(i * rowStep + j * colStep)]; }
    template <class Visit> void each(Visit visit) {
        for (int64_t i = 0; i < rows; ++i)
            for (int64_t j = 0; j < cols; ++j)
                visit(element(i, j), globalOf(i, layout.rowBlock, at.pi, at.px), globalOf(j, layout.colBlock, at.pj, at.py));
    }
    void fill(const std::function<T(int64_t, int64_t)> &of) {
        each([&](T &e, int64_t i, int64_t j) { e = of(i, j); });
    }
    /// The number of elements that differ from the expected ones, plus the number of overwritten gaps.
    int64_t wrong(const std::function<T(int64_t, int64_t)> &of, double tolerance) {
        int64_t bad = 0, own = 0, gaps = 0;
        each([&](T &e, int64_t i, int64_t j) {
            bad += !(std::abs(e - of(i, j)) <= tolerance);
            own += e == T(-99);
        });
        for (const T &e : memory)
            gaps += e == T(-99);
        return bad + std::abs(gaps - own - (static_cast<int64_t>(memory.size()) - rows * cols));
    }
    Block<T> matrix() { return block(memory.data(), rows, rowStep, cols, colStep); }
    Block<T> vector() { return block(memory.data(), cols, colStep); }
};

/// The errors on this rank in `trials` runs of each operation on a px x py grid of a job; empty if there are none.
template <class T> std::string tryOperations(const mpi::Program &ranks, int64_t px, int64_t py, int trials) {
    std::mt19937 shared(static_cast<unsigned>(px * 100 + py)), mine(static_cast<unsigned>(ranks.rank()));
    const bool isIn = ranks.rank() < px * py;
    const Position at{px, py, ranks.rank() / py, ranks.rank() % py}, nowhere{px, py, px, py};
    const double tolerance = sizeof(decltype(std::abs(T()))) == 4 ? 1e-3 : 1e-10;
    std::string out;
    Program program(ranks);
    const auto size = [&](int64_t most) { return 1 + static_cast<int64_t>(shared() % static_cast<unsigned>(most)); };
    const auto say = [&](const char *what, int64_t bad, const Dims &sizes) {
        if (isIn && bad)
            out += std::string(what) + " of " + mpi::text(sizes) + " on " + mpi::text({px, py}) + ": " + std::to_string(bad) +
                   " wrong\n";
    };
    const auto of = [](int64_t seed) { return [seed](int64_t i, int64_t j) { return elementOf<T>(seed, i, j); }; };
    for (int trial = 0; trial < trials; ++trial) {
        const auto maybeNone = [&] { return trial % 2 == 1 && size(3) == 1 ? int64_t(0) : size(13); };
        const int64_t m = maybeNone(), n = maybeNone(), k = maybeNone();
        const int sa[2] = {int(size(6)), int(size(6))}, sb[2] = {int(size(6)), int(size(20))}, sy = int(size(16));
        const Dims sizes{m, n, k, sa[0], sa[1], sb[0], sb[1], sy};
        const Position here = isIn ? at : nowhere;
        Local<T> a(Layout::of(m, k, sa[0], sa[1]), here, mine), b(Layout::of(k, n, sb[0], sb[1]), here, mine),
            c(Layout::of(m, n, sa[0], sb[1]), here, mine);
        a.fill(of(1));
        b.fill(of(2));
        program.gemm("Pgemm", dims(px, py), dims(m, n, k), a.matrix(), block(sa, 2, 1), b.matrix(), block(sb, 2, 1), c.matrix());
        say("gemm",
            c.wrong(
                [&](int64_t i, int64_t j) {
                    T sum = 0;
                    for (int64_t l = 0; l < k; ++l)
                        sum += elementOf<T>(1, i, l) * elementOf<T>(2, l, j);
                    return sum;
                },
                tolerance),
            sizes);
        for (const bool transposed : {false, true}) {
            const int64_t in = transposed ? m : k, results = transposed ? k : m;
            const bool isWhole = trial % 3 == 0;
            const int64_t xBlock = isWhole ? std::max<int64_t>(in, 1) : sb[0], yBlock = isWhole ? results : sy;
            const int sx[2] = {int(xBlock), 1};
            Local<T> x(Layout::vector(in, xBlock), here, mine), y(Layout::vector(results, yBlock), here, mine);
            x.fill(of(3));
            if (isWhole)
                program.gemv("Pgemv", dims(px, py), transposed, dims(m, k), a.matrix(), block(sa, 2, 1), x.vector(),
                             block(sx, 2, 1), y.vector());
            else
                program.gemv("Pgemv", dims(px, py), transposed, dims(m, k), a.matrix(), block(sa, 2, 1), x.vector(),
                             block(sx, 2, 1), y.vector(), block(&sy));
            say(transposed ? "gemv, transposed," : "gemv",
                y.wrong(
                    [&](int64_t, int64_t i) {
                        T sum = 0;
                        for (int64_t l = 0; l < in; ++l)
                            sum += (transposed ? elementOf<T>(1, l, i) : elementOf<T>(1, i, l)) * elementOf<T>(3, 0, l);
                        return sum;
                    },
                    tolerance),
                sizes);
        }
        Local<T> all(Layout::whole(m, k), here, mine), back(Layout::whole(m, k), here, mine),
            parts(Layout::of(m, k, sa[0], sa[1]), here, mine);
        all.fill(of(4));
        int numbers[9] = {}, own[9] = {};
        const auto whole = [&](Local<T> &l) { return block(l.memory.data(), m, l.rowStep, k, l.colStep); };
        program.scatter("BlockCyclicScatter", dims(px, py), whole(all), block(sa, 2, 1), parts.matrix(), numbers, own);
        say("scatter", parts.wrong(of(4), 0) + (numbers[2] != k) + (own[4] != parts.layout.colBlock), sizes);
        program.gather("BlockCyclicGather", dims(px, py), parts.matrix(), block(sa, 2, 1), whole(back));
        say("gather", back.wrong(of(4), 0), sizes);
        Local<T> line(Layout::vector(n, n), here, mine), piece(Layout::vector(n, sy), here, mine), again(line.layout, here, mine);
        line.fill(of(5));
        program.scatter("BlockCyclicScatter", dims(px, py), block(line.memory.data(), n, line.colStep), block(&sy), piece.vector(),
                        nullptr, nullptr);
        say("scatter of a vector", piece.wrong(of(5), 0), sizes);
        program.gather("BlockCyclicGather", dims(px, py), piece.vector(), block(&sy), block(again.memory.data(), n, again.colStep));
        say("gather of a vector", again.wrong(of(5), 0), sizes);
    }
    return out;
}

/// All types on all grids that fit into a job, including ranks outside of the grid.
inline std::string tryAll(const mpi::Program &ranks, int trials) {
    std::string out;
    for (int64_t px = 1; px <= ranks.size(); ++px)
        for (int64_t py = 1; px * py <= ranks.size(); ++py)
            out += tryOperations<float>(ranks, px, py, trials) + tryOperations<double>(ranks, px, py, trials) +
                   tryOperations<rt::complex64>(ranks, px, py, trials) + tryOperations<rt::complex128>(ranks, px, py, trials);
    return out;
}

} // namespace sdfgc::scalapack::test
