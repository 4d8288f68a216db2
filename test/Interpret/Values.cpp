#include "../../lib/Interpret/Values.h"

#include <catch2/catch.hpp>

#include <cmath>

using namespace sdfgc;
using namespace sdfgc::interpret;

TEST_CASE("low-precision floats: every stored value comes back", "[values]") {
    for (const ScalarKind k : {ScalarKind::Float16, ScalarKind::BFloat16, ScalarKind::Float8E4M3FN, ScalarKind::Float8E5M2}) {
        const unsigned all = k == ScalarKind::Float16 || k == ScalarKind::BFloat16 ? 1U << 16 : 1U << 8;
        for (unsigned bits = 0; bits < all; ++bits)
            if (const float v = widen(k, bits); !std::isnan(v))
                REQUIRE(narrow(k, v) == bits);
            else
                REQUIRE(std::isnan(widen(k, narrow(k, v))));
    }
}

TEST_CASE("low-precision floats round to nearest, ties to even", "[values]") {
    CHECK(widen(ScalarKind::Float16, narrow(ScalarKind::Float16, 2049)) == 2048); // between 2048 and 2050
    CHECK(widen(ScalarKind::Float16, narrow(ScalarKind::Float16, 2051)) == 2052);
    CHECK(std::isinf(widen(ScalarKind::Float16, narrow(ScalarKind::Float16, 65520))));
    CHECK(widen(ScalarKind::Float16, narrow(ScalarKind::Float16, 65519)) == 65504);
    CHECK(std::isnan(widen(ScalarKind::Float8E4M3FN, narrow(ScalarKind::Float8E4M3FN, 1000)))); // it has no infinities
    CHECK(widen(ScalarKind::Float8E4M3FN, narrow(ScalarKind::Float8E4M3FN, 448)) == 448);
    CHECK(std::isinf(widen(ScalarKind::Float8E5M2, narrow(ScalarKind::Float8E5M2, 65536))));
}

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
