// gpu_heap.h: per-thread arrays whose size only the thread knows, and dace::warpReduce for code written by DaCe's users. Both with
// warps of 32 and of 64 lanes.
#include "Fixture.h"

#include "dace/device.h"
#include "sdfgc/rt/gpu_heap.h"

#include <numeric>

namespace {

constexpr int warp = SDFGC_WARP_SIZE;

/// out[t] = 0 + 1 + ... + (t - 1), through an array of t elements that grows and shrinks.
SDFGC_KERNEL void triangles(int64_t *out, bool meet) {
    const int64_t t = threadIdx.x;
    gpu::ThreadBuffer<int64_t> tmp(t + 3);
    tmp.zero();
    if (meet)
        __syncthreads(); // each thread has its own, even while others have theirs
    tmp.allocate(t);
    for (int64_t i = 0; i < t; ++i)
        tmp[i] = i;
    if (meet)
        __syncthreads();
    tmp.reserve(t / 2); // keeps its capacity
    int64_t sum = 0;
    for (int64_t i = 0; i < t; ++i)
        sum += tmp[i];
    out[t] = tmp.size() == t && (t > 0) == (tmp.data() != nullptr) ? sum : -1;
}

SDFGC_KERNEL void offsets(double *out) {
    gpu::ThreadBuffer<double> a(10, 4); // element 0 is at position 5 of the memory
    for (int64_t i = -4; i < 6; ++i)
        a[i] = static_cast<double>(i);
    out[threadIdx.x] = a[-4] + a[5];
}

template <dace::ReductionType kind> SDFGC_KERNEL void lanes(int *all, int *parts) {
    const int value = static_cast<int>(threadIdx.x) + 1;
    all[threadIdx.x] = dace::warpReduce<kind, int>::reduce(value);
    parts[threadIdx.x] = dace::warpReduce<kind, int>::template mini_reduce<4>(value);
}

template <auto Kernel, class... A> void run(gpu::Dim3 block, const A &...arguments) {
    const gpu::Launch how{.name = "k", .element = "t", .barriers = true};
    REQUIRE(gpu::launch<Kernel>(how, 1, block, 0, nullptr, arguments...) == gpu::success);
    REQUIRE(gpu::deviceSynchronize() == gpu::success);
    CHECK(gpu::emulate::reportCount() == 0);
}

} // namespace

TEST_CASE("arrays of threads from the heap") {
    for (const bool meet : {false, true})
        for (const uint64_t seed : {0, 1, 2}) {
            const Fresh fresh(seed);
            const Device<int64_t> out(2 * warp + 3);
            run<triangles>(2 * warp + 3, out.data, meet);
            const std::vector<int64_t> is = out.get();
            for (size_t t = 0; t < is.size(); ++t)
                CHECK(is[t] == static_cast<int64_t>(t * (t - (t > 0)) / 2));
        }
}

TEST_CASE("arrays of threads with an offset") {
    const Fresh fresh(1);
    const Device<double> out(warp);
    run<offsets>(warp, out.data);
    CHECK(out.get() == std::vector<double>(warp, 1.0));
}

TEST_CASE("dace::warpReduce: whole warps and groups of lanes") {
    const Fresh fresh(1);
    const int count = 2 * warp;
    const Device<int> all(count), parts(count);
    run<lanes<dace::ReductionType::Sum>>(count, all.data, parts.data);
    std::vector<int> whole = all.get(), groups = parts.get();
    for (int t = 0; t < count; ++t) {
        const int first = t / warp * warp, four = t / 4 * 4;
        CHECK(whole[t] == warp * (2 * first + warp + 1) / 2);
        CHECK(groups[t] == 4 * four + 10);
    }
    run<lanes<dace::ReductionType::Max>>(count, all.data, parts.data);
    whole = all.get();
    for (int t = 0; t < count; ++t)
        CHECK(whole[t] == (t / warp + 1) * warp);
}
