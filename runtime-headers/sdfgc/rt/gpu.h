// One dialect for CUDA, HIP and the emulation of a GPU on the host: generated GPU programs include this instead of a vendor's
// header.
//
// Rules: the same source is compiled by nvcc, by hipcc, or by the host compiler. The back end is chosen by a macro:
//   SDFGC_GPU_CUDA     CUDA 11.2 or later; the default under nvcc. The host compiler may compile host code (no kernels) with it
//   SDFGC_GPU_HIP      HIP 5.2 or later; the default under hipcc, likewise
//   SDFGC_GPU_OPENCL   OpenCL 1.2; only host code. Link gpu_opencl.cpp and OpenCL
//   SDFGC_GPU_EMULATE  the emulation (docs/user/emulation.md); the default otherwise. Link gpu_emulate.cpp
// Functions of namespace sdfgc::gpu have the meaning of the vendors' functions of the same name, return their Status, never throw
// and never print; `name` arguments only serve reports and cost nothing on a device. Kernels are written like this:
//
//   SDFGC_KERNEL void __launch_bounds__(256) scale(const double *__restrict__ A, double *__restrict__ B, int64_t N) {
//       const int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
//       if (i < N)
//           B[i] = A[i] * 2.0;
//   }
//   errors.check(launch<scale>({.name = "scale", .element = "state s, map m"}, gpu::blocks(N, 256), 256, 0, stream, A, B, N),
//   "scale");
//
// threadIdx, blockIdx, blockDim, gridDim, warpSize, __syncthreads(), __syncwarp(), __shfl_*_sync(), __ballot_sync() and the
// vendors' atomics (better: gpu_atomic.h) are called by their usual names, in the emulation too. HIP has no *_sync shuffles:
// gpu_warp.h has functions that mean the same everywhere.
//   SDFGC_KERNEL, SDFGC_DEVICE       kernels; functions that kernels call
//   SDFGC_SHARED(T, name, count)     `T *const name`: `count` elements of shared memory of the block, uninitialised
//   SDFGC_DYNAMIC_SHARED(T, name)    `T *const name`: the shared memory that the launch asked for, 16-byte aligned
//   SDFGC_UNROLL(n)                  the loop after it is unrolled n times; 1: not at all
//   SDFGC_WARP_SIZE                  lanes of a warp as a constant: 32, or 64 on AMD's GCN and CDNA; -DSDFGC_WARP_SIZE=64 for
//                                    the emulation of those
#pragma once

#if !defined(SDFGC_GPU_CUDA) && !defined(SDFGC_GPU_HIP) && !defined(SDFGC_GPU_OPENCL) && !defined(SDFGC_GPU_EMULATE)
#if defined(__CUDACC__)
#define SDFGC_GPU_CUDA
#elif defined(__HIPCC__)
#define SDFGC_GPU_HIP
#else
#define SDFGC_GPU_EMULATE
#endif
#endif
#if defined(SDFGC_GPU_CUDA) + defined(SDFGC_GPU_HIP) + defined(SDFGC_GPU_OPENCL) + defined(SDFGC_GPU_EMULATE) != 1
#error "more than one of SDFGC_GPU_CUDA, SDFGC_GPU_HIP, SDFGC_GPU_OPENCL, SDFGC_GPU_EMULATE is defined"
#endif

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sdfgc::gpu {

/// Threads of a block or blocks of a grid. Extents are 64-bit numbers. Negative ones become 0 (an empty range launches nothing).
/// Those beyond 32 bits become a number that no device accepts, so the launch fails instead of wrapping.
struct Dim3 {
    unsigned x = 1, y = 1, z = 1;

    constexpr Dim3(int64_t nx = 1, int64_t ny = 1, int64_t nz = 1) : x(clamp(nx)), y(clamp(ny)), z(clamp(nz)) {}
    constexpr bool empty() const { return x == 0 || y == 0 || z == 0; }
    constexpr int64_t threads() const { return int64_t(x) * y * z; }

private:
    static constexpr unsigned clamp(int64_t n) { return n < 0 ? 0u : n > 0xffffffff ? 0xffffffffu : static_cast<unsigned>(n); }
};

/// How many blocks of `block` threads cover `extent` elements; 0 for an empty or negative extent.
constexpr int64_t blocks(int64_t extent, int64_t block) { return extent <= 0 ? 0 : (extent - 1) / block + 1; }

/// The name of a launch in messages, and how the kernel must be run. The strings must live as long as the program.
struct Launch {
    const char *name = "";    // of the kernel
    const char *element = ""; // of the graph: "state s, map m"
    bool barriers = false;    // threads of a block wait for each other: the kernel has barriers, shuffles or votes. Only the
                              // emulation needs to know: it runs the threads of other kernels one after the other
    bool cooperative = false; // all blocks must run at once: the kernel has gridSync() of gpu_grid.h
};

enum class CopyKind { HostToHost, HostToDevice, DeviceToHost, DeviceToDevice, Any }; // Any: determined from the addresses

/// A box of `depth` slices of `height` rows of `width` bytes. A row begins `pitch` bytes after the one before it, a slice `slice`
/// bytes after the one before it; slice must be a multiple of pitch.
struct Copy3D {
    void *to = nullptr;
    size_t toPitch = 0, toSlice = 0;
    const void *from = nullptr;
    size_t fromPitch = 0, fromSlice = 0;
    size_t width = 0, height = 0, depth = 0;
};

/// What a device offers.
struct Limits {
    int multiprocessors = 0;
    int threadsPerBlock = 0, threadsPerMultiprocessor = 0;
    int warpSize = 0;
    size_t sharedPerBlock = 0;      // without asking
    size_t sharedPerBlockOptin = 0; // after allowDynamicShared()
    int64_t grid[3] = {0, 0, 0}, block[3] = {0, 0, 0};
};

/// What a device and its driver can do with graphs. Loops: nodes whose nested graph the device repeats or skips.
enum class GraphSupport { None, Flat, Loops };

/// A node that runs a nested graph, its body, while its condition is not 0: at most once (If), or repeatedly (While). The condition
/// is read when the node is reached, and for While after every run.
enum class ConditionalKind { If, While };

namespace detail {

/// The kernel's signature: arguments are converted to the types of the parameters, as in a call.
template <auto Kernel, class Signature = decltype(Kernel)> struct KernelOf;

/// The kernel's parameter for a host pointer: the same pointer, unless a header whose types differ in kernels converts it
/// (gpu_complex.h).
template <class T> struct KernelPointer { using type = T *; };
/// The type that the pointer refers to.
template <class T> using KernelElement = std::remove_pointer_t<typename KernelPointer<T>::type>;
/// An argument of a launch as the kernel takes it.
template <class A> const A &kernelArgument(const A &argument) { return argument; }
template <class T> typename KernelPointer<T>::type kernelArgument(T *pointer) {
    return reinterpret_cast<typename KernelPointer<T>::type>(pointer);
}

} // namespace detail

} // namespace sdfgc::gpu

// The back end defines:
//   SDFGC_GPU_HEADER(topic)   the header with its part of a topic, from gpu/native (CUDA and HIP) or gpu/emulate. The topics are
//                             atomic, blas, conditions, fft, graph, grid, marker, primitives, solver, sparse, tensor and warp; the
//                             header that includes a topic states what it defines
//   SDFGC_GPU_KERNELS         if the compiler compiles kernels; then also SDFGC_KERNEL and the other macros above
//   SDFGC_GPU_FILLS           if it fills memory with any value itself, by fillAsync (OpenCL)
//   SDFGC_MAX_REGISTERS(n)    an attribute of kernels
//   the functions below
// To add a vendor whose interface is CUDA's with other names, add a header like hip.h. Other vendors also need a folder like
// gpu/native.
#define SDFGC_GPU_QUOTED(path) #path
#if defined(SDFGC_GPU_CUDA)
#include "sdfgc/rt/gpu/cuda.h"
#elif defined(SDFGC_GPU_HIP)
#include "sdfgc/rt/gpu/hip.h"
#elif defined(SDFGC_GPU_OPENCL)
#include "sdfgc/rt/gpu/opencl.h"
#else
#include "sdfgc/rt/gpu/emulate.h"
#endif

namespace sdfgc::gpu {

// All back ends define, in this namespace:
//
// Types: Status (0 is success), Stream (nullptr is the legacy default stream), Event. Constants: success, notReady, invalidValue,
// outOfMemory.
//
// Devices
//   Status deviceCount(int &count)                    Status setDevice(int device)             Status getDevice(int &device)
//   Status limits(Limits &result, int device)         Status deviceSynchronize()
//   Status getLastError()  takes the runtime's own error away      Status peekLastError()
//   const char *getErrorString(Status), getErrorName(Status)
//
// Memory: T ** is any pointer type; sizes are bytes
//   Status malloc(T **p, size_t, const char *name = "")                  Status free(void *)  waits for the device first
//   Status mallocAsync(T **p, size_t, Stream, const char *name = "")     Status freeAsync(void *, Stream)
//   Status mallocHost(T **p, size_t, const char *name = "")              Status freeHost(void *)  page-locked host memory; waits, too
//   Status setPoolReleaseThreshold(uint64_t bytes)   what mallocAsync keeps for later instead of giving it back
//   Status memcpyAsync(void *to, const void *from, size_t, CopyKind, Stream)
//   Status memcpy2DAsync(void *to, size_t toPitch, const void *from, size_t fromPitch, size_t width, size_t height, CopyKind, Stream)
//   Status memcpy3DAsync(const Copy3D &, CopyKind, Stream)
//   Status memsetAsync(void *, int byte, size_t, Stream)
//   Status memset2DAsync(void *, size_t pitch, int byte, size_t width, size_t height, Stream)
//   Status memcpySync(void *to, const void *from, size_t, CopyKind)      Status memsetSync(void *, int byte, size_t)
//
// Streams and events
//   Status streamCreate(Stream &)  non-blocking: does not wait for the default stream            Status streamDestroy(Stream)
//   Status streamCreateBlocking(Stream &)                 Status streamCreateWithPriority(Stream &, int priority)  non-blocking
//   Status streamSynchronize(Stream)                      Status streamQuery(Stream)
//   Status streamIsCapturing(Stream, bool &)  does it record into a graph instead of running?
//   Status streamWaitEvent(Stream, Event)                 Status launchHostFunction(Stream, void (*)(void *), void *)
//   Status eventCreate(Event &)  without timing           Status eventCreateTiming(Event &)      Status eventDestroy(Event)
//   Status eventRecord(Event, Stream)                     Status eventSynchronize(Event)         Status eventQuery(Event)
//   Status eventElapsed(float &milliseconds, Event begin, Event end)
//
// Kernels
//   Status launch<kernel>(const Launch &, Dim3 grid, Dim3 block, size_t dynamicSharedBytes, Stream, arguments...)
//       an empty grid or block launches nothing and is no error
//   Status allowDynamicShared<kernel>(size_t bytes)   needed beyond Limits::sharedPerBlock
//   Status blocksPerMultiprocessor<kernel>(int &blocks, int threadsPerBlock, size_t dynamicSharedBytes)  for persistent kernels
//
// Reports (the emulation; nothing on devices)
//   void initialise(const char *program)  an instance of the program begins
//   void finalise(const char *program)    it ends and has freed all that it owns: when the last one ends, what is left is reported

} // namespace sdfgc::gpu
