// Distributed products and copies with the emulation: its own loops, and the arguments on which all ranks must agree.
#include "Job.h"
#include "PblasCases.h"

#include <catch2/catch.hpp>

using namespace sdfgc;
using scalapack::block;
using scalapack::dims;

TEST_CASE("matrices in blocks of any size on grids of any shape: products and copies equal loops") {
    for (const int ranks : {1, 2, 3, 4, 6}) {
        std::vector<std::string> wrong(static_cast<std::size_t>(ranks));
        const mpi::test::Result r = mpi::test::job(
            ranks, 5, [&](mpi::Program &p) { wrong[static_cast<std::size_t>(p.rank())] = scalapack::test::tryAll(p, 3); });
        INFO(ranks << " ranks: " << r.report << r.errors[0]);
        CHECK(r.isFine());
        for (const std::string &w : wrong)
            CHECK(w == "");
    }
}

TEST_CASE("every element of a matrix in blocks is at one place") {
    for (int64_t n = 0; n < 15; ++n)
        for (int64_t size = 1; size < 6; ++size)
            for (int64_t ranks = 1; ranks < 5; ++ranks) {
                std::vector<int> covered(static_cast<std::size_t>(n), 0);
                for (int64_t r = 0; r < ranks; ++r)
                    for (int64_t i = 0; i < scalapack::held(n, size, r, ranks); ++i) {
                        const int64_t at = scalapack::globalOf(i, size, r, ranks);
                        ++covered[static_cast<std::size_t>(at)];
                        CHECK(at / size % ranks == r);
                    }
                CHECK(covered == std::vector<int>(static_cast<std::size_t>(n), 1));
            }
}

namespace {

/// The error on each rank of a product of 4 x 4 matrices in blocks of `size` on a grid, where each rank has `rows` rows.
std::vector<std::string> errorsOf(int ranks, const mpi::Dims &shape, const std::function<int(int64_t)> &size,
                                  const std::function<int64_t(int64_t)> &rows) {
    const mpi::test::Result r = mpi::test::job(ranks, 0, [&](mpi::Program &p) {
        scalapack::Program program(p);
        std::vector<double> a(16, 1), b(16, 1), c(16);
        const int sizes[2] = {size(p.rank()), 2};
        program.gemm("Pgemm `ab`", shape, dims(4, 4, 4), block(a.data(), rows(p.rank()), 4, 4, 1), block(sizes, 2, 1),
                     block(b.data(), 4, 4, 4, 1), block(sizes, 2, 1), block(c.data(), 4, 4, 4, 1));
    });
    return r.errors;
}

} // namespace

TEST_CASE("what is wrong on one rank is an error of all of the grid") {
    const auto two = [](int64_t) { return 2; };
    const auto four = [](int64_t) -> int64_t { return 4; };
    for (const std::string &e : errorsOf(3, dims(2, 2), two, four))
        CHECK(e.find("Pgemm `ab`: a grid of 2 x 2 ranks, and there are 3: start more of them") != std::string::npos);
    for (const std::string &e : errorsOf(
             2, dims(2, 1), [](int64_t r) { return r == 0 ? 2 : 3; }, four))
        CHECK(e.find("`_a_block_sizes` is 3 on one rank of the grid and 2 on another") != std::string::npos);
    for (const std::string &e : errorsOf(
             2, dims(1, 2), [](int64_t) { return 0; }, four))
        CHECK(e.find("`_a_block_sizes` is 0: ScaLAPACK takes numbers from 1 to 2147483647") != std::string::npos);
    const std::vector<std::string> small = errorsOf(3, dims(2, 1), two, [](int64_t r) -> int64_t { return r == 1 ? 1 : 2; });
    CHECK(small[0].find("rank 1 of the grid cannot take part (rank 0)") != std::string::npos);
    CHECK(small[1].find("`_a` has 1 x 4 elements, and of a matrix of 4 x 4 in blocks of 2 x 2 there are 2 x 4 here") !=
          std::string::npos);
    CHECK(small[2] == "");
}

TEST_CASE("a grid of the program serves, one of another number of dimensions does not") {
    const mpi::test::Result r = mpi::test::job(4, 0, [](mpi::Program &p) {
        scalapack::Program program(p);
        double whole[6] = {1, 2, 3, 4, 5, 6}, mine[6] = {}, back[6] = {};
        const int sizes[2] = {1, 2};
        for (int64_t rows = 1; rows < 3; ++rows) { // the grid changes from call to call
            p.make_grid("grid", 0, dims(rows, 2));
            program.scatter("scatter", mpi::grid(0), block(whole, 2, 3, 3, 1), block(sizes, 2, 1), block(mine, 2, 3, 3, 1), nullptr,
                            nullptr);
            program.gather("gather", mpi::grid(0), block(mine, 2, 3, 3, 1), block(sizes, 2, 1), block(back, 2, 3, 3, 1));
            if (p.rank() == 0 && !std::equal(whole, whole + 6, back))
                throw rt::Error(rt::ProgramError, "other elements came back");
        }
        p.make_grid("line", 1, dims(4));
        program.gather("gather", mpi::grid(1), block(mine, 2, 3, 3, 1), block(sizes, 2, 1), block(back, 2, 3, 3, 1));
    });
    for (const std::string &e : r.errors)
        CHECK(e.find("gather: a grid of 4 ranks, and it needs one of two dimensions") != std::string::npos);
}
