#include "sdfgc/rt/checks.h"
#include "sdfgc/rt/parallel.h"

#include <catch2/catch.hpp>

#include <limits>
#include <string>

namespace rt = sdfgc::rt;

namespace {

/// The message with which a check ends the call; empty if it passes.
template <class Check> std::string failure(Check check) {
    rt::ErrorState state;
    const int code = rt::guard(state, check);
    CHECK(code == (state.failed() ? rt::ProgramError : rt::NoError));
    return state.message;
}

} // namespace

TEST_CASE("an element is inside of the shape in every dimension") {
    CHECK(failure([] { return rt::check_element("A", "here", 3, 4, 9, 10); }).empty());
    CHECK(failure([] { rt::check_element("A", "here", 3, 4, 10, 10); }) ==
          "`A[3, 10]` of `A` with shape [4, 10] is out of bounds: here");
    CHECK(failure([] { rt::check_element("A", "here", int8_t(-1), uint64_t(4)); }) ==
          "`A[-1]` of `A` with shape [4] is out of bounds: here");
    CHECK(failure([] { rt::check_inside("A", "here", 4, 4); }) ==
          "`A` is part of memory of 4 elements, and element 4 of that memory is out of bounds: here");
}

TEST_CASE("a dimension of unknown size has no upper limit") {
    const int64_t open = rt::check_unknown_size(), large = std::numeric_limits<int64_t>::max() - 1;
    CHECK(failure([&] { rt::check_element("A", "here", large, open, 3, 4); }).empty());
    CHECK(failure([&] { rt::check_element("A", "here", -1, open, 3, 4); }) ==
          "`A[-1, 3]` of `A` with shape [?, 4] is out of bounds: here");
    CHECK(failure([&] { rt::check_region("A", "here", 7, 2, open); }).empty());
    CHECK(failure([&] { rt::check_region("A", "here", 0, -3, open); }).empty());
    CHECK(failure([&] { rt::check_region("A", "here", -1, 2, open); }) == "`A[-1:1]` of `A` with shape [?] is out of bounds: here");
}

TEST_CASE("a region is inside of the shape, or empty") {
    CHECK(failure([] { rt::check_region("A", "here", 2, 2, 4); }).empty());
    CHECK(failure([] { rt::check_region("A", "here", 5, 0, 4); }).empty());
    CHECK(failure([] { rt::check_region("A", "here", 2, 3, 4, 0, 1, 1); }) ==
          "`A[2:5, 0:1]` of `A` with shape [4, 1] is out of bounds: here");
}

TEST_CASE("sizes are not negative, and can be counted") {
    const int64_t large = std::numeric_limits<int64_t>::max();
    CHECK(failure([] { rt::check_size("A", "here", 0, 4); }).empty());
    CHECK(failure([&] { rt::check_size("A", "here", large, 4, 0); }).empty());
    CHECK(failure([] { rt::check_size("A", "here", -2, -4); }) == "`A` has the shape [-2, -4], with a negative size: here");
    CHECK(failure([&] { rt::check_size("A", "here", large, 4); }) ==
          "`A` has the shape [9223372036854775807, 4], with more elements than 64 bits can count: here");
}

TEST_CASE("what nothing has written has a pattern") {
    CHECK(failure([] { rt::check_written("A", "here", rt::check_unset_float64(), 2, 3); }) ==
          "`A[2, 3]` is read, but nothing has written it: here");
    CHECK(failure([] { rt::check_written("s", "here", rt::check_unset_float32()); }) ==
          "`s` is read, but nothing has written it: here");
    CHECK(failure([] { rt::check_written("n", "here", rt::check_unset_int64()); }) ==
          "`n` is read, but nothing has written it: here");
    CHECK(failure([] { rt::check_written("s", "here", std::numeric_limits<double>::quiet_NaN()); }).empty());
}

TEST_CASE("null and divisors") {
    CHECK(failure([] { rt::check_memory("A", "here", nullptr); }) == "`A` is null: here");
    CHECK(failure([] { rt::check_divisor("here", uint8_t(0)); }) == "an integer is divided by zero: here");
    CHECK(rt::check_divisor("here", -3) == -3);
}

TEST_CASE("the first check that fails in a team is the error of the call") {
    const std::string message = failure([] {
        rt::DeferredError first;
#pragma omp parallel for
        for (int i = 0; i < 1000; ++i)
            first.run([&] { rt::check_element("A", "here", i, 500); });
        first.rethrow();
    });
    CHECK(message.find("` of `A` with shape [500] is out of bounds: here") != std::string::npos);
}
