// Buffers and blocks, compared with brute force.
#include "Job.h"

#include <catch2/catch.hpp>
#include <random>

using namespace sdfgc::mpi;

namespace {

/// A random block in an array: extents, steps, order of dimensions.
struct Sample {
    Block<int> block;
    std::vector<int> memory;
};

Sample sample(std::mt19937 &random) {
    Sample out;
    const int rank = static_cast<int>(random() % 4);
    int64_t size = 1;
    out.block.rank = rank;
    for (int d = rank; d-- > 0;) {
        const int64_t extent = 1 + static_cast<int64_t>(random() % 4), step = 1 + static_cast<int64_t>(random() % 3);
        out.block.extents[static_cast<std::size_t>(d)] = extent;
        out.block.strides[static_cast<std::size_t>(d)] = size * step;
        size *= extent * step + static_cast<int64_t>(random() % 2);
    }
    out.memory.resize(static_cast<std::size_t>(size));
    for (std::size_t i = 0; i < out.memory.size(); ++i)
        out.memory[i] = static_cast<int>(i);
    return out;
}

} // namespace

TEST_CASE("a message has the elements of its block in row-major order") {
    std::mt19937 random(7);
    for (int trial = 0; trial < 200; ++trial) {
        Sample s = sample(random);
        s.block.data = s.memory.data();
        std::vector<int> expected, received(static_cast<std::size_t>(s.block.count()), -1);
        s.block.forEach([&](int *at) { expected.push_back(*at); });
        REQUIRE(static_cast<int64_t>(expected.size()) == s.block.count());
        const test::Result r = test::job(2, 0, [&](Program &p) {
            if (p.rank() == 0)
                p.send("send", s.block, 1, 0);
            else
                p.recv("receive", block(received.data(), static_cast<int64_t>(received.size()), 1), 0, 0);
        });
        REQUIRE(r.isFine());
        CHECK(received == expected);
    }
}

TEST_CASE("a received block goes to its elements and to no others") {
    std::mt19937 random(11);
    for (int trial = 0; trial < 100; ++trial) {
        Sample s = sample(random);
        std::vector<int> to(s.memory.size(), -1);
        Block<int> target = s.block;
        target.data = to.data();
        s.block.data = s.memory.data();
        const test::Result r = test::job(2, 0, [&](Program &p) {
            if (p.rank() == 0) {
                p.send("send", s.block, 1, 0);
            } else {
                MPI_Request request;
                p.irecv("receive", target, 0, 0, &request);
                p.wait("wait", &request, nullptr, nullptr);
            }
        });
        REQUIRE(r.isFine());
        std::vector<int> expected(to.size(), -1);
        s.block.forEach([&](const int *at) { expected[static_cast<std::size_t>(at - s.memory.data())] = *at; });
        CHECK(to == expected);
    }
}

TEST_CASE("blocks of sub-arrays cover an array once, with what is left at the end") {
    for (int64_t n = 1; n < 12; ++n)
        for (int64_t ranks = 1; ranks < 5; ++ranks) {
            const SubArray a = subarray(dims(n), dims((n + ranks - 1) / ranks), dims(0), 0);
            std::vector<int> covered(static_cast<std::size_t>(n), 0);
            for (int64_t r = 0; r < ranks; ++r) {
                const Box box = a.boxAt(dims(r));
                for (int64_t i = 0; i < box.size[0]; ++i)
                    ++covered[static_cast<std::size_t>(box.begin[0] + i)];
            }
            CHECK(covered == std::vector<int>(static_cast<std::size_t>(n), 1));
        }
}

TEST_CASE("an array comes back from blocks over any grid, with remainders") {
    const int64_t N = 7, M = 5;
    for (int64_t p = 1; p < 4; ++p)
        for (int64_t q = 1; q < 4; ++q)
            for (int64_t r = 1; r < 4; ++r) {
                const Dims a = dims((N + p - 1) / p, (M + q - 1) / q), b = dims((N + r - 1) / r, M);
                std::vector<int> whole(static_cast<std::size_t>(N * M)), back(whole.size(), -1);
                for (std::size_t i = 0; i < whole.size(); ++i)
                    whole[i] = static_cast<int>(i);
                const test::Result result = test::job(static_cast<int>(std::max(p * q, r)) + 1, 3, [&](Program &program) {
                    program.make_grid("grid", 0, dims(p, q));
                    program.make_grid("rows", 1, dims(r, 1));
                    const SubArray from = subarray(dims(N, M), a, dims(0, 1), 0), to = subarray(dims(N, M), b, dims(0, 1), 1);
                    std::vector<int> mine(static_cast<std::size_t>(a[0] * a[1])), moved(static_cast<std::size_t>(b[0] * b[1]));
                    std::vector<int> mineAll(program.rank() == 0 ? whole.size() : 0);
                    const Block<const int> source = block(const_cast<const int *>(whole.data()), N, M, M, 1);
                    const Block<int> blockA = block(mine.data(), a[0], a[1], a[1], 1), blockB = block(moved.data(), b[0], M, M, 1);
                    program.block_scatter("scatter", source, blockA, from, grid(0));
                    program.redistribute("redistribute", blockA, blockB, from, to);
                    program.block_gather("gather", blockB, block(mineAll.data(), N, M, M, 1), to, grid(1));
                    if (program.rank() == 0)
                        back = mineAll;
                });
                INFO(p << " x " << q << " to " << r << " x 1: " << result.report << result.errors[0]);
                REQUIRE(result.isFine());
                CHECK(back == whole);
            }
}

TEST_CASE("blocks that do not cover the array are refused on every rank") {
    const test::Result r = test::job(2, 0, [](Program &p) {
        p.make_grid("grid", 0, dims(2));
        int a[9] = {}, b[4] = {};
        p.block_scatter("scatter", block(a, 9, 1), block(b, 4, 1), subarray(dims(9), dims(4), dims(0), 0), grid(0));
    });
    for (const std::string &e : r.errors)
        CHECK(e.find("blocks of 4 on a grid of 2 ranks do not cover an array of 9") != std::string::npos);
}
