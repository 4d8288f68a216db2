// The OpenCL back end of gpu.h (gpu/opencl.h); compiled into programs for the target opencl.
//
// Streams are in-order queues of one context. An event is a marker in a queue, which is flushed, because another queue may only wait
// for commands that were flushed; a stream waits for it with a barrier. Copies from and to pageable host memory block, as CUDA's do
// for the caller: the memory may be changed or read at once afterwards. Page-locked memory is host memory that the table knows: copies
// of it do not block. A kernel reaches it by a buffer that is filled before and read back after the launch, while nothing else runs.
#include "sdfgc/rt/gpu/opencl/device.h"

namespace sdfgc::gpu {

namespace opencl {

namespace {

/// One row, or several, or several slices of rows.
struct Box {
    size_t width, height = 1, depth = 1, toPitch = 0, toSlice = 0, fromPitch = 0, fromSlice = 0;
    bool isLine() const { return height == 1 && depth == 1; }
};

void copyOnHost(char *to, const char *from, const Box &b) {
    for (size_t z = 0; z < b.depth; ++z)
        for (size_t y = 0; y < b.height; ++y)
            std::memcpy(to + z * b.toSlice + y * b.toPitch, from + z * b.fromSlice + y * b.fromPitch, b.width);
}

/// Rectangular transfers of OpenCL have alignments of pitches that programs need not fulfil, so rows are copied one by one.
template <class F> cl_int forEachRow(const Box &b, const F &copy) {
    cl_int status = CL_SUCCESS;
    for (size_t z = 0; z < b.depth && status == CL_SUCCESS; ++z)
        for (size_t y = 0; y < b.height && status == CL_SUCCESS; ++y) {
            const bool isLast = z + 1 == b.depth && y + 1 == b.height;
            status = copy(z * b.toSlice + y * b.toPitch, z * b.fromSlice + y * b.fromPitch, isLast);
        }
    return status;
}

Status copy(void *to, const void *from, const Box &b, cl_command_queue queue) {
    if (b.width == 0 || b.height == 0 || b.depth == 0)
        return success;
    const Place target = Device::get().placeOf(to), source = Device::get().placeOf(from);
    const auto at = [](const Place &p, size_t further) { return static_cast<size_t>(p.offset) + further; };
    if (target.isBuffer() && source.isBuffer())
        return noted(forEachRow(b, [&](size_t t, size_t s, bool) {
            return clEnqueueCopyBuffer(queue, source.allocation->buffer, target.allocation->buffer, at(source, s), at(target, t),
                                       b.width, 0, nullptr, nullptr);
        }));
    if (target.isBuffer())
        return noted(forEachRow(b, [&](size_t t, size_t s, bool isLast) {
            const cl_bool blocks = !source.allocation && isLast ? CL_TRUE : CL_FALSE;
            return clEnqueueWriteBuffer(queue, target.allocation->buffer, blocks, at(target, t), b.width,
                                        static_cast<const char *>(from) + s, 0, nullptr, nullptr);
        }));
    if (source.isBuffer())
        return noted(forEachRow(b, [&](size_t t, size_t s, bool isLast) {
            const cl_bool blocks = !target.allocation && isLast ? CL_TRUE : CL_FALSE;
            return clEnqueueReadBuffer(queue, source.allocation->buffer, blocks, at(source, s), b.width,
                                       static_cast<char *>(to) + t, 0, nullptr, nullptr);
        }));
    const cl_int status = clFinish(queue);
    if (status == CL_SUCCESS)
        copyOnHost(static_cast<char *>(to), static_cast<const char *>(from), b);
    return noted(status);
}

/// Page-locked memory that a kernel reaches, for the time of the launch.
struct Mirror {
    const Allocation *allocation = nullptr;
    cl_mem buffer = nullptr;
    bool isWritten = false;
};

/// Sets the arguments of a launch and queues it.
class LaunchOf {
public:
    LaunchOf(cl_kernel kernel, cl_command_queue queue) : kernel_(kernel), queue_(queue) {}
    ~LaunchOf() {
        for (const Mirror &m : mirrors_)
            (void)clReleaseMemObject(m.buffer);
    }

    cl_int run(const Argument *arguments, int count, const size_t *global, const size_t *local) {
        cl_int status = CL_SUCCESS;
        for (int i = 0; i < count && status == CL_SUCCESS; ++i)
            status = arguments[i].bytes ? clSetKernelArg(kernel_, next_++, arguments[i].bytes, arguments[i].at)
                                        : setAddress(arguments[i]);
        if (status == CL_SUCCESS)
            status = clEnqueueNDRangeKernel(queue_, kernel_, 3, nullptr, global, local, 0, nullptr, nullptr);
        for (const Mirror &m : mirrors_)
            if (status == CL_SUCCESS && m.isWritten)
                status = clEnqueueReadBuffer(queue_, m.buffer, CL_TRUE, 0, m.allocation->bytes, m.allocation->begin, 0, nullptr,
                                             nullptr);
        if (status == CL_SUCCESS && !mirrors_.empty())
            status = clFinish(queue_);
        return status;
    }

private:
    cl_int setAddress(const Argument &a) {
        const Place place = Device::get().placeOf(a.at);
        if (a.at && !place.allocation)
            return CL_INVALID_MEM_OBJECT;
        cl_mem buffer = !a.at ? nullptr : place.isBuffer() ? place.allocation->buffer : mirror(*place.allocation, !a.isConst);
        const cl_long offset = a.at ? place.offset : 0;
        if (a.at && !buffer)
            return CL_MEM_OBJECT_ALLOCATION_FAILURE;
        const cl_int status = clSetKernelArg(kernel_, next_++, sizeof buffer, &buffer);
        return status == CL_SUCCESS ? clSetKernelArg(kernel_, next_++, sizeof offset, &offset) : status;
    }
    cl_mem mirror(const Allocation &a, bool isWritten) {
        for (Mirror &m : mirrors_)
            if (m.allocation == &a) {
                m.isWritten = m.isWritten || isWritten;
                return m.buffer;
            }
        cl_int status = CL_SUCCESS;
        (void)Device::get().finishAll();
        cl_mem buffer = clCreateBuffer(Device::get().context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, a.bytes, a.begin, &status);
        if (status == CL_SUCCESS)
            mirrors_.push_back({&a, buffer, isWritten});
        return status == CL_SUCCESS ? buffer : nullptr;
    }

    cl_kernel kernel_;
    cl_command_queue queue_;
    cl_uint next_ = 0;
    std::vector<Mirror> mirrors_;
};

Status recorded(EventState &event, cl_command_queue queue) {
    if (event.marker)
        (void)clReleaseEvent(event.marker);
    event.marker = nullptr;
    const cl_int status = clEnqueueMarkerWithWaitList(queue, 0, nullptr, &event.marker);
    return noted(status == CL_SUCCESS ? clFlush(queue) : status);
}

} // namespace

Status mallocBytes(void **pointer, size_t bytes) { return noted(Device::get().allocate(pointer, bytes)); }
Status mallocBytesHost(void **pointer, size_t bytes) { return noted(Device::get().allocateHost(pointer, bytes)); }

Status enqueueKernel(const Launch &how, Dim3 grid, Dim3 block, Stream stream, const Argument *arguments, int count) {
    Device &device = Device::get();
    const std::lock_guard<std::mutex> lock(device.launches); // arguments belong to the kernel, not to the launch
    const cl_kernel kernel = device.kernel(how.name);
    if (!kernel)
        return noted(CL_INVALID_KERNEL_NAME);
    const size_t local[] = {block.x, block.y, block.z};
    const size_t global[] = {size_t(grid.x) * block.x, size_t(grid.y) * block.y, size_t(grid.z) * block.z};
    return noted(LaunchOf(kernel, queueOf(stream)).run(arguments, count, global, local));
}

} // namespace opencl

using opencl::Device;
using opencl::noted;
using opencl::queueOf;

void loadKernels(const char *kernels, const char *options, opencl::ProgramNeeds needs,
                 std::initializer_list<opencl::KernelNeeds> limits) {
    Device &device = Device::get();
    device.open();
    static std::mutex once;
    const std::lock_guard<std::mutex> lock(once);
    if (device.program)
        return;
    const std::string extensions = opencl::textOf(device.choice.device, CL_DEVICE_EXTENSIONS);
    const auto require = [&](bool isNeeded, const char *extension, const char *what) {
        if (isNeeded && extensions.find(extension) == std::string::npos)
            throw rt::Error(rt::DeviceError,
                            (device.name() + " has no " + what + " (" + extension + "), which the program needs").c_str());
    };
    require(needs.doubles, "cl_khr_fp64", "double precision");
    require(needs.wideAtomics, "cl_khr_int64_base_atomics", "atomic operations of 64 bits");
    for (const opencl::KernelNeeds &k : limits)
        device.checkMemory(k);
    device.compile(kernels, options, needs.structs);
    for (const opencl::KernelNeeds &k : limits)
        device.checkThreads(k);
}

// Devices

Status deviceCount(int &count) {
    Device::get().open();
    count = 1;
    return success;
}
Status setDevice(int device) { return device == 0 ? success : invalidValue; }
Status getDevice(int &device) { return device = 0, success; }
Status deviceSynchronize() { return noted(Device::get().finishAll()); }
Status getLastError() {
    const Status last = opencl::lastError;
    opencl::lastError = success;
    return last;
}
Status peekLastError() { return opencl::lastError; }
const char *getErrorName(Status status) {
    for (const opencl::ErrorName &e : opencl::errorNames)
        if (e.code == status)
            return e.name;
    return "an unknown error of OpenCL";
}
const char *getErrorString(Status status) { return getErrorName(status); }

Status limits(Limits &result, int) {
    const cl_device_id d = Device::get().choice.device;
    result.multiprocessors = int(opencl::numberOf<cl_uint>(d, CL_DEVICE_MAX_COMPUTE_UNITS));
    result.threadsPerBlock = result.threadsPerMultiprocessor = int(opencl::numberOf<size_t>(d, CL_DEVICE_MAX_WORK_GROUP_SIZE));
    result.warpSize = 1;
    result.sharedPerBlock = result.sharedPerBlockOptin = size_t(opencl::numberOf<cl_ulong>(d, CL_DEVICE_LOCAL_MEM_SIZE));
    for (int i = 0; i < 3; ++i) {
        result.grid[i] = INT64_MAX;
        result.block[i] = result.threadsPerBlock;
    }
    return success;
}

// Memory

Status free(void *pointer) { return noted(Device::get().release(pointer)); }
Status freeHost(void *pointer) { return noted(Device::get().release(pointer)); }

Status memcpyAsync(void *to, const void *from, size_t bytes, CopyKind, Stream stream) {
    return opencl::copy(to, from, {bytes}, queueOf(stream));
}
Status memcpySync(void *to, const void *from, size_t bytes, CopyKind kind) {
    const Status status = memcpyAsync(to, from, bytes, kind, nullptr);
    return status == success ? streamSynchronize(nullptr) : status;
}
Status memcpy2DAsync(void *to, size_t toPitch, const void *from, size_t fromPitch, size_t width, size_t height, CopyKind,
                     Stream stream) {
    return opencl::copy(to, from, {width, height, 1, toPitch, 0, fromPitch, 0}, queueOf(stream));
}
Status memcpy3DAsync(const Copy3D &c, CopyKind, Stream stream) {
    return opencl::copy(c.to, c.from, {c.width, c.height, c.depth, c.toPitch, c.toSlice, c.fromPitch, c.fromSlice},
                        queueOf(stream));
}
Status fillAsync(void *pointer, const void *value, size_t bytes, size_t count, Stream stream) {
    const opencl::Place place = Device::get().placeOf(pointer);
    if (!place.isBuffer())
        return noted(CL_INVALID_MEM_OBJECT);
    return noted(clEnqueueFillBuffer(queueOf(stream), place.allocation->buffer, value, bytes, size_t(place.offset), bytes * count,
                                     0, nullptr, nullptr));
}
Status memsetAsync(void *pointer, int byte, size_t bytes, Stream stream) {
    const auto value = static_cast<unsigned char>(byte);
    return bytes == 0 ? success : fillAsync(pointer, &value, 1, bytes, stream);
}
Status memsetSync(void *pointer, int byte, size_t bytes) {
    const Status status = memsetAsync(pointer, byte, bytes, nullptr);
    return status == success ? streamSynchronize(nullptr) : status;
}
Status memset2DAsync(void *pointer, size_t pitch, int byte, size_t width, size_t height, Stream stream) {
    Status status = success;
    for (size_t y = 0; y < height && status == success; ++y)
        status = memsetAsync(static_cast<char *>(pointer) + y * pitch, byte, width, stream);
    return status;
}

// Streams and events

Status streamCreate(Stream &stream) {
    const cl_command_queue queue = Device::get().newQueue();
    if (!queue)
        return noted(CL_INVALID_COMMAND_QUEUE);
    stream = new opencl::StreamState{queue};
    return success;
}
Status streamCreateBlocking(Stream &stream) { return streamCreate(stream); }
Status streamCreateWithPriority(Stream &stream, int) { return streamCreate(stream); }
Status streamDestroy(Stream stream) {
    const cl_int status = clFinish(stream->queue);
    Device::get().forget(stream->queue);
    (void)clReleaseCommandQueue(stream->queue);
    delete stream;
    return noted(status);
}
Status streamSynchronize(Stream stream) { return noted(clFinish(queueOf(stream))); }
Status streamQuery(Stream stream) {
    opencl::EventState now;
    Status status = opencl::recorded(now, queueOf(stream));
    if (status == success)
        status = eventQuery(&now);
    if (now.marker)
        (void)clReleaseEvent(now.marker);
    return status;
}
Status streamIsCapturing(Stream, bool &capturing) { return capturing = false, success; }
Status streamWaitEvent(Stream stream, Event event) {
    if (!event->marker)
        return success;
    return noted(clEnqueueBarrierWithWaitList(queueOf(stream), 1, &event->marker, nullptr));
}
Status launchHostFunction(Stream stream, void (*function)(void *), void *argument) {
    const Status status = streamSynchronize(stream);
    if (status == success)
        function(argument);
    return status;
}
Status eventCreate(Event &event) { return event = new opencl::EventState, success; }
Status eventCreateTiming(Event &event) { return eventCreate(event); }
Status eventDestroy(Event event) {
    if (event->marker)
        (void)clReleaseEvent(event->marker);
    delete event;
    return success;
}
Status eventRecord(Event event, Stream stream) { return opencl::recorded(*event, queueOf(stream)); }
Status eventSynchronize(Event event) { return event->marker ? noted(clWaitForEvents(1, &event->marker)) : success; }
Status eventQuery(Event event) {
    cl_int state = CL_COMPLETE;
    if (event->marker)
        (void)clGetEventInfo(event->marker, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, nullptr);
    return state < 0 ? noted(state) : state == CL_COMPLETE ? success : notReady;
}
Status eventElapsed(float &milliseconds, Event begin, Event end) {
    cl_ulong from = 0, to = 0;
    if (!begin->marker || !end->marker)
        return noted(CL_INVALID_EVENT);
    cl_int status = clGetEventProfilingInfo(begin->marker, CL_PROFILING_COMMAND_END, sizeof from, &from, nullptr);
    if (status == CL_SUCCESS)
        status = clGetEventProfilingInfo(end->marker, CL_PROFILING_COMMAND_END, sizeof to, &to, nullptr);
    milliseconds = to > from ? float(double(to - from) * 1e-6) : 0.0f;
    return noted(status);
}

} // namespace sdfgc::gpu
