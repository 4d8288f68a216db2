// Kernels: indices, order, barriers, shuffles, shared memory, and reports of their errors.
#include "Fixture.h"

#include "sdfgc/rt/gpu_grid.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace {

SDFGC_KERNEL void __launch_bounds__(256) scale(const double *__restrict__ A, double *__restrict__ B, int64_t N) {
    const int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
    if (i < N)
        B[i] = A[i] * 2.0;
}

SDFGC_KERNEL void indices(int *out) {
    const int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    const int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    out[block * int(blockDim.x * blockDim.y * blockDim.z) + thread] += 1;
}

SDFGC_KERNEL void order(int *counter, int *when) { when[blockIdx.x * blockDim.x + threadIdx.x] = (*counter)++; }

SDFGC_KERNEL void reverseBlock(int *data) {
    SDFGC_SHARED(int, first, 64);
    SDFGC_DYNAMIC_SHARED(int, second);
    int *const mine = data + blockIdx.x * blockDim.x;
    for (int round = 0; round < 3; ++round) {
        first[threadIdx.x] = mine[threadIdx.x];
        __syncthreads();
        second[threadIdx.x] = first[blockDim.x - 1 - threadIdx.x];
        __syncthreads();
        mine[threadIdx.x] = second[threadIdx.x];
    }
}

SDFGC_KERNEL void votes(int *out, int limit) {
    const int holds = int(threadIdx.x) < limit;
    const int count = __syncthreads_count(holds), all = __syncthreads_and(holds), any = __syncthreads_or(holds);
    if (threadIdx.x == 0) {
        out[0] = count;
        out[1] = all;
        out[2] = any;
    }
}

SDFGC_KERNEL void shuffles(int *out, int width) {
    const int lane = threadIdx.x;
    out[lane] = __shfl_down_sync(~0u, lane, 3, width);
    out[32 + lane] = __shfl_up_sync(~0u, lane, 3, width);
    out[64 + lane] = __shfl_xor_sync(~0u, lane, 5, width);
    out[96 + lane] = __shfl_sync(~0u, lane, 9, width);
}

/// The halves of the warp diverge; each exchanges values among its own lanes, a different number of times.
SDFGC_KERNEL void halves(double *out) {
    double value = threadIdx.x;
    if (threadIdx.x < 16) {
        for (int i = 0; i < 3; ++i)
            value = __shfl_xor_sync(0x0000ffffu, value, 1) + 1;
    } else {
        value = __shfl_xor_sync(0xffff0000u, value, 2);
    }
    out[threadIdx.x] = value;
}

SDFGC_KERNEL void ballots(uint64_t *out) {
    const int odd = threadIdx.x & 1;
    const uint64_t mask = __ballot_sync(~0u, odd);
    const int any = __any_sync(~0u, odd), all = __all_sync(~0u, odd);
    __syncwarp();
    if (threadIdx.x == 7) {
        out[0] = mask;
        out[1] = uint64_t(any);
        out[2] = uint64_t(all);
    }
}

SDFGC_KERNEL void earlyReturn(int n) {
    if (int(threadIdx.x) >= n)
        return;
    __syncthreads();
}

SDFGC_KERNEL void twoBarriers() {
    if (threadIdx.x < 5)
        __syncthreads();
    else
        __syncthreads();
}

SDFGC_KERNEL void barrierAndShuffle(int *out) {
    if (threadIdx.x < 5)
        __syncthreads();
    else
        *out = __shfl_sync(~0u, 1, 0);
}

SDFGC_KERNEL void foreignMask(int *out) { *out = __shfl_sync(1u, 1, 0); }

#ifndef SDFGC_TEST_ADDRESS_SANITIZER // which ends the program at the access
SDFGC_KERNEL void sharedOverflow(int index) {
    SDFGC_SHARED(double, tile, 16);
    double *volatile p = tile;
    p[index] = 1;
}

SDFGC_KERNEL void tooMuchShared() {
    SDFGC_SHARED(double, tile, 7000);
    tile[0] = 1;
}
#endif

SDFGC_KERNEL void throws() { throw 1; }

SDFGC_KERNEL void deep(double *out, int depth) {
    volatile double local[2048];
    local[0] = depth;
    if (depth > 0)
        deep(out, depth - 1);
    out[0] = local[0];
}

/// All blocks add first, then all of them read the sum.
SDFGC_KERNEL void sumThenRead(int *sum, int *out) {
    atomicAdd(sum, 1);
    gpu::gridSync();
    out[blockIdx.x * blockDim.x + threadIdx.x] = *sum;
}
SDFGC_KERNEL void gridBarrierForSome(int *out) {
    if (blockIdx.x == 0)
        gpu::gridSync();
    *out = 1;
}

const gpu::Launch withBarriers{.name = "k", .element = "state s, map m", .barriers = true};

} // namespace

TEST_CASE("a kernel without barriers computes, for every seed") {
    for (uint64_t seed = 0; seed < 9; ++seed) {
        const Fresh fresh(seed);
        std::vector<double> A(1000);
        std::iota(A.begin(), A.end(), 0.0);
        const Device<double> in(A), out(A.size());
        CHECK(gpu::launch<scale>({.name = "scale"}, gpu::blocks(1000, 256), 256, 0, nullptr, in.data, out.data, 1000) ==
              gpu::success);
        const std::vector<double> B = out.get();
        for (size_t i = 0; i < A.size(); ++i)
            REQUIRE(B[i] == 2.0 * A[i]);
        CHECK(gpu::emulate::reportCount() == 0);
    }
}

TEST_CASE("every thread of every block runs once, in three dimensions") {
    for (uint64_t seed = 0; seed < 5; ++seed)
        for (const bool barriers : {false, true}) {
            const Fresh fresh(seed);
            const Device<int> out(std::vector<int>(2 * 3 * 4 * 5 * 6 * 7, 0));
            CHECK(gpu::launch<indices>({.name = "k", .barriers = barriers}, {2, 3, 4}, {5, 6, 7}, 0, nullptr, out.data) ==
                  gpu::success);
            CHECK(out.get() == std::vector<int>(out.count, 1));
        }
}

TEST_CASE("seed 0 runs in order, others shuffle, the same seed the same way") {
    const auto run = [](uint64_t seed, bool barriers) {
        const Fresh fresh(seed);
        const Device<int> counter(std::vector<int>{0}), when(64);
        CHECK(gpu::launch<order>({.name = "order", .barriers = barriers}, 4, 16, 0, nullptr, counter.data, when.data) ==
              gpu::success);
        return when.get();
    };
    std::vector<int> straight(64);
    std::iota(straight.begin(), straight.end(), 0);
    for (const bool barriers : {false, true}) {
        CHECK(run(0, barriers) == straight);
        CHECK(run(5, barriers) != straight);
        CHECK(run(5, barriers) == run(5, barriers));
        CHECK(run(5, barriers) != run(6, barriers));
    }
}

TEST_CASE("an empty range launches nothing; a grid that no device takes is an error with the kernel's name") {
    const Fresh fresh;
    CHECK(gpu::launch<throws>({.name = "throws"}, gpu::blocks(0, 256), 256, 0, nullptr) == gpu::success);
    CHECK(gpu::launch<throws>({.name = "throws"}, gpu::blocks(-5, 256), 256, 0, nullptr) == gpu::success);
    CHECK(gpu::emulate::reportCount() == 0);
    CHECK(gpu::launch<throws>({.name = "throws", .element = "map m"}, {1, 70000}, 256, 0, nullptr) == gpu::invalidConfiguration);
    reported("invalid configuration: kernel throws (map m)");
    CHECK(gpu::launch<throws>({.name = "throws"}, int64_t(1) << 40, 256, 0, nullptr) == gpu::invalidConfiguration);
    CHECK(gpu::launch<throws>({.name = "throws"}, 1, 1025, 0, nullptr) == gpu::invalidConfiguration);
    CHECK(gpu::getLastError() == gpu::invalidConfiguration);
    CHECK(gpu::getLastError() == gpu::success);
}

TEST_CASE("barriers order the phases of a block; static and dynamic shared memory") {
    for (uint64_t seed = 0; seed < 5; ++seed) {
        const Fresh fresh(seed);
        std::vector<int> values(3 * 64), expected;
        std::iota(values.begin(), values.end(), 0);
        for (int block = 0; block < 3; ++block)
            for (int i = 63; i >= 0; --i)
                expected.push_back(block * 64 + i);
        const Device<int> data(values);
        CHECK(gpu::launch<reverseBlock>(withBarriers, 3, 64, 64 * sizeof(int), nullptr, data.data) == gpu::success);
        CHECK(data.get() == expected);
        CHECK(gpu::emulate::reportCount() == 0);
    }
}

TEST_CASE("barriers that vote") {
    const Fresh fresh(3);
    const Device<int> out(3);
    for (const int limit : {0, 10, 96}) {
        CHECK(gpu::launch<votes>(withBarriers, 1, 96, 0, nullptr, out.data, limit) == gpu::success);
        CHECK(out.get() == std::vector<int>{limit, limit == 96, limit > 0});
    }
}

TEST_CASE("shuffles, whole warps and segments") {
    for (const int width : {32, 8}) {
        const Fresh fresh(7);
        const Device<int> out(128);
        CHECK(gpu::launch<shuffles>(withBarriers, 1, 32, 0, nullptr, out.data, width) == gpu::success);
        const std::vector<int> got = out.get();
        for (int lane = 0; lane < 32; ++lane) {
            const int begin = lane / width * width;
            CHECK(got[lane] == (lane + 3 < begin + width ? lane + 3 : lane));
            CHECK(got[32 + lane] == (lane - 3 >= begin ? lane - 3 : lane));
            CHECK(got[64 + lane] == (lane ^ 5));
            CHECK(got[96 + lane] == begin + 9 % width);
        }
    }
}

TEST_CASE("parts of a warp exchange among themselves") {
    const Fresh fresh(2);
    const Device<double> out(32);
    CHECK(gpu::launch<halves>(withBarriers, 1, 32, 0, nullptr, out.data) == gpu::success);
    const std::vector<double> got = out.get();
    for (int lane = 0; lane < 32; ++lane)
        CHECK(got[lane] == (lane < 16 ? (lane ^ 1) + 3 : lane ^ 2));
}

TEST_CASE("votes of a warp, also of one that is not full") {
    for (const int threads : {32, 20}) {
        const Fresh fresh(3);
        const Device<uint64_t> out(3);
        CHECK(gpu::launch<ballots>(withBarriers, 1, threads, 0, nullptr, out.data) == gpu::success);
        CHECK(out.get() == std::vector<uint64_t>{0xaaaaaaaau & ((uint64_t(1) << threads) - 1), 1, 0});
    }
}

TEST_CASE("a barrier that not all threads reach is reported with kernel and element") {
    const Fresh fresh(1);
    CHECK(gpu::launch<earlyReturn>({.name = "early", .element = "state s, map m", .barriers = true}, 2, 32, 0, nullptr, 32) ==
          gpu::success);
    CHECK(gpu::deviceSynchronize() == gpu::success);
    CHECK(gpu::launch<earlyReturn>({.name = "early", .element = "state s, map m", .barriers = true}, 2, 32, 0, nullptr, 31) ==
          gpu::success);
    CHECK(gpu::deviceSynchronize() == gpu::launchFailure);
    reported("divergent barrier: kernel early (state s, map m), block");
    reported("thread (31, 0, 0) has ended");
    gpu::emulate::clearErrors();

    (void)gpu::launch<twoBarriers>(withBarriers, 1, 32, 0, nullptr);
    CHECK(gpu::deviceSynchronize() == gpu::launchFailure);
    reported("Kernel.cpp");
    gpu::emulate::clearErrors();

    const Device<int> out(1);
    (void)gpu::launch<barrierAndShuffle>(withBarriers, 1, 32, 0, nullptr, out.data);
    CHECK(gpu::deviceSynchronize() == gpu::launchFailure);
    reported("divergent barrier: kernel k (state s, map m) cannot go on");
    gpu::emulate::clearErrors();

    (void)gpu::launch<foreignMask>(withBarriers, 1, 32, 0, nullptr, out.data);
    CHECK(gpu::deviceSynchronize() == gpu::launchFailure);
    reported("a warp function whose mask lacks the calling lane");
}

TEST_CASE("a barrier in a launch that promised none is reported; a block of one thread needs none") {
    const Fresh fresh;
    CHECK(gpu::launch<earlyReturn>({.name = "alone"}, 2, 1, 0, nullptr, 1) == gpu::success);
    CHECK(gpu::launch<earlyReturn>({.name = "early"}, 2, 32, 0, nullptr, 32) == gpu::launchFailure);
    reported("wrong launch: kernel early");
}

TEST_CASE("after a faulty kernel every call fails, until the program is told") {
    const Fresh fresh(1);
    const Device<double> a(10), b(10);
    (void)gpu::launch<throws>({.name = "throws"}, 1, 32, 0, nullptr);
    CHECK(gpu::launch<scale>({.name = "scale"}, 1, 32, 0, nullptr, a.data, b.data, 10) == gpu::success); // lazy: not known yet
    CHECK(gpu::deviceSynchronize() == gpu::launchFailure);
    reported("exception: kernel throws, block (0, 0, 0)");
    double value = 0;
    CHECK(gpu::memcpySync(&value, b.data, 8, gpu::CopyKind::DeviceToHost) == gpu::launchFailure);
    CHECK(value == 0);
}

#ifndef SDFGC_TEST_ADDRESS_SANITIZER // which ends the program at the access
TEST_CASE("writes beside shared memory, too much of it") {
    for (const int index : {16, 17, -1}) {
        const Fresh fresh(1);
        (void)gpu::launch<sharedOverflow>(withBarriers, 1, 1, 0, nullptr, index);
        CHECK(gpu::deviceSynchronize() == gpu::launchFailure);
        reported("out of bounds: kernel k (state s, map m), block (0, 0, 0): something was written beside shared memory 'tile' "
                 "(128 bytes)");
    }
    const Fresh fresh(1);
    (void)gpu::launch<sharedOverflow>(withBarriers, 4, 1, 0, nullptr, 15);
    CHECK(gpu::deviceSynchronize() == gpu::success);
    (void)gpu::launch<tooMuchShared>(withBarriers, 1, 1, 0, nullptr);
    CHECK(gpu::deviceSynchronize() == gpu::launchFailure);
    reported("too much shared memory: kernel k");
}
#endif

TEST_CASE("dynamic shared memory beyond 48 KiB must be allowed") {
    const Fresh fresh;
    const Device<int> data(std::vector<int>(64, 1));
    CHECK(gpu::launch<reverseBlock>(withBarriers, 1, 64, 100 << 10, nullptr, data.data) == gpu::invalidValue);
    reported("allowDynamicShared");
    CHECK(gpu::allowDynamicShared<reverseBlock>(100 << 10) == gpu::success);
    CHECK(gpu::launch<reverseBlock>(withBarriers, 1, 64, 100 << 10, nullptr, data.data) == gpu::success);
    CHECK(gpu::allowDynamicShared<reverseBlock>(1 << 20) == gpu::invalidValue);
}

#ifndef __SANITIZE_ADDRESS__
TEST_CASE("a stack that is too small is reported") {
    const Fresh fresh(1);
    const Device<double> out(1);
    (void)gpu::launch<deep>(withBarriers, 1, 2, 0, nullptr, out.data, 3);
    CHECK(gpu::deviceSynchronize() == gpu::success);
    (void)gpu::launch<deep>(withBarriers, 1, 2, 0, nullptr, out.data, 1000);
    CHECK(gpu::deviceSynchronize() == gpu::launchFailure);
    reported("stack overflow: kernel k (state s, map m)");
}
#endif

TEST_CASE("a barrier of the grid") {
    const gpu::Launch cooperative{.name = "grid", .element = "map m", .barriers = true, .cooperative = true};
    for (uint64_t seed = 1; seed < 4; ++seed) {
        const Fresh fresh(seed);
        const Device<int> sum(std::vector<int>{0}), out(128);
        CHECK(gpu::launch<sumThenRead>(cooperative, 4, 32, 0, nullptr, sum.data, out.data) == gpu::success);
        CHECK(out.get() == std::vector<int>(128, 128));
    }
    const Fresh fresh;
    const Device<int> out(128);
    CHECK(gpu::launch<gridBarrierForSome>(cooperative, 2, 32, 0, nullptr, out.data) == gpu::launchFailure);
    reported("divergent barrier: kernel grid (map m) cannot go on");
    gpu::emulate::clearErrors();
    CHECK(gpu::launch<gridBarrierForSome>(withBarriers, 1, 32, 0, nullptr, out.data) == gpu::launchFailure);
    reported("Launch::cooperative");
    gpu::emulate::clearErrors();
    CHECK(gpu::launch<gridBarrierForSome>(cooperative, 1000, 256, 0, nullptr, out.data) == gpu::cooperativeLaunchTooLarge);
    int blocks = 0;
    CHECK(gpu::blocksPerMultiprocessor<gridBarrierForSome>(blocks, 256, 0) == gpu::success);
    CHECK(blocks == 8);
}
