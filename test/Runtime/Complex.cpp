#include "sdfgc/rt/complex.h"
#include "sdfgc/rt/dacemath.h"
#include "sdfgc/rt/ufunc.h"

#include <catch2/catch.hpp>
#include <limits>
#include <vector>

namespace rt = sdfgc::rt;
using C64 = rt::complex64;
using C128 = rt::complex128;

namespace {
template <class A, class B> constexpr bool is = std::is_same<A, B>::value;
const C128 z(1.0, 2.0);
const C64 c(1.0f, 2.0f);
} // namespace

TEST_CASE("complex with reals of other types") {
    CHECK(2 * z == C128(2, 4));
    CHECK(z + 1 == C128(2, 2));
    CHECK(1 - z == C128(0, -2));
    CHECK(z / 2 == C128(0.5, 1));
    CHECK(1.0f / C128(0, 1) == C128(0, -1));
    CHECK(z * int64_t(3) == C128(3, 6));
    CHECK(c * true == c);
    static_assert(is<decltype(c * 2), C64>, "an integer keeps the type");
    static_assert(is<decltype(c * 2.0), C128>, "a wider float widens");
    static_assert(is<decltype(z * 2.0f), C128>, "a narrower float does not narrow");
    static_assert(is<decltype(c + z), C128> && is<decltype(z * c), C128>, "the wider complex wins");
    CHECK(c + z == C128(2, 4));
    CHECK(c * c == C64(-3, 4)); // the standard operator is not ambiguous
    CHECK(z * 2.0 == C128(2, 4));
}

TEST_CASE("functions of complex numbers") {
    CHECK(rt::abs(C128(3, 4)) == 5.0);
    CHECK(rt::conj(z) == C128(1, -2));
    CHECK(rt::imag(z) == 2.0);
    CHECK(rt::sign(C128(-3, 4)) == C128(-1, 0));
    CHECK(rt::sign(C128(0, 4)) == C128(1, 0));
    CHECK(rt::sign_numpy_2(C128(3, 4)) == C128(0.6, 0.8));
    CHECK(rt::sign_numpy_2(C128(0, 4)) == C128(0, 1)); // DaCe: 0
    CHECK(rt::sign_numpy_2(C128()) == C128());
    CHECK(rt::reciprocal(C128(0, 2)) == C128(0, -0.5));
    CHECK(rt::ROUND(C128(2.5, -2.5)) == C128(3, -3));
    CHECK(std::abs(rt::log2(rt::exp2(z)) - z) < 1e-14);
    CHECK(rt::py_floor(C128(7, 1), C128(2, 0)) == C128(3, 0));
    CHECK(rt::py_mod(C128(7, 1), C128(2, 0)) == C128(1, 1));
    CHECK(std::abs(rt::np_float_pow(C128(0, 1), C128(2, 0)) - C128(-1, 0)) < 1e-15);
    CHECK(std::abs(rt::np_float_pow(C64(0, 1), 2) - C128(-1, 0)) < 1e-15);
    CHECK(std::abs(rt::np_float_pow(2, C64(1, 0)) - C128(2, 0)) < 1e-15);
    C128 quotient, remainder;
    rt::py_divmod(C128(7, 1), C128(2, 0), quotient, remainder);
    CHECK((quotient == C128(3, 0) && remainder == C128(1, 1)));
    const double inf = std::numeric_limits<double>::infinity();
    CHECK(rt::isinf(C128(1, inf)));
    CHECK(!rt::isfinite(C128(1, inf)));
    CHECK(rt::isnan(C128(std::nan(""), 1)));
    CHECK(rt::isfinite(z));
}

TEST_CASE("expm1 and log1p are accurate near zero and right elsewhere") {
    const C128 tiny(1e-12, 1e-13);
    CHECK(rt::expm1(tiny).real() == Approx(1e-12 + 0.5e-24 - 0.5e-26).epsilon(1e-15));
    CHECK(rt::log1p(tiny).real() == Approx(1e-12 - 0.5e-24 + 0.5e-26).epsilon(1e-15));
    CHECK(rt::log1p(tiny).imag() == Approx(1e-13).epsilon(1e-11));
    for (const C128 &a : {z, C128(-0.5, 0.1), C128(-3, -2), C128(20, 5)}) {
        CHECK(std::abs(rt::expm1(a) - (std::exp(a) - 1.0)) <= 1e-13 * std::abs(std::exp(a)));
        CHECK(std::abs(rt::log1p(a) - std::log(a + 1.0)) < 1e-14);
    }
}

TEST_CASE("OpenMP sums of complex numbers") {
    std::vector<C128> values(100, z);
    C128 sum = 0, product = 1;
#pragma omp parallel for reduction(+ : sum) reduction(* : product) num_threads(3)
    for (int i = 0; i < 100; ++i) {
        sum += values[i];
        product *= C128(0, 1);
    }
    CHECK(sum == C128(100, 200));
    CHECK(product == C128(1, 0)); // i**100
}

TEST_CASE("dace::math keeps the argument's type") {
    using namespace dace;
    CHECK(math::sqrt(2) == 1);
    static_assert(is<decltype(math::sin(1.0f)), float>, "");
    CHECK(math::exp(0.0) == 1.0);
    CHECK(std::abs(math::exp(C128(0, 0)) - 1.0) == 0.0);
    CHECK(math::log1p(C128(0, 0)) == C128(0, 0));
    CHECK(math::log2(8.0) == 3.0);
    CHECK(math::sqrt(rt::half(4.0f)) == 2.0f);
    CHECK(math::exp2(rt::half(3.0f)) == 8.0f);
    CHECK(math::sqrt(rt::vec<double, 2>{4.0, 9.0})[1] == 3.0);
    CHECK(math::pow(2, 10) == 1024);
    static_assert(is<decltype(math::pow(2, 3)), int>, "two ints stay an int");
    CHECK(math::pow(2, -1) == 0);
    CHECK(math::pow(2.0, -1) == 0.5);
    CHECK(math::pow(z, 2) == std::pow(z, 2));
    CHECK(math::ipow(3.0, 0) == 1.0);
    CHECK(math::ipow(z, 2) == z * z);
    CHECK(math::ifloor(-2.5) == -3);
    CHECK(math::ifloor(-7) == -7);
    CHECK(math::ifloor(1e12) == 1000000000000);
    CHECK(math::atan2(0.0, 1.0) == 0.0);
    CHECK(cmath::conj(z) == C128(1, -2));
}

TEST_CASE("pi and nan take the type beside them") {
    using dace::math::nan;
    using dace::math::pi;
    static_assert(is<decltype(pi * 2.0f), float>, "");
    static_assert(is<decltype(pi * 2), double>, "");
    static_assert(is<decltype(c * pi), C64>, "");
    CHECK(2 * pi == 2 * M_PI);
    CHECK(pi * pi == M_PI * M_PI);
    CHECK(-pi < 0.0);
    CHECK(dace::math::sin(pi) == std::sin(M_PI));
    CHECK(dace::math::ipow(pi, 2) == M_PI * M_PI);
    const float f = pi;
    CHECK(f == static_cast<float>(M_PI));
    const double missing = nan;
    CHECK(std::isnan(missing));
    CHECK(std::isnan(nan + 1));
    CHECK(pi * rt::half(1.0f) == rt::half(3.140625f));
}
