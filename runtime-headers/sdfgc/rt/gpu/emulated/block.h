// Runs the blocks of a kernel. Part of gpu_emulate.cpp.
//
// Rules: blocks run in an order drawn from the seed, and so do the threads of a block. Threads that wait for each other are fibers:
// each runs until it waits or ends; when all wait, the barriers and warp functions that are complete are released. If none is
// complete, or if threads wait at different barriers, or some ended without reaching one, the kernel is aborted and reported. So is
// a kernel that faults: the signal handler jumps back here.
#pragma once

#include "sdfgc/rt/gpu/emulated/fiber.h"
#include "sdfgc/rt/gpu/emulated/shared.h"

#include <csetjmp>
#include <csignal>
#include <numeric>

namespace sdfgc::gpu::emulate {

/// Thrown to leave a kernel whose fault has already been reported.
struct KernelAbort {};

/// A running launch, shared by its workers.
struct KernelRun {
    const Launch &how;
    const Dim3 grid, block;
    const size_t dynamicShared;
    const KernelBody &body;
    Origins &origins;
    bool failed = false; // set atomically

    void fault() { __atomic_store_n(&failed, true, __ATOMIC_RELEASE); }
    bool hasFailed() const { return __atomic_load_n(&failed, __ATOMIC_ACQUIRE); }
};

/// The event that a fiber waits for.
enum class Wait { Ready, Barrier, Grid, Exchange, Vote, Done };

struct Block;

struct Thread {
    Fiber fiber;
    Index3 index{};
    unsigned number = 0; // in its block
    Block *block = nullptr;

    Wait wait = Wait::Done;
    Place place{"", "", 0};
    BlockVote blockVote{};
    int predicate = 0; // of a vote, or the source lane of an exchange
    uint64_t mask = 0, result = 0;
    const void *value = nullptr; // of an exchange
    void *received = nullptr;
    unsigned bytes = 0;
};

struct Block {
    Index3 index{};
    SharedMemory shared;
    std::vector<Thread *> threads; // by their number
};

/// One thread of the host that runs blocks.
class Worker {
public:
    /// Runs the blocks that `next()` gives out; negative: no more.
    template <class Next> void run(KernelRun &run, const std::vector<Index3> &order, Next next) {
        enter(run, order);
        if (sigsetjmp(jump_, 0) == 0) {
            if (run.how.cooperative)
                runTogether(next);
            else
                for (int64_t block = next(); block >= 0 && !run.hasFailed(); block = next())
                    runOne(block);
        } else if (Fiber::current())
            Fiber::current()->returned();
        leave();
    }

    /// The worker whose kernel runs on this thread; null outside kernels.
    static Worker *&current() {
        static thread_local Worker *worker = nullptr;
        return worker;
    }

    /// Aborts the kernel from the signal handler.
    [[noreturn]] void jumpOut() {
        run_->fault();
        sigset_t faults; // blocked if another handler runs first, such as ThreadSanitizer's
        sigemptyset(&faults);
        sigaddset(&faults, SIGSEGV);
        sigaddset(&faults, SIGBUS);
        pthread_sigmask(SIG_UNBLOCK, &faults, nullptr);
        if (Fiber::current())
            Fiber::current()->leave(); // last: AddressSanitizer may keep this frame in memory that leave() frees
        siglongjmp(jump_, 1);
    }

    /// Reports a fault of the running thread: "<what>: kernel k (state s, map m), block (0, 0, 0), thread (1, 0, 0): <detail>".
    void report(const char *what, const char *detail) {
        fail("%s: kernel %s, block (%u, %u, %u), thread (%u, %u, %u): %s", what, KernelName(run_->how).text, ::blockIdx.x,
             ::blockIdx.y, ::blockIdx.z, ::threadIdx.x, ::threadIdx.y, ::threadIdx.z, detail);
        run_->fault();
    }

    bool isStackOverflow(const void *address) const { return Fiber::current() && Fiber::current()->stack().overflowed(address); }

    void *sharedMemory(const void *key, size_t bytes, const char *name) {
        return checkShared(block_->shared.get(key, bytes, name, [&] { return sharedPattern(name); }));
    }
    void *dynamicSharedMemory() {
        return checkShared(block_->shared.dynamic([&] { return sharedPattern("dynamic shared memory"); }));
    }

    int blockBarrier(BlockVote vote, int predicate, const Place &place) {
        Thread *thread = thread_;
        if (!needsFibers(place))
            return vote != BlockVote::None && predicate != 0;
        thread->blockVote = vote;
        thread->predicate = predicate;
        suspend(Wait::Barrier, place);
        return static_cast<int>(thread->result);
    }
    void gridBarrier(const Place &place) {
        if (!run_->how.cooperative)
            misuse("a barrier of the whole grid in a launch without Launch::cooperative", place);
        suspend(Wait::Grid, place);
    }
    void warpExchange(uint64_t mask, const void *value, void *received, unsigned bytes, int source, const Place &place) {
        if (!needsFibers(place))
            return;
        thread_->mask = checkedMask(mask, place);
        thread_->value = value;
        thread_->received = received;
        thread_->bytes = bytes;
        thread_->predicate = source;
        suspend(Wait::Exchange, place);
    }
    uint64_t warpVote(uint64_t mask, bool predicate, const Place &place) {
        if (!needsFibers(place))
            return predicate;
        Thread *thread = thread_;
        thread->mask = checkedMask(mask, place);
        thread->predicate = predicate;
        suspend(Wait::Vote, place);
        return thread->result;
    }

private:
    void enter(KernelRun &run, const std::vector<Index3> &order) {
        run_ = &run;
        order_ = &order;
        ::blockDim = {run.block.x, run.block.y, run.block.z};
        ::gridDim = {run.grid.x, run.grid.y, run.grid.z};
        const size_t wanted = run.how.cooperative ? static_cast<size_t>(run.grid.threads()) : 1;
        while (blocks_.size() < wanted)
            blocks_.push_back(std::make_unique<Block>());
        for (const auto &block : blocks_)
            block->shared.forget();
        current() = this;
    }
    void leave() {
        current() = nullptr;
        thread_ = nullptr;
        ::blockDim = ::gridDim = {1, 1, 1};
        ::threadIdx = ::blockIdx = {0, 0, 0};
    }

    Block &place(size_t slot, int64_t number) {
        Block &block = *blocks_[slot];
        const int64_t x = run_->grid.x, y = run_->grid.y;
        block.index = {static_cast<unsigned>(number % x), static_cast<unsigned>(number / x % y),
                       static_cast<unsigned>(number / x / y)};
        block.shared.begin(run_->dynamicShared);
        return block;
    }

    void runOne(int64_t number) {
        Block &block = place(0, number);
        if (run_->how.barriers) {
            startThreads(block, 0);
            runFibers(1);
        } else {
            block_ = &block;
            ::blockIdx = block.index;
            runPlain();
        }
        checkSharedMargins(block);
    }
    template <class Next> void runTogether(Next next) {
        size_t count = 0;
        for (int64_t number = next(); number >= 0; number = next(), ++count)
            startThreads(place(count, number), count);
        runFibers(count);
        for (size_t i = 0; i < count; ++i)
            checkSharedMargins(*blocks_[i]);
    }

    void runPlain() {
        try {
            run_->body.runBlock(order_->data(), static_cast<unsigned>(order_->size()));
        } catch (const KernelAbort &) {
        } catch (...) {
            report("exception", "a kernel must not throw");
        }
    }

    // Fibers

    void startThreads(Block &block, size_t slot) {
        const size_t count = order_->size();
        while (threads_.size() < (slot + 1) * count)
            threads_.push_back(std::make_unique<Thread>());
        block.threads.resize(count);
        for (size_t i = 0; i < count; ++i) {
            Thread &thread = *threads_[slot * count + i];
            thread.index = (*order_)[i];
            thread.number = (thread.index.z * run_->block.y + thread.index.y) * run_->block.x + thread.index.x;
            thread.block = &block;
            thread.wait = Wait::Ready;
            thread.mask = 0;
            thread.predicate = 0;
            thread.fiber.start([](void *worker) { static_cast<Worker *>(worker)->threadMain(); }, this);
            block.threads[thread.number] = &thread;
        }
    }

    void threadMain() {
        try {
            run_->body.runThread();
        } catch (const KernelAbort &) {
        } catch (...) {
            report("exception", "a kernel must not throw");
        }
    }

    void runFibers(size_t blocks) {
        const size_t count = blocks * order_->size();
        for (;;) {
            size_t done = 0;
            for (size_t i = 0; i < count; ++i) {
                Thread &thread = *threads_[i];
                if (thread.wait == Wait::Ready)
                    resume(thread);
                if (run_->hasFailed())
                    return;
                done += thread.wait == Wait::Done;
            }
            if (done == count)
                return;
            bool released = false;
            for (size_t i = 0; i < blocks && !run_->hasFailed(); ++i)
                released |= releaseBlock(*blocks_[i]);
            if (!released && !run_->hasFailed())
                released = releaseGrid(count);
            if (run_->hasFailed())
                return;
            if (!released) {
                reportStuck(count);
                return;
            }
        }
    }

    void resume(Thread &thread) {
        thread_ = &thread;
        block_ = thread.block;
        ::threadIdx = thread.index;
        ::blockIdx = thread.block->index;
        thread.fiber.resume();
        if (thread.fiber.done())
            thread.wait = Wait::Done;
        thread_ = nullptr;
    }

    void suspend(Wait wait, const Place &place) {
        thread_->wait = wait;
        thread_->place = place;
        thread_->fiber.yield();
    }

    /// False if the thread is alone in its block and need not wait.
    bool needsFibers(const Place &place) {
        if (thread_)
            return true;
        if (order_->size() > 1)
            misuse("a barrier or warp function in a launch without Launch::barriers", place);
        return false;
    }

    [[noreturn]] void misuse(const char *what, const Place &place) {
        char text[512];
        std::snprintf(text, sizeof text, "%s in %s, %s:%d", what, place.function, place.file, place.line);
        report("wrong launch", text);
        throw KernelAbort();
    }

    uint64_t checkedMask(uint64_t mask, const Place &place) {
        if ((mask >> laneIndex() & 1) == 0)
            misuse("a warp function whose mask lacks the calling lane", place);
        return mask;
    }

    // Releases

    bool releaseBlock(Block &block) {
        bool released = releaseBarrier(block);
        for (size_t warp = 0; warp < block.threads.size() && !run_->hasFailed(); warp += warpSize)
            released |= releaseWarp(block, warp);
        return released;
    }

    /// If all threads of the block that still run are at a barrier.
    bool releaseBarrier(Block &block) {
        const Thread *first = nullptr, *ended = nullptr;
        for (const Thread *t : block.threads) {
            if (t->wait == Wait::Done)
                ended = t;
            else if (t->wait != Wait::Barrier)
                return false;
            else if (!first)
                first = t;
        }
        if (!first)
            return false;
        for (const Thread *t : block.threads)
            if (t->wait == Wait::Barrier && (!samePlace(*t, *first) || t->blockVote != first->blockVote))
                return reportDivergence(*first, *t, "waits");
        if (ended)
            return reportDivergence(*first, *ended, "has ended");
        int count = 0;
        for (const Thread *t : block.threads)
            count += t->predicate != 0;
        const int total = static_cast<int>(block.threads.size());
        for (Thread *t : block.threads) {
            t->result = t->blockVote == BlockVote::And ? count == total : t->blockVote == BlockVote::Or ? count > 0 : count;
            t->wait = Wait::Ready;
        }
        return true;
    }

    static bool samePlace(const Thread &a, const Thread &b) {
        return a.place.line == b.place.line && std::strcmp(a.place.file, b.place.file) == 0;
    }

    bool releaseGrid(size_t count) {
        for (size_t i = 0; i < count; ++i)
            if (threads_[i]->wait != Wait::Grid)
                return false;
        for (size_t i = 0; i < count; ++i)
            threads_[i]->wait = Wait::Ready;
        return true;
    }

    bool releaseWarp(Block &block, size_t begin) {
        const size_t lanes = std::min<size_t>(warpSize, block.threads.size() - begin);
        const uint64_t existing = lanes == 64 ? ~uint64_t(0) : (uint64_t(1) << lanes) - 1;
        bool released = false;
        for (size_t lane = 0; lane < lanes; ++lane) {
            const Thread &t = *block.threads[begin + lane];
            if (t.wait == Wait::Exchange || t.wait == Wait::Vote)
                released |= releaseMask(block.threads.data() + begin, lanes, t.mask & existing, t.wait);
        }
        return released;
    }

    /// If all lanes of the mask that still run are at the same function with the same mask.
    bool releaseMask(Thread **lanes, size_t count, uint64_t mask, Wait kind) {
        uint64_t present = 0, votes = 0;
        const uint64_t existing = count == 64 ? ~uint64_t(0) : (uint64_t(1) << count) - 1;
        for (size_t i = 0; i < count; ++i) {
            if ((mask >> i & 1) == 0 || lanes[i]->wait == Wait::Done)
                continue;
            if (lanes[i]->wait != kind || (lanes[i]->mask & existing) != mask)
                return false;
            present |= uint64_t(1) << i;
            votes |= uint64_t(lanes[i]->predicate != 0) << i;
        }
        for (size_t i = 0; i < count; ++i) {
            if ((present >> i & 1) == 0)
                continue;
            if (kind == Wait::Exchange)
                receive(*lanes[i], lanes, present);
            lanes[i]->result = votes;
        }
        for (size_t i = 0; i < count; ++i)
            if (present >> i & 1)
                lanes[i]->wait = Wait::Ready;
        return true;
    }

    /// A value from a lane that does not take part is undefined, so it is set to the pattern.
    void receive(Thread &to, Thread **lanes, uint64_t present) {
        const bool taken = to.predicate >= 0 && to.predicate < warpSize && (present >> to.predicate & 1) != 0;
        const Thread *from = taken ? lanes[to.predicate] : nullptr;
        if (from && from->bytes == to.bytes)
            std::memcpy(to.received, from->value, to.bytes);
        else
            fillPattern(to.received, to.bytes,
                        run_->origins.pattern(std::string("a lane that took no part in a shuffle of kernel ") +
                                              KernelName(run_->how).text));
    }

    // Reports

    static const char *waitName(Wait wait) {
        return wait == Wait::Barrier ? "a barrier of the block" : wait == Wait::Grid ? "a barrier of the grid" : "a warp function";
    }

    bool reportDivergence(const Thread &a, const Thread &b, const char *bDoes) {
        char where[512] = "";
        if (b.wait != Wait::Done)
            std::snprintf(where, sizeof where, " at %s:%d", b.place.file, b.place.line);
        fail("divergent barrier: kernel %s, block (%u, %u, %u): thread (%u, %u, %u) waits for its block at %s:%d, but thread (%u, "
             "%u, %u) "
             "%s%s",
             KernelName(run_->how).text, a.block->index.x, a.block->index.y, a.block->index.z, a.index.x, a.index.y, a.index.z,
             a.place.file, a.place.line, b.index.x, b.index.y, b.index.z, bDoes, where);
        run_->fault();
        return false;
    }

    /// No thread can continue. Names one that waits, and one that waits for something else or has ended.
    void reportStuck(size_t count) {
        const Thread *waits = nullptr, *other = nullptr;
        for (size_t i = 0; i < count && !waits; ++i)
            if (threads_[i]->wait != Wait::Done)
                waits = threads_[i].get();
        for (size_t i = 0; i < count && !other; ++i)
            if (const Thread &t = *threads_[i]; t.wait != waits->wait || t.mask != waits->mask || !samePlace(t, *waits))
                other = &t;
        char otherText[640] = "";
        if (other && other->wait == Wait::Done)
            std::snprintf(otherText, sizeof otherText, ", but thread (%u, %u, %u) of block (%u, %u, %u) has ended", other->index.x,
                          other->index.y, other->index.z, other->block->index.x, other->block->index.y, other->block->index.z);
        else if (other)
            std::snprintf(otherText, sizeof otherText, ", but thread (%u, %u, %u) of block (%u, %u, %u) waits at %s at %s:%d",
                          other->index.x, other->index.y, other->index.z, other->block->index.x, other->block->index.y,
                          other->block->index.z, waitName(other->wait), other->place.file, other->place.line);
        fail("divergent barrier: kernel %s cannot go on: thread (%u, %u, %u) of block (%u, %u, %u) waits at %s at %s:%d%s",
             KernelName(run_->how).text, waits->index.x, waits->index.y, waits->index.z, waits->block->index.x,
             waits->block->index.y, waits->block->index.z, waitName(waits->wait), waits->place.file, waits->place.line, otherText);
        run_->fault();
    }

    // Shared memory

    uint32_t sharedPattern(const char *name) {
        return run_->origins.pattern("shared memory '" + std::string(name) + "' of kernel " + KernelName(run_->how).text);
    }
    void *checkShared(void *memory) {
        if (memory)
            return memory;
        report("too much shared memory", "a block has 48 KiB for declared arrays");
        throw KernelAbort();
    }
    void checkSharedMargins(Block &block) {
        size_t bytes = 0;
        const char *name = block.shared.damaged(bytes);
        if (!name)
            return;
        fail("out of bounds: kernel %s, block (%u, %u, %u): something was written beside shared memory '%s' (%zu bytes)",
             KernelName(run_->how).text, block.index.x, block.index.y, block.index.z, name, bytes);
        run_->fault();
    }

    KernelRun *run_ = nullptr;
    const std::vector<Index3> *order_ = nullptr;
    Block *block_ = nullptr;
    Thread *thread_ = nullptr; // the running fiber's; null when threads run one after the other
    std::vector<std::unique_ptr<Block>> blocks_;
    std::vector<std::unique_ptr<Thread>> threads_;
    sigjmp_buf jump_;
};

} // namespace sdfgc::gpu::emulate
