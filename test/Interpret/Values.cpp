#include "../../lib/Interpret/Values.h"

#include <catch2/catch.hpp>

#include <cmath>

using namespace sdfgc;
using namespace sdfgc::interpret;

TEST_CASE("conversions to integers take what fits", "[values]") {
    CHECK(converted<int32_t>(2.9) == 2);
    CHECK(converted<int32_t>(-2.9) == -2);
    CHECK(converted<int32_t>(1e10) == INT32_MAX);
    CHECK(converted<uint32_t>(INFINITY) == UINT32_MAX);
    CHECK(converted<uint64_t>(1.8e19) == 18000000000000000000U);
    CHECK(converted<int64_t>(std::nan("")) == 0);
    CHECK(converted<uint8_t>(int32_t(300)) == 44); // integers wrap around
    CHECK(converted<bool>(0.5));
}
