// The first device error of a program: which call, which kernel, which element of the graph.
//
// Rules: a library never exits, aborts or prints for an error. Every call of the GPU runtime is checked; the first error is kept
// with the runtime's code and text, the call, the kernel and the element, and becomes the result of the exported function (abi.h).
// DaCe's rules for __dace_gpu_last_error and __dace_gpu_drain_error: take() returns the code and clears it; drain() discards an
// error that another GPU user of the process left in the runtime, so that it is not attributed to this program.
#pragma once

#include "sdfgc/rt/abi.h"
#include "sdfgc/rt/gpu.h"

namespace sdfgc::gpu {

/// Lives in the program's state. Any thread may record; read after the threads have joined.
class Errors {
public:
    /// True if `status` is success; else records it as the failure of `call` ("memcpyAsync A to gpu_A"), if it is the first one.
    bool check(Status status, const char *call) noexcept {
        if (status == success)
            return true;
        record(status, call, nullptr);
        return false;
    }

    /// The same for a kernel's launch.
    bool check(Status status, const Launch &launch) noexcept {
        if (status == success)
            return true;
        record(status, nullptr, &launch);
        return false;
    }

    bool failed() const noexcept { return state_.failed(); }
    /// The runtime's code of the first error; 0 if there is none.
    int code() const noexcept { return failed() ? code_ : 0; }
    /// One line for people: "kernel k (state s, map m): invalid configuration argument (cudaErrorInvalidConfiguration)".
    const char *message() const noexcept { return state_.message; }

    /// code(), and forgets the error.
    int take() noexcept {
        const int code = this->code();
        clear();
        return code;
    }
    void clear() noexcept {
        code_ = 0;
        state_.clear();
        taken_ = false;
    }

    /// Discards an error that another user of the GPU left in the runtime. Sticky errors of the runtime reappear.
    static void drain() noexcept { (void)getLastError(); }

    /// Passes the error, if any, to the program's state as a DeviceError.
    void forward(rt::ErrorState &program) const noexcept {
        if (failed())
            program.set(rt::DeviceError, message());
    }

private:
    void record(Status status, const char *call, const Launch *launch) noexcept {
        char text[rt::ErrorState::messageSize];
        int length = 0;
        const auto append = [&](const char *part) {
            for (; *part && length < rt::ErrorState::messageSize - 1; ++part)
                text[length++] = *part;
            text[length] = '\0';
        };
        append(launch ? "kernel " : call);
        if (launch) {
            append(launch->name);
            if (launch->element[0]) {
                append(" (");
                append(launch->element);
                append(")");
            }
        }
        append(": ");
        append(getErrorString(status));
        append(" (");
        append(getErrorName(status));
        append(")");
        // The code and the text belong to the same error: the first thread sets both.
        if (!__atomic_test_and_set(&taken_, __ATOMIC_ACQ_REL)) {
            code_ = static_cast<int>(status);
            state_.set(rt::DeviceError, text);
        }
    }

    rt::ErrorState state_;
    int code_ = 0;
    bool taken_ = false;
};

} // namespace sdfgc::gpu
