// Shared by the tests of the emulation.
#pragma once

#include "sdfgc/rt/gpu_error.h"
#include "sdfgc/rt/gpu_program.h"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

namespace gpu = sdfgc::gpu;

/// Starts from seed 0 without errors, reports or leftovers, and leaves none behind.
struct Fresh {
    explicit Fresh(uint64_t seed = 0) {
        gpu::emulate::clearErrors();
        gpu::emulate::setSeed(seed);
    }
    ~Fresh() {
        gpu::emulate::clearErrors();
        (void)gpu::deviceSynchronize();
        gpu::emulate::clearErrors();
    }
};

inline bool reported(const std::string &text) {
    INFO("last report: " << gpu::emulate::lastReport());
    const bool found = std::string(gpu::emulate::lastReport()).find(text) != std::string::npos;
    CHECK(found);
    return found;
}

/// Queues an operation with an invalid memory access; the seed determines whether the call itself or a later wait reports it.
template <class Call> void atCallOrLater(const Call &call) {
    try {
        call();
    } catch (const sdfgc::rt::Error &) {
    }
    CHECK(gpu::deviceSynchronize() == gpu::illegalAddress);
}

/// Device memory with the elements of a vector.
template <class T> struct Device {
    T *data = nullptr;
    size_t count;

    explicit Device(size_t n, const char *name = "") : count(n) {
        REQUIRE(gpu::malloc(&data, n * sizeof(T), name) == gpu::success);
    }
    Device(const std::vector<T> &values, const char *name = "") : Device(values.size(), name) { set(values); }
    Device(const Device &) = delete;
    Device &operator=(const Device &) = delete;
    ~Device() { release(); }

    void set(const std::vector<T> &values) const {
        REQUIRE(gpu::memcpySync(data, values.data(), values.size() * sizeof(T), gpu::CopyKind::HostToDevice) == gpu::success);
    }
    std::vector<T> get() const {
        std::vector<T> values(count);
        CHECK(gpu::deviceSynchronize() == gpu::success);
        CHECK(gpu::memcpySync(values.data(), data, count * sizeof(T), gpu::CopyKind::DeviceToHost) == gpu::success);
        return values;
    }
    void release() {
        if (data)
            (void)gpu::free(data);
        data = nullptr;
    }
};

struct StreamOf {
    gpu::Stream stream = nullptr;
    StreamOf() { REQUIRE(gpu::streamCreate(stream) == gpu::success); }
    ~StreamOf() { (void)gpu::streamDestroy(stream); }
    operator gpu::Stream() const { return stream; }
};
struct EventOf {
    gpu::Event event = nullptr;
    EventOf() { REQUIRE(gpu::eventCreateTiming(event) == gpu::success); }
    ~EventOf() { (void)gpu::eventDestroy(event); }
    operator gpu::Event() const { return event; }
};
