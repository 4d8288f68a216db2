// The device of the OpenCL back end: its choice, its context, the table of its memory, its kernels. Part of gpu_opencl.cpp.
#pragma once

#define CL_TARGET_OPENCL_VERSION 120
#include "sdfgc/rt/gpu_error.h"

#include <CL/cl.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <sys/mman.h>
#include <vector>

namespace sdfgc::gpu {

namespace opencl {

struct StreamState {
    cl_command_queue queue = nullptr;
};
struct EventState {
    cl_event marker = nullptr; // of the last record; none before the first one
};

namespace {

const char deviceFunctions[] = "#if 1\n"
#include "sdfgc/rt/gpu/opencl_device.h"
                               "\n#endif\n";
const char structFunctions[] = "#if 1\n"
#include "sdfgc/rt/gpu/opencl_structs.h"
                               "\n#endif\n";

std::string textOf(cl_platform_id p, cl_platform_info what) {
    char text[512] = "";
    (void)clGetPlatformInfo(p, what, sizeof text, text, nullptr);
    return text;
}
std::string textOf(cl_device_id d, cl_device_info what) {
    size_t size = 0;
    (void)clGetDeviceInfo(d, what, 0, nullptr, &size);
    std::string text(size, '\0');
    (void)clGetDeviceInfo(d, what, size, text.data(), nullptr);
    return text.c_str();
}
template <class T> T numberOf(cl_device_id d, cl_device_info what) {
    T value{};
    (void)clGetDeviceInfo(d, what, sizeof value, &value, nullptr);
    return value;
}

struct Choice {
    cl_platform_id platform = nullptr;
    cl_device_id device = nullptr;
};

/// All devices, in the order of the platforms.
std::vector<std::vector<Choice>> allDevices() {
    cl_uint count = 0;
    if (clGetPlatformIDs(0, nullptr, &count) != CL_SUCCESS || count == 0)
        return {};
    std::vector<cl_platform_id> platforms(count);
    (void)clGetPlatformIDs(count, platforms.data(), nullptr);
    std::vector<std::vector<Choice>> all;
    for (const cl_platform_id p : platforms) {
        all.emplace_back();
        cl_uint devices = 0;
        if (clGetDeviceIDs(p, CL_DEVICE_TYPE_ALL, 0, nullptr, &devices) != CL_SUCCESS)
            continue;
        std::vector<cl_device_id> ids(devices);
        (void)clGetDeviceIDs(p, CL_DEVICE_TYPE_ALL, devices, ids.data(), nullptr);
        for (const cl_device_id d : ids)
            all.back().push_back({p, d});
    }
    return all;
}

/// The device that SDFGC_OPENCL_DEVICE names: `platform:device` by number, or a part of the name of the device or its platform.
/// Otherwise the first GPU, otherwise the first device. Throws if there is none.
Choice chooseDevice() {
    const std::vector<std::vector<Choice>> all = allDevices();
    const char *wanted = std::getenv("SDFGC_OPENCL_DEVICE");
    if (wanted && *wanted) {
        char *end = nullptr;
        const unsigned long platform = std::strtoul(wanted, &end, 10);
        if (end != wanted && *end == ':') {
            char *last = nullptr;
            const unsigned long device = std::strtoul(end + 1, &last, 10);
            if (last != end + 1 && *last == '\0' && platform < all.size() && device < all[platform].size())
                return all[platform][device];
        }
        for (const auto &list : all)
            for (const Choice &c : list)
                if (textOf(c.device, CL_DEVICE_NAME).find(wanted) != std::string::npos ||
                    textOf(c.platform, CL_PLATFORM_NAME).find(wanted) != std::string::npos)
                    return c;
        throw rt::Error(rt::DeviceError,
                        ("SDFGC_OPENCL_DEVICE is `" + std::string(wanted) + "`, and no OpenCL device fits").c_str());
    }
    for (const auto &list : all)
        for (const Choice &c : list)
            if (numberOf<cl_device_type>(c.device, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_GPU)
                return c;
    for (const auto &list : all)
        if (!list.empty())
            return list.front();
    throw rt::Error(rt::DeviceError, "no OpenCL device was found");
}

/// Memory that programs know by address: buffers, and page-locked memory of the host.
struct Allocation {
    char *begin = nullptr;
    size_t bytes = 0, gap = 0; // addresses this far outside belong to it, too
    cl_mem buffer = nullptr;   // null: page-locked
};

/// A place in memory.
struct Place {
    const Allocation *allocation = nullptr; // null: pageable host memory
    long offset = 0;
    bool isBuffer() const { return allocation && allocation->buffer; }
};

/// The only device of the process, created by the first use and never destroyed: drivers may be unloaded before static objects.
class Device {
public:
    static Device &get() {
        static Device *const device = new Device;
        return *device;
    }

    void open() {
        const std::lock_guard<std::recursive_mutex> lock(mutex_);
        if (context)
            return;
        choice = chooseDevice();
        cl_int failed = CL_SUCCESS;
        const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, reinterpret_cast<cl_context_properties>(choice.platform),
                                                    0};
        cl_context made = clCreateContext(properties, 1, &choice.device, nullptr, nullptr, &failed);
        if (failed != CL_SUCCESS)
            throw rt::Error(rt::DeviceError,
                            ("creating a context for " + name() + " failed: " + getErrorName(Status(failed))).c_str());
        context = made;
        reserve();
        usual.queue = newQueue();
    }

    std::string name() const { return textOf(choice.device, CL_DEVICE_NAME) + " of " + textOf(choice.platform, CL_PLATFORM_NAME); }

    cl_command_queue newQueue() {
        cl_int failed = CL_SUCCESS;
        const cl_command_queue queue = clCreateCommandQueue(context, choice.device, CL_QUEUE_PROFILING_ENABLE, &failed);
        if (failed != CL_SUCCESS)
            return nullptr;
        const std::lock_guard<std::recursive_mutex> lock(mutex_);
        queues.push_back(queue);
        return queue;
    }

    void compile(const char *kernels, const char *options, bool structs) {
        const char *texts[] = {deviceFunctions, structs ? structFunctions : "", "#if 1\n", kernels, "\n#endif\n"};
        cl_int failed = CL_SUCCESS;
        cl_program made = clCreateProgramWithSource(context, 5, texts, nullptr, &failed);
        std::string all = "-cl-std=CL1.2 " + std::string(options);
        if (!std::strstr(options, "relaxed") &&
            (numberOf<cl_device_fp_config>(choice.device, CL_DEVICE_SINGLE_FP_CONFIG) & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT))
            all += " -cl-fp32-correctly-rounded-divide-sqrt";
        if (failed == CL_SUCCESS)
            failed = clBuildProgram(made, 1, &choice.device, all.c_str(), nullptr, nullptr);
        if (failed == CL_SUCCESS) {
            program = made;
            return;
        }
        char log[400] = ""; // the first messages
        size_t size = 0;
        (void)clGetProgramBuildInfo(made, choice.device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size);
        std::string text(size, '\0');
        (void)clGetProgramBuildInfo(made, choice.device, CL_PROGRAM_BUILD_LOG, size, text.data(), nullptr);
        std::snprintf(log, sizeof log, "%s", text.c_str());
        throw rt::Error(rt::DeviceError, ("compiling the kernels for " + name() + ": " + log).c_str());
    }

    /// Throws if blocks of a kernel do not fit on the device. Their memory is known before the kernel is compiled, but how many threads
    /// fit depends on the compiler, too.
    void checkMemory(const KernelNeeds &k) const {
        const auto has = numberOf<cl_ulong>(choice.device, CL_DEVICE_LOCAL_MEM_SIZE);
        if (k.localBytes > has)
            tooLarge(k, std::to_string(k.localBytes) + " bytes of local memory", std::to_string(has));
    }
    void checkThreads(const KernelNeeds &k) {
        if (k.threads == 0)
            return;
        const cl_kernel made = kernel(k.name);
        size_t has = 0;
        if (!made ||
            clGetKernelWorkGroupInfo(made, choice.device, CL_KERNEL_WORK_GROUP_SIZE, sizeof has, &has, nullptr) != CL_SUCCESS)
            return;
        if (k.threads > has)
            tooLarge(k, "blocks of " + std::to_string(k.threads) + " threads", std::to_string(has));
    }

    /// Null if there is no such kernel.
    cl_kernel kernel(const char *of) {
        const auto at = kernels_.find(of);
        if (at != kernels_.end())
            return at->second;
        cl_int failed = CL_SUCCESS;
        const cl_kernel made = program ? clCreateKernel(program, ("k_" + std::string(of)).c_str(), &failed) : nullptr;
        return kernels_[of] = failed == CL_SUCCESS ? made : nullptr;
    }

    // ---- addresses

    Status allocate(void **pointer, size_t bytes) {
        cl_int failed = CL_SUCCESS;
        // Whole words: bytes are updated by the word around them.
        const cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, (bytes + 7) & ~size_t(7), nullptr, &failed);
        if (failed != CL_SUCCESS)
            return Status(failed);
        const std::lock_guard<std::recursive_mutex> lock(mutex_);
        const size_t gap = std::max<size_t>((bytes + 0xfff) & ~size_t(0xfff), size_t(1) << 16), whole = 2 * gap + gap;
        size_t at = findRoom(next_, whole);
        if (at + whole > reserved_)
            at = findRoom(0, whole);
        if (at + whole > reserved_) {
            (void)clReleaseMemObject(buffer);
            return outOfMemory;
        }
        next_ = at + whole;
        char *const begin = base_ + at + gap;
        table_[begin - gap] = {begin, bytes, gap, buffer};
        *pointer = begin;
        return success;
    }
    Status allocateHost(void **pointer, size_t bytes) {
        char *const begin = static_cast<char *>(std::aligned_alloc(4096, (bytes + 4095) & ~size_t(4095)));
        if (!begin)
            return outOfMemory;
        const std::lock_guard<std::recursive_mutex> lock(mutex_);
        table_[begin] = {begin, bytes, 0, nullptr};
        *pointer = begin;
        return success;
    }
    Status release(void *pointer) {
        if (!pointer)
            return success;
        const Status done = finishAll();
        const std::lock_guard<std::recursive_mutex> lock(mutex_);
        const auto at = std::find_if(table_.begin(), table_.end(), [&](const auto &row) { return row.second.begin == pointer; });
        if (at == table_.end())
            return invalidValue;
        if (at->second.buffer)
            (void)clReleaseMemObject(at->second.buffer);
        else
            std::free(pointer);
        table_.erase(at);
        return done;
    }
    Place placeOf(const void *address) {
        const std::lock_guard<std::recursive_mutex> lock(mutex_);
        char *const at = static_cast<char *>(const_cast<void *>(address));
        auto after = table_.upper_bound(at);
        if (after == table_.begin())
            return {};
        const Allocation &a = std::prev(after)->second;
        const bool isInside = at < a.begin + a.bytes + std::max<size_t>(a.gap, 1);
        return isInside ? Place{&a, long(at - a.begin)} : Place{};
    }

    Status finishAll() {
        std::vector<cl_command_queue> all;
        {
            const std::lock_guard<std::recursive_mutex> lock(mutex_);
            all = queues;
        }
        cl_int failed = CL_SUCCESS;
        for (const cl_command_queue q : all)
            if (const cl_int status = clFinish(q); status != CL_SUCCESS)
                failed = status;
        return Status(failed);
    }
    void forget(cl_command_queue queue) {
        const std::lock_guard<std::recursive_mutex> lock(mutex_);
        queues.erase(std::remove(queues.begin(), queues.end(), queue), queues.end());
    }

    Choice choice;
    cl_context context = nullptr;
    cl_program program = nullptr;
    StreamState usual; // of a null stream
    std::mutex launches;

private:
    [[noreturn]] void tooLarge(const KernelNeeds &k, const std::string &needs, const std::string &limit) const {
        throw rt::Error(
            rt::DeviceError,
            ("kernel " + std::string(k.name) + " needs " + needs + ", and the limit of " + name() + " is " + limit).c_str());
    }
    /// Addresses only: nothing can be read or written there.
    void reserve() {
        for (reserved_ = size_t(1) << 44; reserved_ >= size_t(1) << 32; reserved_ >>= 1) {
            void *const got = ::mmap(nullptr, reserved_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
            if (got != MAP_FAILED) {
                base_ = static_cast<char *>(got);
                return;
            }
        }
        throw rt::Error(rt::DeviceError, "no addresses could be reserved for memory of the device");
    }
    /// The first room of so many bytes from an offset on; beyond the reserved range if there is none.
    size_t findRoom(size_t from, size_t bytes) const {
        for (const auto &[key, a] : table_) {
            if (!a.buffer)
                continue;
            const auto begin = static_cast<size_t>(key - base_), end = begin + 3 * a.gap;
            if (end <= from)
                continue;
            if (begin >= from + bytes)
                break;
            from = end;
        }
        return from;
    }

    std::recursive_mutex mutex_;
    std::vector<cl_command_queue> queues;
    std::map<std::string, cl_kernel> kernels_;
    std::map<char *, Allocation> table_; // by the first address that belongs to it
    char *base_ = nullptr;
    size_t reserved_ = 0, next_ = 0;
};

cl_command_queue queueOf(Stream stream) { return stream ? stream->queue : Device::get().usual.queue; }

thread_local Status lastError = success;
Status noted(cl_int status) {
    if (status != CL_SUCCESS)
        lastError = Status(status);
    return Status(status);
}

/// Names of OpenCL's errors.
struct ErrorName {
    int code;
    const char *name;
};
#define SDFGC_CL_ERROR(name)                                                                                                       \
    { name, #name }
constexpr ErrorName errorNames[] = {
    {success, "CL_SUCCESS"},
    {notReady, "not ready"},
    {notSupported, "not supported by OpenCL"},
    SDFGC_CL_ERROR(CL_DEVICE_NOT_FOUND),
    SDFGC_CL_ERROR(CL_DEVICE_NOT_AVAILABLE),
    SDFGC_CL_ERROR(CL_COMPILER_NOT_AVAILABLE),
    SDFGC_CL_ERROR(CL_MEM_OBJECT_ALLOCATION_FAILURE),
    SDFGC_CL_ERROR(CL_OUT_OF_RESOURCES),
    SDFGC_CL_ERROR(CL_OUT_OF_HOST_MEMORY),
    SDFGC_CL_ERROR(CL_MEM_COPY_OVERLAP),
    SDFGC_CL_ERROR(CL_BUILD_PROGRAM_FAILURE),
    SDFGC_CL_ERROR(CL_MISALIGNED_SUB_BUFFER_OFFSET),
    SDFGC_CL_ERROR(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
    SDFGC_CL_ERROR(CL_INVALID_VALUE),
    SDFGC_CL_ERROR(CL_INVALID_DEVICE),
    SDFGC_CL_ERROR(CL_INVALID_CONTEXT),
    SDFGC_CL_ERROR(CL_INVALID_COMMAND_QUEUE),
    SDFGC_CL_ERROR(CL_INVALID_MEM_OBJECT),
    SDFGC_CL_ERROR(CL_INVALID_BUILD_OPTIONS),
    SDFGC_CL_ERROR(CL_INVALID_PROGRAM),
    SDFGC_CL_ERROR(CL_INVALID_KERNEL_NAME),
    SDFGC_CL_ERROR(CL_INVALID_KERNEL),
    SDFGC_CL_ERROR(CL_INVALID_ARG_INDEX),
    SDFGC_CL_ERROR(CL_INVALID_ARG_VALUE),
    SDFGC_CL_ERROR(CL_INVALID_ARG_SIZE),
    SDFGC_CL_ERROR(CL_INVALID_KERNEL_ARGS),
    SDFGC_CL_ERROR(CL_INVALID_WORK_DIMENSION),
    SDFGC_CL_ERROR(CL_INVALID_WORK_GROUP_SIZE),
    SDFGC_CL_ERROR(CL_INVALID_WORK_ITEM_SIZE),
    SDFGC_CL_ERROR(CL_INVALID_GLOBAL_OFFSET),
    SDFGC_CL_ERROR(CL_INVALID_EVENT_WAIT_LIST),
    SDFGC_CL_ERROR(CL_INVALID_EVENT),
    SDFGC_CL_ERROR(CL_INVALID_OPERATION),
    SDFGC_CL_ERROR(CL_INVALID_BUFFER_SIZE),
    SDFGC_CL_ERROR(CL_INVALID_GLOBAL_WORK_SIZE),
};
#undef SDFGC_CL_ERROR

} // namespace

} // namespace opencl

} // namespace sdfgc::gpu
