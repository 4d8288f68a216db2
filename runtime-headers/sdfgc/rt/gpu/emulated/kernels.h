// Launches of the emulated GPU, and functions that kernels call. Part of gpu_emulate.cpp.
//
// A launch is checked when it is queued: its size against device limits, its arguments against the memory that they point to.
#pragma once

#include "sdfgc/rt/gpu/emulated/call.h"
#include "sdfgc/rt/gpu/emulated/library.h"

namespace sdfgc::gpu::emulate {

static Status checkLaunch(Device &device, const KernelName &name, const Launch &how, Dim3 grid, Dim3 block, size_t shared,
                          const void *kernel) {
    if (grid.x > widestGrid || grid.y > highestGrid || grid.z > highestGrid || block.threads() > threadsPerBlock ||
        block.z > deepestBlock) {
        fail("invalid configuration: kernel %s is launched with a grid of (%u, %u, %u) blocks of (%u, %u, %u) threads", name.text,
             grid.x, grid.y, grid.z, block.x, block.y, block.z);
        return invalidConfiguration;
    }
    const auto granted = device.dynamicShared.find(kernel);
    if (shared > (granted == device.dynamicShared.end() ? SharedMemory::limit : granted->second)) {
        fail("too much shared memory: kernel %s is launched with %zu bytes; beyond %zu, allowDynamicShared must be called",
             name.text, shared, SharedMemory::limit);
        return invalidValue;
    }
    int resident = 0;
    (void)blocksPerMultiprocessor(resident, static_cast<int>(block.threads()), shared);
    if (how.cooperative && grid.threads() > int64_t(resident) * settings().multiprocessors) {
        fail("too many blocks: kernel %s is launched cooperatively with %lld blocks, but only %lld run at once", name.text,
             static_cast<long long>(grid.threads()), static_cast<long long>(resident) * settings().multiprocessors);
        return cooperativeLaunchTooLarge;
    }
    return success;
}

static Status checkPointers(Device &device, const KernelName &name, const PointerArgument *pointers, int count) {
    for (int i = 0; i < count; ++i) {
        const volatile void *p = pointers[i].address;
        if (!p)
            continue;
        const Residence residence = device.residence(p);
        if (residence == Residence::Pageable) {
            fail("host memory in a kernel: argument %d of kernel %s, %p, points to neither device nor page-locked memory",
                 pointers[i].index, name.text, const_cast<const void *>(p));
            return illegalAddress;
        }
        const Allocation *a = residence == Residence::Device ? device.arena.find(p) : nullptr;
        if (a && a->state == Allocation::Freed) {
            fail("use after free: argument %d of kernel %s points to '%s' (%zu bytes), which was freed by %s", pointers[i].index,
                 name.text, a->name.c_str(), a->bytes, a->freedBy.c_str());
            return illegalAddress;
        }
    }
    return success;
}

Status enqueueKernel(const Launch &how, Dim3 grid, Dim3 block, size_t shared, Stream handle, const void *kernel,
                     const PointerArgument *pointers, int pointerCount, KernelBody *owned) {
    const std::shared_ptr<KernelBody> body(owned);
    return callOn(handle, [&](Device &device, StreamState &stream) {
        const KernelName name(how);
        Status status = checkLaunch(device, name, how, grid, block, shared, kernel);
        if (status != success)
            return status;
        status = checkPointers(device, name, pointers, pointerCount);
        if (status != success) {
            device.stick(status);
            return status;
        }
        auto operation = std::make_shared<Operation>();
        operation->name = std::string("kernel ") + name.text;
        operation->duration = durationOf(grid.threads() * block.threads());
        std::vector<const volatile void *> memory;
        for (int i = 0; i < pointerCount; ++i)
            if (pointers[i].address)
                memory.push_back(pointers[i].address);
        operation->run = [&device, how, grid, block, shared, body, memory] {
            KernelRun run{how, grid, block, shared, *body, device.arena.origins};
            device.runKernel(run, memory);
            device.countKernel(how);
        };
        device.submit(stream, operation);
        return device.error;
    });
}

Status enqueueCall(const char *name, Stream handle, const MemoryRange *memory, int count, KernelBody *owned) {
    const std::shared_ptr<KernelBody> body(owned);
    return callOnAny(handle, [&](Device &device, StreamState &stream) {
        LibraryFunction call{name, {}, body};
        for (int i = 0; i < count; ++i) {
            if (memory[i].bytes == 0)
                continue;
            call.memory.push_back(memory[i]);
            if (device.residence(memory[i].begin) != Residence::Pageable)
                continue;
            fail("host memory in a library's function: %s uses %p, which is neither device nor page-locked memory", name,
                 const_cast<const void *>(memory[i].begin));
            device.stick(illegalAddress);
            return illegalAddress;
        }
        if (stream.capture) {
            stream.capture->calls.push_back(std::move(call));
            return success;
        }
        auto operation = std::make_shared<Operation>();
        operation->name = name;
        operation->duration = durationOf(0);
        operation->run = [&device, call] {
            if (hasMemory(device, call))
                runCall(device, call);
        };
        device.submit(stream, operation);
        return device.error;
    });
}

Status allowDynamicShared(const void *kernel, size_t bytes) {
    return call([&](Device &device) {
        if (bytes > SharedMemory::limitOptin)
            return invalidValue;
        device.dynamicShared[kernel] = std::max(bytes, SharedMemory::limit);
        return success;
    });
}

Status blocksPerMultiprocessor(int &blocks, int threads, size_t dynamicShared) {
    const size_t bySharedMemory = dynamicShared == 0 ? 32 : SharedMemory::limitOptin / dynamicShared;
    blocks = threads <= 0 || threads > threadsPerBlock
                 ? 0
                 : static_cast<int>(std::min<size_t>(threadsPerMultiprocessor / ((threads + warpSize - 1) / warpSize * warpSize),
                                                     bySharedMemory));
    return success;
}

// Functions that kernels call

static Worker &runningWorker(const char *what) {
    Worker *worker = Worker::current();
    if (!worker) {
        fail("host calls a device function: %s outside a kernel", what);
        throw KernelAbort();
    }
    return *worker;
}
void *sharedMemory(const void *key, size_t bytes, const char *name) { return runningWorker(name).sharedMemory(key, bytes, name); }
void *dynamicSharedMemory() { return runningWorker("dynamic shared memory").dynamicSharedMemory(); }
int blockBarrier(BlockVote vote, int predicate, const Place &place) {
    return runningWorker("a barrier").blockBarrier(vote, predicate, place);
}
void gridBarrier(const Place &place) { runningWorker("a barrier").gridBarrier(place); }
void warpExchange(uint64_t mask, const void *value, void *result, unsigned bytes, int source, const Place &place) {
    runningWorker("a shuffle").warpExchange(mask, value, result, bytes, source, place);
}
uint64_t warpVote(uint64_t mask, bool predicate, const Place &place) {
    return runningWorker("a vote").warpVote(mask, predicate, place);
}
int laneIndex() { return static_cast<int>((threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % warpSize); }
uint64_t activeLanes() { return uint64_t(1) << laneIndex(); }

} // namespace sdfgc::gpu::emulate
