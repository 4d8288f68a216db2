// Streams and events: ordered operations are ordered under every seed, and a missing order is detected under some.
#include "Fixture.h"

#include "sdfgc/rt/gpu/graph.h"

#include <algorithm>

namespace {

SDFGC_KERNEL void set(double *out, double value) { *out = value; }
SDFGC_KERNEL void copyPlusOne(const double *in, double *out) { *out = *in + 1; }

const gpu::Launch k{.name = "k", .element = "map m"};

/// The number of seeds among 1 to 8 under which `right` returns false.
template <class Right> int failures(Right right) {
    int count = 0;
    for (uint64_t seed = 1; seed <= 8; ++seed) {
        const Fresh fresh(seed);
        count += !right();
    }
    return count;
}

/// Stream `one` writes, stream `two` reads; `wait` is the way in which the host waits at the end.
template <class Wait> bool handOver(bool withEvent, Wait wait) {
    const StreamOf one, two;
    const EventOf ready;
    const Device<double> a(std::vector<double>{1}), b(std::vector<double>{0});
    REQUIRE(gpu::deviceSynchronize() == gpu::success);
    REQUIRE(gpu::launch<set>(k, 1, 1, 0, one, a.data, 5.0) == gpu::success);
    if (withEvent) {
        REQUIRE(gpu::eventRecord(ready, one) == gpu::success);
        REQUIRE(gpu::streamWaitEvent(two, ready) == gpu::success);
    }
    REQUIRE(gpu::launch<copyPlusOne>(k, 1, 1, 0, two, a.data, b.data) == gpu::success);
    wait(one, two);
    return b.get()[0] == 6;
}

} // namespace

TEST_CASE("an event orders two streams; without it some seed gives a wrong result") {
    const auto waitForReader = [](gpu::Stream, gpu::Stream two) { REQUIRE(gpu::streamSynchronize(two) == gpu::success); };
    const auto waitForBoth = [](gpu::Stream one, gpu::Stream two) {
        REQUIRE(gpu::streamSynchronize(one) == gpu::success);
        REQUIRE(gpu::streamSynchronize(two) == gpu::success);
    };
    const auto waitForAll = [](gpu::Stream, gpu::Stream) { REQUIRE(gpu::deviceSynchronize() == gpu::success); };
    CHECK(failures([&] { return handOver(true, waitForReader); }) == 0);
    CHECK(failures([&] { return handOver(true, waitForBoth); }) == 0);
    CHECK(failures([&] { return handOver(true, waitForAll); }) == 0);
    CHECK(failures([&] { return handOver(false, waitForReader); }) >= 2);
    CHECK(failures([&] { return handOver(false, waitForBoth); }) >= 2);
    CHECK(failures([&] { return handOver(false, waitForAll); }) >= 2);
}

TEST_CASE("a write must not overtake a read in another stream") {
    const auto run = [](bool withEvent) {
        const StreamOf reader, writer;
        const EventOf read;
        const Device<double> a(std::vector<double>{1}), b(std::vector<double>{0});
        REQUIRE(gpu::deviceSynchronize() == gpu::success);
        REQUIRE(gpu::launch<copyPlusOne>(k, 1, 1, 0, reader, a.data, b.data) == gpu::success);
        if (withEvent) {
            REQUIRE(gpu::eventRecord(read, reader) == gpu::success);
            REQUIRE(gpu::streamWaitEvent(writer, read) == gpu::success);
        }
        REQUIRE(gpu::launch<set>(k, 1, 1, 0, writer, a.data, 7.0) == gpu::success);
        REQUIRE(gpu::streamSynchronize(writer) == gpu::success);
        REQUIRE(gpu::deviceSynchronize() == gpu::success);
        return b.get()[0] == 2;
    };
    CHECK(failures([&] { return run(true); }) == 0);
    CHECK(failures([&] { return run(false); }) >= 2);
}

TEST_CASE("the host must wait before it reads page-locked memory; pageable memory is complete after the call") {
    const auto run = [](bool pinned, bool wait) {
        const StreamOf stream;
        const Device<double> a(std::vector<double>{1});
        REQUIRE(gpu::deviceSynchronize() == gpu::success);
        double *locked = nullptr, pageable = 0;
        REQUIRE(gpu::mallocHost(&locked, 8) == gpu::success);
        double &host = pinned ? *locked : pageable;
        host = 0;
        REQUIRE(gpu::launch<set>(k, 1, 1, 0, stream, a.data, 5.0) == gpu::success);
        REQUIRE(gpu::memcpyAsync(&host, a.data, 8, gpu::CopyKind::DeviceToHost, stream) == gpu::success);
        if (wait)
            REQUIRE(gpu::streamSynchronize(stream) == gpu::success);
        const bool right = host == 5;
        REQUIRE(gpu::streamSynchronize(stream) == gpu::success);
        REQUIRE(gpu::freeHost(locked) == gpu::success);
        return right;
    };
    CHECK(failures([&] { return run(true, true); }) == 0);
    CHECK(failures([&] { return run(true, false); }) >= 4);
    CHECK(failures([&] { return run(false, false); }) == 0);
}

TEST_CASE("page-locked sources must stay as they are until the copy has run; pageable ones are taken at the call") {
    const auto run = [](bool pinned, bool wait) {
        const StreamOf stream;
        const Device<double> a(std::vector<double>{1});
        REQUIRE(gpu::deviceSynchronize() == gpu::success);
        double *locked = nullptr, pageable = 0;
        REQUIRE(gpu::mallocHost(&locked, 8) == gpu::success);
        double &host = pinned ? *locked : pageable;
        host = 5;
        REQUIRE(gpu::memcpyAsync(a.data, &host, 8, gpu::CopyKind::HostToDevice, stream) == gpu::success);
        if (wait)
            REQUIRE(gpu::streamSynchronize(stream) == gpu::success);
        host = 6;
        REQUIRE(gpu::streamSynchronize(stream) == gpu::success);
        const bool right = a.get()[0] == 5;
        REQUIRE(gpu::freeHost(locked) == gpu::success);
        return right;
    };
    CHECK(failures([&] { return run(true, true); }) == 0);
    CHECK(failures([&] { return run(true, false); }) >= 4);
    CHECK(failures([&] { return run(false, false); }) == 0);
}

TEST_CASE("the default stream waits for blocking streams and they for it; non-blocking streams do not") {
    const auto run = [](bool blocking, bool defaultFirst) {
        gpu::Stream stream = nullptr;
        REQUIRE((blocking ? gpu::streamCreateBlocking(stream) : gpu::streamCreate(stream)) == gpu::success);
        const Device<double> a(std::vector<double>{1}), b(std::vector<double>{0});
        REQUIRE(gpu::deviceSynchronize() == gpu::success);
        const gpu::Stream first = defaultFirst ? nullptr : stream, second = defaultFirst ? stream : nullptr;
        REQUIRE(gpu::launch<set>(k, 1, 1, 0, first, a.data, 5.0) == gpu::success);
        REQUIRE(gpu::launch<copyPlusOne>(k, 1, 1, 0, second, a.data, b.data) == gpu::success);
        REQUIRE(gpu::streamSynchronize(second) == gpu::success);
        const bool right = b.get()[0] == 6;
        REQUIRE(gpu::streamDestroy(stream) == gpu::success);
        return right;
    };
    for (const bool defaultFirst : {true, false}) {
        CHECK(failures([&] { return run(true, defaultFirst); }) == 0);
        CHECK(failures([&] { return run(false, defaultFirst); }) >= 2);
    }
}

TEST_CASE("an event is what was recorded last when somebody began to wait for it") {
    for (uint64_t seed = 0; seed <= 8; ++seed) {
        const Fresh fresh(seed);
        const StreamOf one, two;
        const EventOf event;
        const Device<double> a(std::vector<double>{1}), b(std::vector<double>{0});
        REQUIRE(gpu::deviceSynchronize() == gpu::success);
        CHECK(gpu::eventQuery(event) == gpu::success); // never recorded
        CHECK(gpu::streamWaitEvent(two, event) == gpu::success);
        REQUIRE(gpu::eventRecord(event, one) == gpu::success);
        REQUIRE(gpu::launch<set>(k, 1, 1, 0, one, a.data, 5.0) == gpu::success);
        REQUIRE(gpu::eventRecord(event, one) == gpu::success);
        REQUIRE(gpu::streamWaitEvent(two, event) == gpu::success);
        REQUIRE(gpu::launch<copyPlusOne>(k, 1, 1, 0, two, a.data, b.data) == gpu::success);
        REQUIRE(gpu::eventRecord(event, two) == gpu::success);
        REQUIRE(gpu::eventSynchronize(event) == gpu::success);
        CHECK(gpu::eventQuery(event) == gpu::success);
        CHECK(b.get()[0] == 6);
    }
}

TEST_CASE("polling ends, and time passes between events") {
    for (uint64_t seed = 0; seed <= 8; ++seed) {
        const Fresh fresh(seed);
        const StreamOf stream;
        const EventOf begin, end;
        const Device<double> a(1);
        REQUIRE(gpu::eventRecord(begin, stream) == gpu::success);
        REQUIRE(gpu::launch<set>(k, 1, 1, 0, stream, a.data, 5.0) == gpu::success);
        REQUIRE(gpu::eventRecord(end, stream) == gpu::success);
        int polls = 0;
        while (gpu::eventQuery(end) == gpu::notReady && polls < 100)
            ++polls;
        CHECK(polls < 100);
        CHECK(gpu::streamQuery(stream) == gpu::success);
        float milliseconds = -1;
        CHECK(gpu::eventElapsed(milliseconds, begin, end) == gpu::success);
        CHECK(milliseconds >= 0);
        CHECK(gpu::getLastError() == gpu::success); // notReady is not an error
    }
}

TEST_CASE("the clock of the device gives the same times for every seed") {
    for (uint64_t seed = 0; seed <= 8; ++seed) {
        const Fresh fresh(seed);
        const StreamOf one, two;
        const EventOf begin, ready, middle, end;
        const Device<double> a(std::vector<double>(32)), b(1);
        REQUIRE(gpu::deviceSynchronize() == gpu::success);
        const auto between = [](gpu::Event from, gpu::Event to) {
            float milliseconds = -1;
            CHECK(gpu::eventElapsed(milliseconds, from, to) == gpu::success);
            return static_cast<int>(milliseconds * 1e6F + 0.5F);
        };
        REQUIRE(gpu::eventRecord(begin, one) == gpu::success);
        REQUIRE(gpu::launch<set>(k, 1, 1, 0, one, a.data, 5.0) == gpu::success); // 1001 ns
        REQUIRE(gpu::eventRecord(ready, one) == gpu::success);
        REQUIRE(gpu::memsetAsync(a.data, 0, 32 * sizeof(double), one) == gpu::success); // 1016 ns
        REQUIRE(gpu::eventRecord(middle, one) == gpu::success);
        REQUIRE(gpu::streamWaitEvent(two, ready) == gpu::success); // so that it begins at 1001 ns
        REQUIRE(gpu::launch<set>(k, 1, 1, 0, two, b.data, 5.0) == gpu::success);
        REQUIRE(gpu::eventRecord(end, two) == gpu::success);
        REQUIRE(gpu::deviceSynchronize() == gpu::success);
        CHECK(between(begin, ready) == 1001);
        CHECK(between(begin, middle) == 2017);
        CHECK(between(begin, end) == 2002);
        // What the host queues after waiting begins when that has ended, in any stream.
        REQUIRE(gpu::eventRecord(ready, two) == gpu::success);
        REQUIRE(gpu::deviceSynchronize() == gpu::success);
        CHECK(between(begin, ready) == 2017);
    }
}

TEST_CASE("host functions run in their stream and must not call the runtime") {
    for (uint64_t seed = 0; seed <= 4; ++seed) {
        const Fresh fresh(seed);
        const StreamOf stream;
        int calls = 0;
        const auto count = [](void *counter) { ++*static_cast<int *>(counter); };
        REQUIRE(gpu::launchHostFunction(stream, count, &calls) == gpu::success);
        REQUIRE(gpu::streamSynchronize(stream) == gpu::success);
        CHECK(calls == 1);
        gpu::Status inside = gpu::success;
        const auto misbehave = [](void *status) { *static_cast<gpu::Status *>(status) = gpu::deviceSynchronize(); };
        REQUIRE(gpu::launchHostFunction(stream, misbehave, &inside) == gpu::success);
        (void)gpu::streamSynchronize(stream);
        CHECK(inside == gpu::notPermitted);
        reported("host function: a function that a stream calls must not call the GPU's runtime");
    }
}

TEST_CASE("streams and events that were destroyed are not taken") {
    const Fresh fresh(1);
    gpu::Stream stream = nullptr;
    gpu::Event event = nullptr;
    REQUIRE(gpu::streamCreate(stream) == gpu::success);
    REQUIRE(gpu::eventCreate(event) == gpu::success);
    const Device<double> a(1);
    REQUIRE(gpu::launch<set>(k, 1, 1, 0, stream, a.data, 5.0) == gpu::success);
    REQUIRE(gpu::streamDestroy(stream) == gpu::success);
    REQUIRE(gpu::eventDestroy(event) == gpu::success);
    CHECK(gpu::streamSynchronize(stream) == gpu::invalidHandle);
    CHECK(gpu::eventRecord(event, nullptr) == gpu::invalidHandle);
    CHECK(gpu::emulate::reportCount() == 2);
    CHECK(gpu::deviceSynchronize() == gpu::success);
    CHECK(a.get()[0] == 5); // the queued operations ran nevertheless
}

TEST_CASE("long chains of events need no deep stack") {
    const Fresh fresh(1);
    const StreamOf one, two;
    const Device<double> a(std::vector<double>{0});
    REQUIRE(gpu::deviceSynchronize() == gpu::success);
    const int rounds = 20000;
    const EventOf event;
    for (int i = 0; i < rounds; ++i) {
        const gpu::Stream stream = i % 2 ? one.stream : two.stream;
        REQUIRE(gpu::streamWaitEvent(stream, event) == gpu::success);
        REQUIRE(gpu::launch<copyPlusOne>(k, 1, 1, 0, stream, a.data, a.data) == gpu::success);
        REQUIRE(gpu::eventRecord(event, stream) == gpu::success);
    }
    REQUIRE(gpu::eventSynchronize(event) == gpu::success);
    CHECK(a.get()[0] == rounds);
}

TEST_CASE("a call whose stream the caller captures is refused before it queues anything") {
    const Fresh fresh;
    const StreamOf callers;
    gpu::Program program;
    program.open(2, 0);
    program.begin();
    CHECK(program.setStream(1, callers));
    program.begin();
    gpu::emulate::pretendCapture(callers, true);
    CHECK_THROWS_WITH(program.begin(), "the caller captures a stream of the program, which waits for its streams: call it outside "
                                       "of the capture");
    CHECK(program.takeError() == 0); // not an error of the device
    gpu::emulate::pretendCapture(callers, false);
    program.begin();
    program.setAllStreams(nullptr); // the default stream, which cannot be captured
    program.begin();
}

TEST_CASE("the device") {
    const Fresh fresh;
    int count = 0, device = -1;
    CHECK(gpu::deviceCount(count) == gpu::success);
    CHECK(count == 1);
    CHECK(gpu::setDevice(0) == gpu::success);
    CHECK(gpu::setDevice(1) == gpu::invalidDevice);
    CHECK(gpu::getDevice(device) == gpu::success);
    CHECK(device == 0);
    gpu::Limits limits;
    CHECK(gpu::limits(limits, 0) == gpu::success);
    CHECK(limits.warpSize == SDFGC_WARP_SIZE);
    CHECK(limits.threadsPerBlock == 1024);
    CHECK(limits.sharedPerBlock == 48 << 10);
}
