// The emulated GPU behind gpu.h: the functions that host code calls. gpu_emulate.cpp implements them; docs/user/emulation.md
// describes the checks.
//
// Rules: every function has CUDA's meaning, in the most adverse interpretation that CUDA's documentation allows: an asynchronous
// operation may run at once, or not before the host waits for it, and only events and the default stream order streams. Numbers of
// Status are CUDA's. Functions may be called from several threads. None of them throws.
#pragma once

#include "sdfgc/rt/gpu.h"
#include "sdfgc/rt/gpu/emulate_kernel.h"

// A path, which clang-format would read as a quotient.
// clang-format off
#define SDFGC_GPU_HEADER(topic) SDFGC_GPU_QUOTED(sdfgc/rt/gpu/emulate/topic.h)
// clang-format on
#define SDFGC_GPU_KERNELS
#define SDFGC_MAX_REGISTERS(n)

namespace sdfgc::gpu {

enum Status : int {
    success = 0,
    invalidValue = 1,
    outOfMemory = 2,
    invalidConfiguration = 9,
    invalidPitch = 12,
    invalidCopyDirection = 21,
    noDevice = 100,
    invalidDevice = 101,
    invalidHandle = 400,
    notReady = 600,
    illegalAddress = 700,
    launchFailure = 719,
    cooperativeLaunchTooLarge = 720,
    notPermitted = 800,
};

namespace detail {
inline void trap() { __builtin_trap(); }
} // namespace detail

namespace emulate {
struct StreamState;
struct EventState;
} // namespace emulate
using Stream = emulate::StreamState *;
using Event = emulate::EventState *;

} // namespace sdfgc::gpu

#include "sdfgc/rt/gpu/host_calls.h"

namespace sdfgc::gpu {

// Memory

namespace emulate {
/// The number of allocations, streams and events that the program has created so far. Programs export it as
/// `sdfgc_emulation_resources`, for tests of calls that must not create any.
long resourcesMade();
/// What the device has done since the library was loaded, nodes of graphs included.
struct Counts {
    int64_t kernels = 0, libraryCalls = 0, fills = 0, copies = 0;   // copies: within the device
    int64_t copiesIn = 0, bytesIn = 0, copiesOut = 0, bytesOut = 0; // to the device, to the host
    int64_t waits = 0;                                              // of the host: for a stream, an event, the device
    int64_t graphs = 0;                                             // launches
    int64_t allocations = 0;                                        // of device memory and page-locked memory
};
/// The counts so far. Programs export them in this order as `sdfgc_emulation_counts`.
Counts counts();
/// The number of copies from the device to the host so far, outside of graphs; programs export it as
/// `sdfgc_emulation_copies_to_host`.
long copiesToHost();
/// The clock of the device in nanoseconds, as far as the host has waited for it. It counts the modelled times of operations, which
/// are the same in every run.
int64_t deviceTime();
/// Names the next memory that this thread allocates: for callers that know which container it is for. Programs export it as
/// `sdfgc_emulation_name`.
void nameNext(const char *name);
Status mallocBytes(void **pointer, size_t bytes, const char *name);
Status mallocBytesAsync(void **pointer, size_t bytes, Stream stream, const char *name);
Status mallocBytesHost(void **pointer, size_t bytes, const char *name);
} // namespace emulate

template <class T> Status malloc(T **pointer, size_t bytes, const char *name = "") {
    return emulate::mallocBytes(reinterpret_cast<void **>(pointer), bytes, name);
}
template <class T> Status mallocAsync(T **pointer, size_t bytes, Stream stream, const char *name = "") {
    return emulate::mallocBytesAsync(reinterpret_cast<void **>(pointer), bytes, stream, name);
}
Status freeAsync(void *pointer, Stream stream);
template <class T> Status mallocHost(T **pointer, size_t bytes, const char *name = "") {
    return emulate::mallocBytesHost(reinterpret_cast<void **>(pointer), bytes, name);
}
inline Status setPoolReleaseThreshold(uint64_t) { return success; } // memory is never kept: addresses are not reused

// Kernels

namespace emulate {

/// An argument of a kernel that is a pointer.
struct PointerArgument {
    int index; // among all arguments
    const volatile void *address;
};

/// Takes ownership of the launch, including `body` (allocated by new), and queues it.
Status enqueueKernel(const Launch &how, Dim3 grid, Dim3 block, size_t shared, Stream stream, const void *kernel,
                     const PointerArgument *pointers, int pointerCount, KernelBody *body);

Status allowDynamicShared(const void *kernel, size_t bytes);
Status blocksPerMultiprocessor(int &blocks, int threadsPerBlock, size_t dynamicShared);

template <class T> void addPointer(PointerArgument *pointers, int &count, int &index, const T &argument) {
    if constexpr (std::is_pointer<T>::value && !std::is_function<std::remove_pointer_t<T>>::value)
        pointers[count++] = {index, argument};
    ++index;
}

/// The kernel's code with its arguments. The loop over threads is compiled together with the kernel, so that a kernel without
/// barriers runs like a loop.
template <class Body> class BodyOf final : public KernelBody {
public:
    explicit BodyOf(const Body &body) : body_(body) {}
    void runThread() const override { body_(); }
    void runBlock(const Index3 *threads, unsigned count) const override {
        for (unsigned i = 0; i < count; ++i) {
            threadIdx = threads[i];
            body_();
        }
    }

private:
    Body body_;
};

/// The memory that a library function uses, from its first byte to its last one.
struct MemoryRange {
    const volatile void *begin;
    size_t bytes;
    bool isWritten;
};

/// Takes ownership of the body (allocated by new) and queues it, or records it if the stream is captured (graph.h). The body is
/// host code that uses device memory like a kernel, and may run several times. Ranges are checked before it runs, because faults in
/// the library's other threads cannot be attributed to a kernel.
Status enqueueCall(const char *name, Stream stream, const MemoryRange *memory, int count, KernelBody *body);

} // namespace emulate

namespace detail {

template <auto Kernel, class... P> struct KernelOf<Kernel, void (*)(P...)> {
    static Status launch(const Launch &how, Dim3 grid, Dim3 block, size_t shared, Stream stream, P... arguments) {
        emulate::PointerArgument pointers[sizeof...(P) + 1];
        int count = 0, index = 0;
        (emulate::addPointer(pointers, count, index, arguments), ...);
        (void)index;
        const auto body = [=] { Kernel(arguments...); };
        auto *owned = new (std::nothrow) emulate::BodyOf<decltype(body)>(body);
        return owned ? emulate::enqueueKernel(how, grid, block, shared, stream, reinterpret_cast<const void *>(Kernel), pointers,
                                              count, owned)
                     : outOfMemory;
    }
};

} // namespace detail

template <auto Kernel, class... A>
Status launch(const Launch &how, Dim3 grid, Dim3 block, size_t shared, Stream stream, A &&...arguments) {
    if (grid.empty() || block.empty())
        return success;
    return detail::KernelOf<Kernel>::launch(how, grid, block, shared, stream, static_cast<A &&>(arguments)...);
}
template <auto Kernel> Status allowDynamicShared(size_t bytes) {
    return emulate::allowDynamicShared(reinterpret_cast<const void *>(Kernel), bytes);
}
template <auto Kernel> Status blocksPerMultiprocessor(int &blocks, int threadsPerBlock, size_t dynamicShared) {
    return emulate::blocksPerMultiprocessor(blocks, threadsPerBlock, dynamicShared);
}

void initialise(const char *program);
void finalise(const char *program);

// What tests of the emulation and debuggers use

namespace emulate {

/// Waits for all work and restarts with this seed, as if SDFGC_EMULATE_SEED had set it. Memory, streams and events are kept.
void setSeed(uint64_t seed);

/// The number of reports, and the text of the latest one ("" if none).
int reportCount();
const char *lastReport();

/// Forgets reports and the error that a faulty kernel left behind.
void clearErrors();

} // namespace emulate

} // namespace sdfgc::gpu
