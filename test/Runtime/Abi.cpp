#include "sdfgc/rt/abi.h"
#include "sdfgc/rt/parallel.h"
#include "sdfgc/rt/range.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace rt = sdfgc::rt;

TEST_CASE("guard turns exceptions into codes and messages") {
    rt::ErrorState state;
    CHECK(rt::guard(state, [] {}) == rt::NoError);
    CHECK(!state.failed());
    CHECK(rt::guard(state, [] { throw std::bad_alloc(); }) == rt::OutOfMemory);
    CHECK(std::string(state.message) == "out of memory");
    state.clear();
    CHECK(rt::guard(state, [] { throw std::runtime_error("the flux is negative"); }) == rt::ProgramError);
    CHECK(std::string(state.message) == "the flux is negative");
    state.clear();
    CHECK(rt::guard(state, [] { throw rt::Error(rt::DeviceError, "launch failed"); }) == rt::DeviceError);
    CHECK(std::string(state.message) == "launch failed");
    state.clear();
    CHECK(rt::guard(state, [] { throw 42; }) == rt::ProgramError);
    state.clear();
    CHECK(rt::guard(state, [&] { state.set(rt::InvalidArgument, "N is negative"); }) == rt::InvalidArgument);
}

TEST_CASE("the first error stays until it is cleared; long messages are cut") {
    rt::ErrorState state;
    state.set(rt::NoError, "not an error");
    CHECK(!state.failed());
    state.set(rt::DeviceError, "first");
    state.set(rt::OutOfMemory, "second");
    CHECK(state.code == rt::DeviceError);
    CHECK(std::string(state.message) == "first");
    CHECK(rt::guard(state, [] {}) == rt::DeviceError);
    state.clear();
    CHECK(state.message[0] == '\0');
    state.set(rt::ProgramError, std::string(5000, 'x').c_str());
    CHECK(std::strlen(state.message) == rt::ErrorState::messageSize - 1);
    state.clear();
    state.set(rt::ProgramError, nullptr);
    CHECK((state.failed() && state.message[0] == '\0'));
}

TEST_CASE("a deferred error leaves the parallel region as an exception") {
    rt::DeferredError error;
    int64_t done = 0;
#pragma omp parallel for num_threads(4)
    for (int i = 0; i < 1000; ++i)
        error.run([&] {
            if (i % 100 == 7)
                throw std::bad_alloc();
#pragma omp atomic
            ++done;
        });
    CHECK_THROWS_AS(error.rethrow(), std::bad_alloc);
    CHECK(done < 1000);
    rt::DeferredError none;
    none.run([] {});
    none.rethrow();
}

TEST_CASE("worker numbers") {
    CHECK(rt::workerIndex() == 0);
    CHECK(rt::workerCount() == 1);
    std::vector<int> seen(2, 0);
#pragma omp parallel num_threads(2)
    if (rt::workerCount() == 2)
        seen[rt::workerIndex()] = 1;
    CHECK(seen[0] == seen[1]);
}

TEST_CASE("ranges are Python's") {
    const auto list = [](rt::Range range) {
        std::vector<int64_t> values;
        for (auto i : range)
            values.push_back(i);
        return values;
    };
    using Values = std::vector<int64_t>;
    CHECK(list(3) == Values{0, 1, 2});
    CHECK(list(-3).empty());
    CHECK(list({2, 5}) == Values{2, 3, 4});
    CHECK(list({0, 5, 2}) == Values{0, 2, 4});
    CHECK(list({5, 0, -2}) == Values{5, 3, 1});
    CHECK(list({5, 0, 2}).empty());
    CHECK(list({0, 5, 0}).empty());
    const int64_t most = std::numeric_limits<int64_t>::max();
    CHECK(list({most - 1, most}) == Values{most - 1});
    CHECK(list({most - 2, most, 5}) == Values{most - 2});
    CHECK(rt::Range(std::numeric_limits<int64_t>::min(), most).size() == std::numeric_limits<uint64_t>::max());
    static_assert(rt::Range(0, 10, 3).size() == 4, "");
}
