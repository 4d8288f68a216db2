// The emulated GPU: what gpu/emulate.h and gpu/emulate_kernel.h declare. Compile this one source with the programs that were
// compiled with SDFGC_GPU_EMULATE, with the same sanitizers and the same SDFGC_WARP_SIZE. docs/user/emulation.md describes the
// checks.
#ifndef SDFGC_GPU_EMULATE
#define SDFGC_GPU_EMULATE
#endif
#include "sdfgc/rt/gpu/emulated/capture.h"
#include "sdfgc/rt/gpu/emulated/graph_exec.h"

#include <atomic>
#include <utility>

namespace sdfgc::gpu {

namespace {

using namespace emulate;

struct ErrorText {
    Status status;
    const char *name, *text;
};
const ErrorText errorTexts[] = {
    {success, "success", "no error"},
    {invalidValue, "invalidValue", "invalid argument"},
    {outOfMemory, "outOfMemory", "out of memory"},
    {invalidConfiguration, "invalidConfiguration", "invalid configuration argument"},
    {invalidPitch, "invalidPitch", "invalid pitch argument"},
    {invalidCopyDirection, "invalidCopyDirection", "invalid copy direction for memcpy"},
    {noDevice, "noDevice", "no GPU device"},
    {invalidDevice, "invalidDevice", "invalid device ordinal"},
    {invalidHandle, "invalidHandle", "invalid resource handle"},
    {notReady, "notReady", "device not ready"},
    {illegalAddress, "illegalAddress", "an illegal memory access was encountered"},
    {launchFailure, "launchFailure", "unspecified launch failure"},
    {cooperativeLaunchTooLarge, "cooperativeLaunchTooLarge", "too many blocks in cooperative launch"},
    {illegalState, "illegalState", "the operation cannot be performed in the present state"},
    {notPermitted, "notPermitted", "operation not permitted"},
    {notSupported, "notSupported", "operation not supported"},
    {captureUnsupported, "captureUnsupported", "operation not permitted when stream is capturing"},
    {captureInvalidated, "captureInvalidated", "operation failed due to a previous error during capture"},
    {graphExecUpdateFailure, "graphExecUpdateFailure",
     "the graph update was not performed because it included changes which violated constraints"},
};

} // namespace

// Devices

Status deviceCount(int &count) {
    count = static_cast<int>(environmentNumber("DEVICES", 1));
    return count > 0 ? success : noDevice;
}
Status setDevice(int device) {
    int count = 0;
    const Status status = deviceCount(count);
    return status != success ? status : device == 0 ? success : invalidDevice;
}
Status getDevice(int &device) {
    device = 0;
    return success;
}
Status limits(Limits &result, int device) {
    if (const Status status = setDevice(device); status != success)
        return status;
    result.multiprocessors = settings().multiprocessors;
    result.threadsPerBlock = threadsPerBlock;
    result.threadsPerMultiprocessor = threadsPerMultiprocessor;
    result.warpSize = warpSize;
    result.sharedPerBlock = SharedMemory::limit;
    result.sharedPerBlockOptin = SharedMemory::limitOptin;
    result.grid[0] = widestGrid;
    result.grid[1] = result.grid[2] = highestGrid;
    result.block[0] = result.block[1] = threadsPerBlock;
    result.block[2] = deepestBlock;
    return success;
}
Status deviceSynchronize() {
    return callOutside("the device is waited for", [](Device &device) {
        ++device.counts.waits;
        device.finishAll();
        return device.error;
    });
}
Status peekLastError() {
    Call call;
    return call.refused() ? call.status() : call.device.lastError;
}
Status getLastError() {
    Call call;
    const Status status = call.refused() ? call.status() : call.device.lastError;
    call.device.lastError = success;
    return status;
}
const char *getErrorString(Status status) {
    for (const ErrorText &entry : errorTexts)
        if (entry.status == status)
            return entry.text;
    return "unrecognized error code";
}
const char *getErrorName(Status status) {
    for (const ErrorText &entry : errorTexts)
        if (entry.status == status)
            return entry.name;
    return "unrecognized";
}

// Memory

namespace emulate {

static std::atomic<long> made{0};
long resourcesMade() { return made; }

Counts counts() {
    Call call;
    return call.device.counts;
}

long copiesToHost() {
    long copies = 0;
    (void)call([&](Device &device) {
        copies = device.copiesToHost;
        return success;
    });
    return copies;
}

static thread_local std::string nextName;
void nameNext(const char *name) { nextName = name; }

Status mallocBytes(void **pointer, size_t bytes, const char *name) {
    *pointer = nullptr;
    return callOutside("memory is allocated", [&](Device &device) {
        if (bytes == 0)
            return success;
        ++made;
        ++device.counts.allocations;
        const std::string given = std::exchange(nextName, "");
        Allocation *a = device.arena.allocate(bytes, given.empty() ? name : given.c_str(), Allocation::Live);
        *pointer = a ? reinterpret_cast<void *>(a->begin) : nullptr;
        return a ? success : outOfMemory;
    });
}

Status mallocBytesAsync(void **pointer, size_t bytes, Stream handle, const char *name) {
    *pointer = nullptr;
    return callOn(handle, [&](Device &device, StreamState &stream) {
        if (bytes == 0)
            return success;
        ++made;
        ++device.counts.allocations;
        Allocation *a = device.arena.allocate(bytes, name, Allocation::Pending);
        if (!a)
            return outOfMemory;
        *pointer = reinterpret_cast<void *>(a->begin);
        auto operation = std::make_shared<Operation>();
        operation->name = "the allocation of '" + a->name + "'";
        operation->run = [a, &device] { device.arena.activate(*a); };
        device.submit(stream, operation);
        return success;
    });
}

Status mallocBytesHost(void **pointer, size_t bytes, const char *name) {
    *pointer = nullptr;
    return callOutside("memory is allocated", [&](Device &device) {
        void *memory = bytes ? std::aligned_alloc(256, (bytes + 255) / 256 * 256) : nullptr;
        if (!memory)
            return bytes ? outOfMemory : success;
        ++made;
        ++device.counts.allocations;
        const std::string label = *name ? name : "page-locked block " + std::to_string(device.pinned.size() + 1);
        fillPattern(memory, bytes, device.arena.origins.pattern("'" + label + "'"));
        device.pinned[reinterpret_cast<uintptr_t>(memory)] = {bytes, label};
        *pointer = memory;
        return success;
    });
}

/// The allocation that begins at `pointer` and is not freed; reports otherwise.
static Allocation *freeable(Device &device, void *pointer) {
    Allocation *a = device.arena.owns(pointer) ? device.arena.nearest(pointer) : nullptr;
    if (a && a->begin == reinterpret_cast<uintptr_t>(pointer) && a->state != Allocation::Freed)
        return a;
    if (a && a->state == Allocation::Freed && a->contains(reinterpret_cast<uintptr_t>(pointer), 0))
        fail("freed twice: '%s' (%zu bytes) was freed by %s before", a->name.c_str(), a->bytes, a->freedBy.c_str());
    else
        fail("invalid free: %p is not the beginning of device memory", pointer);
    return nullptr;
}

} // namespace emulate

Status free(void *pointer) {
    return cleanup([&](Device &device) {
        if (!pointer)
            return success;
        Allocation *a = freeable(device, pointer);
        if (!a)
            return invalidValue;
        device.finishAll();
        device.arena.release(*a, "free");
        return device.error;
    });
}

Status freeAsync(void *pointer, Stream handle) {
    return callOn(handle, [&](Device &device, StreamState &stream) {
        if (!pointer)
            return success;
        Allocation *a = freeable(device, pointer);
        if (!a)
            return invalidValue;
        auto operation = std::make_shared<Operation>();
        operation->name = "the release of '" + a->name + "'";
        const std::string how = "freeAsync in stream " + std::to_string(stream.number);
        operation->run = [a, how, &device] {
            if (a->state == Allocation::Freed)
                fail("freed twice: '%s' (%zu bytes), by %s and by %s", a->name.c_str(), a->bytes, a->freedBy.c_str(), how.c_str());
            else
                device.arena.release(*a, how);
        };
        device.submit(stream, operation);
        return device.error;
    });
}

Status freeHost(void *pointer) {
    return cleanup([&](Device &device) {
        if (!pointer)
            return success;
        const auto block = device.pinned.find(reinterpret_cast<uintptr_t>(pointer));
        if (block == device.pinned.end()) {
            fail("invalid free: %p is not the beginning of page-locked memory, or was freed before", pointer);
            return invalidValue;
        }
        device.finishAll();
        device.pinned.erase(block);
        std::free(pointer);
        return device.error;
    });
}

Status memcpyAsync(void *to, const void *from, size_t bytes, CopyKind kind, Stream stream) {
    return memcpy3DAsync({to, bytes, bytes, from, bytes, bytes, bytes, 1, 1}, kind, stream);
}
Status memcpySync(void *to, const void *from, size_t bytes, CopyKind kind) {
    return callOn(nullptr, [&](Device &device, StreamState &stream) {
        return Copy(device, {to, bytes, bytes, from, bytes, bytes, bytes, 1, 1}, kind).submit(stream, true);
    });
}
Status memcpy2DAsync(void *to, size_t toPitch, const void *from, size_t fromPitch, size_t width, size_t height, CopyKind kind,
                     Stream stream) {
    return memcpy3DAsync({to, toPitch, toPitch * height, from, fromPitch, fromPitch * height, width, height, 1}, kind, stream);
}
Status memcpy3DAsync(const Copy3D &copy, CopyKind kind, Stream handle) {
    return callOn(handle, [&](Device &device, StreamState &stream) { return Copy(device, copy, kind).submit(stream, false); });
}
Status memsetAsync(void *pointer, int byte, size_t bytes, Stream stream) {
    return memset2DAsync(pointer, bytes, byte, bytes, 1, stream);
}
Status memset2DAsync(void *pointer, size_t pitch, int byte, size_t width, size_t height, Stream handle) {
    return callOn(handle, [&](Device &device, StreamState &stream) {
        const Box box{static_cast<char *>(pointer), pitch, pitch * height, width, height, 1};
        return Fill(device, box, static_cast<unsigned>(byte), 1).submit(stream, false);
    });
}
Status memsetSync(void *pointer, int byte, size_t bytes) {
    return callOn(nullptr, [&](Device &device, StreamState &stream) {
        const Box box{static_cast<char *>(pointer), bytes, bytes, bytes, 1, 1};
        return Fill(device, box, static_cast<unsigned>(byte), 1).submit(stream, true);
    });
}

// Streams and events

static Status makeStream(Stream &stream, bool blocking) {
    return call([&](Device &device) {
        ++emulate::made;
        stream = device.scheduler.create(blocking);
        return success;
    });
}
Status streamCreate(Stream &stream) { return makeStream(stream, false); }
Status streamCreateBlocking(Stream &stream) { return makeStream(stream, true); }
Status streamCreateWithPriority(Stream &stream, int) { return makeStream(stream, false); }

Status streamDestroy(Stream handle) {
    return cleanup([&](Device &device) {
        StreamState *stream = device.scheduler.resolve(handle);
        if (!stream || stream->number == 0) {
            fail("invalid stream: it was destroyed, or never made");
            return invalidHandle;
        }
        if (std::exchange(stream->capture, nullptr))
            fail("capture: stream %d is destroyed while it is captured", stream->number);
        stream->destroyed = true; // queued operations still run
        return success;
    });
}
Status streamSynchronize(Stream handle) {
    return callOn(handle, [](Device &device, StreamState &stream) {
        ++device.counts.waits;
        device.finish(stream.last);
        return device.error;
    });
}
Status streamQuery(Stream handle) {
    return callOn(handle, [](Device &device, StreamState &stream) {
        device.poll();
        return device.error != success ? device.error : stream.idle() ? success : notReady;
    });
}
Status streamWaitEvent(Stream handle, Event event) {
    return callOn(handle, [&](Device &, StreamState &stream) {
        return callWith(event, [&](Device &device, EventState &state) {
            if (state.recorded && state.recorded->done)
                stream.earliest = std::max(stream.earliest, state.recorded->end);
            if (!state.recorded || state.recorded->done)
                return success; // never recorded: there is nothing to wait for, as in CUDA
            auto operation = std::make_shared<Operation>();
            operation->name = "a wait for an event";
            operation->run = [] {};
            Scheduler::addDependence(*operation, state.recorded);
            device.submit(stream, operation);
            return device.error;
        });
    });
}
Status launchHostFunction(Stream handle, void (*function)(void *), void *argument) {
    return callOn(handle, [&](Device &device, StreamState &stream) {
        auto operation = std::make_shared<Operation>();
        operation->name = "a host function";
        operation->run = [&device, function, argument] {
            device.arena.closeAll();
            device.inHostFunction = true;
            function(argument);
            device.inHostFunction = false;
        };
        device.submit(stream, operation);
        return device.error;
    });
}

static Status makeEvent(Event &event, bool timing) {
    return call([&](Device &device) {
        ++emulate::made;
        event = new EventState;
        event->timing = timing;
        device.events.insert(event);
        return success;
    });
}
Status eventCreate(Event &event) { return makeEvent(event, false); }
Status eventCreateTiming(Event &event) { return makeEvent(event, true); }
Status eventDestroy(Event event) {
    return cleanup([&](Device &device) {
        if (device.events.erase(event) == 0) {
            fail("invalid event: it was destroyed, or never made");
            return invalidHandle;
        }
        delete event;
        return success;
    });
}
Status eventRecord(Event event, Stream handle) {
    return callOn(handle, [&](Device &, StreamState &stream) {
        return callWith(event, [&](Device &device, EventState &state) {
            auto operation = std::make_shared<Operation>();
            operation->name = "the record of an event";
            operation->run = [] {};
            state.recorded = operation;
            device.submit(stream, operation);
            return device.error;
        });
    });
}
Status eventSynchronize(Event event) {
    return callWith(event, [](Device &device, EventState &state) {
        ++device.counts.waits;
        device.finish(state.recorded);
        return device.error;
    });
}
Status eventQuery(Event event) {
    return callWith(event, [](Device &device, EventState &state) {
        device.poll();
        return device.error != success ? device.error : !state.recorded || state.recorded->done ? success : notReady;
    });
}
Status eventElapsed(float &milliseconds, Event begin, Event end) {
    return callWith(begin, [&](Device &, EventState &from) {
        return callWith(end, [&](Device &, EventState &to) {
            if (!from.timing || !to.timing || !from.recorded || !to.recorded)
                return invalidHandle;
            if (!from.recorded->done || !to.recorded->done)
                return notReady;
            milliseconds = static_cast<float>(to.recorded->end - from.recorded->end) * 1e-6F;
            return success;
        });
    });
}

namespace emulate {

// Tests and debuggers

void setSeed(uint64_t seed) {
    Call call;
    call.device.finishAll();
    settings().seed = seed;
    call.device.scheduler.setSeed(seed);
}
int64_t deviceTime() {
    Call call;
    return call.device.scheduler.hostTime();
}
int reportCount() { return reports().count(); }
const char *lastReport() { return reports().last(); }
void clearErrors() {
    Call call;
    reports().clear();
    call.device.error = call.device.lastError = success;
    call.device.reportedUninitialised.clear();
}

} // namespace emulate

// Reports at the end

void initialise(const char *program) {
    Call call;
    ++call.device.programs[program];
}

void finalise(const char *program) {
    Call call;
    Device &device = call.device;
    --device.programs[program];
    for (const auto &[name, instances] : device.programs)
        if (instances > 0)
            return; // the remaining memory may belong to it
    if (!device.scheduler.idle() && device.error == success) {
        device.scheduler.forEachQueued([&](const Operation &operation) {
            warn("never waited for: program %s ends while %s in stream %d has not run", program, operation.name.c_str(),
                 operation.stream->number);
        });
        device.finishAll();
    }
    if (device.error != success)
        return; // the program could not free anything
    device.arena.forEachLive([&](const Allocation &a) {
        warn("leak: program %s ends without freeing '%s' (%zu bytes of device memory)", program, a.name.c_str(), a.bytes);
    });
    for (const auto &[address, block] : device.pinned)
        warn("leak: program %s ends without freeing '%s' (%zu bytes of page-locked memory)", program, block.name.c_str(),
             block.bytes);
    if (device.scheduler.liveStreams() + device.events.size() != 0)
        warn("leak: program %s ends without destroying %d streams and %zu events", program, device.scheduler.liveStreams(),
             device.events.size());
    size_t plans = 0;
    for (const GraphState *graph : device.graphs)
        plans += !graph->isBody;
    if (plans + device.execs.size() != 0)
        warn("leak: program %s ends without destroying %zu graphs and %zu executable graphs", program, plans, device.execs.size());
}

} // namespace sdfgc::gpu

extern "C" __attribute__((visibility("default"))) void sdfgc_emulation_name(const char *name) {
    sdfgc::gpu::emulate::nameNext(name);
}
extern "C" __attribute__((visibility("default"))) long sdfgc_emulation_resources() { return sdfgc::gpu::emulate::resourcesMade(); }
extern "C" __attribute__((visibility("default"))) long sdfgc_emulation_reports() { return sdfgc::gpu::emulate::reportCount(); }
extern "C" __attribute__((visibility("default"))) long sdfgc_emulation_copies_to_host() {
    return sdfgc::gpu::emulate::copiesToHost();
}
extern "C" __attribute__((visibility("default"))) void sdfgc_emulation_counts(sdfgc::gpu::emulate::Counts *to) {
    *to = sdfgc::gpu::emulate::counts();
}
extern "C" __attribute__((visibility("default"))) long sdfgc_emulation_leave_out_edge(long number) {
    return sdfgc::gpu::emulate::leaveOutEdge(number);
}
