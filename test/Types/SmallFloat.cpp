#include "sdfgc/Types/SmallFloat.h"

#include <catch2/catch.hpp>

#include <cmath>

using namespace sdfgc;

TEST_CASE("low-precision floats: every stored value comes back", "[types]") {
    for (const ScalarKind k : {ScalarKind::Float16, ScalarKind::BFloat16, ScalarKind::Float8E4M3FN, ScalarKind::Float8E5M2}) {
        const unsigned all = k == ScalarKind::Float16 || k == ScalarKind::BFloat16 ? 1U << 16 : 1U << 8;
        for (unsigned bits = 0; bits < all; ++bits)
            if (const double v = widen(k, bits); !std::isnan(v))
                REQUIRE(narrow(k, v) == bits);
            else
                REQUIRE(std::isnan(widen(k, narrow(k, v))));
    }
}

TEST_CASE("low-precision floats round to nearest, ties to even", "[types]") {
    CHECK(widen(ScalarKind::Float16, narrow(ScalarKind::Float16, 2049)) == 2048); // between 2048 and 2050
    CHECK(widen(ScalarKind::Float16, narrow(ScalarKind::Float16, 2051)) == 2052);
    CHECK(std::isinf(widen(ScalarKind::Float16, narrow(ScalarKind::Float16, 65520))));
    CHECK(widen(ScalarKind::Float16, narrow(ScalarKind::Float16, 65519)) == 65504);
    CHECK(std::isnan(widen(ScalarKind::Float8E4M3FN, narrow(ScalarKind::Float8E4M3FN, 1000)))); // it has no infinities
    CHECK(widen(ScalarKind::Float8E4M3FN, narrow(ScalarKind::Float8E4M3FN, 448)) == 448);
    CHECK(std::isinf(widen(ScalarKind::Float8E5M2, narrow(ScalarKind::Float8E5M2, 65536))));
}
