// Device memory: copies, bounds, freed and uninitialised memory, leaks.
#include "Fixture.h"

#include <cmath>
#include <numeric>

namespace {

SDFGC_KERNEL void store(double *out, int64_t index) { out[index] = 1; }
SDFGC_KERNEL void load(const double *in, double *out, int64_t index) { *out = in[index]; }
SDFGC_KERNEL void add(const double *a, const double *b, double *out) { out[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x]; }
SDFGC_KERNEL void follow(double *const *pointer) { **pointer = 5; }
[[maybe_unused]] SDFGC_KERNEL void toAddress(int64_t address) { *reinterpret_cast<volatile double *>(address) = 1; }

/// Only thread 0 fills its element of the tile.
SDFGC_KERNEL void halfFilledTile(double *out) {
    SDFGC_SHARED(double, tile, 4);
    if (threadIdx.x == 0)
        tile[0] = 1;
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x] * 2 + 1;
}
SDFGC_KERNEL void fromAbsentLane(double *out) { out[threadIdx.x] = __shfl_down_sync(~0u, 1.0 * threadIdx.x, 1); }

const gpu::Launch k{.name = "k", .element = "state s, map m"};

gpu::Status faulty(gpu::Status status) { return status == gpu::success ? gpu::deviceSynchronize() : status; }

} // namespace

TEST_CASE("bytes go to the device and back") {
    for (uint64_t seed = 0; seed < 5; ++seed) {
        const Fresh fresh(seed);
        const std::vector<double> values{1, 2, 3};
        const Device<double> a(values), b(3);
        REQUIRE(gpu::memcpyAsync(b.data, a.data, 24, gpu::CopyKind::DeviceToDevice, nullptr) == gpu::success);
        CHECK(b.get() == values);
        REQUIRE(gpu::memsetSync(b.data, 0, 16) == gpu::success);
        CHECK(b.get() == std::vector<double>{0, 0, 3});
        CHECK(gpu::emulate::reportCount() == 0);
    }
}

TEST_CASE("copies of rows and of boxes") {
    const Fresh fresh(1);
    std::vector<int> host(4 * 5 * 6);
    std::iota(host.begin(), host.end(), 0);
    const Device<int> all(host), part(std::vector<int>(24, -1));
    // rows 1 to 3, columns 2 to 4 of the first slice
    REQUIRE(gpu::memcpy2DAsync(part.data, 16, all.data + 6 + 2, 24, 12, 3, gpu::CopyKind::DeviceToDevice, nullptr) == gpu::success);
    CHECK(part.get() ==
          std::vector<int>{8, 9, 10, -1, 14, 15, 16, -1, 20, 21, 22, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1});
    REQUIRE(gpu::memset2DAsync(part.data, 16, 0, 4, 6, nullptr) == gpu::success);
    CHECK(part.get()[4] == 0);
    // a box of 2 x 3 x 2 elements from the host
    std::vector<int> box(12, 0);
    const gpu::Copy3D copy{box.data(), 8, 24, all.data + 30 + 6 + 1, 24, 120, 8, 3, 2};
    REQUIRE(gpu::memcpy3DAsync(copy, gpu::CopyKind::DeviceToHost, nullptr) == gpu::success);
    CHECK(box == std::vector<int>{37, 38, 43, 44, 49, 50, 67, 68, 73, 74, 79, 80});
    // nothing to copy
    CHECK(gpu::memcpy2DAsync(part.data, 16, all.data, 24, 0, 3, gpu::CopyKind::DeviceToDevice, nullptr) == gpu::success);
    CHECK(gpu::memcpyAsync(nullptr, nullptr, 0, gpu::CopyKind::DeviceToDevice, nullptr) == gpu::success);
}

TEST_CASE("copies that leave an allocation, go the wrong way or overlap their rows are refused by name") {
    const Fresh fresh;
    double host[4] = {};
    const Device<double> a(3, "A");
    CHECK(gpu::memcpyAsync(a.data, host, 32, gpu::CopyKind::HostToDevice, nullptr) == gpu::invalidValue);
    reported("out of bounds: the copy of host memory to 'A' uses bytes 0 to 32 of 'A' (24 bytes)");
    CHECK(gpu::memcpyAsync(host, a.data + 2, 16, gpu::CopyKind::DeviceToHost, nullptr) == gpu::invalidValue);
    reported("uses bytes 16 to 32 of 'A' (24 bytes)");
    CHECK(gpu::memcpyAsync(a.data, host, 8, gpu::CopyKind::DeviceToDevice, nullptr) == gpu::invalidCopyDirection);
    reported("goes from host to device memory but is called a copy from device to device");
    CHECK(gpu::memcpy2DAsync(a.data, 4, host, 8, 8, 2, gpu::CopyKind::HostToDevice, nullptr) == gpu::invalidPitch);
    CHECK(gpu::memsetAsync(a.data, 0, 25, nullptr) == gpu::invalidValue);
    CHECK(gpu::memsetAsync(host, 0, 8, nullptr) == gpu::invalidValue);
    double *pinned = nullptr;
    REQUIRE(gpu::mallocHost(&pinned, 16, "P") == gpu::success);
    CHECK(gpu::memcpyAsync(pinned, a.data, 24, gpu::CopyKind::DeviceToHost, nullptr) == gpu::invalidValue);
    reported("of page-locked 'P' (16 bytes)");
    CHECK(gpu::freeHost(pinned) == gpu::success);
}

#ifndef SDFGC_TEST_ADDRESS_SANITIZER // which ends the program at the access
TEST_CASE("kernels that leave an allocation are reported with thread, allocation and distance") {
    const Fresh fresh(1);
    const Device<double> a(100, "A"), b(100, "B");
    SECTION("far behind") {
        CHECK(faulty(gpu::launch<store>(k, 1, 1, 0, nullptr, a.data, 132)) == gpu::launchFailure);
        reported(
            "out of bounds: kernel k (state s, map m), block (0, 0, 0), thread (0, 0, 0): writes 256 bytes past the end of 'A' "
            "(800 bytes)");
    }
    SECTION("far before") {
        CHECK(faulty(gpu::launch<load>(k, 1, 1, 0, nullptr, b.data, a.data, -3000)) == gpu::launchFailure);
        reported("thread (0, 0, 0): reads 24000 bytes before the beginning of 'B' (800 bytes)");
    }
    SECTION("just behind") {
        CHECK(faulty(gpu::launch<store>(k, 1, 1, 0, nullptr, a.data, 100)) == gpu::launchFailure);
        reported("out of bounds: kernel k (state s, map m) wrote less than a page behind the end of 'A' (800 bytes)");
    }
    SECTION("just before") {
        CHECK(faulty(gpu::launch<store>(k, 1, 1, 0, nullptr, a.data, -1)) == gpu::launchFailure);
        reported("wrote less than a page before the beginning of 'A' (800 bytes)");
    }
    SECTION("read just behind") {
        CHECK(faulty(gpu::launch<load>(k, 1, 1, 0, nullptr, a.data, b.data, 101)) == gpu::success);
        (void)b.get();
        reported("uninitialised value: the copy of 'B' to host memory: byte 0 of 'B' was never written or was computed from memory "
                 "beside 'A', which was not");
    }
    SECTION("no address at all") {
        CHECK(faulty(gpu::launch<store>(k, 1, 1, 0, nullptr, nullptr, 2)) == gpu::launchFailure);
        reported("illegal address: kernel k (state s, map m), block (0, 0, 0), thread (0, 0, 0): writes address 0x10, which is no "
                 "device "
                 "memory");
    }
    SECTION("the last element is in bounds") { CHECK(faulty(gpu::launch<store>(k, 1, 1, 0, nullptr, a.data, 99)) == gpu::success); }
}
#endif

TEST_CASE("a fault in a fiber ends the kernel and nothing else") {
    const Fresh fresh(1);
    const gpu::Launch fibers{.name = "k", .barriers = true};
    const Device<double> a(std::vector<double>(64, 1.0), "A");
    for (int round = 0; round < 3; ++round) {
        CHECK(faulty(gpu::launch<store>(fibers, 2, 64, 0, nullptr, a.data, 1000000)) == gpu::launchFailure);
        gpu::emulate::clearErrors();
        CHECK(faulty(gpu::launch<store>(fibers, 2, 64, 0, nullptr, a.data, 63)) == gpu::success);
    }
}

TEST_CASE("kernels reach memory through pointers in memory") {
    const Fresh fresh(1);
    const Device<double> target(std::vector<double>{0}, "T");
    const Device<double *> pointer(std::vector<double *>{target.data});
    CHECK(faulty(gpu::launch<follow>(k, 1, 1, 0, nullptr, pointer.data)) == gpu::success);
    CHECK(target.get()[0] == 5);
}

TEST_CASE("host memory as an argument of a kernel is reported by its position") {
    const Fresh fresh(1);
    double host = 0;
    const Device<double> a(1);
    CHECK(gpu::launch<load>(k, 1, 1, 0, nullptr, &host, a.data, 0) == gpu::illegalAddress);
    reported("host memory in a kernel: argument 0 of kernel k (state s, map m)");
    gpu::emulate::clearErrors();
    double *pinned = nullptr;
    REQUIRE(gpu::mallocHost(&pinned, 8) == gpu::success);
    CHECK(faulty(gpu::launch<store>(k, 1, 1, 0, nullptr, pinned, 0)) == gpu::success);
    CHECK(*pinned == 1);
    CHECK(gpu::freeHost(pinned) == gpu::success);
}

#ifndef SDFGC_TEST_ADDRESS_SANITIZER // which ends the program at the access
TEST_CASE("use after free") {
    const Fresh fresh(1);
    double host = 0;
    SECTION("as an argument") {
        Device<double> a(10, "A");
        double *const stale = a.data;
        a.release();
        CHECK(gpu::launch<store>(k, 1, 1, 0, nullptr, stale, 0) == gpu::illegalAddress);
        reported("use after free: argument 0 of kernel k (state s, map m) points to 'A' (80 bytes), which was freed by free");
    }
    SECTION("through an address") {
        Device<double> a(10, "A");
        const int64_t stale = reinterpret_cast<int64_t>(a.data + 3);
        a.release();
        CHECK(faulty(gpu::launch<toAddress>(k, 1, 1, 0, nullptr, stale)) == gpu::launchFailure);
        reported(
            "use after free: kernel k (state s, map m), block (0, 0, 0), thread (0, 0, 0): writes byte 24 of 'A' (80 bytes), which "
            "was freed by free");
    }
    SECTION("in a copy") {
        Device<double> a(10, "A");
        double *const stale = a.data;
        a.release();
        CHECK(gpu::memcpyAsync(&host, stale, 8, gpu::CopyKind::DeviceToHost, nullptr) == gpu::invalidValue);
        reported("use after free: the copy of 'A' to host memory uses 'A' (80 bytes), which was freed by free");
    }
}
#endif

TEST_CASE("free waits for the device: memory goes when nothing uses it any more") {
    const Fresh fresh(1);
    const StreamOf stream;
    Device<double> a(10, "A");
    double *pinned = nullptr;
    REQUIRE(gpu::mallocHost(&pinned, 16, "P") == gpu::success);
    pinned[0] = 0;
    CHECK(faulty(gpu::launch<store>(k, 1, 1, 0, stream, a.data, 0)) == gpu::success);
    REQUIRE(gpu::launch<store>(k, 1, 1, 0, stream, pinned, 0) == gpu::success);
    a.release();
    CHECK(pinned[0] != 0);
    REQUIRE(gpu::launch<store>(k, 1, 1, 0, stream, pinned, 0) == gpu::success);
    CHECK(gpu::freeHost(pinned) == gpu::success);
    CHECK(gpu::emulate::reportCount() == 0);
}

#ifndef SDFGC_TEST_ADDRESS_SANITIZER // which ends the program at the access
TEST_CASE("memory of mallocAsync belongs to its stream until an event says otherwise") {
    int missed = 0;
    for (uint64_t seed = 1; seed <= 8; ++seed)
        for (const bool event : {true, false}) {
            const Fresh fresh(seed);
            const StreamOf one, two;
            const EventOf allocated, used;
            double *a = nullptr;
            REQUIRE(gpu::mallocAsync(&a, 80, one, "A") == gpu::success);
            if (event) {
                REQUIRE(gpu::eventRecord(allocated, one) == gpu::success);
                REQUIRE(gpu::streamWaitEvent(two, allocated) == gpu::success);
            }
            gpu::Status status = gpu::launch<store>(k, 1, 1, 0, two, a, 3);
            if (event) {
                REQUIRE(gpu::eventRecord(used, two) == gpu::success);
                REQUIRE(gpu::streamWaitEvent(one, used) == gpu::success);
            }
            if (status == gpu::success)
                status = gpu::freeAsync(a, one);
            if (status == gpu::success)
                status = gpu::streamSynchronize(two);
            if (event)
                CHECK(status == gpu::success);
            else
                missed += status != gpu::success;
            (void)gpu::deviceSynchronize();
        }
    CHECK(missed >= 2);
}
#endif

TEST_CASE("what is freed twice or was never allocated") {
    const Fresh fresh;
    double *a = nullptr;
    REQUIRE(gpu::malloc(&a, 80, "A") == gpu::success);
    CHECK(gpu::free(a + 1) == gpu::invalidValue);
    CHECK(gpu::free(a) == gpu::success);
    CHECK(gpu::free(a) == gpu::invalidValue);
    reported("freed twice: 'A' (80 bytes) was freed by free before");
    CHECK(gpu::freeAsync(a, nullptr) == gpu::invalidValue);
    CHECK(gpu::free(nullptr) == gpu::success);
    CHECK(gpu::freeHost(&a) == gpu::invalidValue);
    CHECK(gpu::malloc(&a, 0) == gpu::success);
    CHECK(a == nullptr);
    CHECK(gpu::malloc(&a, size_t(1) << 60) == gpu::outOfMemory);
    CHECK(a == nullptr);
}

TEST_CASE("values that were never written are traced to where they come from") {
    const Fresh fresh(1);
    const Device<double> a(std::vector<double>(4, 1.0), "A"), b(4, "B"), out(4, "out");
    CHECK(std::isnan(b.get()[2]));
    reported("uninitialised value: the copy of 'B' to host memory: byte 0 of 'B' was never written or was computed from 'B', which "
             "was not");
    CHECK(faulty(gpu::launch<add>(k, 1, 4, 0, nullptr, a.data, b.data, out.data)) == gpu::success);
    (void)out.get();
    reported("byte 0 of 'out' was never written or was computed from 'B', which was not");
    const gpu::Launch fibers{.name = "k", .element = "map m", .barriers = true};
    CHECK(faulty(gpu::launch<halfFilledTile>(fibers, 1, 4, 0, nullptr, out.data)) == gpu::success);
    CHECK(out.get()[0] == 3);
    reported("byte 8 of 'out' was never written or was computed from shared memory 'tile' of kernel k (map m), which was not");
    const Device<double> lanes(32, "lanes");
    CHECK(faulty(gpu::launch<fromAbsentLane>(fibers, 1, 20, 0, nullptr, lanes.data)) == gpu::success);
    CHECK(lanes.get()[18] == 19);
    reported(
        "byte 152 of 'lanes' was never written or was computed from a lane that took no part in a shuffle of kernel k (map m)");
    const int reports = gpu::emulate::reportCount();
    (void)lanes.get();
    CHECK(gpu::emulate::reportCount() == reports); // one report is enough
}

TEST_CASE("blocks do not see each other's shared memory") {
    const Fresh fresh(1);
    const Device<double> out(4);
    CHECK(faulty(gpu::launch<halfFilledTile>({.name = "k", .barriers = true}, 3, 4, 0, nullptr, out.data)) == gpu::success);
    CHECK(std::isnan(out.get()[1]));
}

TEST_CASE("leaks are listed when the last instance of a program ends") {
    const Fresh fresh(1);
    gpu::initialise("prog");
    gpu::initialise("prog");
    double *a = nullptr, *p = nullptr;
    REQUIRE(gpu::malloc(&a, 80, "A") == gpu::success);
    gpu::finalise("prog");
    CHECK(gpu::emulate::reportCount() == 0);
    gpu::finalise("prog");
    reported("leak: program prog ends without freeing 'A' (80 bytes of device memory)");
    CHECK(gpu::free(a) == gpu::success);
    REQUIRE(gpu::mallocHost(&p, 80, "P") == gpu::success);
    gpu::initialise("prog");
    gpu::finalise("prog");
    reported("leak: program prog ends without freeing 'P' (80 bytes of page-locked memory)");
    CHECK(gpu::freeHost(p) == gpu::success);
    {
        const StreamOf stream;
        const EventOf event;
        gpu::initialise("prog");
        gpu::finalise("prog");
        reported("leak: program prog ends without destroying 1 streams and 1 events");
    }
    gpu::emulate::clearErrors();
    const Device<double> b(1, "B");
    (void)gpu::launch<store>(k, 1, 1, 0, nullptr, b.data, 0);
    gpu::initialise("prog");
    gpu::finalise("prog");
    CHECK(gpu::emulate::reportCount() == 2); // and b
}

TEST_CASE("the first error of a program is kept, with call, kernel and element") {
    const Fresh fresh;
    gpu::Errors errors;
    double host = 0;
    CHECK(errors.check(gpu::success, "x"));
    CHECK(!errors.failed());
    CHECK(!errors.check(gpu::memcpyAsync(&host, &host, 8, gpu::CopyKind::DeviceToHost, nullptr), "copy A to the host"));
    CHECK(!errors.check(gpu::invalidValue, k));
    CHECK(errors.code() == gpu::invalidCopyDirection);
    CHECK(std::string(errors.message()) == "copy A to the host: invalid copy direction for memcpy (invalidCopyDirection)");
    sdfgc::rt::ErrorState program;
    errors.forward(program);
    CHECK(program.code == sdfgc::rt::DeviceError);
    CHECK(errors.take() == gpu::invalidCopyDirection);
    CHECK(errors.take() == 0);
    CHECK(!errors.check(gpu::invalidValue, k));
    CHECK(std::string(errors.message()) == "kernel k (state s, map m): invalid argument (invalidValue)");
    CHECK(gpu::peekLastError() == gpu::invalidCopyDirection);
    gpu::Errors::drain();
    CHECK(gpu::peekLastError() == gpu::success);
}
