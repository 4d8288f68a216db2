// Collective calls beyond equal parts: parts of any size, nonblocking calls, groups of ranks. Tested with the emulation.
#include "Job.h"

#include <catch2/catch.hpp>

#include <numeric>

using namespace sdfgc::mpi;
using Catch::Contains;

namespace {

/// Runs a job; each rank returns whether it received the expected values.
void eachRank(int ranks, const std::function<bool(Program &)> &body) {
    for (const std::uint64_t seed : {0, 1, 2, 3}) {
        std::vector<char> right(static_cast<std::size_t>(ranks), 0);
        const test::Result r = test::job(ranks, seed, [&](Program &p) { right[static_cast<std::size_t>(p.rank())] = body(p); });
        INFO(ranks << " ranks, seed " << seed << ": " << r.report << (r.errors.empty() ? "" : r.errors[0]));
        REQUIRE(r.isFine());
        REQUIRE(std::count(right.begin(), right.end(), 1) == ranks);
    }
}

/// Rank r has r elements, starting with 100 r.
std::vector<double> ownOf(int64_t rank) {
    std::vector<double> out(static_cast<std::size_t>(rank));
    std::iota(out.begin(), out.end(), 100.0 * static_cast<double>(rank));
    return out;
}
std::vector<double> allOf(int64_t ranks) {
    std::vector<double> out;
    for (int64_t r = 0; r < ranks; ++r)
        for (const double x : ownOf(r))
            out.push_back(x);
    return out;
}
std::vector<int64_t> countsOf(int64_t ranks) {
    std::vector<int64_t> out(static_cast<std::size_t>(ranks));
    std::iota(out.begin(), out.end(), 0);
    return out;
}
template <class T> Block<T> whole(std::vector<T> &v) { return block(v.data(), static_cast<int64_t>(v.size()), 1); }

} // namespace

TEST_CASE("gatherv and scatterv move parts of any size, and elements with gaps") {
    for (const int ranks : {1, 2, 4, 7})
        eachRank(ranks, [](Program &p) {
            const int64_t n = p.size(), root = n - 1;
            std::vector<int64_t> counts = countsOf(n);
            std::vector<double> mine = ownOf(p.rank()), all(static_cast<std::size_t>(n * (n - 1)) + 1, -1.0), back(mine.size());
            const Block<double> spread = block(all.data(), n * (n - 1) / 2, 2); // every second element
            p.gatherv("Gatherv", whole(mine), whole(counts), consecutive(), spread, root);
            if (p.rank() == root)
                for (std::size_t i = 0; i < allOf(n).size(); ++i)
                    if (all[2 * i] != allOf(n)[i] || all[2 * i + 1] != -1.0)
                        return false;
            p.scatterv("Scatterv", spread, whole(counts), consecutive(), whole(back), root);
            return back == mine;
        });
}

TEST_CASE("allgatherv puts parts where their places say") {
    eachRank(3, [](Program &p) {
        std::vector<int> counts{0, 1, 2}, places{5, 4, 1};
        std::vector<double> mine = ownOf(p.rank()), all(6, -1.0);
        p.allgatherv("Allgatherv", whole(mine), whole(counts), whole(places), whole(all));
        return all == std::vector<double>{-1, 200, 201, -1, 100, -1};
    });
}

TEST_CASE("alltoallv exchanges parts of any size") {
    eachRank(4, [](Program &p) { // rank r sends s elements with the value 10 r + s to rank s
        const int64_t n = p.size(), me = p.rank();
        std::vector<int> sent, taken(static_cast<std::size_t>(n), static_cast<int>(me));
        std::vector<double> out, in(static_cast<std::size_t>(n * me)), wanted;
        for (int64_t s = 0; s < n; ++s) {
            sent.push_back(static_cast<int>(s));
            out.insert(out.end(), static_cast<std::size_t>(s), static_cast<double>(10 * me + s));
            wanted.insert(wanted.end(), static_cast<std::size_t>(me), static_cast<double>(10 * s + me));
        }
        p.alltoallv("Alltoallv", whole(out), whole(sent), consecutive(), whole(in), whole(taken), consecutive());
        return in == wanted;
    });
}

TEST_CASE("what only the root has need not be there on other ranks, and must be on the root") {
    const auto deal = [](bool isThere) {
        return test::job(3, 0, [isThere](Program &p) {
            double all[6] = {0, 1, 2, 3, 4, 5}, mine[2] = {}, sum[2] = {};
            double *const whole = p.rank() == 1 && isThere ? all : nullptr, *const sums = p.rank() == 1 ? sum : nullptr;
            p.scatter("Scatter", block(whole, 6, 1), block(mine, 2, 1), 1);
            p.reduce("Reduce", Op::Sum, block(mine, 2, 1), block(sums, 2, 1), 1);
            p.gather("Gather", block(mine, 2, 1), block(whole, 6, 1), 1);
            if (mine[0] != static_cast<double>(2 * p.rank()) || (sums && (sum[0] != 6 || sum[1] != 9)))
                throw std::runtime_error("wrong");
        });
    };
    CHECK(deal(true).isFine());
    CHECK_THAT(deal(false).errors[1], Contains("this rank is the root, and has no array of the 6 elements"));
}

TEST_CASE("counts that do not fit the buffers are errors") {
    const test::Result few = test::job(2, 0, [](Program &p) {
        std::vector<int> counts{1};
        std::vector<double> mine{1}, all(2);
        p.allgatherv("Allgatherv", whole(mine), whole(counts), consecutive(), whole(all));
    });
    CHECK_THAT(few.errors[0], Contains("there are 1 counts for 2 ranks"));
    const test::Result beyond = test::job(2, 0, [](Program &p) {
        std::vector<int> counts{1, 2};
        std::vector<double> mine(p.rank() + 1), all(2);
        p.allgatherv("Allgatherv", whole(mine), whole(counts), consecutive(), whole(all));
    });
    CHECK_THAT(beyond.errors[1], Contains("rank 1 has 2 elements from 1 of a buffer of 2"));
    const test::Result other = test::job(2, 0, [](Program &p) {
        std::vector<int> counts{1, 1};
        std::vector<double> mine(2), all(2);
        p.allgatherv("Allgatherv", whole(mine), whole(counts), consecutive(), whole(all));
    });
    CHECK_THAT(other.errors[0], Contains("this rank has 2 elements, and its count says 1"));
}

TEST_CASE("calls that end at a wait give what the others give") {
    for (const int ranks : {1, 2, 4, 7})
        eachRank(ranks, [](Program &p) {
            const int64_t n = p.size(), me = p.rank();
            const auto size = static_cast<std::size_t>(n);
            double mine = static_cast<double>(me + 1), sum = 0, total = static_cast<double>(me), given = me == 0 ? 42.0 : 0.0,
                   part = 0;
            std::vector<double> all(size), sent(size), turned(size), gathered(size), dealt(size);
            for (int64_t r = 0; r < n; ++r) {
                sent[std::size_t(r)] = static_cast<double>(10 * me + r);
                dealt[std::size_t(r)] = static_cast<double>(7 * r);
            }
            MPI_Request requests[9];
            p.iallreduce("Iallreduce", Op::Sum, block(&mine), block(&sum), &requests[0]);
            p.iallreduce("Iallreduce in place", Op::Max, block(&total), block(&total), &requests[1]);
            p.ibcast("Ibcast", block(&given), block(&given), 0, &requests[2]);
            p.iallgather("Iallgather", block(&mine), whole(all), &requests[3]);
            p.ialltoall("Ialltoall", whole(sent), whole(turned), &requests[4]);
            p.igather("Igather", block(&mine), whole(gathered), n - 1, &requests[5]);
            p.iscatter("Iscatter", whole(dealt), block(&part), n - 1, &requests[6]);
            double least = 0;
            p.ireduce("Ireduce", Op::Min, block(&mine), block(&least), 0, &requests[7]);
            p.ibarrier("Ibarrier", &requests[8]);
            p.waitall("Waitall", requests, 9);
            bool right = sum == static_cast<double>(n * (n + 1) / 2) && total == static_cast<double>(n - 1) && given == 42.0 &&
                         part == static_cast<double>(7 * me) && (me != 0 || least == 1.0);
            for (int64_t r = 0; r < n; ++r)
                right = right && all[std::size_t(r)] == static_cast<double>(r + 1) &&
                        turned[std::size_t(r)] == static_cast<double>(10 * r + me) &&
                        (me != n - 1 || gathered[std::size_t(r)] == static_cast<double>(r + 1));
            return right;
        });
}

TEST_CASE("the buffers of a call that has begun belong to it") {
    const auto with = [](const std::function<void(Program &, double &, double &)> &between) {
        return test::job(2, 0, [&](Program &p) {
            double mine = 1, sum = 0;
            MPI_Request request;
            p.iallreduce("Iallreduce of sums", Op::Sum, block(&mine), block(&sum), &request);
            between(p, mine, sum);
            p.wait("Wait", &request, nullptr, nullptr);
        });
    };
    CHECK(with([](Program &, double &, double &) {}).isFine());
    CHECK_THAT(with([](Program &, double &mine, double &) { mine = 2; }).errors[0],
               Contains("the buffer of Iallreduce of sums was written before the wait for it"));
    CHECK_THAT(with([](Program &, double &, double &sum) { sum = 2; }).errors[1], Contains("was written before the wait"));
    bool isPoisoned = false;
    CHECK(with([&](Program &p, double &, double &sum) {
              if (p.rank() == 0)
                  isPoisoned = sum != sum; // NaN: nothing has arrived yet
          }).isFine());
    CHECK(isPoisoned);
}

TEST_CASE("calls that nobody waits for, and calls with gaps, are reported") {
    const test::Result forgotten = test::job(2, 0, [](Program &p) {
        static double mine = 1, sums[2];
        MPI_Request request;
        p.iallreduce("Iallreduce", Op::Sum, block(&mine), block(&sums[p.rank()]), &request);
    });
    CHECK_THAT(forgotten.report, Contains("MPI_Iallreduce was never waited for"));
    const test::Result gaps = test::job(2, 0, [](Program &p) {
        double mine[4] = {}, sum[2];
        MPI_Request request;
        p.iallreduce("Iallreduce", Op::Sum, block(mine, 2, 2), block(sum, 2, 1), &request);
    });
    CHECK_THAT(gaps.errors[0], Contains("buffers without gaps"));
    const test::Result mixed = test::job(2, 0, [](Program &p) {
        double mine = 1, sum = 0;
        MPI_Request request = MPI_REQUEST_NULL;
        if (p.rank() == 0)
            p.iallreduce("begun", Op::Sum, block(&mine), block(&sum), &request);
        else
            p.allreduce("made", Op::Sum, block(&mine), block(&sum));
        p.wait("Wait", &request, nullptr, nullptr);
    });
    CHECK_THAT(mixed.errors[0] + mixed.errors[1], Contains("ranks call different things"));
}

TEST_CASE("groups of ranks are made once") {
    eachRank(5, [](Program &p) {
        bool right = true;
        MPI_Comm first = MPI_COMM_NULL;
        for (int again = 0; again < 3; ++again) {
            MPI_Comm odd;
            p.comm_split("Split", 0, p.rank() % 2, -p.rank(), &odd); // the last rank is the first of its group
            int rank = -1;
            MPI_Comm_rank(odd, &rank);
            right = right && (again == 0 || odd == first) && rank == (p.rank() % 2 ? (3 - p.rank()) / 2 : (4 - p.rank()) / 2);
            first = odd;
            double mine = static_cast<double>(p.rank()), sum = 0;
            p.allreduce("Sum", Op::Sum, block(&mine), block(&sum), comm(&odd));
            right = right && sum == (p.rank() % 2 ? 4.0 : 6.0);
        }
        MPI_Comm few;
        p.comm_split("Split", 1, p.rank() < 2 ? 0 : -1, 0, &few);
        double one = 1, sum = 0;
        p.allreduce("Few", Op::Sum, block(&one), block(&sum), comm(&few)); // not called by ranks 2 to 4
        return right && sum == (p.rank() < 2 ? 2.0 : 0.0) && (few == MPI_COMM_NULL) == (p.rank() >= 2);
    });
}

TEST_CASE("values that differ among the ranks are reported on all of them") {
    CHECK(test::job(3, 0, [](Program &p) { p.agree({{"N", -5}, {"M", 7}}); }).isFine());
    const test::Result r = test::job(3, 0, [](Program &p) { p.agree({{"N", 8}, {"M", -p.rank()}}); });
    for (const std::string &e : r.errors)
        CHECK_THAT(e, Contains("`M` must be the same on all ranks, and is from -2 to 0"));
}
