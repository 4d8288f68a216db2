// The parts common to all calls of the emulated GPU, and its limits. Part of gpu_emulate.cpp.
#pragma once

#include "sdfgc/rt/gpu/emulated/copy.h"

namespace sdfgc::gpu {

namespace {

using namespace emulate;

/// Every call takes the lock and checks whether it is possible at all.
class Call {
public:
    Call() : device(Device::get()), lock_(device.mutex) {
        if (!device.inHostFunction)
            return;
        fail("host function: a function that a stream calls must not call the GPU's runtime");
        status_ = notPermitted;
    }
    /// If not success, the call returns this.
    Status status() const { return status_ != success ? status_ : device.error; }
    bool refused() const { return status() != success; }
    /// Keeps an error for getLastError().
    Status result(Status status) const {
        if (status != success && status != notReady)
            device.lastError = status;
        return status;
    }

    Device &device;

private:
    std::lock_guard<std::recursive_mutex> lock_;
    Status status_ = success;
};

/// Runs body(device) under the lock unless an error sticks; keeps what it returns for getLastError().
template <class Body> Status call(Body body) {
    Call call;
    if (call.refused())
        return call.result(call.status());
    try {
        return call.result(body(call.device));
    } catch (const std::bad_alloc &) {
        return call.result(outOfMemory);
    }
}

/// The same for calls that release something: they do so even after an error, which they return.
template <class Body> Status cleanup(Body body) {
    Call call;
    if (call.refused() && call.status() != call.device.error)
        return call.result(call.status());
    const Status status = body(call.device);
    return call.result(call.refused() ? call.status() : status);
}

/// The same with a stream, which may be captured.
template <class Body> Status callOnAny(Stream handle, Body body) {
    return call([&](Device &device) {
        StreamState *stream = device.scheduler.resolve(handle);
        if (!stream) {
            fail("invalid stream: it was destroyed, or never made");
            return invalidHandle;
        }
        return body(device, *stream);
    });
}

/// Reports an operation that is not allowed during a capture, for the stream or its thread, and breaks the capture.
inline Status breakCapture(StreamState &stream, const char *what) {
    fail("capture: %s while stream %d is captured", what, stream.number);
    stream.capture->isBroken = true;
    return captureUnsupported;
}

/// The same with a stream that is not captured.
template <class Body> Status callOn(Stream handle, Body body) {
    return callOnAny(handle, [&](Device &device, StreamState &stream) {
        return stream.capture ? breakCapture(stream, "something other than a library's call is queued, or waited for,")
                              : body(device, stream);
    });
}

/// The same without a stream, for calls that a thread must not make during a capture.
template <class Body> Status callOutside(const char *what, Body body) {
    return call([&](Device &device) {
        StreamState *stream = device.scheduler.recording();
        return stream ? breakCapture(*stream, what) : body(device);
    });
}

/// The same with an event.
template <class Body> Status callWith(Event event, Body body) {
    return call([&](Device &device) {
        if (!event || device.events.count(event) == 0) {
            fail("invalid event: it was destroyed, or never made");
            return invalidHandle;
        }
        return body(device, *event);
    });
}

constexpr int threadsPerBlock = 1024, threadsPerMultiprocessor = 2048, deepestBlock = 64;
constexpr int64_t widestGrid = 0x7fffffff, highestGrid = 65535;

} // namespace

} // namespace sdfgc::gpu
