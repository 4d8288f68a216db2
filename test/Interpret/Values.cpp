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

TEST_CASE("structures are laid out as in C", "[values]") {
    const Type s = Type::structure(
        Name("s"), {{Name("i"), ScalarKind::Int32}, {Name("d"), ScalarKind::Float64}, {Name("b"), ScalarKind::Int8}});
    CHECK(sizeOf(s) == 24);
    CHECK(offsetOf(s, Name("d")) == 8);
    CHECK(offsetOf(s, Name("b")) == 16);
    CHECK(!offsetOf(s, Name("x")));
    CHECK(sizeOf(Type::vector(ScalarKind::Float32, 4)) == 16);
}
