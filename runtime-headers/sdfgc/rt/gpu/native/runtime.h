// The runtime of CUDA and HIP, which differ in their names. cuda.h and hip.h define the names and include this header; gpu.h
// documents the functions.
#pragma once

// A path, which clang-format would read as a quotient.
// clang-format off
#define SDFGC_GPU_HEADER(topic) SDFGC_GPU_QUOTED(sdfgc/rt/gpu/native/topic.h)
// clang-format on

#ifdef SDFGC_GPU_KERNELS
#define SDFGC_KERNEL __global__
#define SDFGC_DEVICE __device__
#define SDFGC_PRAGMA(text) _Pragma(#text)
#define SDFGC_UNROLL(n) SDFGC_PRAGMA(unroll n)
// Bytes, not elements: a type with a constructor could not be declared in shared memory.
#define SDFGC_SHARED(T, name, count)                                                                                               \
    __shared__ __attribute__((aligned(16))) unsigned char name##_bytes[sizeof(T) * (count)];                                       \
    T *const name = reinterpret_cast<T *>(name##_bytes)
#define SDFGC_DYNAMIC_SHARED(T, name)                                                                                              \
    extern __shared__ __attribute__((aligned(16))) unsigned char sdfgc_dynamic_shared[];                                           \
    T *const name = reinterpret_cast<T *>(sdfgc_dynamic_shared)
#endif

namespace sdfgc::gpu {

using Status = SDFGC_GPU_NAME(Error_t);
using Stream = SDFGC_GPU_NAME(Stream_t);
using Event = SDFGC_GPU_NAME(Event_t);
using GraphHandle = SDFGC_GPU_NAME(Graph_t);
using GraphNode = SDFGC_GPU_NAME(GraphNode_t);
using GraphExec = SDFGC_GPU_NAME(GraphExec_t);
using GraphConditional = unsigned long long;

inline constexpr Status success = SDFGC_GPU_NAME(Success);
inline constexpr Status notReady = SDFGC_GPU_NAME(ErrorNotReady);
inline constexpr Status invalidValue = SDFGC_GPU_NAME(ErrorInvalidValue);
inline constexpr Status outOfMemory = SDFGC_GPU_OUT_OF_MEMORY;
inline constexpr Status notSupported = SDFGC_GPU_NAME(ErrorNotSupported);

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

/// A slice of a copy must be a whole number of rows, because the vendors' structures count in rows.
inline bool canCopy3D(const Copy3D &copy) {
    return copy.toPitch != 0 && copy.fromPitch != 0 && copy.toSlice % copy.toPitch == 0 && copy.fromSlice % copy.fromPitch == 0;
}

inline auto nativeCopy3D(const Copy3D &copy, CopyKind kind) {
    SDFGC_GPU_NAME(Memcpy3DParms) parameters = {};
    const auto pitched = [&](const void *pointer, size_t pitch, size_t slice) {
        return SDFGC_GPU_PITCHED(const_cast<void *>(pointer), pitch, copy.width, slice / pitch);
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
    Status status = success;
    const auto get = [&](auto attribute) {
        int value = 0;
        if (status == success)
            status = SDFGC_GPU_NAME(DeviceGetAttribute)(&value, attribute, device);
        return value;
    };
    result.multiprocessors = get(SDFGC_GPU_MULTIPROCESSORS);
    result.threadsPerBlock = get(SDFGC_GPU_ATTRIBUTE(MaxThreadsPerBlock));
    result.threadsPerMultiprocessor = get(SDFGC_GPU_ATTRIBUTE(MaxThreadsPerMultiProcessor));
    result.warpSize = get(SDFGC_GPU_ATTRIBUTE(WarpSize));
    result.sharedPerBlock = static_cast<size_t>(get(SDFGC_GPU_ATTRIBUTE(MaxSharedMemoryPerBlock)));
    result.sharedPerBlockOptin = static_cast<size_t>(get(SDFGC_GPU_SHARED_OPTIN));
    result.grid[0] = get(SDFGC_GPU_ATTRIBUTE(MaxGridDimX));
    result.grid[1] = get(SDFGC_GPU_ATTRIBUTE(MaxGridDimY));
    result.grid[2] = get(SDFGC_GPU_ATTRIBUTE(MaxGridDimZ));
    result.block[0] = get(SDFGC_GPU_ATTRIBUTE(MaxBlockDimX));
    result.block[1] = get(SDFGC_GPU_ATTRIBUTE(MaxBlockDimY));
    result.block[2] = get(SDFGC_GPU_ATTRIBUTE(MaxBlockDimZ));
    return status;
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
    return SDFGC_GPU_MALLOC_HOST(reinterpret_cast<void **>(pointer), bytes);
}
inline Status freeHost(void *pointer) { return SDFGC_GPU_FREE_HOST(pointer); }

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

#ifdef SDFGC_GPU_KERNELS
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

// Graphs (native/graph.h has the rest)

namespace detail {

inline Status instantiated(Status status, GraphNode atFault, GraphNode *failed) {
    if (failed)
        *failed = status == success ? nullptr : atFault;
    return status;
}
/// With the parameters of HIP and of CUDA before 12. A template, since later releases have no such function.
template <class Exec> Status instantiateWithLog(Exec &exec, GraphHandle graph, GraphNode *failed) {
    GraphNode atFault = nullptr;
    char log[256];
    const Status status = SDFGC_GPU_NAME(GraphInstantiate)(&exec, graph, &atFault, log, sizeof log);
    return instantiated(status, atFault, failed);
}

} // namespace detail

inline void initialise(const char *) {}
inline void finalise(const char *) {}

} // namespace sdfgc::gpu
