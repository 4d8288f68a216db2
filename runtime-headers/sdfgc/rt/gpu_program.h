// The state of a generated GPU program while its handle lives (streams, events, device memory), and the operations that its host
// code queues. A failed operation throws rt::Error, which guard() of abi.h turns into the error code and message of the call.
//
// Rules (C3; DaCe: dace/codegen/targets/cuda.py): streams are non-blocking and may be replaced by the caller's; the first error of
// the device is kept for __dace_gpu_last_error; no operation ends the process.
#pragma once

#include "sdfgc/rt/abi.h"
#include "sdfgc/rt/gpu.h"
#include "sdfgc/rt/sizes.h"

#include <cstdio>
#include <cstdlib>

namespace sdfgc::gpu {

inline constexpr bool withBarriers = true,
                      allAtOnce = true; // Launch::barriers and cooperative, readable where a kernel is launched

/// Throws unless the status is success; `what` describes the operation.
inline void check(Status status, const char *what) {
    if (status == success)
        return;
    char text[256];
    std::snprintf(text, sizeof text, "%s: %s", what, getErrorString(status));
    throw rt::Error(rt::DeviceError, text);
}

/// An owned array in device memory. Meaning and functions as rt::Buffer; memory is freed when it is no longer in use (free() waits
/// for the device). `name`, which must outlive the buffer, identifies it in reports of the emulation.
template <class T> class Buffer {
public:
    explicit Buffer(const char *name = "") noexcept : name_(name) {}
    Buffer(const char *name, int64_t count, int64_t startOffset = 0, int64_t = 0) : name_(name) { allocate(count, startOffset); }
    Buffer(const Buffer &) = delete;
    Buffer &operator=(const Buffer &) = delete;
    ~Buffer() { release(); }

    void allocate(int64_t count, int64_t startOffset = 0, int64_t = 0) {
        const int64_t wanted = count > 0 ? count : 0;
        if (wanted != size_) {
            release();
            if (wanted > 0)
                check(malloc(&base_, rt::detail::bytesOf<T>(wanted), name_), "allocating device memory");
            size_ = wanted;
        }
        data_ = base_ ? base_ + startOffset : nullptr;
    }
    /// At least `count` elements. Queued work may still use the old memory, so growing waits for the device.
    void reserve(int64_t count, int64_t startOffset = 0, int64_t = 0) {
        if (count > size_ && base_)
            check(deviceSynchronize(), "waiting for the device");
        if (count > size_)
            allocate(size_ > 0 && count < size_ + size_ / 2 ? size_ + size_ / 2 : count, startOffset);
        data_ = base_ ? base_ + startOffset : nullptr;
    }
    void release() noexcept {
        if (base_)
            (void)gpu::free(base_); // not the C library's, which elements of namespace std would bring in
        base_ = data_ = nullptr;
        size_ = 0;
    }
    /// All bytes zero; done when it returns.
    void zero() {
        if (base_) {
            check(deviceSynchronize(), "clearing device memory");
            check(memsetSync(base_, 0, static_cast<size_t>(size_) * sizeof(T)), "clearing device memory");
            check(streamSynchronize(nullptr), "clearing device memory"); // non-blocking streams would not wait for it
        }
    }
    T *data() const noexcept { return data_; }
    operator T *() const noexcept { return data_; }
    T &operator[](int64_t index) const noexcept { return data_[index]; } // for addresses: &x[i]
    int64_t size() const noexcept { return size_; }

private:
    T *base_ = nullptr, *data_ = nullptr;
    int64_t size_ = 0;
    const char *name_;
};

/// An owned array of the device's pool. Its memory is allocated and freed in stream order, by Program::allocate and
/// Program::release; memory left after an error is freed when it is no longer in use.
template <class T> class PoolBuffer {
public:
    explicit PoolBuffer(const char *name = "") noexcept : name_(name) {}
    PoolBuffer(const PoolBuffer &) = delete;
    PoolBuffer &operator=(const PoolBuffer &) = delete;
    ~PoolBuffer() {
        if (base_)
            (void)gpu::free(base_);
    }

    T *data() const noexcept { return data_; }
    operator T *() const noexcept { return data_; }
    T &operator[](int64_t index) const noexcept { return data_[index]; } // for addresses: &x[i]
    int64_t size() const noexcept { return size_; }

private:
    friend class Program;
    T *base_ = nullptr, *data_ = nullptr;
    int64_t size_ = 0;
    const char *name_;
};

/// An owned array in page-locked host memory, which kernels can reach, too.
template <class T> class PinnedBuffer {
public:
    explicit PinnedBuffer(const char *name = "") noexcept : name_(name) {}
    PinnedBuffer(const char *name, int64_t count, int64_t startOffset = 0, int64_t = 0) : name_(name) {
        allocate(count, startOffset);
    }
    PinnedBuffer(const PinnedBuffer &) = delete;
    PinnedBuffer &operator=(const PinnedBuffer &) = delete;
    ~PinnedBuffer() { release(); }

    void allocate(int64_t count, int64_t startOffset = 0, int64_t = 0) {
        const int64_t wanted = count > 0 ? count : 0;
        if (wanted != size_) {
            release();
            if (wanted > 0)
                check(mallocHost(&base_, rt::detail::bytesOf<T>(wanted), name_), "allocating page-locked memory");
            size_ = wanted;
        }
        data_ = base_ ? base_ + startOffset : nullptr;
    }
    void reserve(int64_t count, int64_t startOffset = 0, int64_t = 0) {
        if (count > size_)
            allocate(count, startOffset);
        data_ = base_ ? base_ + startOffset : nullptr;
    }
    void release() noexcept {
        if (base_)
            (void)freeHost(base_);
        base_ = data_ = nullptr;
        size_ = 0;
    }
    void zero() noexcept {
        for (int64_t i = 0; i < size_ * static_cast<int64_t>(sizeof(T)); ++i)
            reinterpret_cast<char *>(base_)[i] = 0;
    }
    T *data() const noexcept { return data_; }
    operator T *() const noexcept { return data_; }
    T &operator[](int64_t index) const noexcept { return data_[index]; }
    int64_t size() const noexcept { return size_; }

private:
    T *base_ = nullptr, *data_ = nullptr;
    int64_t size_ = 0;
    const char *name_;
};

#ifdef SDFGC_GPU_KERNELS
namespace detail {

template <class T> SDFGC_KERNEL void fillKernel(T *target, int64_t count, T value) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < count)
        target[i] = value;
}
template <class T> SDFGC_KERNEL void copyKernel(T *to, const T *from, int64_t count) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < count)
        to[i] = from[i];
}

} // namespace detail

/// Number of this thread in its block, x running fastest, and their number.
SDFGC_DEVICE inline int64_t threadInBlock() { return (int64_t(threadIdx.z) * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x; }
SDFGC_DEVICE inline int64_t threadsInBlock() { return int64_t(blockDim.x) * blockDim.y * blockDim.z; }
/// Number of this block in the grid, and of this thread in all of it.
SDFGC_DEVICE inline int64_t blockInGrid() { return (int64_t(blockIdx.z) * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x; }
SDFGC_DEVICE inline int64_t threadInGrid() { return blockInGrid() * threadsInBlock() + threadInBlock(); }
SDFGC_DEVICE inline int64_t threadsInGrid() { return int64_t(gridDim.x) * gridDim.y * gridDim.z * threadsInBlock(); }
#endif

/// `count` rows of a copy, or slices of rows: each begins `toPitch` and `fromPitch` elements after the one before.
struct Rows {
    int64_t count = 1, toPitch = 0, fromPitch = 0;
};

/// The magnitude of a size in a bound of indices: at least 1, so that no product is less than one of its factors.
class Magnitude {
public:
    Magnitude(int64_t size) noexcept : value_(size > 0 ? double(size) : size < 0 ? -double(size) : 1) {}
    operator double() const noexcept { return value_; }

private:
    double value_;
};

/// What decides whether 32 bits hold the indices of a kernel.
struct IndexRange {
    double greatest;   // a bound of the magnitudes of all indices and of what is computed for them
    double stride = 1; // the greatest step between iterations of neighbouring threads

    /// A loop over threads ends at most one step of the grid after its last iteration. The environment variable SDFGC_INDEX=64
    /// denies it for all kernels.
    bool isNarrow(Dim3 grid, Dim3 block) const noexcept {
        static const bool denied = [] {
            const char *bits = std::getenv("SDFGC_INDEX");
            return bits && bits[0] == '6' && bits[1] == '4' && bits[2] == 0;
        }();
        constexpr double most = 1 << 30;
        const double threads =
            double(grid.x) * double(grid.y) * double(grid.z) * double(block.x) * double(block.y) * double(block.z);
        return !denied && greatest <= most && stride * threads <= most;
    }
};

/// The streams and events of one handle, by number.
class Program {
public:
    Program() noexcept = default;
    Program(const Program &) = delete;
    Program &operator=(const Program &) = delete;
    ~Program() { close(); }

    /// Creates `streams` non-blocking streams and `events` events on the current device; throws when there is no device.
    void open(int streams, int events) {
        int devices = 0;
        const Status found = deviceCount(devices);
        if (found != success || devices == 0)
            throw rt::Error(rt::DeviceError, "no GPU was found");
        (void)getLastError(); // discards errors of other users of the device
        for (; owned_ < streams && owned_ < maximum; ++owned_) {
            check(streamCreate(ownStreams_[owned_]), "creating a stream");
            streams_[owned_] = ownStreams_[owned_];
        }
        ownEvents_ = new Event[static_cast<size_t>(events)]();
        for (; events_ < events; ++events_)
            check(eventCreate(ownEvents_[events_]), "creating an event");
    }

    /// Callers may pass device memory where the program expects host memory: the driver finds out by the pointers of each copy.
    void copyFromAnywhere() noexcept { anyMemory_ = true; }

    /// A call of the program begins. Throws if the caller is capturing a stream that it gave to the program: the call waits for its
    /// streams, which would break the capture, so it fails before anything is queued.
    void begin() {
        for (int i = 0; i < owned_; ++i) {
            bool capturing = false;
            if (streams_[i] && streams_[i] != ownStreams_[i])
                done(streamIsCapturing(streams_[i], capturing), "asking whether a stream is captured");
            if (capturing)
                throw rt::Error(rt::DeviceError,
                                "the caller captures a stream of the program, which waits for its streams: call it "
                                "outside of the capture");
        }
    }

    /// Waits for all streams; throws if anything failed.
    void finish() {
        for (int i = 0; i < owned_; ++i)
            check(streamSynchronize(streams_[i]), "finishing");
    }

    /// The caller's stream instead of ours (C3: __dace_gpu_set_stream); false if there is no stream of that number.
    bool setStream(int index, Stream stream) noexcept {
        if (index < 0 || index >= owned_)
            return false;
        streams_[index] = stream;
        return true;
    }
    void setAllStreams(Stream stream) noexcept {
        for (int i = 0; i < owned_; ++i)
            streams_[i] = stream;
    }
    Stream stream(int index) const noexcept { return streams_[index]; }

    int takeError() noexcept {
        const int error = error_;
        error_ = 0;
        return error;
    }
    void drainError() noexcept { (void)getLastError(); }
    /// Keeps the status for takeError(), if it is the first failure, and throws unless it is success; `what` describes the
    /// operation.
    void done(Status status, const char *what) {
        if (status != success && error_ == 0)
            error_ = static_cast<int>(status);
        check(status, what);
    }

    template <auto Kernel, class... Arguments>
    void launch(int stream, const Launch &how, Dim3 grid, Dim3 block, const Arguments &...arguments) {
        done(gpu::launch<Kernel>(how, grid, block, 0, streams_[stream], arguments...), how.name);
    }
    /// The kernel with indices of 32 bits, if these hold them, else the one with indices of 64 bits.
    template <auto Narrow, auto Wide, class... Arguments>
    void launch(int stream, const Launch &how, IndexRange range, Dim3 grid, Dim3 block, const Arguments &...arguments) {
        if (range.isNarrow(grid, block))
            launch<Narrow>(stream, how, grid, block, arguments...);
        else
            launch<Wide>(stream, how, grid, block, arguments...);
    }

#ifdef SDFGC_GPU_KERNELS
    /// The number of blocks of this many threads that fill the current device: the grid of a persistent kernel. At least one, so
    /// the launch reports a kernel that does not fit.
    template <auto Kernel> int64_t resident(int64_t threads) {
        int device = 0, blocks = 0;
        Limits limits;
        check(getDevice(device), "asking for the device");
        check(gpu::limits(limits, device), "asking for the device's size");
        check(blocksPerMultiprocessor<Kernel>(
                  blocks, static_cast<int>(threads < limits.threadsPerBlock ? threads : limits.threadsPerBlock), 0),
              "asking how many blocks fit");
        return blocks > 0 ? int64_t(blocks) * limits.multiprocessors : 1;
    }
#endif

    /// A row of `width` elements, or several of them, or several slices of rows.
    template <class T> void copyToDevice(int stream, T *to, const T *from, int64_t width, Rows rows = {}, Rows slices = {}) {
        copy(CopyKind::HostToDevice, stream, to, from, width, rows, slices);
    }
    template <class T> void copyToHost(int stream, T *to, const T *from, int64_t width, Rows rows = {}, Rows slices = {}) {
        copy(CopyKind::DeviceToHost, stream, to, from, width, rows, slices);
    }
    template <class T> void copyOnDevice(int stream, T *to, const T *from, int64_t width, Rows rows = {}, Rows slices = {}) {
        copy(CopyKind::DeviceToDevice, stream, to, from, width, rows, slices);
    }

    /// Sets `count` elements of device memory to a value: as bytes if all bytes of the value are equal, else by a kernel.
    template <class T> void fill(int stream, T *target, int64_t count, T value) {
        if (count <= 0)
            return;
        const auto *bytes = reinterpret_cast<const unsigned char *>(&value);
        bool same = true;
        for (size_t i = 1; i < sizeof(T); ++i)
            same = same && bytes[i] == bytes[0];
        if (same)
            return done(memsetAsync(target, bytes[0], static_cast<size_t>(count) * sizeof(T), streams_[stream]), "filling memory");
#if defined(SDFGC_GPU_FILLS)
        done(fillAsync(target, &value, sizeof value, static_cast<size_t>(count), streams_[stream]), "filling memory");
#elif defined(SDFGC_GPU_KERNELS)
        done(gpu::launch<detail::fillKernel<detail::KernelElement<T>>>({"fill", ""}, Dim3(blocks(count, 256)), Dim3(256), 0,
                                                                       streams_[stream], target, count, value),
             "filling memory");
#endif
    }

    /// Memory of the pool, for later operations in the stream and in streams that wait for it.
    template <class T> void allocate(int stream, PoolBuffer<T> &buffer, int64_t count, int64_t startOffset = 0, int64_t = 0) {
        release(stream, buffer);
        if (!keepsPool_) {
            keepsPool_ = true;
            (void)setPoolReleaseThreshold(~uint64_t(0)); // without support, memory is only released earlier
        }
        if (count > 0)
            done(mallocAsync(&buffer.base_, rt::detail::bytesOf<T>(count), streams_[stream], buffer.name_),
                 "allocating memory of the pool");
        buffer.size_ = count > 0 ? count : 0;
        buffer.data_ = buffer.base_ ? buffer.base_ + startOffset : nullptr;
    }
    /// Frees it after the operations queued in the stream so far.
    template <class T> void release(int stream, PoolBuffer<T> &buffer) {
        if (!buffer.base_)
            return;
        T *const memory = buffer.base_;
        buffer.base_ = buffer.data_ = nullptr;
        buffer.size_ = 0;
        done(freeAsync(memory, streams_[stream]), "giving memory back to the pool");
    }
    template <class T> void zero(int stream, PoolBuffer<T> &buffer) {
        if (buffer.base_)
            done(memsetAsync(buffer.base_, 0, static_cast<size_t>(buffer.size_) * sizeof(T), streams_[stream]), "clearing memory");
    }

    void synchroniseAll() { done(deviceSynchronize(), "waiting for the device"); }
    void synchronise(int stream) { done(streamSynchronize(streams_[stream]), "waiting for a stream"); }
    void record(int event, int stream) { done(eventRecord(ownEvents_[event], streams_[stream]), "recording an event"); }
    void wait(int stream, int event) { done(streamWaitEvent(streams_[stream], ownEvents_[event]), "waiting for an event"); }
    void synchroniseEvent(int event) { done(eventSynchronize(ownEvents_[event]), "waiting for an event"); }

private:
    friend class OnStream;
    static constexpr int maximum = 32; // sdfgc/Analysis/Device/Async.h

    template <class T> void copy(CopyKind kind, int stream, T *to, const T *from, int64_t width, Rows rows, Rows slices) {
        if (width <= 0 || rows.count <= 0 || slices.count <= 0)
            return;
        if (anyMemory_ && kind != CopyKind::DeviceToDevice)
            kind = CopyKind::Any;
        constexpr size_t size = sizeof(T);
        const auto bytes = [](int64_t elements) { return static_cast<size_t>(elements) * size; };
        if (slices.count > 1)
            done(
                memcpy3DAsync({to, bytes(rows.toPitch), bytes(slices.toPitch), from, bytes(rows.fromPitch), bytes(slices.fromPitch),
                               bytes(width), static_cast<size_t>(rows.count), static_cast<size_t>(slices.count)},
                              kind, streams_[stream]),
                "copying slices");
        else if (rows.count > 1)
            done(memcpy2DAsync(to, bytes(rows.toPitch), from, bytes(rows.fromPitch), bytes(width), static_cast<size_t>(rows.count),
                               kind, streams_[stream]),
                 "copying rows");
        else
            done(memcpyAsync(to, from, bytes(width), kind, streams_[stream]), "copying");
    }

    void close() noexcept {
        for (int i = 0; i < owned_; ++i)
            (void)streamDestroy(ownStreams_[i]);
        for (int i = 0; i < events_; ++i)
            (void)eventDestroy(ownEvents_[i]);
        delete[] ownEvents_;
        ownEvents_ = nullptr;
        owned_ = events_ = 0;
    }

    Stream streams_[maximum] = {}, ownStreams_[maximum] = {};
    Event *ownEvents_ = nullptr;
    int owned_ = 0, events_ = 0, error_ = 0;
    bool keepsPool_ = false;
    bool anyMemory_ = false;
};

/// While it lives, all work of a program is queued on one stream.
class OnStream {
public:
    OnStream(Program &program, Stream stream) noexcept : program_(program) {
        for (int i = 0; i < Program::maximum; ++i)
            before_[i] = program.streams_[i];
        program.setAllStreams(stream);
    }
    OnStream(const OnStream &) = delete;
    OnStream &operator=(const OnStream &) = delete;
    ~OnStream() {
        for (int i = 0; i < Program::maximum; ++i)
            program_.streams_[i] = before_[i];
    }

private:
    Program &program_;
    Stream before_[Program::maximum];
};

} // namespace sdfgc::gpu
