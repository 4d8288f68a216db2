// Streams, events and the order in which queued operations run. Part of gpu_emulate.cpp.
//
// Rules: an operation may run when it is the first of its stream and all that it depends on has run: events that its stream waits
// for and, for streams that are not non-blocking, the default stream's rule (an operation of the default stream runs after all
// operations queued earlier in blocking streams, and before all queued there later). Within that, the seed decides:
//   seed 0                in the order of the calls, at once: for stepping through a program
//   seed modulo 4 == 1    as late as possible: only what the host waits for, and what that depends on
//   seed modulo 4 == 2    the other streams first, the latest one first, then what the host waits for
//   seed modulo 4 == 3    any order, and some operations before the host waits
//   seed modulo 4 == 0    at once, in the order of the calls; threads and blocks are shuffled as for every seed but 0
//
// The clock of the device: an operation begins when all that it depends on has ended, and the host has waited for what it waited for,
// and takes a time that follows from its size alone (durationOf). So the times of events are the same in every run, for every seed.
#pragma once

#include "sdfgc/rt/gpu/emulated/report.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace sdfgc::gpu::emulate {

struct Operation {
    std::string name; // for reports: "kernel k (state s, map m)"
    StreamState *stream = nullptr;
    std::function<void()> run;                     // released when it has run
    std::vector<std::shared_ptr<Operation>> after; // must have run before
    bool done = false;
    int64_t duration = 0; // by the clock of the device, in nanoseconds
    int64_t earliest = 0; // when it may begin, as far as that was known when it was queued
    int64_t end = 0;      // once it has run
};
using OperationRef = std::shared_ptr<Operation>;

/// A library call: host code that uses device memory like a kernel.
struct LibraryFunction {
    std::string name;
    std::vector<MemoryRange> memory;
    std::shared_ptr<KernelBody> body; // may run several times
};

/// The recording of a stream.
struct Capture {
    std::vector<LibraryFunction> calls;
    bool isBroken = false; // by something that cannot be recorded
    std::thread::id thread;
};

struct StreamState {
    int number = 0; // 0: the default stream
    bool blocking = true;
    bool destroyed = false;
    bool seemsCaptured = false;       // pretendCapture()
    std::unique_ptr<Capture> capture; // null: it is not captured
    std::deque<OperationRef> queue;
    OperationRef last;    // the latest queued operation, whether or not it has run
    int64_t earliest = 0; // when operations that are queued from now on may begin
    int64_t end = 0;      // of the operations that have run

    bool idle() const { return queue.empty(); }
};

struct EventState {
    bool timing = false, destroyed = false;
    OperationRef recorded; // null: never
};

/// The modelled time of an operation in nanoseconds: a microsecond, and one nanosecond for each thread or each 16 bytes.
inline int64_t durationOf(int64_t threads, size_t bytes = 0) { return 1000 + threads + static_cast<int64_t>(bytes / 16); }

class Scheduler {
public:
    Scheduler() { streams_.push_back(std::make_unique<StreamState>()); }

    /// Starts a new order. The queues must be empty.
    void setSeed(uint64_t seed) {
        random_ = Random(seed);
        policy_ = seed == 0 ? Eager : static_cast<Policy>(seed % 4);
    }

    StreamState *create(bool blocking) {
        streams_.push_back(std::make_unique<StreamState>());
        streams_.back()->number = static_cast<int>(streams_.size()) - 1;
        streams_.back()->blocking = blocking;
        return streams_.back().get();
    }

    /// The stream of a handle; null if there is none.
    StreamState *resolve(Stream handle) const {
        if (!handle)
            return streams_[0].get();
        for (const auto &stream : streams_)
            if (stream.get() == handle)
                return stream->destroyed ? nullptr : handle;
        return nullptr;
    }

    void submit(const OperationRef &operation, StreamState &stream) {
        operation->stream = &stream;
        operation->earliest = std::max({operation->earliest, stream.earliest, hostTime_});
        if (&stream == streams_[0].get()) {
            for (const auto &other : streams_)
                if (other->blocking && other.get() != &stream)
                    addDependence(*operation, other->last);
        } else if (stream.blocking)
            addDependence(*operation, streams_[0]->last);
        stream.queue.push_back(operation);
        stream.last = operation;
        if (policy_ == Eager)
            finish(operation);
        else if (policy_ == Any)
            while (random_.below(3) == 0 && runSome())
                ;
    }

    static void addDependence(Operation &operation, const OperationRef &earlier) {
        if (earlier && !earlier->done)
            operation.after.push_back(earlier);
        else if (earlier)
            operation.earliest = std::max(operation.earliest, earlier->end);
    }

    /// The host waits for this operation.
    void finish(const OperationRef &target) {
        if (!target)
            return;
        if (policy_ == OthersFirst)
            runOthers(*target->stream);
        while (!target->done && policy_ == Any)
            runSome();
        finishClosure(target);
    }

    /// The host waits for everything.
    void finishAll() {
        if (policy_ == OthersFirst)
            runOthers(*streams_[0]);
        while (policy_ == Any && runSome())
            ;
        // A late stream's operations before an early one's: an operation that lacks an event runs too early.
        for (size_t i = streams_.size(); i-- > 0;)
            finish(streams_[i]->last);
    }

    /// The host has waited for the operation, so what it queues from now on begins later.
    void hostWaitedFor(const OperationRef &operation) {
        if (operation)
            hostTime_ = std::max(hostTime_, operation->end);
    }
    void hostWaitedForAll() {
        for (const auto &stream : streams_)
            hostWaitedFor(stream->last);
    }
    /// The clock of the device as the host knows it, in nanoseconds.
    int64_t hostTime() const { return hostTime_; }

    /// The host polls for completion. Time passes, so that a polling loop ends.
    void poll() { runSome(); }

    bool idle() const {
        for (const auto &stream : streams_)
            if (!stream->idle())
                return false;
        return true;
    }

    /// Calls one(operation) for all operations that have not run.
    template <class One> void forEachQueued(One one) const {
        for (const auto &stream : streams_)
            for (const OperationRef &operation : stream->queue)
                one(*operation);
    }

    /// A stream that records for this thread; null if none does.
    StreamState *recording() const {
        for (const auto &stream : streams_)
            if (stream->capture && stream->capture->thread == std::this_thread::get_id())
                return stream.get();
        return nullptr;
    }

    int liveStreams() const {
        int count = 0;
        for (const auto &stream : streams_)
            count += stream->number != 0 && !stream->destroyed;
        return count;
    }

    Random &random() { return random_; }

    enum Policy { Eager, Late, OthersFirst, Any };
    Policy policy() const { return policy_; }

private:
    static bool runnable(const StreamState &stream) {
        if (stream.idle())
            return false;
        for (const OperationRef &earlier : stream.queue.front()->after)
            if (!earlier->done)
                return false;
        return true;
    }

    static void runFirst(StreamState &stream) {
        const OperationRef operation = stream.queue.front();
        operation->run();
        operation->run = nullptr;
        int64_t begin = std::max(operation->earliest, stream.end);
        for (const OperationRef &earlier : operation->after)
            begin = std::max(begin, earlier->end);
        operation->after.clear();
        operation->end = stream.end = begin + operation->duration;
        operation->done = true;
        stream.queue.pop_front();
        if (stream.last == operation && stream.destroyed)
            stream.last = nullptr;
    }

    /// Runs one operation of any stream; false if nothing is queued.
    bool runSome() {
        std::vector<StreamState *> ready;
        for (const auto &stream : streams_)
            if (runnable(*stream))
                ready.push_back(stream.get());
        if (ready.empty())
            return false;
        runFirst(*ready[random_.below(ready.size())]);
        return true;
    }

    /// Runs all operations that can run without this stream, late streams first.
    void runOthers(const StreamState &stream) {
        for (bool progress = true; progress;) {
            progress = false;
            for (size_t i = streams_.size(); i-- > 0;)
                while (streams_[i].get() != &stream && runnable(*streams_[i])) {
                    runFirst(*streams_[i]);
                    progress = true;
                }
        }
    }

    /// Runs the operation and its dependences, nothing else. Dependences are always earlier operations, so this terminates.
    void finishClosure(const OperationRef &target) {
        std::vector<OperationRef> wanted{target};
        while (!wanted.empty()) {
            const OperationRef operation = wanted.back();
            if (operation->done) {
                wanted.pop_back();
                continue;
            }
            const OperationRef first = operation->stream->queue.front();
            const OperationRef *blocker = nullptr;
            for (const OperationRef &earlier : first->after)
                if (!earlier->done)
                    blocker = &earlier;
            if (blocker)
                wanted.push_back(*blocker);
            else
                runFirst(*operation->stream);
        }
    }

    std::vector<std::unique_ptr<StreamState>> streams_; // [0] is the default stream; handles stay valid as addresses
    Policy policy_ = Eager;
    Random random_;
    int64_t hostTime_ = 0;
};

} // namespace sdfgc::gpu::emulate
