#include "sdfgc/rt/atomic.h"
#include "sdfgc/rt/complex.h"
#include "sdfgc/rt/lowp.h"
#include "sdfgc/rt/math.h"
#include "sdfgc/rt/reduction.h"
#include "sdfgc/rt/vec.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <memory>

namespace rt = sdfgc::rt;

namespace {
constexpr int threads = 4, rounds = 5000;

/// Runs `f(i)` for each i below threads * rounds, on several threads at once.
template <class F> void everywhere(F f) {
#pragma omp parallel for num_threads(threads) schedule(static, 1)
    for (int i = 0; i < threads * rounds; ++i)
        f(i);
}

struct Pair { // 8 bytes, aligned to 4
    int32_t key, count;
};
struct Large { // larger than a machine word
    int64_t count, twice, thrice;
};
} // namespace

TEMPLATE_TEST_CASE("sums lose nothing", "", int8_t, uint16_t, int32_t, uint32_t, int64_t, uint64_t, float, double, rt::complex64,
                   rt::complex128, (rt::vec<double, 4>), (rt::vec<int, 3>), (rt::vec<rt::complex64, 2>)) {
    TestType sum(0), difference(0);
    everywhere([&](int) {
        rt::atomic_add(&sum, TestType(1));
        rt::atomic_sub(&difference, TestType(1));
    });
    const TestType expected(static_cast<decltype(expected)>(static_cast<TestType>(threads * rounds)));
    const TestType zero = expected + difference;
    if constexpr (rt::Parts<TestType>::everyOperation) {
        CHECK(rt::all(sum == expected));
        CHECK(rt::all(zero == TestType(0)));
    } else {
        CHECK(sum == expected);
        CHECK(zero == TestType(0));
    }
}

TEST_CASE("the value is converted to the type of the target, the old value comes back") {
    float f = 1.5f;
    CHECK(rt::atomic_add(&f, 1) == 1.5f);
    CHECK(f == 2.5f);
    int i = 7;
    CHECK(rt::atomic_sub(&i, 2) == 7);
    CHECK(rt::atomic_exchange(&i, 3) == 5);
    CHECK(rt::atomic_load(&i) == 3);
    double d = 8;
    CHECK(rt::atomic_div(&d, 2) == 8);
    CHECK(d == 4);
    rt::complex128 z(1, 2);
    CHECK(rt::atomic_mul(&z, rt::complex128(0, 1)) == rt::complex128(1, 2));
    CHECK(z == rt::complex128(-2, 1));
    CHECK(rt::atomic_exchange(&z, rt::complex128(5, 5)) == rt::complex128(-2, 1));
}

TEMPLATE_TEST_CASE("minimum, maximum, product", "", int32_t, int64_t, uint8_t, float, double, rt::half, rt::bfloat16) {
    TestType least(100), most(100), product(1);
    everywhere([&](int i) {
        const TestType value(static_cast<float>((i * 37) % 120 + 5));
        rt::atomic_min(&least, value);
        rt::atomic_max(&most, value);
        if (i % (rounds * threads / 4) == 0)
            rt::atomic_mul(&product, TestType(2));
    });
    CHECK(least == TestType(5));
    CHECK(most == TestType(124));
    CHECK(product == TestType(16));
}

TEST_CASE("NaN follows the comparison, as in math.h") {
    const double nan = std::nan("");
    double a = nan, b = 1.0;
    rt::atomic_max(&a, 1.0);
    rt::atomic_max(&b, nan);
    CHECK(a == rt::max(nan, 1.0));
    CHECK(std::isnan(b) == std::isnan(rt::max(1.0, nan)));
}

TEST_CASE("bits and logic") {
    uint32_t ors = 0, ands = ~0u, xors = 0;
    bool any = false, all = true, odd = false;
    int anyInt = 0;
    double allDouble = 3;
    everywhere([&](int i) {
        rt::atomic_or(&ors, 1u << (i % 32));
        rt::atomic_and(&ands, ~(1u << (i % 31)));
        rt::atomic_xor(&xors, 5u);
        rt::atomic_logical_or(&any, i == 77);
        rt::atomic_logical_and(&all, i != 77);
        rt::atomic_logical_xor(&odd, i < 3);
        rt::atomic_logical_or(&anyInt, i == 77 ? 8 : 0);
        rt::atomic_logical_and(&allDouble, 2.5);
    });
    CHECK(ors == ~0u);
    CHECK(ands == 1u << 31);
    CHECK(xors == 0);
    CHECK(any);
    CHECK(!all);
    CHECK(odd);
    CHECK(anyInt == 1);
    CHECK(allDouble == 1.0);
}

TEST_CASE("structs and misaligned values use one way for one address") {
    // Offset by 4 bytes: the address of the pair is not a multiple of its size.
    alignas(8) char memory[3 * sizeof(Pair)] = {};
    for (std::size_t offset : {std::size_t(0), std::size_t(4)}) {
        Pair *pair = new (memory + offset) Pair{0, 0};
        everywhere([&](int) {
            rt::atomic_update(pair, Pair{1, 2}, [](Pair a, Pair b) { return Pair{a.key + b.key, a.count + b.count}; });
        });
        CHECK(pair->key == threads * rounds);
        CHECK(pair->count == 2 * threads * rounds);
    }
    Large large{0, 0, 0};
    everywhere([&](int) {
        rt::atomic_update(&large, Large{1, 2, 3}, [](const Large &a, const Large &b) {
            return Large{a.count + b.count, a.twice + b.twice, a.thrice + b.thrice};
        });
    });
    CHECK((large.count == threads * rounds && large.twice == 2 * large.count && large.thrice == 3 * large.count));
    alignas(16) char shifted[24] = {};
    auto *z = new (shifted + 8) rt::complex128(1, 0);
    everywhere([&](int) { rt::atomic_mul(z, rt::complex128(0, 1)); });
    CHECK(*z == rt::complex128(1, 0)); // i to a multiple of 4
}

TEST_CASE("neighbouring bytes do not disturb each other") {
    int8_t bytes[8] = {};
    everywhere([&](int i) { rt::atomic_max(&bytes[i % 8], int8_t(i % 8 + 100)); });
    for (int i = 0; i < 8; ++i)
        CHECK(bytes[i] == i + 100);
}

TEST_CASE("dace::wcr_fixed and wcr_custom") {
    using namespace dace;
    double d = 2;
    CHECK(wcr_fixed<ReductionType::Sum, double>::reduce(&d, 3) == 2);
    CHECK(d == 5);
    CHECK(wcr_fixed<ReductionType::Min, double>::reduce_atomic(&d, 4) == 5);
    CHECK(d == 4);
    CHECK(wcr_fixed<ReductionType::Product, int>()(6, 7) == 42);
    CHECK(wcr_fixed<ReductionType::Logical_Xor, int>()(6, 7) == 0);
    CHECK(wcr_fixed<ReductionType::Bitwise_Xor, int>()(6, 7) == 1);
    rt::half h(1.0f);
    wcr_fixed<ReductionType::Max, rt::half>::reduce_atomic(&h, rt::half(2.0f));
    CHECK(h == 2.0f);
    float sum = 1;
    wcr_fixed<ReductionType::Sum, float>::vreduce<4>(&sum, rt::vec<float, 4>{1, 2, 3, 4});
    wcr_fixed<ReductionType::Sum, float>::vreduce_atomic<4>(&sum, rt::vec<float, 4>{1, 2, 3, 4});
    CHECK(sum == 21);
    rt::vec<int, 4> v = {1, 5, 2, 8};
    wcr_fixed<ReductionType::Max, rt::vec<int, 4>>::reduce(&v, rt::vec<int, 4>(4));
    CHECK((v[0] == 4 && v[1] == 5 && v[2] == 4 && v[3] == 8));
    wcr_fixed<ReductionType::Min, rt::vec<int, 4>>::reduce_atomic(&v, rt::vec<int, 4>(4));
    CHECK((v[1] == 4 && v[3] == 4));
    int64_t last = 0;
    const auto keepLarger = [](int64_t a, int64_t b) { return a > b ? a : b; };
    everywhere([&](int i) { wcr_custom<int64_t>::reduce_atomic(keepLarger, &last, i); });
    CHECK(last == threads * rounds - 1);
    CHECK(wcr_custom<int64_t>::reduce(keepLarger, &last, 5) == last);
    wcr_fixed<ReductionType::Exchange, int64_t>::reduce_atomic(&last, -1);
    CHECK(last == -1);
    CHECK(static_cast<int>(ReductionType::Exchange) == 13);
}
