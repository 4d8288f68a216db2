// gpu_atomic.h: every operation on every element type, under contention.
#include "Fixture.h"

#include "sdfgc/rt/complex.h"
#include "sdfgc/rt/gpu_atomic.h"
#include "sdfgc/rt/lowp.h"
#include "sdfgc/rt/vec.h"

#include <algorithm>
#include <limits>

namespace {

using namespace sdfgc::rt;

struct Pair {
    double sum;
    int count[2];
    bool operator==(const Pair &b) const { return sum == b.sum && count[0] == b.count[0] && count[1] == b.count[1]; }
};

/// All threads of all blocks update the same few adjacent elements.
template <class T> SDFGC_KERNEL void sums(T *p, int elements, T value) {
    gpu::atomicSum(&p[threadIdx.x % unsigned(elements)], value);
}

template <class T> SDFGC_KERNEL void differences(T *p, T value) { gpu::atomicDifference(p, value); }
template <class T> SDFGC_KERNEL void products(T *p, T value) { gpu::atomicProduct(&p[1], value); }
template <class T> SDFGC_KERNEL void quotients(T *p, T value) { gpu::atomicQuotient(&p[1], value); }

template <class T> SDFGC_KERNEL void extrema(T *p) {
    const T value = static_cast<T>(static_cast<int>((threadIdx.x * 37 + blockIdx.x) % 101));
    gpu::atomicMin(&p[0], value);
    gpu::atomicMax(&p[1], value);
}

template <class T> SDFGC_KERNEL void bits(T *p) {
    const T bit = static_cast<T>(T(1) << (threadIdx.x % 6));
    gpu::atomicOr(&p[0], bit);
    gpu::atomicAnd(&p[1], static_cast<T>(~bit));
    gpu::atomicXor(&p[2], bit);
}

template <class T> SDFGC_KERNEL void logic(T *p, unsigned zeroAt) {
    gpu::atomicLogicalAnd(&p[0], static_cast<T>(threadIdx.x != zeroAt));
    gpu::atomicLogicalOr(&p[1], static_cast<T>(threadIdx.x == zeroAt));
    gpu::atomicLogicalXor(&p[2], static_cast<T>(threadIdx.x % 3 == 0));
}

/// The results are a permutation of the old and new values: nothing is lost or duplicated.
template <class T> SDFGC_KERNEL void exchanges(T *p, T *olds) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    olds[i] = gpu::atomicExchange(p, static_cast<T>(static_cast<int>(i + 1)));
}

template <class T> SDFGC_KERNEL void custom(T *p, T value) {
    gpu::atomicUpdate(&p[1], value, [](const T &a, const T &b) { return static_cast<T>(a + b + b); });
}

SDFGC_KERNEL void customPair(Pair *p) {
    gpu::atomicUpdate(p, Pair{0.5, {1, 2}}, [](Pair a, const Pair &b) {
        a.sum += b.sum;
        a.count[0] += b.count[0];
        a.count[1] += b.count[1];
        return a;
    });
}

SDFGC_KERNEL void ticket(int *next, int *seen) {
    const int old = gpu::atomicSum(next, 1);
    seen[old] += 1;
}

template <auto Kernel, class... A> void run(gpu::Dim3 grid, gpu::Dim3 block, const A &...arguments) {
    REQUIRE(gpu::launch<Kernel>(gpu::Launch{"k", "t"}, grid, block, 0, nullptr, arguments...) == gpu::success);
    REQUIRE(gpu::deviceSynchronize() == gpu::success);
    CHECK(gpu::emulate::reportCount() == 0);
}

} // namespace

TEMPLATE_TEST_CASE("Atomic sums and differences lose nothing and leave the neighbours alone", "", int8_t, uint8_t, int16_t,
                   uint16_t, int, unsigned, int64_t, uint64_t, float, double, half, bfloat16, complex64, complex128) {
    Fresh fresh;
    // Five neighbours get 12 or 13 updates from each of 8 blocks of 64 threads; one more element follows them.
    Device<TestType> d(std::vector<TestType>(6, static_cast<TestType>(3)));
    run<sums<TestType>>(8, 64, d.data, 5, static_cast<TestType>(1));
    std::vector<TestType> result = d.get();
    for (int i = 0; i < 5; ++i)
        CHECK(result[size_t(i)] == static_cast<TestType>(3 + 8 * (i < 4 ? 13 : 12)));
    CHECK(result[5] == static_cast<TestType>(3));
    run<differences<TestType>>(4, 25, d.data, static_cast<TestType>(1));
    CHECK(d.get()[0] == static_cast<TestType>(3 + 104 - 100));
}

TEMPLATE_TEST_CASE("Atomic products and quotients", "", int8_t, int16_t, int, int64_t, uint64_t, float, double, half, complex64,
                   complex128) {
    Fresh fresh;
    Device<TestType> d(std::vector<TestType>(3, static_cast<TestType>(1)));
    run<products<TestType>>(3, 2, d.data, static_cast<TestType>(2));
    CHECK(d.get()[1] == static_cast<TestType>(64));
    run<quotients<TestType>>(5, 1, d.data, static_cast<TestType>(2));
    CHECK(d.get() == std::vector<TestType>{TestType(1), TestType(2), TestType(1)});
}

TEMPLATE_TEST_CASE("Atomic minima and maxima", "", int8_t, uint8_t, int16_t, int, unsigned, int64_t, uint64_t, float, double,
                   half) {
    Fresh fresh;
    Device<TestType> d({TestType(50), TestType(50)});
    run<extrema<TestType>>(4, 64, d.data);
    CHECK(d.get() == std::vector<TestType>{TestType(0), TestType(100)});
}

TEST_CASE("Minima of negative numbers and of infinities") {
    Fresh fresh;
    Device<double> d({-3.5, -std::numeric_limits<double>::infinity()});
    run<extrema<double>>(1, 64, d.data);
    CHECK(d.get()[0] == -3.5);
    CHECK(d.get()[1] > 90);
}

TEMPLATE_TEST_CASE("Atomic bit operations", "", int8_t, uint8_t, int16_t, uint16_t, int, unsigned, int64_t, uint64_t) {
    Fresh fresh;
    Device<TestType> d({TestType(64), TestType(127), TestType(1)});
    run<bits<TestType>>(1, 15, d.data); // bits 0, 1, 2 are flipped three times, the others twice
    CHECK(d.get() == std::vector<TestType>{TestType(127), TestType(64), TestType(6)});
}

TEMPLATE_TEST_CASE("Atomic logic gives 0 and 1", "", uint8_t, int16_t, int, int64_t, float, double, half) {
    Fresh fresh;
    Device<TestType> d({TestType(7), TestType(0), TestType(5)});
    run<logic<TestType>>(1, 31, d.data, 17u); // 11 threads contribute true to the exclusive or
    CHECK(d.get() == std::vector<TestType>{TestType(0), TestType(1), TestType(0)});
    d.set({TestType(7), TestType(0), TestType(0)});
    run<logic<TestType>>(1, 31, d.data, 100u);
    CHECK(d.get() == std::vector<TestType>{TestType(1), TestType(0), TestType(1)});
}

TEST_CASE("Atomic updates of bool") {
    Fresh fresh;
    Device<uint8_t> d({1, 0, 0, 9});
    run<logic<bool>>(1, 31, reinterpret_cast<bool *>(d.data), 17u);
    CHECK(d.get() == std::vector<uint8_t>{0, 1, 1, 9});
}

TEMPLATE_TEST_CASE("Atomic exchanges pass every value on once", "", int16_t, int, int64_t, float, double, half, complex64,
                   complex128) {
    Fresh fresh;
    Device<TestType> d(std::vector<TestType>(1)), olds(256);
    run<exchanges<TestType>>(4, 64, d.data, olds.data);
    std::vector<TestType> all = olds.get();
    all.push_back(d.get()[0]);
    for (int i = 0; i <= 256; ++i)
        CHECK(std::count(all.begin(), all.end(), static_cast<TestType>(i)) == 1);
}

TEMPLATE_TEST_CASE("Custom updates", "", int8_t, uint16_t, int, int64_t, float, double, half, complex64, complex128) {
    Fresh fresh;
    Device<TestType> d(std::vector<TestType>(3, static_cast<TestType>(1)));
    run<custom<TestType>>(5, 8, d.data, static_cast<TestType>(1));
    CHECK(d.get() == std::vector<TestType>{TestType(1), TestType(81), TestType(1)});
}

TEST_CASE("Custom updates of a struct are indivisible") {
    Fresh fresh;
    Device<Pair> d(std::vector<Pair>(1));
    run<customPair>(64, 64, d.data);
    CHECK(d.get()[0] == Pair{2048, {4096, 8192}});
}

TEST_CASE("A complex number that is not aligned to its size is updated, too") {
    Fresh fresh;
    Device<float> d({1, 2, 0, 3});
    run<custom<complex64>>(2, 8, reinterpret_cast<complex64 *>(d.data + 1) - 1, complex64(1, 0));
    CHECK(d.get() == std::vector<float>{1, 34, 0, 3});
}

TEST_CASE("Vectors are updated element by element") {
    Fresh fresh;
    using V = vec<float, 4>;
    Device<float> d({0, 1, 2, 3, 4});
    run<sums<V>>(2, 16, reinterpret_cast<V *>(d.data + 1), 1, V{1, 2, 3, 4});
    CHECK(d.get() == std::vector<float>{0, 33, 66, 99, 132});
}

TEST_CASE("The old value is returned once to each thread") {
    Fresh fresh;
    Device<int> next(std::vector<int>(1)), seen(std::vector<int>(1024, 0));
    run<ticket>(16, 64, next.data, seen.data);
    CHECK(seen.get() == std::vector<int>(1024, 1));
}
