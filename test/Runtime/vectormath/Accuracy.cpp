// Class V (docs/user/semantics.md): functions in vectorised loops are at most four units in the last place from the exact value, for
// all arguments, and have the special values of the scalar functions: NaN, infinities, zeros with their signs, denormal numbers.
#include "Loops.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace {

template <class T> using Limits = std::numeric_limits<T>;
/// Twice the precision of T, more or less.
template <class T> struct WiderOf { using Type = long double; };
template <> struct WiderOf<float> { using Type = double; };
template <class T> using Wider = typename WiderOf<T>::Type;
constexpr double wrong = 1e9;

/// The distance of a number that is close to the end of the range from its end, in units there.
template <class T> double beyond(Wider<T> x) {
    const Wider<T> end = std::ldexp(Wider<T>(1), Limits<T>::max_exponent);
    return static_cast<double>((end - std::fabs(x)) / std::ldexp(Wider<T>(1), Limits<T>::max_exponent - Limits<T>::digits));
}

/// The error of a result in units in the last place of the exact value; `wrong` if it is another special value.
template <class T> double errorOf(T result, Wider<T> exact) {
    const T rounded = static_cast<T>(exact);
    if (std::isnan(result) || std::isnan(exact))
        return std::isnan(result) && std::isnan(exact) ? 0 : wrong;
    if (result == rounded)
        return result != 0 || std::signbit(result) == std::signbit(exact) ? 0 : wrong;
    if (std::isinf(result) || std::isinf(rounded)) // one of them: the other one must be almost as large
        return std::signbit(result) == std::signbit(rounded) ? beyond<T>(std::isinf(result) ? exact : result) : wrong;
    int exponent = 0;
    std::frexp(exact, &exponent);
    exponent = std::max(exponent - Limits<T>::digits, Limits<T>::min_exponent - Limits<T>::digits);
    return static_cast<double>(std::fabs(exact - result) / std::ldexp(Wider<T>(1), exponent));
}

template <class T> std::vector<T> specialNumbers() {
    std::vector<T> out{T(0),
                       Limits<T>::infinity(),
                       Limits<T>::quiet_NaN(),
                       Limits<T>::denorm_min(),
                       Limits<T>::min() / 2,
                       Limits<T>::min(),
                       Limits<T>::max(),
                       Limits<T>::epsilon(),
                       1 - Limits<T>::epsilon(),
                       T(1),
                       1 + Limits<T>::epsilon()};
    // Around the ends of the ranges of exp, exp2, cosh, expm1, erfc, for floats and doubles, and multiples of pi.
    for (const double x : {0.5,
                           2.0,
                           3.0,
                           9.0,
                           10.0,
                           26.5,
                           27.3,
                           88.7,
                           89.4,
                           103.9,
                           104.0,
                           127.5,
                           128.0,
                           149.0,
                           150.0,
                           709.7,
                           710.4,
                           745.1,
                           746.0,
                           1023.5,
                           1024.0,
                           1074.0,
                           1075.0,
                           1.5707963267948966,
                           3.141592653589793,
                           1e5,
                           1e10,
                           1e22,
                           1e30})
        out.push_back(static_cast<T>(x));
    for (std::size_t k = 0, n = out.size(); k < n; ++k)
        out.push_back(-out[k]);
    return out;
}

/// Special numbers, numbers of all magnitudes, and those of common ranges.
template <class T> std::vector<T> numbers(std::size_t count) {
    std::vector<T> out = specialNumbers<T>();
    std::mt19937_64 random(7);
    std::uniform_real_distribution<T> ranges[] = {
        std::uniform_real_distribution<T>(-1, 1), std::uniform_real_distribution<T>(-10, 10),
        std::uniform_real_distribution<T>(T(0.9), T(1.1)), std::uniform_real_distribution<T>(-800, 800),
        std::uniform_real_distribution<T>(-1000000, 1000000)};
    while (out.size() < count) {
        const std::uint64_t bits = random();
        T any;
        std::memcpy(&any, &bits, sizeof any);
        out.push_back(any);
        for (auto &range : ranges)
            out.push_back(range(random));
    }
    while (out.size() % 16 != 0) // no remainder for the scalar function
        out.push_back(1);
    return out;
}

/// All pairs of special numbers, then random pairs.
template <class T> std::pair<std::vector<T>, std::vector<T>> pairs(std::size_t count) {
    const std::vector<T> special = specialNumbers<T>(), all = numbers<T>(count);
    std::vector<T> a, b;
    for (const T x : special)
        for (const T y : special) {
            a.push_back(x);
            b.push_back(y);
        }
    std::mt19937_64 random(8);
    for (std::size_t k = 0; k < count; ++k) {
        const T x = all[random() % all.size()];
        a.push_back(k % 2 == 0 ? x : std::fabs(x)); // pow has few values for negative numbers
        b.push_back(all[random() % all.size()]);
    }
    while (a.size() % 16 != 0) {
        a.push_back(1);
        b.push_back(1);
    }
    return {a, b};
}

/// Checks results; returns whether any differs from that of the scalar function.
template <class T>
bool check(const std::string &name, const std::vector<T> &results, const std::function<Wider<T>(std::size_t)> &exact,
           const std::function<T(std::size_t)> &scalar, const std::function<std::string(std::size_t)> &arguments) {
    double worst = -1;
    std::size_t at = 0;
    bool differs = false;
    for (std::size_t k = 0; k < results.size(); ++k) {
        if (const double error = errorOf<T>(results[k], exact(k)); error > worst) {
            worst = error;
            at = k;
        }
        differs = differs || std::memcmp(&results[k], std::vector<T>{scalar(k)}.data(), sizeof(T)) != 0;
    }
    INFO(name << (sizeof(T) == 4 ? "f" : "") << "(" << arguments(at) << ") is " << results[at] << ", and should be "
              << static_cast<double>(exact(at)));
    CHECK(worst <= 4.0);
    return differs;
}

constexpr std::size_t count = 30000;

template <class T, class Loop, class Exact, class Scalar> bool checkUnary(const char *name, Loop loop, Exact exact, Scalar scalar) {
    static const std::vector<T> a = numbers<T>(count);
    std::vector<T> out(a.size());
    loop(a.size(), a.data(), out.data());
    return check<T>(
        name, out, [&](std::size_t k) { return exact(Wider<T>(a[k])); }, [&](std::size_t k) { return scalar(a[k]); },
        [&](std::size_t k) { return std::to_string(a[k]); });
}

template <class T, class Loop, class Exact, class Scalar>
bool checkBinary(const char *name, Loop loop, Exact exact, Scalar scalar) {
    static const std::pair<std::vector<T>, std::vector<T>> both = pairs<T>(count);
    const auto &[x, y] = both;
    std::vector<T> out(x.size());
    loop(x.size(), x.data(), y.data(), out.data());
    return check<T>(
        name, out, [&](std::size_t k) { return exact(Wider<T>(both.first[k]), Wider<T>(both.second[k])); },
        [&](std::size_t k) { return scalar(both.first[k], both.second[k]); },
        [&](std::size_t k) { return std::to_string(both.first[k]) + ", " + std::to_string(both.second[k]); });
}

} // namespace

#define CHECK_UNARY_OF(T, name)                                                                                                    \
    differ += checkUnary<T>(                                                                                                       \
        #name, [](std::size_t n, const T *a, T *out) { loops::LOOPS_LEVEL::name(n, a, out); },                                     \
        [](Wider<T> x) { return std::name(x); }, [](T x) { return std::name(x); });
#define CHECK_BINARY_OF(T, name)                                                                                                   \
    differ += checkBinary<T>(                                                                                                      \
        #name, [](std::size_t n, const T *a, const T *b, T *out) { loops::LOOPS_LEVEL::name(n, a, b, out); },                      \
        [](Wider<T> x, Wider<T> y) { return std::name(x, y); }, [](T x, T y) { return std::name(x, y); });
#define CHECK_UNARY(name) CHECK_UNARY_OF(double, name) CHECK_UNARY_OF(float, name)
#define CHECK_BINARY(name) CHECK_BINARY_OF(double, name) CHECK_BINARY_OF(float, name)
#define CHECK_ALL                                                                                                                  \
    UNARY_FUNCTIONS(CHECK_UNARY)                                                                                                   \
    BINARY_FUNCTIONS(CHECK_BINARY)

#ifdef HAS_LEVELS // the loops of these call vector functions: most of the 50 have other last bits than the scalar ones
TEST_CASE("functions are accurate with SSE4") {
    int differ = 0;
#define LOOPS_LEVEL v2
    CHECK_ALL
#undef LOOPS_LEVEL
    CHECK(differ > 40);
}

TEST_CASE("functions are accurate with AVX2") {
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
        return;
    int differ = 0;
#define LOOPS_LEVEL v3
    CHECK_ALL
#undef LOOPS_LEVEL
    CHECK(differ > 40);
}

TEST_CASE("functions are accurate with AVX-512") {
    if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512vl") || !__builtin_cpu_supports("avx512dq"))
        return;
    int differ = 0;
#define LOOPS_LEVEL v4
    CHECK_ALL
#undef LOOPS_LEVEL
    CHECK(differ > 40);
}
#else
TEST_CASE("functions are accurate, whether there are vector functions or not") {
    int differ = 0;
#define LOOPS_LEVEL any
    CHECK_ALL
#undef LOOPS_LEVEL
    CHECK(differ >= 0);
}
#endif
