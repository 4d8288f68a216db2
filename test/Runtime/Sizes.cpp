#include "sdfgc/rt/sizes.h"

#include <catch2/catch.hpp>

#include <limits>

using sdfgc::rt::elements;
using sdfgc::rt::power;
using sdfgc::rt::total;

namespace {

constexpr int64_t most = std::numeric_limits<int64_t>::max(), least = std::numeric_limits<int64_t>::min();

} // namespace

TEST_CASE("a product of sizes that leaves 64 bits is no size") {
    CHECK(elements(int64_t(3), int32_t(5), 7) == 105);
    CHECK(elements(int64_t(-3), 5) == -15);
    CHECK(elements(-1, most) == -most);
    CHECK(elements(int64_t(0), most) == 0);
    CHECK(elements(least, 0) == 0);
    CHECK(elements(least, 1) == least);
    CHECK(elements(most, 1) == most);
    CHECK(elements(int64_t(1) << 31, int64_t(-1) << 32) == least);
    CHECK_THROWS_AS(elements(most, 2), std::bad_alloc);
    CHECK_THROWS_AS(elements(int64_t(1) << 32, int64_t(1) << 31), std::bad_alloc);
    CHECK_THROWS_AS(elements(int64_t(1) << 32, int64_t(1) << 32), std::bad_alloc); // 0 if it wrapped around
    CHECK_THROWS_AS(elements(1, uint64_t(1) << 63), std::bad_alloc);
    CHECK_THROWS_AS(elements(least, -1), std::bad_alloc);
    CHECK_THROWS_AS(elements(-1, least), std::bad_alloc);
}

TEST_CASE("sizes have 64 bits, whatever their operands have") {
    CHECK(elements(int32_t(65536), int32_t(65536)) == int64_t(1) << 32);
    CHECK(total(std::numeric_limits<int32_t>::max(), 1) == int64_t(1) << 31);
    CHECK(power(int32_t(10), 12) == 1000000000000);
}

TEST_CASE("a sum of sizes that leaves 64 bits is no size") {
    CHECK(total(int64_t(3), int32_t(-5), uint8_t(7)) == 5);
    CHECK(total(most, least) == -1);
    CHECK(total(most, 0) == most);
    CHECK(total(least + 1, -1) == least);
    CHECK_THROWS_AS(total(most, 1), std::bad_alloc);
    CHECK_THROWS_AS(total(least, -1), std::bad_alloc);
    CHECK_THROWS_AS(total(most, most, 2), std::bad_alloc); // 0 if it wrapped around
    CHECK_THROWS_AS(total(uint64_t(1) << 63), std::bad_alloc);
}

TEST_CASE("a power of sizes that leaves 64 bits is no size") {
    CHECK(power(2, 0) == 1);
    CHECK(power(0, 0) == 1);
    CHECK(power(2, 62) == int64_t(1) << 62);
    CHECK(power(-2, 63) == least);
    CHECK(power(3, 39) == 4052555153018976267);
    CHECK(power(1, most) == 1);
    CHECK(power(-1, most) == -1);
    CHECK(power(2, -1) == 0);
    CHECK(power(-1, -3) == -1);
    CHECK(power(1, least) == 1);
    CHECK(power(0, -2) == 0);
    CHECK_THROWS_AS(power(2, 63), std::bad_alloc);
    CHECK_THROWS_AS(power(3, 40), std::bad_alloc);
    CHECK_THROWS_AS(power(int64_t(1) << 32, 2), std::bad_alloc);
}

TEST_CASE("with a real number among them, sizes are real numbers") {
    CHECK(elements(2.5, int64_t(4)) == 10.0);
    CHECK(total(0.5, 0.5) == 1.0);
    CHECK(power(0.5, -2) == 4.0);
}

TEST_CASE("bytes of elements") {
    CHECK(sdfgc::rt::detail::bytesOf<double>(3) == 24);
    CHECK(sdfgc::rt::detail::bytesOf<double>(-3) == 0);
    CHECK_THROWS_AS(sdfgc::rt::detail::bytesOf<double>(int64_t(1) << 61), std::bad_alloc); // 0 bytes if it wrapped around
}
