// C++ code in graph files: names of DaCe's runtime, found with no prefix other than dace::.
#include <dace/dace.h>

#include <catch2/catch.hpp>

namespace {
DACE_HDFI double square(double x) { return x * x; }
struct DACE_ALIGN(64) Aligned {
    char c;
};
} // namespace

DACE_EXPORTED int sdfgcCompatExported();
DACE_EXPORTED int sdfgcCompatExported() { return 3; }

TEST_CASE("types and macros") {
    CHECK(sizeof(dace::complex128) == 16);
    CHECK(sizeof(dace::half) == 2);
    CHECK(sizeof(dace::float8_e4m3fn) == 1);
    static_assert(std::is_same<dace::uint, unsigned>::value && std::is_same<dace::float16, dace::half>::value, "");
    static_assert(std::is_scalar<dace::vec<double, 1>>::value && !std::is_scalar<dace::vec<float, 2>>::value, "");
    const dace::complex128 alpha = dace::complex128(1);
    CHECK(alpha.real() == 1);
    CHECK(alignof(Aligned) == 64);
    CHECK(square(3) == 9);
    CHECK(sdfgcCompatExported() == 3);
    const pyobject object = nullptr;
    CHECK(object == nullptr);
}

TEST_CASE("functions at global scope, unqualified") {
    const int i = -7;
    const float f = -2.5f;
    const double d = 2.5;
    const unsigned u = 7;
    const dace::complex64 c(3, 4);
    const dace::half h(-1.5f);
    CHECK(max(i, d) == 2.5);
    CHECK(min(1, 2, i) == -7);
    CHECK(Max(1, 2.9) == 2); // in the type of the first argument
    CHECK(Min(1.5, 2) == 1.5);
    CHECK((abs(i) == 7 && abs(f) == 2.5f && abs(u) == 7 && abs(c) == 5 && abs(h) == 1.5f));
    CHECK((Abs(i) == 7 && Abs(c) == 5));
    CHECK((sqrt(4.0f) == 2.0f && exp(0) == 1.0 && floor(f) == -3.0f && pow(2, 3) == 8.0));
    static_assert(std::is_same<decltype(sqrt(f)), float>::value, "the std overloads, not the C functions");
    CHECK((sqrt(c) == std::sqrt(c) && exp2(dace::complex64(1, 0)) == dace::complex64(2, 0)));
    CHECK((round(f) == -3.0f && round(dace::complex64(2.5f, 0)) == dace::complex64(3, 0) && ROUND(d) == 3.0));
    CHECK((isnan(f) == false && isnan(c) == false && isfinite(c) && !isinf(c) && isfinite(h) && signbit(f)));
    CHECK((frexp(8.0) == 4 && ldexp(1.0, 3) == 8.0));
    CHECK((Mod(i, 3) == -1 && Modulo(i, 3) == 2 && Mod_float(f, 2.0f) == -0.5f && Modulo_float(f, 2.0f) == 1.5f));
    CHECK((int_floor(i, 2) == -4 && int_ceil(7, 2) == 4 && int_floor_ni(i, 2) == -4 && ceiling(d) == 3.0));
    CHECK((py_mod(i, 3) == 2 && py_floor(i, 2) == -4 && cpp_mod(i, 3) == -1 && cpp_mod(d, 2.0) == 0.5));
    CHECK((sgn(f) == -1 && sign(f) == -1.0f && sign(c) == dace::complex64(1, 0) && sign_numpy_2(2) == 1));
    CHECK((bitwise_and(6, 3) == 2 && bitwise_invert(0) == -1 && left_shift(1, 3) == 8 && AND(true, false) == false && OR(1, 0)));
    CHECK((IfExpr(i < 0, 1, 2) == 1 && heaviside(d) == 1.0 && reciprocal(d) == 0.4 &&
           reciprocal(dace::complex64(2, 0)).real() == 0.5f));
    CHECK((conj(d) == 2.5 && conj(c).imag() == -4 && real(c) == 3 && imag(d) == 0 && gcd(12, 18) == 6 && lcm(4, 6) == 12));
    CHECK((deg2rad(180.0) == Approx(M_PI) && np_float_pow(2, 3) == 8.0 && iround(f) == -3));
    int quotient = 0, remainder = 0;
    py_divmod(i, 2, quotient, remainder);
    CHECK((quotient == -4 && remainder == 1));
    double whole = 0, fraction = 0;
    np_modf(d, whole, fraction);
    CHECK((whole == 2 && fraction == 0.5));
    int64_t sum = 0;
    for (auto k : range(0, 5, 2))
        sum += k;
    CHECK(sum == 6);
}

TEST_CASE("C++ tasklets as DaCe's tests write them") {
    double least = 5;
    dace::wcr_fixed<dace::ReductionType::Min, double>::reduce_atomic(&least, 2.0);
    CHECK(least == 2.0);
    auto wcr = [](auto a, auto b) { return a + 2 * b; };
    dace::wcr_custom<double>::reduce_atomic<decltype(wcr)>(wcr, &least, 1.0);
    CHECK(least == 4.0);
    double source[8] = {1, 2, 3, 4, 5, 6, 7, 8}, target[8];
    memcpy(target, source, 8 * sizeof(double));
    CHECK(target[7] == 8);
    char text[16];
    snprintf(text, sizeof text, "%d", std::max(1, 2));
    CHECK(std::string(text) == "2");
    dace::Stream<uint64_t> stream;
    stream.push(1);
    CHECK(stream.pop() == 1);
    double sink[10] = {};
    dace::ArrayStreamView<double> view(sink);
    dace::vec<double, 2> pair = dace::vec<double, 2>{3.0, 2.0};
    dace::vec<double, 2> zeros[2] = {0};
    view.push<2>(pair);
    view.push<2>(zeros, 2);
    view.push(9.0);
    CHECK((sink[0] == 3.0 && sink[1] == 2.0 && sink[6] == 9.0));
    const auto j = dace::complexJ();
    CHECK(1.5 * j == dace::complex128(0, 1.5));
    CHECK(j * j == -1);
    CHECK(dace::complex128(1, 2) * j == dace::complex128(-2, 1));
}
