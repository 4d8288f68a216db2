#include "Symbolic/Number.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>

using namespace sdfgc::sym;

namespace {
constexpr int64_t least = std::numeric_limits<int64_t>::min(), greatest = std::numeric_limits<int64_t>::max();
Num q(int64_t n, int64_t d) { return Num::ratio(n, d); }
} // namespace

TEST_CASE("exact rationals", "[number]") {
    CHECK(q(6, -4) == q(-3, 2));
    CHECK(q(1, 3) + q(1, 6) == q(1, 2));
    CHECK(q(1, 2) * q(2, 3) == q(1, 3));
    CHECK(q(1, 2) / q(-3, 4) == q(-2, 3));
    CHECK(q(1, 2) - q(1, 2) == Num(0));
    CHECK((compareExact(q(1, 3), q(1, 2)) < 0));
    CHECK((compareExact(q(-1, 3), q(-1, 2)) > 0));
    CHECK(floorExact(q(-1, 2)) == -1);
    CHECK(floorExact(q(7, 2)) == 3);
}

TEST_CASE("what leaves 64 bits overflows and stays so", "[number]") {
    CHECK((Num(greatest) + Num(1)).isOverflow());
    CHECK((Num(least) - Num(1)).isOverflow());
    CHECK((-Num(least)).isOverflow());
    CHECK((Num(greatest) * Num(2)).isOverflow());
    CHECK((q(1, greatest) * q(1, 2)).isOverflow());
    CHECK((Num(1) / Num(least)).isOverflow());
    CHECK((Num::overflow() * Num(0)).isOverflow());
    CHECK((Num::overflow() + Num::real(1)).isOverflow());
    CHECK(Num(greatest) + Num(least) == Num(-1));
    CHECK(q(least, least) == Num(1));
}

TEST_CASE("powers", "[number]") {
    CHECK(power(Num(2), 62) == Num(int64_t(1) << 62));
    CHECK(power(Num(-2), 63) == Num(least));
    CHECK(power(Num(2), 63).isOverflow());
    CHECK(power(Num(8), -1) == q(1, 8));
    CHECK(power(q(2, 3), -2) == q(9, 4));
    CHECK(power(Num(0), 0) == Num(1));
    CHECK(power(Num(-1), greatest) == Num(-1));
    CHECK(power(Num(1), least) == Num(1));
    CHECK(power(Num(2), least).isOverflow());
    CHECK(power(Num::real(2), 10) == Num::real(1024));
}

TEST_CASE("floats and complex numbers mix with exact ones", "[number]") {
    CHECK(Num(1) + Num::real(0.5) == Num::real(1.5));
    CHECK(Num(0) * Num::real(2.5) == Num(0));
    CHECK(Num::complex(1, 2) * Num::complex(1, -2) == Num::real(5));
    CHECK(Num::complex(1, 0).kind == Num::Kind::Real);
    CHECK_FALSE(Num::real(0).isZero());
    CHECK(std::signbit((Num(1) * Num::complex(-0.0, 2)).re)); // a real factor does not change the signs of zeros
}

TEST_CASE("floor division and modulo as in Python", "[number]") {
    CHECK(floorDivide(7, 2) == 3);
    CHECK(floorDivide(-7, 2) == -4);
    CHECK(floorDivide(7, -2) == -4);
    CHECK(floorDivide(-7, -2) == 3);
    CHECK_FALSE(floorDivide(least, -1));
    CHECK(floorModulo(7, 3) == 1);
    CHECK(floorModulo(-7, 3) == 2);
    CHECK(floorModulo(7, -3) == -2);
    CHECK(floorModulo(least, -1) == 0);
    CHECK(gcd64(least, 0) == uint64_t(1) << 63);
    CHECK(gcdWith(12, -18) == 6);
}
