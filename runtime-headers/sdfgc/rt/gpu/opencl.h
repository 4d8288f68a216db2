// The back end of gpu.h for OpenCL 1.2: what host code calls. gpu_opencl.cpp implements it; docs/user/targets/opencl.md describes it.
//
// Rules: functions have CUDA's meaning. Kernels are no C++ functions here: a program declares each as a function that is never
// defined, whose parameters say how a launch converts its arguments; Launch::name finds the kernel in the source that loadKernels()
// has compiled. Device memory has addresses in a range that is reserved but never mapped, so that programs may compute with them; a
// table turns an address into a buffer and an offset when it is used.
#pragma once

#include "sdfgc/rt/gpu.h"

#include <initializer_list>

// A path, which clang-format would read as a quotient.
// clang-format off
#define SDFGC_GPU_HEADER(topic) SDFGC_GPU_QUOTED(sdfgc/rt/gpu/opencl/topic.h)
// clang-format on
#define SDFGC_GPU_FILLS // by fillAsync, without a kernel

namespace sdfgc::gpu {

/// The numbers of OpenCL's own errors are negative.
enum Status : int {
    success = 0,
    notReady = 1,
    notSupported = 2,
    outOfMemory = -4,
    invalidValue = -30,
};

namespace opencl {
struct StreamState;
struct EventState;
} // namespace opencl
using Stream = opencl::StreamState *;
using Event = opencl::EventState *;

namespace opencl {

/// A kernel, and the limits of a device that it may exceed.
struct KernelNeeds {
    const char *name;
    size_t threads; // of a block at most; 0: not known before the launch
    size_t localBytes;
};
struct ProgramNeeds {
    bool doubles, wideAtomics; // double precision, atomic operations of 64 bits
    bool structs;              // opencl_structs.h
};

} // namespace opencl

/// Chooses the device and compiles the program's kernels for it; a further call does nothing. `kernels` is the text of NAME.cl without
/// its first and last line. Throws rt::Error: no device, a device without what the kernels need, an error of the driver's compiler
/// with its log.
void loadKernels(const char *kernels, const char *options, opencl::ProgramNeeds needs,
                 std::initializer_list<opencl::KernelNeeds> limits);

} // namespace sdfgc::gpu

#include "sdfgc/rt/gpu/host_calls.h"

namespace sdfgc::gpu {

// Memory

namespace opencl {
Status mallocBytes(void **pointer, size_t bytes);
Status mallocBytesHost(void **pointer, size_t bytes);
} // namespace opencl

template <class T> Status malloc(T **pointer, size_t bytes, const char * = "") {
    return opencl::mallocBytes(reinterpret_cast<void **>(pointer), bytes);
}
/// There is no pool: memory is allocated at once, and freed once the device is idle.
template <class T> Status mallocAsync(T **pointer, size_t bytes, Stream, const char *name = "") {
    return gpu::malloc(pointer, bytes, name);
}
inline Status freeAsync(void *pointer, Stream) { return gpu::free(pointer); }
template <class T> Status mallocHost(T **pointer, size_t bytes, const char * = "") {
    return opencl::mallocBytesHost(reinterpret_cast<void **>(pointer), bytes);
}
inline Status setPoolReleaseThreshold(uint64_t) { return success; }

/// `count` copies of a value of 1, 2, 4, 8 or 16 bytes.
Status fillAsync(void *pointer, const void *value, size_t bytes, size_t count, Stream stream);

// Kernels

namespace opencl {

/// An argument of a launch: an address in memory of the device, or a value of the host.
struct Argument {
    const void *at;
    size_t bytes; // of a value; 0: `at` is an address of the device
    bool isConst; // the kernel only reads the memory
};

template <class P> Argument argument(const P &p) {
    if constexpr (std::is_pointer<P>::value)
        return {const_cast<const void *>(static_cast<const volatile void *>(p)), 0, std::is_const<std::remove_pointer_t<P>>::value};
    else
        return {&p, sizeof(P), true};
}

Status enqueueKernel(const Launch &how, Dim3 grid, Dim3 block, Stream stream, const Argument *arguments, int count);

} // namespace opencl

namespace detail {

template <auto Kernel, class... P> struct KernelOf<Kernel, void (*)(P...)> {
    static Status launch(const Launch &how, Dim3 grid, Dim3 block, Stream stream, P... arguments) {
        const opencl::Argument all[sizeof...(P) + 1] = {opencl::argument(arguments)..., {}};
        return opencl::enqueueKernel(how, grid, block, stream, all, static_cast<int>(sizeof...(P)));
    }
};

} // namespace detail

/// Kernels declare the memory of their blocks themselves: `shared` is 0.
template <auto Kernel, class... A>
Status launch(const Launch &how, Dim3 grid, Dim3 block, size_t shared, Stream stream, A &&...arguments) {
    if (shared != 0)
        return notSupported;
    return grid.empty() || block.empty() ? success : detail::KernelOf<Kernel>::launch(how, grid, block, stream, arguments...);
}

inline void initialise(const char *) {}
inline void finalise(const char *) {}

} // namespace sdfgc::gpu
