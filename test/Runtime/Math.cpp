#include "sdfgc/rt/math.h"
#include "sdfgc/rt/ufunc.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>

namespace rt = sdfgc::rt;
using Int128 = __int128;

namespace {
constexpr double inf = std::numeric_limits<double>::infinity();
constexpr int64_t least = std::numeric_limits<int64_t>::min(), most = std::numeric_limits<int64_t>::max();

/// The definition of Python's rule: the q with a == q * b + r and r between 0 and b, r != b.
void checkFloor(Int128 a, Int128 b, Int128 q, Int128 r) {
    REQUIRE(a == q * b + r);
    REQUIRE((b > 0 ? (0 <= r && r < b) : (b < r && r <= 0)));
}

/// Equal, including the sign of zero; NaN equals NaN.
bool same(double a, double b) { return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b)); }
} // namespace

TEST_CASE("integer floordiv and floormod follow Python for every pair of int8") {
    for (int a = -128; a < 128; ++a)
        for (int b = -128; b < 128; ++b) {
            const auto x = static_cast<int8_t>(a), y = static_cast<int8_t>(b);
            static_assert(std::is_same<decltype(rt::floordiv(x, y)), int8_t>::value, "the common type is kept");
            if (b == 0) {
                REQUIRE(rt::floordiv(x, y) == 0);
                REQUIRE(rt::floormod(x, y) == 0);
                REQUIRE(rt::truncmod(x, y) == 0);
            } else if (a == -128 && b == -1) {
                REQUIRE(rt::floordiv(x, y) == -128);
                REQUIRE(rt::floormod(x, y) == 0);
            } else {
                checkFloor(a, b, rt::floordiv(x, y), rt::floormod(x, y));
                REQUIRE(rt::truncmod(x, y) == a % b);
                REQUIRE(rt::int_ceil(x, y) == static_cast<int8_t>(std::ceil(double(a) / b)));
            }
        }
}

TEST_CASE("integer floordiv and floormod follow Python for 64 bits") {
    std::mt19937_64 random(1);
    const int64_t edges[] = {least, least + 1, -3, -2, -1, 1, 2, 3, most - 1, most};
    auto check = [](int64_t a, int64_t b) {
        if (b != 0 && !(a == least && b == -1))
            checkFloor(a, b, rt::floordiv(a, b), rt::floormod(a, b));
    };
    for (int64_t a : edges)
        for (int64_t b : edges)
            check(a, b);
    for (int i = 0; i < 100000; ++i) {
        const auto a = static_cast<int64_t>(random()), b = static_cast<int64_t>(random()) >> (random() % 64);
        check(a, b);
        check(b, a);
    }
    CHECK(rt::floordiv(least, int64_t(-1)) == least);
    CHECK(rt::floormod(least, int64_t(-1)) == 0);
}

TEST_CASE("unsigned and mixed operands") {
    CHECK(rt::floordiv(7u, 2u) == 3u);
    CHECK(rt::floordiv(7u, 0u) == 0u);
    CHECK(rt::floormod(std::numeric_limits<uint64_t>::max(), uint64_t(10)) == 5u);
    CHECK(rt::floordiv(-7, 2u) == -4); // not the wrapped quotient of C
    CHECK(rt::floormod(-7, uint8_t(2)) == 1);
    CHECK(rt::floordiv(int64_t(-7), 2) == -4);
    CHECK(rt::floordiv(-7.5, 2) == -4.0);
    static_assert(rt::floordiv(-7, 2) == -4 && rt::int_ceil(-7, 2) == -3, "usable in constant expressions");
}

TEST_CASE("float floordiv and floormod give what Python gives") {
    struct Row {
        double a, b, quotient, remainder;
    };
    const Row rows[] = {
        {7.0, 2.0, 3.0, 1.0},
        {-7.0, 2.0, -4.0, 1.0},
        {7.0, -2.0, -4.0, -1.0},
        {-7.0, -2.0, 3.0, -1.0},
        {1.0, 0.1, 9.0, 0.09999999999999995},
        {-1.0, 0.1, -10.0, 5.551115123125783e-17},
        {-0.0, 1.0, -0.0, 0.0},
        {0.0, -1.0, -0.0, -0.0},
        {1e+20, 3.0, 3.333333333333333e+19, 1.0},
        {-1e-20, 3.0, -1.0, 3.0},
        {5.5, inf, 0.0, 5.5},
        {-5.5, inf, -1.0, inf},
        {-6.0, 3.0, -2.0, 0.0},
        {1e308, 1e-10, inf, 8.242447678659312e-11},
        {-2.5, 0.7, -4.0, 0.2999999999999998},
    };
    for (const Row &row : rows) {
        INFO(row.a << " // " << row.b);
        CHECK(same(rt::floordiv(row.a, row.b), row.quotient));
        CHECK(same(rt::floormod(row.a, row.b), row.remainder));
    }
    CHECK(rt::floordiv(1.0, 0.0) == inf);
    CHECK(std::isnan(rt::floormod(1.0, 0.0)));
    static_assert(std::is_same<decltype(rt::floormod(1.0f, 2.0f)), float>::value, "float stays float");
    CHECK(rt::floormod(-1.5f, 1.0f) == 0.5f);
}

TEST_CASE("min and max compare from the right in the common type") {
    const double nan = std::nan("");
    CHECK(rt::max(1, 2.5) == 2.5);
    CHECK(rt::min(3, 1, 2) == 1);
    CHECK(rt::max(3, 1, 2, int64_t(9)) == 9);
    CHECK(rt::max(nan, 1.0) == 1.0);
    CHECK(std::isnan(rt::max(1.0, nan)));
    CHECK(rt::min(nan, 1.0) == 1.0);
    CHECK(rt::max(1.0, nan, 2.0) == 2.0);
    CHECK(rt::min(int64_t(1) << 40, 5) == 5);
    static_assert(std::is_same<decltype(rt::min(int8_t(1), int8_t(2))), int8_t>::value, "");
    static_assert(std::is_same<decltype(rt::min(1, 2.0f)), float>::value, "");
}

TEST_CASE("powers, absolute values and divisors") {
    CHECK(rt::ipow(3, 4) == 81);
    CHECK(rt::ipow(2.0, -2) == 0.25);
    CHECK(rt::ipow(5, 0) == 1);
    CHECK(rt::ipow(0.0, 0) == 1.0);
    CHECK(rt::ipow(-1, -3) == -1);
    CHECK(rt::ipow(2, -1) == 0);
    CHECK(rt::ipow(0, -1) == 0);
    CHECK(rt::ipow(uint8_t(1), -5) == 1);
    CHECK(rt::ipow(int16_t(300), 2) == static_cast<int16_t>(90000));
    CHECK(rt::ipow(uint64_t(3), 41) == 18026252303461234787ull); // 3**41 modulo 2**64
    CHECK(rt::ipow<0>(7.0) == 1.0);
    CHECK(rt::ipow<7>(2.0) == 128.0);
    CHECK(rt::ipow<-1>(4.0) == 0.25);
    CHECK(rt::ipow<3>(-3) == -27);
    CHECK(rt::abs(-3) == 3);
    CHECK(rt::abs(4000000000u) == 4000000000u);
    CHECK(rt::abs(least) == least);
    CHECK(same(rt::abs(-0.0), 0.0));
    CHECK(rt::gcd(-12, 18) == 6);
    CHECK(rt::gcd(0, 0) == 0);
    CHECK(rt::gcd(int64_t(0), 5) == 5);
    CHECK(rt::lcm(-4, 6) == 12);
    CHECK(rt::lcm(0, 6) == 0);
    CHECK(rt::lcm(0, 0) == 0);
}

TEST_CASE("signs, reciprocals, ceilings") {
    CHECK(rt::sgn(-2.5) == -1);
    CHECK(rt::sgn(0u) == 0);
    CHECK(rt::sign(-2.5) == -1.0);
    CHECK(std::isnan(rt::sign(std::nan(""))));
    CHECK(rt::sgn(std::nan("")) == 0);
    CHECK(rt::reciprocal(4.0) == 0.25);
    CHECK(rt::reciprocal(4) == 0);
    CHECK(rt::reciprocal(0) == 0);
    CHECK(rt::ceiling(2.1) == 3.0);
    CHECK(rt::ceiling(-2.1f) == -2.0f);
    CHECK(rt::ceiling(5) == 5);
    CHECK(rt::int_floor(-7, 2) == -4);
    CHECK(rt::int_ceil(-7, 2) == -3);
    CHECK(rt::int_ceil(8, 4) == 2);
    CHECK(rt::int_ceil(7, -2) == -3);
    CHECK(rt::IfExpr(true, 1, 2.5) == 1.0);
}

TEST_CASE("remainders of Fortran and C") {
    CHECK(rt::Modulo(-17, 3) == 1);
    CHECK(rt::Modulo(17, -3) == -1);
    CHECK(rt::Modulo(int64_t(1) << 40 | 1, int64_t(2)) == 1); // float could not represent it
    CHECK(rt::Modulo_float(-1.5, 1.0) == 0.5);
    CHECK(rt::Mod(-17, 3) == -2);
    CHECK(rt::Mod_float(-7.5, 2.0) == -1.5);
    CHECK(rt::Mod_float(1e15 + 0.5, 2.0) == 0.5); // the quotient does not fit an int
    CHECK(rt::cpp_mod(-7.5, 2.0) == -1.5);
    int64_t q = 0, r = 0;
    rt::py_divmod(-7, 2, q, r);
    CHECK((q == -4 && r == 1));
    rt::cpp_divmod(-7, 2, q, r);
    CHECK((q == -3 && r == -1));
    rt::cpp_divmod(7, 2, q, r);
    CHECK((q == 3 && r == 1));
    rt::cpp_divmod(-6, 2, q, r);
    CHECK((q == -3 && r == 0));
    rt::cpp_divmod(5, 0, q, r);
    CHECK((q == 0 && r == 0));
    double fq = 0, fr = 0;
    rt::cpp_divmod(-7.5, 2.0, fq, fr);
    CHECK((fq == -3.0 && fr == -1.5));
}

TEST_CASE("rounding") {
    CHECK(rt::ROUND(2.5) == 3.0);
    CHECK(rt::ROUND(-2.5f) == -3.0f);
    CHECK(rt::round_even(2.5) == 2.0);
    CHECK(rt::round_even(3.5) == 4.0);
    CHECK(rt::round_even(7) == 7);
    CHECK(rt::iround(-2.5) == -3);
    CHECK(rt::iround(3.4f) == 3);
}

TEST_CASE("steps, splits, angles, bits") {
    CHECK(rt::heaviside(-1.0, 0.5) == 0.0);
    CHECK(rt::heaviside(0.0, 0.5) == 0.5);
    CHECK(rt::heaviside(0, 0.5) == 0.5);
    CHECK(std::isnan(rt::heaviside(std::nan(""), 0.5)));
    CHECK(rt::heaviside(2) == 1);
    double whole = 0, fraction = 0;
    rt::np_modf(-2.25, whole, fraction);
    CHECK((whole == -2.0 && fraction == -0.25));
    rt::np_modf(inf, whole, fraction);
    CHECK((whole == inf && fraction == 0.0));
    rt::np_modf(-3, whole, fraction);
    CHECK((whole == -3.0 && same(fraction, -0.0)));
    int exponent = 0;
    rt::np_frexp(-6.0, fraction, exponent);
    CHECK((fraction == -0.75 && exponent == 3));
    CHECK(rt::frexp(6.0) == 3);
    CHECK(rt::np_float_pow(2, -1) == 0.5);
    CHECK(rt::deg2rad(180) == Approx(3.141592653589793));
    CHECK(rt::rad2deg(3.14159265f) == Approx(180.0f));
    static_assert(std::is_same<decltype(rt::deg2rad(1.0f)), float>::value, "");
    CHECK(rt::bitwise_invert(int8_t(5)) == -6);
    CHECK(rt::bitwise_invert(true) == false);
    CHECK(rt::left_shift(uint8_t(0x81), 1) == 2);
    CHECK(rt::bitwise_xor(6, 3) == 5);
}

TEST_CASE("classification without <cmath>") {
    const double values[] = {0.0, -0.0, 1.5, -2.5, inf, -inf, std::nan(""), std::numeric_limits<double>::denorm_min()};
    for (double value : values) {
        INFO(value);
        CHECK(rt::isnan(value) == std::isnan(value));
        CHECK(rt::isinf(value) == std::isinf(value));
        CHECK(rt::isfinite(value) == std::isfinite(value));
        CHECK(rt::signbit(value) == std::signbit(value));
    }
    CHECK(rt::isfinite(3));
    CHECK(rt::signbit(-3));
    CHECK(rt::imag(2.0) == 0.0);
    CHECK(rt::conj(2.0f) == 2.0f);
}
