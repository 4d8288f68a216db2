// Times of several calls.
#include "Driver/Reports/Times.h"

#include <catch2/catch.hpp>

using namespace sdfgc;

TEST_CASE("times: quantiles are interpolated, and no values give zeros") {
    const driver::Spread some = driver::spreadOf({4, 1, 2, 3});
    CHECK(some.median == 2.5);
    CHECK(some.lowest == 1);
    CHECK(some.highest == 4);
    CHECK(some.quartiles == 1.5);
    CHECK(driver::spreadOf({7}).median == 7);
    CHECK(driver::spreadOf({}).highest == 0);
}

TEST_CASE("times: short ones have more digits") {
    CHECK(driver::milliseconds(0.0012) == "1.200 ms");
    CHECK(driver::milliseconds(0.00012345) == "0.12345 ms");
    CHECK(driver::percent(1, 50) == "2.0 %");
    CHECK(driver::percent(1, 0) == "0.0 %");
}
