// The emulated GPU as a whole: memory, queues, the sticky error, and the handling of accesses to closed memory. Part of
// gpu_emulate.cpp.
//
// Rules: one device per library, made at its first use and never destroyed: its signal handler must outlive everything, so the
// library stays loaded. One lock guards all of it; operations run on the thread that waits for them. After an error in a kernel
// every call returns that error, as on a device, and queued operations do nothing.
#pragma once

#include "sdfgc/rt/gpu/emulated/block.h"
#include "sdfgc/rt/gpu/emulated/queue.h"
#include "sdfgc/rt/gpu/graph.h"

#include <dlfcn.h>
#include <set>
#include <string_view>
#include <thread>
#include <ucontext.h>
#include <utility>

namespace sdfgc::gpu::emulate {

/// Page-locked host memory.
struct PinnedBlock {
    size_t bytes = 0;
    std::string name;
};

class Conditions;

/// Observes the memory accesses of kernels.
class FaultWatch {
public:
    virtual ~FaultWatch() = default;
    /// A kernel begins with all memory closed. A single host thread runs its blocks.
    virtual void beginKernel() = 0;
    /// Is a kernel running?
    virtual bool runsKernel() const = 0;
    /// The kernel accesses a closed page of live memory, and continues when this returns. `context` is the signal handler's; null
    /// if the access comes from a thread of a library that the kernel calls.
    virtual void touch(Allocation &a, const void *address, bool write, void *context) = 0;
    /// The kernel has ended, and the memory that it accessed is open.
    virtual void endKernel() = 0;
};

enum class Residence { Pageable, Pinned, Device };

class Device {
public:
    static Device &get() {
        static Device *device = new Device();
        return *device;
    }

    Residence residence(const volatile void *p) const {
        return arena.owns(p) ? Residence::Device : findPinned(p) != pinned.end() ? Residence::Pinned : Residence::Pageable;
    }
    /// The page-locked block that an address belongs to, its end included.
    std::map<uintptr_t, PinnedBlock>::const_iterator findPinned(const volatile void *p) const {
        const uintptr_t address = reinterpret_cast<uintptr_t>(p);
        auto next = pinned.upper_bound(address);
        if (next == pinned.begin() || address - std::prev(next)->first > std::prev(next)->second.bytes)
            return pinned.end();
        return std::prev(next);
    }

    /// Keeps the first error of a kernel or copy; all later calls return it.
    void stick(Status status) {
        if (error == success)
            error = status;
    }

    /// Queues an operation.
    void submit(StreamState &stream, OperationRef operation) {
        operation->run = [this, body = std::move(operation->run)] {
            if (error == success)
                body();
        };
        scheduler.submit(operation, stream);
        arena.closeAll();
    }
    void poll() {
        scheduler.poll();
        arena.closeAll();
    }
    void finish(const OperationRef &operation) {
        scheduler.finish(operation);
        scheduler.hostWaitedFor(operation);
        arena.closeAll();
    }
    void finishAll() {
        scheduler.finishAll();
        scheduler.hostWaitedForAll();
        arena.closeAll();
    }

    void runKernel(KernelRun &run, const std::vector<const volatile void *> &pointers);
    /// Counts a kernel that has run. That of Program::fill has no element.
    void countKernel(const Launch &how) {
        ++(*how.element || std::string_view(how.name) != "fill" ? counts.kernels : counts.fills);
    }

    std::recursive_mutex mutex;
    Arena arena;
    Scheduler scheduler;
    std::map<uintptr_t, PinnedBlock> pinned;
    std::set<EventState *> events;
    std::set<GraphState *> graphs;
    std::set<NodeState *> graphNodes;
    uint64_t graphNodesMade = 0;
    long graphEdges = 0;  // edges added since leaveOutEdge() was called
    long edgeLeftOut = 0; // the edge that plans drop; 0: none
    long copiesToHost = 0;
    Counts counts; // of operations that have run, waits and allocations
    std::map<ExecState *, std::shared_ptr<ExecState>> execs;
    bool graphsTrimmed = false;       // since an executable graph was last asked for
    Conditions *conditions = nullptr; // of the graph that runs
    GraphConditional conditionsMade = 0;
    FaultWatch *watch = nullptr;                  // of the graph that runs
    std::map<const void *, size_t> dynamicShared; // what allowDynamicShared() granted
    std::set<std::string> reportedUninitialised;
    std::map<std::string, int> programs; // started and not finalised
    Status error = success;              // sticks
    Status lastError = success;          // until getLastError()
    bool inHostFunction = false;

private:
    Device() {
        scheduler.setSeed(settings().seed);
        Dl_info self;
        if (dladdr(reinterpret_cast<const void *>(&Device::onSignal), &self) && self.dli_fname)
            dlopen(self.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
        instance_ = this;
        installHandler(SIGSEGV, previousSegv_);
        installHandler(SIGBUS, previousBus_);
    }

    /// Installs the first handler of a signal, even after others (Python's faulthandler, test frameworks) have set theirs.
    static void installHandler(int signal, struct sigaction &previous) {
        struct sigaction present = {}, own = {};
        sigaction(signal, nullptr, &present);
        if ((present.sa_flags & SA_SIGINFO) && present.sa_sigaction == &Device::onSignal)
            return;
        previous = present;
        own.sa_sigaction = &Device::onSignal;
        own.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER; // NODEFER: kernels are left by a jump
        sigemptyset(&own.sa_mask);
        sigaction(signal, &own, nullptr);
    }

    static void onSignal(int signal, siginfo_t *info, void *context) { instance_->handle(signal, info, context); }

    void handle(int signal, siginfo_t *info, void *context) {
        void *address = info->si_addr;
        Worker *worker = Worker::current();
        if (worker && worker->isStackOverflow(address)) {
            worker->report("stack overflow", "the kernel needs more stack: set SDFGC_EMULATE_STACK (KiB, default 256)");
            worker->jumpOut();
        }
        if (arena.owns(address)) {
            const bool ofKernel = worker || (watch && watch->runsKernel());
            if (ofKernel && openOnDemand(address, isWrite(context), worker ? context : nullptr))
                return;
            if (!worker)
                reportHostTouch(address, isWrite(context));
            reportKernelFault(*worker, address, isWrite(context));
            worker->jumpOut();
        }
        if (worker) {
            char detail[128];
            std::snprintf(detail, sizeof detail, "%s address %p, which is no device memory", isWrite(context) ? "writes" : "reads",
                          address);
            worker->report("illegal address", detail);
            worker->jumpOut();
        }
        chain(signal, info, context);
    }

    static bool isWrite(const void *context) {
#ifdef __x86_64__
        return (static_cast<const ucontext_t *>(context)->uc_mcontext.gregs[REG_ERR] & 2) != 0;
#else
        (void)context;
        return false;
#endif
    }

    /// Kernels may use all live memory, not only memory that their arguments point to.
    bool openOnDemand(const void *address, bool write, void *context) {
        Allocation *a = arena.before(address);
        if (!a || a->state != Allocation::Live || reinterpret_cast<uintptr_t>(address) >= a->pagesEnd)
            return false;
        while (__atomic_test_and_set(&opening_, __ATOMIC_ACQUIRE))
            ;
        if (watch)
            watch->touch(*a, address, write, context);
        else
            arena.open(*a);
        __atomic_clear(&opening_, __ATOMIC_RELEASE);
        return true;
    }

    /// "byte 800 of 'A' (800 bytes)" and, from outside, "5 bytes past the end of".
    static void describe(char *text, size_t size, const Allocation &a, const void *address) {
        const uintptr_t at = reinterpret_cast<uintptr_t>(address);
        if (at < a.begin)
            std::snprintf(text, size, "%zu bytes before the beginning of '%s' (%zu bytes)", static_cast<size_t>(a.begin - at),
                          a.name.c_str(), a.bytes);
        else if (at >= a.begin + a.bytes)
            std::snprintf(text, size, "%zu bytes past the end of '%s' (%zu bytes)", static_cast<size_t>(at - a.begin - a.bytes),
                          a.name.c_str(), a.bytes);
        else
            std::snprintf(text, size, "byte %zu of '%s' (%zu bytes)", static_cast<size_t>(at - a.begin), a.name.c_str(), a.bytes);
    }

    void reportKernelFault(Worker &worker, const void *address, bool write) {
        const char *does = write ? "writes" : "reads";
        const Allocation *a = arena.nearest(address);
        char where[512], detail[1024];
        if (!a) {
            std::snprintf(detail, sizeof detail, "%s address %p, where nothing was ever allocated", does, address);
            worker.report("illegal address", detail);
            return;
        }
        describe(where, sizeof where, *a, address);
        const bool inside = a->contains(reinterpret_cast<uintptr_t>(address), 1);
        if (inside && a->state == Allocation::Freed)
            std::snprintf(detail, sizeof detail, "%s %s, which was freed by %s", does, where, a->freedBy.c_str());
        else if (inside && a->state == Allocation::Pending)
            std::snprintf(detail, sizeof detail, "%s %s, which its stream has not allocated yet: an event is missing", does, where);
        else
            std::snprintf(detail, sizeof detail, "%s %s", does, where);
        worker.report(inside && a->state == Allocation::Freed ? "use after free"
                      : inside                                ? "use before allocation"
                                                              : "out of bounds",
                      detail);
    }

    [[noreturn]] void reportHostTouch(const void *address, bool write) {
        char where[512] = "memory that was never allocated";
        const Allocation *a = arena.nearest(address);
        if (a)
            describe(where, sizeof where, *a, address);
        fail("host touches device memory: host code %s %s%s; copy it to the host first", write ? "writes" : "reads", where,
             a && a->state == Allocation::Freed ? ", which was freed" : "");
        std::signal(SIGABRT, SIG_DFL);
        std::abort();
    }

    void chain(int signal, siginfo_t *info, void *context) {
        const struct sigaction &previous = signal == SIGBUS ? previousBus_ : previousSegv_;
        if (std::exchange(chained_, info->si_addr) == info->si_addr) {
            std::signal(signal, SIG_DFL); // the other handler came back to this one
            return;
        }
        if (previous.sa_flags & SA_SIGINFO)
            previous.sa_sigaction(signal, info, context);
        else if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN)
            previous.sa_handler(signal);
        else
            sigaction(signal, &previous, nullptr); // and the faulting instruction runs again
    }

    bool opening_ = false;
    static inline Device *instance_ = nullptr;
    struct sigaction previousSegv_ = {}, previousBus_ = {};
    void *chained_ = &instance_; // the address of the last fault that was passed on
};

/// A stack for this thread's signal handler, so that it can run after a stack overflow of a fiber.
class SignalStack {
public:
    static void provide() {
        static thread_local SignalStack stack;
        (void)stack;
    }

private:
    SignalStack() {
        stack_t present = {};
        if (sigaltstack(nullptr, &present) == 0 && (present.ss_flags & SS_DISABLE) == 0)
            return; // there is one already
        memory_.reset(new (std::nothrow) char[bytes]);
        stack_t own = {};
        own.ss_sp = memory_.get();
        own.ss_size = bytes;
        if (memory_)
            sigaltstack(&own, nullptr);
    }
    ~SignalStack() {
        stack_t off = {};
        off.ss_flags = SS_DISABLE;
        if (memory_)
            sigaltstack(&off, nullptr);
    }

    static constexpr size_t bytes = 64 << 10;
    std::unique_ptr<char[]> memory_;
};

/// Hands out block numbers to concurrent workers, in an order drawn from the seed.
class BlockOrder {
public:
    BlockOrder(uint64_t count, Random &random) : count_(count) {
        if (settings().seed == 0)
            return;
        start_ = random.below(count);
        do // number -> start + number * step (mod count) is a permutation if step and count have no common factor
            step_ = 1 + random.below(count);
        while (std::gcd(step_, count) != 1);
    }
    /// -1 after the last one.
    int64_t next() {
        const uint64_t i = __atomic_fetch_add(&given_, 1, __ATOMIC_RELAXED);
        if (i >= count_)
            return -1;
        __extension__ typedef unsigned __int128 Wide;
        return static_cast<int64_t>((start_ + Wide(i) * step_) % count_);
    }

private:
    uint64_t count_, start_ = 0, step_ = 1, given_ = 0;
};

inline std::vector<Index3> threadOrder(Dim3 block, Random &random) {
    std::vector<Index3> order;
    order.reserve(static_cast<size_t>(block.threads()));
    for (unsigned z = 0; z < block.z; ++z)
        for (unsigned y = 0; y < block.y; ++y)
            for (unsigned x = 0; x < block.x; ++x)
                order.push_back({x, y, z});
    if (settings().seed != 0)
        for (size_t i = order.size(); i > 1; --i)
            std::swap(order[i - 1], order[random.below(i)]);
    return order;
}

inline void Device::runKernel(KernelRun &run, const std::vector<const volatile void *> &pointers) {
    installHandler(SIGSEGV, previousSegv_);
    installHandler(SIGBUS, previousBus_);
    if (watch)
        watch->beginKernel();
    for (const volatile void *p : pointers)
        if (Allocation *a = arena.find(p); a && a->state == Allocation::Live && !watch)
            arena.open(*a);
    const std::vector<Index3> order = threadOrder(run.block, scheduler.random());
    BlockOrder blocks(static_cast<uint64_t>(run.grid.threads()), scheduler.random());
    const auto work = [&] {
        static thread_local Worker worker;
        SignalStack::provide();
        worker.run(run, order, [&] { return blocks.next(); });
    };
    const int64_t workers = run.how.cooperative || watch ? 1 : std::min<int64_t>(settings().threads, run.grid.threads());
    std::vector<std::thread> threads;
    for (int64_t i = 1; i < workers; ++i)
        threads.emplace_back(work);
    work();
    for (std::thread &thread : threads)
        thread.join();
    if (watch)
        watch->endKernel();
    bool behind = false;
    while (const Allocation *a = arena.damaged(behind)) {
        fail("out of bounds: kernel %s wrote less than a page %s '%s' (%zu bytes)", KernelName(run.how).text,
             behind ? "behind the end of" : "before the beginning of", a->name.c_str(), a->bytes);
        run.fault();
    }
    if (run.hasFailed())
        stick(launchFailure);
}

} // namespace sdfgc::gpu::emulate
