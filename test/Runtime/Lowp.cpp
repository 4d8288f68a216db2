#include "sdfgc/rt/lowp.h"
#include "sdfgc/rt/math.h"
#include "sdfgc/rt/ufunc.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

namespace rt = sdfgc::rt;

namespace {

struct Format {
    int exponentBits, mantissaBits;
    bool hasInfinity;
    int bias() const { return (1 << (exponentBits - 1)) - 1; }
    uint32_t signBit() const { return 1u << (exponentBits + mantissaBits); }
};
template <class F> Format formatOf();
template <> Format formatOf<rt::half>() { return {5, 10, true}; }
template <> Format formatOf<rt::bfloat16>() { return {8, 7, true}; }
template <> Format formatOf<rt::float8_e4m3fn>() { return {4, 3, false}; }
template <> Format formatOf<rt::float8_e5m2>() { return {5, 2, true}; }

/// The value of a pattern according to the definition of the format.
float valueOf(const Format &format, uint32_t bits) {
    const uint32_t magnitude = bits & (format.signBit() - 1), mantissa = magnitude & ((1u << format.mantissaBits) - 1);
    const int exponent = static_cast<int>(magnitude >> format.mantissaBits), top = (1 << format.exponentBits) - 1;
    double value = 0;
    if (format.hasInfinity && exponent == top)
        value = mantissa ? std::nan("") : HUGE_VAL;
    else if (!format.hasInfinity && magnitude == format.signBit() - 1)
        value = std::nan("");
    else if (exponent == 0)
        value = std::ldexp(mantissa, 1 - format.bias() - format.mantissaBits);
    else
        value = std::ldexp(mantissa + (1u << format.mantissaBits), exponent - format.bias() - format.mantissaBits);
    return static_cast<float>(bits & format.signBit() ? -value : value);
}

template <class F> uint32_t encode(float value) { return F(value).bits(); }

} // namespace

#define FORMATS rt::half, rt::bfloat16, rt::float8_e4m3fn, rt::float8_e5m2

TEMPLATE_TEST_CASE("every pattern has the value of its format and survives a round trip", "", FORMATS) {
    const Format format = formatOf<TestType>();
    for (uint32_t bits = 0; bits < 2 * format.signBit(); ++bits) {
        const auto small = TestType::fromBits(static_cast<decltype(TestType().bits())>(bits));
        const float expected = valueOf(format, bits), actual = small;
        INFO(bits);
        if (std::isnan(expected)) {
            REQUIRE(std::isnan(actual));
            REQUIRE(std::isnan(static_cast<float>(TestType(actual))));
            REQUIRE((encode<TestType>(actual) & format.signBit()) == (bits & format.signBit()));
        } else {
            REQUIRE(actual == expected);
            REQUIRE(std::signbit(actual) == std::signbit(expected));
            REQUIRE(encode<TestType>(actual) == bits);
        }
    }
}

TEMPLATE_TEST_CASE("between neighbours the nearer one wins, in the middle the even one", "", FORMATS) {
    const Format format = formatOf<TestType>();
    for (uint32_t bits = 0; std::isfinite(valueOf(format, bits + 1)); ++bits) {
        const double low = valueOf(format, bits), high = valueOf(format, bits + 1);
        const auto middle = static_cast<float>((low + high) / 2);
        INFO(bits);
        REQUIRE(static_cast<double>(middle) == (low + high) / 2); // a float can represent it; otherwise the test is meaningless
        const uint32_t even = bits % 2 == 0 ? bits : bits + 1;
        REQUIRE(encode<TestType>(middle) == even);
        REQUIRE(encode<TestType>(std::nextafter(middle, -1.0f)) == bits);
        REQUIRE(encode<TestType>(std::nextafter(middle, HUGE_VALF)) == bits + 1);
        REQUIRE(encode<TestType>(-middle) == (even | format.signBit()));
    }
}

TEMPLATE_TEST_CASE("overflow, underflow and special values", "", FORMATS) {
    const Format format = formatOf<TestType>();
    using Limits = std::numeric_limits<TestType>;
    const float most = Limits::max(), step = most - static_cast<float>(TestType::fromBits(Limits::max().bits() - 1));
    const auto overflowed = [](float value) {
        return Limits::has_infinity ? std::isinf(static_cast<float>(TestType(value)))
                                    : std::isnan(static_cast<float>(TestType(value)));
    };
    // The midpoint to the next step rounds to even: away from zero if the largest mantissa is odd, back if it is even (e4m3fn).
    const float middle = most + step / 2;
    CHECK(overflowed(middle) == format.hasInfinity);
    CHECK(encode<TestType>(std::nextafter(middle, 0.0f)) == Limits::max().bits());
    CHECK(overflowed(std::nextafter(middle, HUGE_VALF)));
    CHECK(overflowed(HUGE_VALF));
    CHECK(overflowed(std::numeric_limits<float>::max()));
    CHECK(encode<TestType>(std::numeric_limits<float>::denorm_min()) == 0);
    CHECK(encode<TestType>(-0.0f) == format.signBit());
    const float least = Limits::denorm_min();
    CHECK(encode<TestType>(least * 0.5f) == 0);
    CHECK(encode<TestType>(least * 0.75f) == 1);
    CHECK(encode<TestType>(least * 1.5f) == 2);
}

TEST_CASE("known patterns") {
    CHECK(rt::half(1.0f).bits() == 0x3C00);
    CHECK(rt::half(-2.0f).bits() == 0xC000);
    CHECK(rt::half(65519.0f).bits() == 0x7BFF);
    CHECK(rt::half(65520.0f).bits() == 0x7C00);
    CHECK(rt::bfloat16(1.0f).bits() == 0x3F80);
    CHECK(rt::float8_e5m2(1.0f).bits() == 0x3C);
    CHECK(rt::float8_e4m3fn(1.0f).bits() == 0x38);
    CHECK(rt::float8_e4m3fn(464.0f).bits() == 0x7E);
    CHECK(rt::float8_e4m3fn(465.0f).bits() == 0x7F);
    static_assert(rt::half(0.5f).bits() == 0x3800, "usable in constant expressions");
}

TEST_CASE("limits") {
    using Half = std::numeric_limits<rt::half>;
    CHECK((Half::digits == 11 && Half::digits10 == 3 && Half::max_digits10 == 5));
    CHECK((Half::min_exponent == -13 && Half::min_exponent10 == -4 && Half::max_exponent == 16 && Half::max_exponent10 == 4));
    CHECK(Half::max() == 65504.0f);
    CHECK(Half::lowest() == -65504.0f);
    CHECK(Half::min() == 6.103515625e-05f);
    CHECK(Half::epsilon() == 9.765625e-04f);
    CHECK(Half::infinity().bits() == 0x7C00);
    using Brain = std::numeric_limits<rt::bfloat16>;
    CHECK((Brain::digits == 8 && Brain::digits10 == 2 && Brain::max_digits10 == 4));
    CHECK(
        (Brain::min_exponent == -125 && Brain::min_exponent10 == -37 && Brain::max_exponent == 128 && Brain::max_exponent10 == 38));
    CHECK(Brain::max().bits() == 0x7F7F);
    using E4 = std::numeric_limits<rt::float8_e4m3fn>;
    CHECK((E4::max() == 448.0f && !E4::has_infinity && E4::max_exponent == 9 && E4::min_exponent == -5));
    CHECK(E4::denorm_min() == 0.001953125f);
    using E5 = std::numeric_limits<rt::float8_e5m2>;
    CHECK((E5::max() == 57344.0f && E5::max_exponent == 16));
}

TEST_CASE("arithmetic is float arithmetic, stores round") {
    rt::half a(1.0f), tiny(0.0004f);
    static_assert(std::is_same<decltype(a + tiny), float>::value, "no rounding inside an expression");
    CHECK(static_cast<float>(rt::half(a + tiny)) == 1.0f);
    CHECK(a + tiny != 1.0f);
    a += 2;
    CHECK(a == 3.0f);
    CHECK(a++ == 3.0f);
    CHECK(--a == 3.0f);
    a /= 2.0f;
    CHECK(a == 1.5f);
    CHECK(-a < 0);
    CHECK(std::sqrt(rt::half(4.0f)) == 2.0f);
    const auto three = static_cast<int>(rt::bfloat16(3.0f));
    CHECK(three == 3);
}

TEST_CASE("functions of math.h keep small floats and widen to wider ones") {
    const rt::half h(-2.5f);
    static_assert(std::is_same<decltype(rt::max(h, 1)), rt::half>::value, "");
    static_assert(std::is_same<decltype(rt::max(h, 1.0)), double>::value, "");
    static_assert(std::is_same<decltype(rt::max(h, rt::bfloat16())), float>::value, "");
    CHECK(rt::max(h, 1) == 1.0f);
    CHECK(rt::min(h, rt::half(0.0f)).bits() == h.bits());
    CHECK(rt::abs(h) == 2.5f);
    CHECK(rt::floordiv(h, rt::half(1.0f)) == -3.0f);
    CHECK(rt::floormod(h, rt::half(1.0f)) == 0.5f);
    CHECK(rt::ipow(h, 2) == 6.25f);
    CHECK(rt::sign(h) == -1.0f);
    CHECK(rt::ROUND(h) == -3.0f);
    CHECK(rt::isnan(std::numeric_limits<rt::half>::quiet_NaN()));
}

TEST_CASE("OpenMP reductions") {
    std::vector<rt::half> values(64);
    for (int i = 0; i < 64; ++i)
        values[i] = rt::half(static_cast<float>(i - 20));
    rt::half sum(0.0f), least(0.0f), most(0.0f);
#pragma omp parallel for reduction(+ : sum) reduction(min : least) reduction(max : most) num_threads(4)
    for (int i = 0; i < 64; ++i) {
        sum += values[i];
        least = rt::min(least, values[i]);
        most = rt::max(most, values[i]);
    }
    CHECK(sum == 736.0f);
    CHECK(least == -20.0f);
    CHECK(most == 43.0f);
}
