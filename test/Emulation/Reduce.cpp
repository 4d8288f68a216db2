// gpu_warp.h and gpu_reduce.h: exact results for full and partial warps, blocks of one to three dimensions, and any order of
// blocks.
#include "Fixture.h"

#include "sdfgc/rt/complex.h"
#include "sdfgc/rt/gpu_reduce.h"
#include "sdfgc/rt/lowp.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace {

constexpr int warp = SDFGC_WARP_SIZE;

SDFGC_KERNEL void lanes(int *out, uint64_t *votes) {
    const int thread = gpu::linearThread();
    out[3 * thread] = gpu::fromLane(thread, gpu::laneOfWarp() + 1);
    out[3 * thread + 1] = gpu::laneOfWarp();
    out[3 * thread + 2] = gpu::anyLane(thread == 3) + 2 * gpu::allLanes(thread < warp);
    votes[thread] = gpu::ballot(thread % 2 == 0);
    gpu::warpSync();
}

template <class T> SDFGC_KERNEL void warpSums(T *first, T *all, T *scanned) {
    const int thread = gpu::linearThread();
    const T value = static_cast<T>(thread + 1);
    const T sum = gpu::warpReduce(value, gpu::Sum());
    if (gpu::laneOfWarp() == 0)
        first[gpu::warpOfBlock()] = sum;
    all[thread] = gpu::warpReduceAll(value, gpu::Sum());
    scanned[thread] = gpu::warpScan(value, gpu::Sum());
}

template <class T> SDFGC_KERNEL void blockSums(T *first, T *all) {
    const int block = static_cast<int>(blockIdx.x), threads = static_cast<int>(blockDim.x * blockDim.y * blockDim.z);
    const T value = static_cast<T>(gpu::linearThread() + 1);
    for (int round = 0; round < 2; ++round) { // immediately again, with other values
        const T sum = gpu::blockReduce(static_cast<T>(value * T(round + 1)), gpu::Sum());
        if (gpu::linearThread() == 0)
            first[2 * block + round] = sum;
    }
    all[block * threads + gpu::linearThread()] = gpu::blockReduceAll(value, gpu::Max());
}

template <class T> SDFGC_KERNEL void columnSums(T *sums) {
    const int thread = gpu::linearThread();
    for (int round = 0; round < 2; ++round) // immediately again, with other values
        sums[2 * thread + round] = gpu::columnReduceAll(static_cast<T>(T(thread + 1) * T(round + 1)), gpu::Sum());
}

template <class T> SDFGC_KERNEL void columnSumsInLine(T *sums, unsigned columns) {
    const int thread = gpu::linearThread();
    for (int round = 0; round < 2; ++round) // immediately again, with other values
        sums[2 * thread + round] = gpu::columnReduceAll(static_cast<T>(T(thread + 1) * T(round + 1)), gpu::Sum(), columns);
}

template <class T, class F>
SDFGC_KERNEL void gridTotal(const T *in, int64_t count, F op, T identity, T *partial, unsigned *counter, T *out) {
    T mine = identity;
    for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += int64_t(gridDim.x) * blockDim.x)
        mine = op(mine, in[i]);
    T total = identity;
    if (gpu::gridReduce(mine, op, identity, partial, counter, total))
        *out = total;
}

/// Each of the first `count` threads contributes its number; [0] += , [1] *= , [2] min=, [3] max=, [4] and=, [5] or=, [6] xor=.
template <class T> SDFGC_KERNEL void updates(T *out, int count) {
    const int number = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    const bool mine = number < count;
    gpu::blockSum(out, mine ? static_cast<T>(number % 3) : T(0));
    gpu::blockProduct(out + 1, mine && number % 50 == 7 ? T(2) : T(1));
    if constexpr (!std::is_same<T, sdfgc::rt::complex64>::value && !std::is_same<T, sdfgc::rt::complex128>::value) {
        gpu::blockMin(out + 2, static_cast<T>(mine ? (number + 5) % 100 : 100));
        gpu::blockMax(out + 3, static_cast<T>(mine ? (number + 5) % 100 : 0));
        gpu::blockLogicalAnd(out + 4, static_cast<T>(number != 61));
        gpu::blockLogicalOr(out + 5, static_cast<T>(mine && number == 61 ? 4 : 0));
        gpu::blockLogicalXor(out + 6, static_cast<T>(mine && number % 10 == 1 ? 2 : 0));
    }
}

template <class T> SDFGC_KERNEL void bitUpdates(T *out) {
    const T number = static_cast<T>(threadIdx.x);
    gpu::blockAnd(out, static_cast<T>(number | T(8)));
    gpu::blockOr(out + 1, static_cast<T>(number & T(5)));
    gpu::blockXor(out + 2, static_cast<T>(T(1) << (threadIdx.x % 7)));
}

template <auto Kernel, class... A> void run(gpu::Dim3 grid, gpu::Dim3 block, const A &...arguments) {
    const gpu::Launch how{.name = "k", .element = "t", .barriers = true};
    REQUIRE(gpu::launch<Kernel>(how, grid, block, 0, nullptr, arguments...) == gpu::success);
    REQUIRE(gpu::deviceSynchronize() == gpu::success);
    CHECK(gpu::emulate::reportCount() == 0);
}

} // namespace

TEST_CASE("lanes see their neighbours; the last lane, and the last one of a partial warp, see themselves") {
    const Fresh fresh(1);
    const int count = warp + 5;
    const Device<int> out(3 * count);
    const Device<uint64_t> votes(count);
    run<lanes>(1, count, out.data, votes.data);
    const std::vector<int> seen = out.get();
    const std::vector<uint64_t> mask = votes.get();
    for (int t = 0; t < count; ++t) {
        CHECK(seen[3 * t] == (t == warp - 1 || t == count - 1 ? t : t + 1));
        CHECK(seen[3 * t + 1] == t % warp);
        CHECK(seen[3 * t + 2] == (t < warp ? 3 : 0));
        CHECK(mask[t] == (t < warp ? 0x5555555555555555u & (~uint64_t(0) >> (64 - warp)) : 0x15u));
    }
}

TEMPLATE_TEST_CASE("warps reduce and scan", "", int, int64_t, float, double, sdfgc::rt::complex64, sdfgc::rt::complex128) {
    using T = TestType;
    for (const int count : {1, 7, warp, warp + 1, 3 * warp - 2}) {
        const Fresh fresh(1);
        const int warps = (count + warp - 1) / warp;
        const Device<T> first(warps), all(count), scanned(count);
        run<warpSums<T>>(1, count, first.data, all.data, scanned.data);
        const std::vector<T> sums = first.get(), everywhere = all.get(), scan = scanned.get();
        int running = 0;
        for (int t = 0; t < count; ++t) {
            running = t % warp == 0 ? t + 1 : running + t + 1;
            CHECK(scan[t] == static_cast<T>(running));
            const int begin = t / warp * warp, end = std::min(begin + warp, count);
            CHECK(everywhere[t] == static_cast<T>((begin + 1 + end) * (end - begin) / 2));
            CHECK(sums[t / warp] == everywhere[t]);
        }
    }
}

TEMPLATE_TEST_CASE("columns of threads reduce", "", int, double) {
    using T = TestType;
    for (const gpu::Dim3 block : {gpu::Dim3(1), gpu::Dim3(16, 32), gpu::Dim3(5, 7), gpu::Dim3(40), gpu::Dim3(1, 33)}) {
        for (const uint64_t seed : {0, 1, 2}) {
            const Fresh fresh(seed);
            const int threads = static_cast<int>(block.threads()), width = static_cast<int>(block.x);
            const Device<T> sums(2 * threads);
            run<columnSums<T>>(1, block, sums.data);
            const std::vector<T> found = sums.get();
            for (int thread = 0; thread < threads; ++thread) {
                T sum = 0;
                for (int other = thread % width; other < threads; other += width)
                    sum += static_cast<T>(other + 1);
                CHECK(found[2 * thread] == sum);
                CHECK(found[2 * thread + 1] == 2 * sum);
            }
        }
    }
}

TEMPLATE_TEST_CASE("blocks of one dimension reduce columns", "", int8_t, int, double) {
    using T = TestType;
    for (const auto &[threads, columns] :
         {std::pair(1, 1), std::pair(256, 16), std::pair(33, 11), std::pair(40, 40), std::pair(96, 1)}) {
        for (const uint64_t seed : {0, 1, 2}) {
            const Fresh fresh(seed);
            const Device<T> sums(2 * threads);
            run<columnSumsInLine<T>>(1, gpu::Dim3(static_cast<unsigned>(threads)), sums.data, static_cast<unsigned>(columns));
            const std::vector<T> found = sums.get();
            for (int thread = 0; thread < threads; ++thread) {
                T sum = 0;
                for (int other = thread % columns; other < threads; other += columns)
                    sum = static_cast<T>(sum + static_cast<T>(other + 1));
                CHECK(found[2 * thread] == sum);
                CHECK(found[2 * thread + 1] == static_cast<T>(2 * sum));
            }
        }
    }
}

TEMPLATE_TEST_CASE("blocks reduce", "", int8_t, int, double) {
    using T = TestType;
    for (const gpu::Dim3 block :
         {gpu::Dim3(1), gpu::Dim3(5), gpu::Dim3(warp), gpu::Dim3(3, 5, 2), gpu::Dim3(8, 8, 16), gpu::Dim3(1000)}) {
        for (const uint64_t seed : {0, 1, 2}) {
            const Fresh fresh(seed);
            const int threads = static_cast<int>(block.threads());
            const Device<T> first(2 * 3), all(3 * threads);
            run<blockSums<T>>(3, block, first.data, all.data);
            T sum = 0;
            T largest = 0;
            for (int t = 0; t < threads; ++t) {
                sum = static_cast<T>(sum + static_cast<T>(t + 1));
                largest = std::max(largest, static_cast<T>(t + 1));
            }
            const std::vector<T> sums = first.get(), maxima = all.get();
            for (int b = 0; b < 3; ++b) {
                CHECK(sums[2 * b] == sum);
                CHECK(sums[2 * b + 1] == static_cast<T>(sum * 2));
            }
            CHECK(maxima == std::vector<T>(maxima.size(), largest));
        }
    }
}

TEMPLATE_TEST_CASE("one atomic update for each block", "", int8_t, uint8_t, int16_t, int, unsigned, int64_t, uint64_t, float,
                   double, sdfgc::rt::half, sdfgc::rt::complex64, sdfgc::rt::complex128) {
    using T = TestType;
    for (const int count : {1, 31, 64, 65, 96, 130}) {
        const Fresh fresh(1);
        const std::vector<T> start = {T(1), T(1), T(100), T(0), T(1), T(0), T(0)};
        const Device<T> out(start);
        run<updates<T>>(4, 40, out.data, count); // blocks of 40 threads: a multiple of neither 32 nor 64
        T sum = T(1), product = T(1);
        int smallest = 100, largest = 0, odd = 0;
        for (int i = 0; i < count; ++i) {
            sum = static_cast<T>(sum + static_cast<T>(i % 3));
            product = i % 50 == 7 ? static_cast<T>(product * T(2)) : product;
            smallest = std::min(smallest, (i + 5) % 100);
            largest = std::max(largest, (i + 5) % 100);
            odd += i % 10 == 1;
        }
        const std::vector<T> is = out.get();
        CHECK(is[0] == sum);
        CHECK(is[1] == product);
        if constexpr (!std::is_same<T, sdfgc::rt::complex64>::value && !std::is_same<T, sdfgc::rt::complex128>::value) {
            CHECK(is[2] == static_cast<T>(smallest));
            CHECK(is[3] == static_cast<T>(largest));
            CHECK(is[4] == T(0)); // a thread 61 exists
            CHECK(is[5] == T(count > 61 ? 1 : 0));
            CHECK(is[6] == T(odd % 2));
        }
    }
}

TEMPLATE_TEST_CASE("one atomic update of bits for each block", "", int8_t, uint16_t, int, uint64_t) {
    using T = TestType;
    const Fresh fresh(1);
    const Device<T> out(std::vector<T>{static_cast<T>(-1), T(0), T(0)});
    run<bitUpdates<T>>(3, 100, out.data);
    T all = static_cast<T>(-1), any = 0, parity = 0;
    for (int block = 0; block < 3; ++block)
        for (int i = 0; i < 100; ++i) {
            all = static_cast<T>(all & (i | 8));
            any = static_cast<T>(any | (i & 5));
            parity = static_cast<T>(parity ^ (1 << (i % 7)));
        }
    CHECK(out.get() == std::vector<T>{all, any, parity});
}

TEST_CASE("grids reduce in one kernel, the same in every order of blocks") {
    std::vector<double> values(10007);
    for (size_t i = 0; i < values.size(); ++i)
        values[i] = 1.0 / static_cast<double>(i + 1);
    std::vector<double> results;
    for (const uint64_t seed : {0, 1, 2, 3}) {
        const Fresh fresh(seed);
        const Device<double> in(values), partial(17), out(1);
        const Device<unsigned> counter(std::vector<unsigned>{0});
        for (int launch = 0; launch < 2; ++launch)
            run<gridTotal<double, gpu::Sum>>(17, 96, in.data, int64_t(values.size()), gpu::Sum(), 0.0, partial.data, counter.data,
                                             out.data);
        results.push_back(out.get()[0]);
        run<gridTotal<double, gpu::Min>>(17, 96, in.data, int64_t(values.size()), gpu::Min(), 1e300, partial.data, counter.data,
                                         out.data);
        CHECK(out.get()[0] == values.back());
        CHECK(counter.get()[0] == 0);
    }
    CHECK(results == std::vector<double>(results.size(), results[0]));
    CHECK(std::abs(results[0] - std::accumulate(values.begin(), values.end(), 0.0)) < 1e-12);
}
