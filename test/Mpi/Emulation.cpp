// The behaviour of the emulation for correct programs, and its reports for incorrect ones.
#include "Job.h"

#include <catch2/catch.hpp>

using namespace sdfgc::mpi;
using Catch::Contains;

namespace {

/// Every rank sends to the next one, and adds up the values of all ranks; bitwise identical for every seed.
std::vector<double> ring(std::uint64_t seed) {
    std::vector<double> out(4);
    const test::Result r = test::job(4, seed, [&](Program &p) {
        double mine = 0.1 * static_cast<double>(p.rank() + 1), other = 0, sum = 0;
        MPI_Request request;
        p.isend("Isend", block(&mine), (p.rank() + 1) % 4, 1, &request);
        p.recv("Recv", block(&other), (p.rank() + 3) % 4, 1);
        p.wait("Wait", &request, nullptr, nullptr);
        p.allreduce("Allreduce", Op::Sum, block(&other), block(&sum));
        out[static_cast<std::size_t>(p.rank())] = other + sum;
    });
    INFO(r.report);
    REQUIRE(r.isFine());
    return out;
}

} // namespace

TEST_CASE("100 orders of messages give the same bits") {
    const std::vector<double> first = ring(0);
    for (std::uint64_t seed = 1; seed <= 100; ++seed)
        REQUIRE(ring(seed) == first);
}

TEST_CASE("sends that all wait for receives are a deadlock, which names where each rank waits") {
    const test::Result r = test::job(2, 0, [](Program &p) {
        double a = 0, b = 0;
        p.send(p.rank() ? "Send of one" : "Send of zero", block(&a), 1 - p.rank(), 0);
        p.recv("Recv", block(&b), 1 - p.rank(), 0);
    });
    CHECK_THAT(r.errors[0], Contains("deadlock") && Contains("rank 0 waits in Send of zero for a message to rank 1 with tag 0") &&
                                Contains("rank 1 waits in Send of one"));
}

TEST_CASE("a receive that nobody sends to is a deadlock when the others have ended") {
    const test::Result r = test::job(2, 0, [](Program &p) {
        double a = 0;
        if (p.rank() == 0)
            p.recv("Recv", block(&a), 1, 0);
    });
    CHECK_THAT(r.errors[0], Contains("deadlock") && Contains("a message from rank 1 with tag 0"));
}

TEST_CASE("messages of other sizes and types are reported") {
    const auto send = [](int64_t sent, int64_t taken) {
        return test::job(2, 0, [=](Program &p) {
            double a[4] = {};
            if (p.rank() == 0)
                p.send("Send", block(a, sent, 1), 1, 0);
            else
                p.recv("Recv", block(a, taken, 1), 0, 0);
        });
    };
    CHECK(send(3, 4).isFine()); // the receiver may have more space
    CHECK_THAT(send(4, 3).errors[1], Contains("Send of rank 0 sends 4 float64, and Recv of rank 1 takes 3 float64"));
    const test::Result types = test::job(2, 0, [](Program &p) {
        double a = 0;
        int64_t b = 0;
        if (p.rank() == 0)
            p.send("Send", block(&a), 1, 0);
        else
            p.recv("Recv", block(&b), 0, 0);
    });
    CHECK_THAT(types.errors[0], Contains("sends 1 float64") && Contains("takes 1 int64"));
}

TEST_CASE("buffers that change while a request is open are reported") {
    const auto change = [](int what) {
        return test::job(2, 0, [=](Program &p) {
            double a[2] = {1, 2};
            MPI_Request request;
            if (p.rank() == 0)
                p.isend("Isend", block(a, 2, 1), 1, 0, &request);
            else
                p.irecv("Irecv", block(a, 2, 1), 0, 0, &request);
            if (what == p.rank())
                a[1] = 7;
            p.wait("Wait", &request, nullptr, nullptr);
        });
    };
    CHECK_THAT(change(0).errors[0], Contains("the buffer of Isend was written before the wait for it"));
    CHECK_THAT(change(1).errors[1], Contains("the buffer of Irecv was written before the wait for it"));
    CHECK(change(2).isFine());
}

TEST_CASE("collective calls that differ are reported with both elements") {
    const test::Result kinds = test::job(2, 0, [](Program &p) {
        double a = 0;
        if (p.rank() == 0)
            p.barrier("Barrier here");
        else
            p.bcast("Bcast there", block(&a), block(&a), 0);
    });
    CHECK_THAT(kinds.errors[0],
               Contains("ranks call different things: MPI_Barrier of rank 0 in Barrier here, MPI_Bcast of rank 1 in Bcast there"));
    const test::Result roots = test::job(2, 0, [](Program &p) {
        double a = 0;
        p.bcast("Bcast", block(&a), block(&a), p.rank());
    });
    CHECK_THAT(roots.errors[1], Contains("with root 0") && Contains("with root 1"));
    const test::Result sizes = test::job(2, 0, [](Program &p) {
        double a[3] = {}, b[3] = {};
        p.allreduce("Allreduce", Op::Sum, block(a, 2 + p.rank(), 1), block(b, 2 + p.rank(), 1));
    });
    CHECK_THAT(sizes.errors[0], Contains("has 3 float64") && Contains("has 2 float64"));
}

TEST_CASE("what is left over at the end is reported") {
    const test::Result open = test::job(2, 0, [](Program &p) {
        static double a[2];
        static MPI_Request requests[2];
        if (p.rank() == 0)
            p.isend("Isend of a", block(&a[0]), 1, 0, &requests[0]);
        else
            p.recv("Recv", block(&a[1]), 0, 0);
    });
    CHECK(open.report == "Isend of a of rank 0: a message to rank 1 with tag 0 was never waited for");
    const test::Result unmatched = test::job(2, 0, [](Program &p) {
        static double a;
        static MPI_Request request;
        if (p.rank() == 0)
            p.isend("Isend of a", block(&a), 1, 5, &request);
    });
    CHECK(unmatched.report == "Isend of a of rank 0: a message to rank 1 with tag 5 was never matched");
    const test::Result type = test::job(1, 0, [](Program &) {
        MPI_Datatype leaked;
        MPI_Type_contiguous(3, MPI_DOUBLE, &leaked);
    });
    CHECK(type.report == "rank 0 has not freed 1 types");
}

TEST_CASE("wrong ranks, grids and sizes are errors of the program") {
    std::vector<std::string> said[4]; // by rank; only one thread may assert, so the ranks do not
    const test::Result r = test::job(3, 0, [&](Program &p) {
        double a[4] = {};
        const auto attempt = [&](const std::function<void()> &call) {
            try {
                call();
                said[p.rank()].emplace_back("nothing");
            } catch (const std::exception &e) {
                said[p.rank()].emplace_back(e.what());
            }
        };
        attempt([&] { p.send("Send", block(a, 1, 1), 7, 0); });
        attempt([&] { p.make_grid("grid", 0, dims(2, 2)); });
        attempt([&] { p.scatter("Scatter", block(a, 4, 1), block(a, 1, 1), 0); });
        attempt([&] { p.allgather("Allgather", block(a, 2, 1), block(a, 3, 1)); });
    });
    CHECK(r.isFine());
    for (int rank = 0; rank < 3; ++rank) {
        REQUIRE(said[rank].size() == 4);
        CHECK(said[rank][0] == "Send: MPI_Send: there is no rank 7 among 3 (rank " + std::to_string(rank) + ")");
        CHECK_THAT(said[rank][1], Contains("a grid of 2 x 2 ranks, and there are 3: start more of them"));
        CHECK_THAT(said[rank][2], Contains("4 elements are no multiple of the 3 ranks"));
        CHECK_THAT(said[rank][3], Contains("each of 3 ranks has 1 of the 3 elements, and here are 2"));
    }
}

TEST_CASE("parts of a grid talk among themselves, and only those that were asked for") {
    std::vector<double> all(6), exact(6, -1);
    const test::Result r = test::job(6, 2, [&](Program &p) {
        p.make_grid("grid", 0, dims(2, 3));
        p.make_part("rows", 1, 0, dims(0, 1), -1);
        p.make_part("row of rank 4", 2, 0, dims(0, 1), 4);
        double mine = static_cast<double>(p.rank()), sum = 0, some = -1;
        p.allreduce("Allreduce", Op::Sum, block(&mine), block(&sum), grid(1));
        p.allreduce("Allreduce", Op::Max, block(&mine), block(&some), grid(2));
        all[static_cast<std::size_t>(p.rank())] = sum;
        exact[static_cast<std::size_t>(p.rank())] = some;
    });
    REQUIRE(r.isFine());
    CHECK(all == std::vector<double>{3, 3, 3, 12, 12, 12});
    CHECK(exact == std::vector<double>{-1, -1, -1, 5, 5, 5});
}

TEST_CASE("every reduction of every kind of element") {
    std::vector<std::string> wrong;
    const test::Result r = test::job(3, 1, [&](Program &p) {
        const auto expect = [&](const char *what, Op op, auto mine, auto result) {
            decltype(mine) out{};
            p.allreduce("Allreduce", op, block(&mine), block(&out));
            if (p.rank() == 0 && !(out == static_cast<decltype(mine)>(result)))
                wrong.emplace_back(what);
        };
        const int64_t n = p.rank();
        expect("sum of int8", Op::Sum, static_cast<int8_t>(n + 1), 6);
        expect("product of float32", Op::Prod, static_cast<float>(n + 1), 6);
        expect("minimum of float64", Op::Min, static_cast<double>(n - 1), -1);
        expect("maximum of uint16", Op::Max, static_cast<uint16_t>(n), 2);
        expect("sum of complex128", Op::Sum, std::complex<double>(1, static_cast<double>(n)), std::complex<double>(3, 3));
        expect("and", Op::LogicalAnd, n < 2, false);
        expect("or", Op::LogicalOr, n == 2, true);
        expect("xor", Op::LogicalXor, true, true);
        expect("bits of all", Op::BitAnd, n | 4, 4);
        expect("bits of any", Op::BitOr, int64_t(1) << n, 7);
        expect("bits of an odd number", Op::BitXor, int64_t(3), 3);
    });
    CHECK(r.isFine());
    CHECK(wrong.empty());
}
