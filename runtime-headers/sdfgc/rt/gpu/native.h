// CUDA and HIP under one set of names; gpu.h includes it and says what each function means.
//
// Rules: CUDA's and HIP's runtime differ in the prefix of their names and little else. Where HIP 5.2 lacks something, it is said
// here.
#pragma once

#ifdef SDFGC_GPU_CUDA
#include <cuda_runtime.h>
#define SDFGC_GPU_NAME(name) cuda##name
#else
#include <hip/hip_runtime.h>
#define SDFGC_GPU_NAME(name) hip##name
#endif

#if defined(__CUDACC__) || defined(__HIPCC__)
#define SDFGC_KERNEL __global__
#define SDFGC_DEVICE __device__
// Bytes, not elements: a type with a constructor could not be declared in shared memory.
#define SDFGC_SHARED(T, name, count)                                                                                               \
    __shared__ __attribute__((aligned(16))) unsigned char name##_bytes[sizeof(T) * (count)];                                       \
    T *const name = reinterpret_cast<T *>(name##_bytes)
#define SDFGC_DYNAMIC_SHARED(T, name)                                                                                              \
    extern __shared__ __attribute__((aligned(16))) unsigned char sdfgc_dynamic_shared[];                                           \
    T *const name = reinterpret_cast<T *>(sdfgc_dynamic_shared)
#endif

#ifndef SDFGC_WARP_SIZE
#if defined(SDFGC_GPU_CUDA) || defined(__GFX10__) || defined(__GFX11__) || defined(__GFX12__)
#define SDFGC_WARP_SIZE 32
#else
#define SDFGC_WARP_SIZE 64
#endif
#endif

namespace sdfgc::gpu {

using Status = SDFGC_GPU_NAME(Error_t);
using Stream = SDFGC_GPU_NAME(Stream_t);
using Event = SDFGC_GPU_NAME(Event_t);

inline constexpr Status success = SDFGC_GPU_NAME(Success);
inline constexpr Status notReady = SDFGC_GPU_NAME(ErrorNotReady);
inline constexpr Status invalidValue = SDFGC_GPU_NAME(ErrorInvalidValue);
#ifdef SDFGC_GPU_CUDA
inline constexpr Status outOfMemory = cudaErrorMemoryAllocation;
#else
inline constexpr Status outOfMemory = hipErrorOutOfMemory;
#endif

namespace detail {

inline SDFGC_GPU_NAME(MemcpyKind) copyKind(CopyKind kind) {
    switch (kind) {
    case CopyKind::HostToHost:
        return SDFGC_GPU_NAME(MemcpyHostToHost);
    case CopyKind::HostToDevice:
        return SDFGC_GPU_NAME(MemcpyHostToDevice);
    case CopyKind::DeviceToHost:
        return SDFGC_GPU_NAME(MemcpyDeviceToHost);
    case CopyKind::DeviceToDevice:
        return SDFGC_GPU_NAME(MemcpyDeviceToDevice);
    case CopyKind::Any:
        break;
    }
    return SDFGC_GPU_NAME(MemcpyDefault);
}

/// A slice of a copy must be a whole number of rows: so the vendors' structures count.
inline bool canCopy3D(const Copy3D &copy) {
    return copy.toPitch != 0 && copy.fromPitch != 0 && copy.toSlice % copy.toPitch == 0 && copy.fromSlice % copy.fromPitch == 0;
}

inline auto nativeCopy3D(const Copy3D &copy, CopyKind kind) {
#ifdef SDFGC_GPU_CUDA
    cudaMemcpy3DParms parameters = {};
#else
    hipMemcpy3DParms parameters = {};
#endif
    const auto pitched = [&](const void *pointer, size_t pitch, size_t slice) {
#ifdef SDFGC_GPU_CUDA
        return make_cudaPitchedPtr(const_cast<void *>(pointer), pitch, copy.width, slice / pitch);
#else
        return make_hipPitchedPtr(const_cast<void *>(pointer), pitch, copy.width, slice / pitch);
#endif
    };
    parameters.srcPtr = pitched(copy.from, copy.fromPitch, copy.fromSlice);
    parameters.dstPtr = pitched(copy.to, copy.toPitch, copy.toSlice);
    parameters.extent.width = copy.width;
    parameters.extent.height = copy.height;
    parameters.extent.depth = copy.depth;
    parameters.kind = copyKind(kind);
    return parameters;
}

inline dim3 nativeDim(Dim3 d) { return dim3(d.x, d.y, d.z); }

template <auto Kernel, class... P> struct KernelOf<Kernel, void (*)(P...)> {
    static Status launch(const Launch &how, Dim3 grid, Dim3 block, size_t shared, Stream stream, P... arguments) {
        void *pointers[sizeof...(P) + 1] = {const_cast<void *>(static_cast<const volatile void *>(&arguments))..., nullptr};
        const void *kernel = reinterpret_cast<const void *>(Kernel);
        if (how.cooperative)
            return SDFGC_GPU_NAME(LaunchCooperativeKernel)(kernel, nativeDim(grid), nativeDim(block), pointers,
                                                           static_cast<unsigned>(shared), stream);
        return SDFGC_GPU_NAME(LaunchKernel)(kernel, nativeDim(grid), nativeDim(block), pointers, shared, stream);
    }
};

} // namespace detail

// Devices

inline Status deviceCount(int &count) { return SDFGC_GPU_NAME(GetDeviceCount)(&count); }
inline Status setDevice(int device) { return SDFGC_GPU_NAME(SetDevice)(device); }
inline Status getDevice(int &device) { return SDFGC_GPU_NAME(GetDevice)(&device); }
inline Status deviceSynchronize() { return SDFGC_GPU_NAME(DeviceSynchronize)(); }
inline Status getLastError() { return SDFGC_GPU_NAME(GetLastError)(); }
inline Status peekLastError() { return SDFGC_GPU_NAME(PeekAtLastError)(); }
inline const char *getErrorString(Status status) { return SDFGC_GPU_NAME(GetErrorString)(status); }
inline const char *getErrorName(Status status) { return SDFGC_GPU_NAME(GetErrorName)(status); }

inline Status limits(Limits &result, int device) {
#ifdef SDFGC_GPU_CUDA
#define SDFGC_GPU_ATTRIBUTE(cuda, hip) cudaDevAttr##cuda
#else
#define SDFGC_GPU_ATTRIBUTE(cuda, hip) hipDeviceAttribute##hip
#endif
    Status status = success;
    const auto get = [&](auto attribute) {
        int value = 0;
        if (status == success)
            status = SDFGC_GPU_NAME(DeviceGetAttribute)(&value, attribute, device);
        return value;
    };
    result.multiprocessors = get(SDFGC_GPU_ATTRIBUTE(MultiProcessorCount, MultiprocessorCount));
    result.threadsPerBlock = get(SDFGC_GPU_ATTRIBUTE(MaxThreadsPerBlock, MaxThreadsPerBlock));
    result.threadsPerMultiprocessor = get(SDFGC_GPU_ATTRIBUTE(MaxThreadsPerMultiProcessor, MaxThreadsPerMultiProcessor));
    result.warpSize = get(SDFGC_GPU_ATTRIBUTE(WarpSize, WarpSize));
    result.sharedPerBlock = static_cast<size_t>(get(SDFGC_GPU_ATTRIBUTE(MaxSharedMemoryPerBlock, MaxSharedMemoryPerBlock)));
#ifdef SDFGC_GPU_CUDA
    result.sharedPerBlockOptin = static_cast<size_t>(get(cudaDevAttrMaxSharedMemoryPerBlockOptin));
#else
    result.sharedPerBlockOptin = result.sharedPerBlock;
#endif
    result.grid[0] = get(SDFGC_GPU_ATTRIBUTE(MaxGridDimX, MaxGridDimX));
    result.grid[1] = get(SDFGC_GPU_ATTRIBUTE(MaxGridDimY, MaxGridDimY));
    result.grid[2] = get(SDFGC_GPU_ATTRIBUTE(MaxGridDimZ, MaxGridDimZ));
    result.block[0] = get(SDFGC_GPU_ATTRIBUTE(MaxBlockDimX, MaxBlockDimX));
    result.block[1] = get(SDFGC_GPU_ATTRIBUTE(MaxBlockDimY, MaxBlockDimY));
    result.block[2] = get(SDFGC_GPU_ATTRIBUTE(MaxBlockDimZ, MaxBlockDimZ));
    return status;
#undef SDFGC_GPU_ATTRIBUTE
}

// Memory

template <class T> Status malloc(T **pointer, size_t bytes, const char * = "") {
    return SDFGC_GPU_NAME(Malloc)(reinterpret_cast<void **>(pointer), bytes);
}
inline Status free(void *pointer) { return SDFGC_GPU_NAME(Free)(pointer); }
template <class T> Status mallocAsync(T **pointer, size_t bytes, Stream stream, const char * = "") {
    return SDFGC_GPU_NAME(MallocAsync)(reinterpret_cast<void **>(pointer), bytes, stream);
}
inline Status freeAsync(void *pointer, Stream stream) { return SDFGC_GPU_NAME(FreeAsync)(pointer, stream); }

template <class T> Status mallocHost(T **pointer, size_t bytes, const char * = "") {
#ifdef SDFGC_GPU_CUDA
    return cudaMallocHost(reinterpret_cast<void **>(pointer), bytes);
#else
    return hipHostMalloc(reinterpret_cast<void **>(pointer), bytes, hipHostMallocDefault);
#endif
}
inline Status freeHost(void *pointer) {
#ifdef SDFGC_GPU_CUDA
    return cudaFreeHost(pointer);
#else
    return hipHostFree(pointer);
#endif
}

inline Status setPoolReleaseThreshold(uint64_t bytes) {
    int device = 0;
    SDFGC_GPU_NAME(MemPool_t) pool = nullptr;
    Status status = getDevice(device);
    if (status == success)
        status = SDFGC_GPU_NAME(DeviceGetDefaultMemPool)(&pool, device);
    if (status == success)
        status = SDFGC_GPU_NAME(MemPoolSetAttribute)(pool, SDFGC_GPU_NAME(MemPoolAttrReleaseThreshold), &bytes);
    return status;
}

inline Status memcpyAsync(void *to, const void *from, size_t bytes, CopyKind kind, Stream stream) {
    return SDFGC_GPU_NAME(MemcpyAsync)(to, from, bytes, detail::copyKind(kind), stream);
}
inline Status memcpySync(void *to, const void *from, size_t bytes, CopyKind kind) {
    return SDFGC_GPU_NAME(Memcpy)(to, from, bytes, detail::copyKind(kind));
}
inline Status memcpy2DAsync(void *to, size_t toPitch, const void *from, size_t fromPitch, size_t width, size_t height,
                            CopyKind kind, Stream stream) {
    return SDFGC_GPU_NAME(Memcpy2DAsync)(to, toPitch, from, fromPitch, width, height, detail::copyKind(kind), stream);
}
inline Status memcpy3DAsync(const Copy3D &copy, CopyKind kind, Stream stream) {
    if (copy.width == 0 || copy.height == 0 || copy.depth == 0)
        return success;
    if (!detail::canCopy3D(copy))
        return invalidValue;
    const auto parameters = detail::nativeCopy3D(copy, kind);
    return SDFGC_GPU_NAME(Memcpy3DAsync)(&parameters, stream);
}
inline Status memsetAsync(void *pointer, int byte, size_t bytes, Stream stream) {
    return SDFGC_GPU_NAME(MemsetAsync)(pointer, byte, bytes, stream);
}
inline Status memsetSync(void *pointer, int byte, size_t bytes) { return SDFGC_GPU_NAME(Memset)(pointer, byte, bytes); }
inline Status memset2DAsync(void *pointer, size_t pitch, int byte, size_t width, size_t height, Stream stream) {
    return SDFGC_GPU_NAME(Memset2DAsync)(pointer, pitch, byte, width, height, stream);
}

// Streams and events

inline Status streamCreate(Stream &stream) {
    return SDFGC_GPU_NAME(StreamCreateWithFlags)(&stream, SDFGC_GPU_NAME(StreamNonBlocking));
}
inline Status streamCreateBlocking(Stream &stream) { return SDFGC_GPU_NAME(StreamCreate)(&stream); }
inline Status streamCreateWithPriority(Stream &stream, int priority) {
    return SDFGC_GPU_NAME(StreamCreateWithPriority)(&stream, SDFGC_GPU_NAME(StreamNonBlocking), priority);
}
inline Status streamDestroy(Stream stream) { return SDFGC_GPU_NAME(StreamDestroy)(stream); }
inline Status streamSynchronize(Stream stream) { return SDFGC_GPU_NAME(StreamSynchronize)(stream); }
inline Status streamQuery(Stream stream) { return SDFGC_GPU_NAME(StreamQuery)(stream); }
inline Status streamIsCapturing(Stream stream, bool &capturing) {
    SDFGC_GPU_NAME(StreamCaptureStatus) state = SDFGC_GPU_NAME(StreamCaptureStatusNone);
    const Status status = SDFGC_GPU_NAME(StreamIsCapturing)(stream, &state);
    capturing = state != SDFGC_GPU_NAME(StreamCaptureStatusNone);
    return status;
}
inline Status streamWaitEvent(Stream stream, Event event) { return SDFGC_GPU_NAME(StreamWaitEvent)(stream, event, 0); }
inline Status launchHostFunction(Stream stream, void (*function)(void *), void *argument) {
    return SDFGC_GPU_NAME(LaunchHostFunc)(stream, function, argument);
}
inline Status eventCreate(Event &event) { return SDFGC_GPU_NAME(EventCreateWithFlags)(&event, SDFGC_GPU_NAME(EventDisableTiming)); }
inline Status eventCreateTiming(Event &event) { return SDFGC_GPU_NAME(EventCreate)(&event); }
inline Status eventDestroy(Event event) { return SDFGC_GPU_NAME(EventDestroy)(event); }
inline Status eventRecord(Event event, Stream stream) { return SDFGC_GPU_NAME(EventRecord)(event, stream); }
inline Status eventSynchronize(Event event) { return SDFGC_GPU_NAME(EventSynchronize)(event); }
inline Status eventQuery(Event event) { return SDFGC_GPU_NAME(EventQuery)(event); }
inline Status eventElapsed(float &milliseconds, Event begin, Event end) {
    return SDFGC_GPU_NAME(EventElapsedTime)(&milliseconds, begin, end);
}

// Kernels

#if defined(__CUDACC__) || defined(__HIPCC__)
template <auto Kernel, class... A>
Status launch(const Launch &how, Dim3 grid, Dim3 block, size_t shared, Stream stream, A &&...arguments) {
    if (grid.empty() || block.empty())
        return success;
    return detail::KernelOf<Kernel>::launch(how, grid, block, shared, stream, detail::kernelArgument(arguments)...);
}
template <auto Kernel> Status allowDynamicShared(size_t bytes) {
    return SDFGC_GPU_NAME(FuncSetAttribute)(reinterpret_cast<const void *>(Kernel),
                                            SDFGC_GPU_NAME(FuncAttributeMaxDynamicSharedMemorySize), static_cast<int>(bytes));
}
template <auto Kernel> Status blocksPerMultiprocessor(int &blocks, int threadsPerBlock, size_t dynamicShared) {
    return SDFGC_GPU_NAME(OccupancyMaxActiveBlocksPerMultiprocessor)(&blocks, reinterpret_cast<const void *>(Kernel),
                                                                     threadsPerBlock, dynamicShared);
}
#endif

inline void initialise(const char *) {}
inline void finalise(const char *) {}

} // namespace sdfgc::gpu
