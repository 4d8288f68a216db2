#include "sdfgc/rt/complex.h"
#include "sdfgc/rt/lowp.h"
#include "sdfgc/rt/math.h"
#include "sdfgc/rt/vecmath.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

namespace rt = sdfgc::rt;
using rt::vec;

namespace {
/// 1, 2, 3, ... shifted.
template <class V> V counting(int from = 1) {
    V v;
    for (int i = 0; i < V::size(); ++i)
        v[i] = static_cast<typename V::value_type>(i + from);
    return v;
}
} // namespace

TEST_CASE("layout: N elements, aligned like one; length one is the element") {
    static_assert(sizeof(vec<float, 8>) == 32 && alignof(vec<float, 8>) == alignof(float), "");
    static_assert(sizeof(vec<double, 3>) == 24, "");
    static_assert(sizeof(vec<bool, 4>) == 4, "");
    static_assert(std::is_same<vec<double, 1>, double>::value, "");
    static_assert(std::is_trivially_copyable<vec<float, 4>>::value && std::is_trivially_default_constructible<vec<float, 4>>::value,
                  "");
    double memory[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    auto *at = reinterpret_cast<vec<double, 4> *>(memory + 1); // not a multiple of the vector's size
    *at = *at + 10.0;
    CHECK((memory[1] == 11.0 && memory[4] == 14.0 && memory[5] == 5.0));
    const auto part = vec<double, 4>::load(memory + 5);
    part.store(memory);
    CHECK(memory[3] == 8.0);
}

TEST_CASE("construction") {
    const vec<double, 4> broadcast = 2.5, listed = {1.0, 2.0}, array[2] = {0};
    CHECK((broadcast[0] == 2.5 && broadcast[3] == 2.5));
    CHECK((listed[0] == 1.0 && listed[1] == 2.0 && listed[2] == 0.0 && listed[3] == 0.0));
    CHECK(array[1][3] == 0.0);
    CHECK(vec<int, 4>(vec<double, 4>(2.9))[1] == 2);
}

TEMPLATE_TEST_CASE("arithmetic by elements: native vectors and loops", "", (vec<float, 4>), (vec<double, 2>), (vec<double, 8>),
                   (vec<int, 16>), (vec<int64_t, 2>), (vec<uint8_t, 32>), (vec<double, 3>), (vec<int, 5>), (vec<rt::half, 4>),
                   (vec<rt::complex64, 2>)) {
    using T = typename TestType::value_type;
    const TestType a = counting<TestType>(5), b = counting<TestType>(2);
    const TestType sum = a + b, difference = a - b, product = a * b, quotient = a / b, scaled = a * 2, reversed = 60 - b;
    TestType updated = a;
    updated *= b;
    updated += 1;
    for (int i = 0; i < TestType::size(); ++i) {
        INFO(i);
        REQUIRE(sum[i] == static_cast<T>(a[i] + b[i]));
        REQUIRE(difference[i] == static_cast<T>(a[i] - b[i]));
        REQUIRE(product[i] == static_cast<T>(a[i] * b[i]));
        REQUIRE(quotient[i] == static_cast<T>(a[i] / b[i]));
        REQUIRE(scaled[i] == static_cast<T>(a[i] * T(2)));
        REQUIRE(reversed[i] == static_cast<T>(T(60) - b[i]));
        REQUIRE(updated[i] == static_cast<T>(static_cast<T>(a[i] * b[i]) + T(1)));
        REQUIRE((-a)[i] == static_cast<T>(-a[i]));
    }
}

TEST_CASE("scalars convert to the element, mixed elements meet in the common type") {
    const vec<float, 4> f = 1.5f;
    static_assert(std::is_same<decltype(f * 2.0), vec<float, 4>>::value, "a vector type wins over a scalar");
    static_assert(std::is_same<decltype(f * vec<double, 4>(2.0)), vec<double, 4>>::value, "");
    CHECK((vec<int, 4>(3) * vec<double, 4>(0.5))[2] == 1.5);
    CHECK((vec<int, 4>(7) * 2.9)[0] == 14);
}

TEST_CASE("integer operators") {
    const vec<int, 4> a = {12, 10, 7, 1};
    CHECK((a % 5)[0] == 2);
    CHECK((a & 6)[1] == 2);
    CHECK((a | 1)[1] == 11);
    CHECK((a ^ 3)[2] == 4);
    CHECK((a << 2)[3] == 4);
    CHECK((a >> vec<int, 4>{1, 2, 3, 4})[0] == 6);
    CHECK((~a)[0] == -13);
    vec<uint8_t, 4> wraps = 200;
    wraps += 100;
    CHECK(wraps[3] == 44);
}

TEST_CASE("comparisons, logic and selection") {
    const vec<float, 4> a = {1, 2, 3, 4};
    const vec<bool, 4> large = a >= 3;
    static_assert(std::is_same<decltype(a < a), vec<bool, 4>>::value, "");
    CHECK((!large[1] && large[2]));
    const vec<bool, 4> middle = a > 1 && !(4 == a);
    CHECK((!middle[0] && middle[1] && middle[2] && !middle[3]));
    CHECK(rt::any(middle));
    CHECK(!rt::all(middle));
    CHECK(rt::all(a != 0));
    const vec<float, 4> chosen = rt::select(large, a, 0);
    CHECK((chosen[1] == 0 && chosen[3] == 4));
    CHECK(rt::select(large, -1, a)[0] == 1);
}

TEST_CASE("min, max, abs as for scalars; functions of <cmath>") {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const vec<float, 4> a = {-1, 5, nan, 2};
    CHECK(rt::max(a, 2)[0] == 2);
    CHECK(rt::max(a, 2)[2] == rt::max(nan, 2.0f));
    CHECK(std::isnan(rt::max(2, a)[2]));
    CHECK(rt::min(a, vec<float, 4>(3))[1] == 3);
    CHECK(rt::abs(a)[0] == 1);
    CHECK(!std::signbit(rt::abs(vec<float, 4>(-0.0f))[0]));
    const vec<double, 4> b = {1, 4, 9, 16};
    CHECK(sqrt(b)[3] == 4);
    CHECK(exp(b)[1] == std::exp(4.0));
    CHECK(pow(b, 2)[2] == 81);
    CHECK(atan2(1, b)[0] == std::atan2(1.0, 1.0));
    CHECK(rt::ipow(b, 2)[3] == 256);
    CHECK(rt::ipow<3>(b)[1] == 64);
    CHECK(sqrt(vec<rt::half, 2>(rt::half(4.0f)))[1] == 2.0f);
    CHECK(exp(vec<rt::complex128, 2>(rt::complex128(0, 0)))[0] == 1.0);
}

TEST_CASE("vectors of bool and vectors of vectors") {
    const vec<bool, 4> a = {true, false, true, false}, b = {true, true, false, false};
    CHECK(((a && b)[0] && !(a && b)[1]));
    CHECK(((a || b)[2] && !(a || b)[3]));
    CHECK((a ^ b)[1]);
    const vec<vec<float, 2>, 2> nested = vec<float, 2>{1, 2};
    CHECK((nested + nested)[1][1] == 4);
}
