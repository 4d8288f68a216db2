// Which of two tasks comes first, whatever the schedule?
//
// The interpreter executes one task after the other, but a graph orders them only in part: nodes of a state by its edges, iterations
// of a map not at all. What is being executed is a stack of sections, from the outside in:
//
//     graph     nodes of a state or of a scope: ordered where a path of edges leads from one to the other
//     map       iterations: not ordered; what happens in one of them is up to the sections inside
//     streams   operations of streams and of the host: ordered where one has been told to wait for the other
//
// Whatever is executed in sequence (blocks of control flow, iterations of a loop, a state whose nodes are a chain) is ordered, and
// needs no section. Times only grow, and a section is finished before the next one begins, so that a task of the past needs no record
// of its own: the innermost section that had begun by then is the one that both tasks are in, and it tells their order.
#pragma once

#include "Memory.h"

#include <algorithm>

namespace sdfgc::interpret {

/// Which steps of a graph section come before which, by edges: the transitive closure.
class Precedence {
public:
    Precedence() = default;
    /// `before[k]`: steps, all less than k, from which an edge leads to step k.
    explicit Precedence(const std::vector<std::vector<std::size_t>> &before);
    bool isBefore(std::size_t a, std::size_t b) const { return words_[b * stride_ + a / 64] >> (a % 64) & 1; }
    /// Is every step before the next one?
    bool isChain() const { return chain_; }
    std::size_t steps() const { return steps_; }

private:
    std::size_t steps_ = 0, stride_ = 0;
    bool chain_ = true;
    std::vector<uint64_t> words_;
};

/// Operations that are queued on streams, and the host that queues them. Everybody knows how far the others have come that it waited
/// for, directly or not: a clock with one entry for each.
class Streams {
public:
    explicit Streams(std::size_t streams, std::size_t events)
        : clocks_(streams + 1, std::vector<uint64_t>(streams + 1)), events_(events, clocks_[0]), running_(streams) {}
    std::size_t host() const { return clocks_.size() - 1; }

    /// The next tasks, from `start` on, are of a stream or of the host.
    void run(std::size_t actor, Time start) {
        running_ = actor;
        marks_.push_back({start, actor, ++clocks_[actor][actor]});
    }
    /// One waits for what another has been given so far.
    void wait(std::size_t actor, std::size_t other) { join(clocks_[actor], clocks_[other]); }
    void record(std::size_t event, std::size_t stream) { events_[event] = clocks_[stream]; }
    void waitForEvent(std::size_t actor, std::size_t event) { join(clocks_[actor], events_[event]); }

    /// Does what happened at a time come before what happens now?
    bool isBefore(Time t) const;

private:
    struct Mark {
        Time start;
        std::size_t actor;
        uint64_t number; // among the actor's
    };
    static void join(std::vector<uint64_t> &into, const std::vector<uint64_t> &from) {
        for (std::size_t k = 0; k < into.size(); ++k)
            into[k] = std::max(into[k], from[k]);
    }
    std::vector<Mark> marks_;
    mutable std::size_t last_ = 0; // mark that was asked for: neighbours in memory are often of one operation
    std::vector<std::vector<uint64_t>> clocks_, events_;
    std::size_t running_;
};

class Order {
public:
    Time now = beforeTheCall;

    /// As before the first section: what a run that was stopped has left open is over.
    void leaveAll() {
        sections_.clear();
        safe_ = ~Time(0);
    }
    /// The next task begins.
    void task() { ++now; }

    /// Was a task of the past, or of the caller, before the one that runs?
    bool isBefore(Time t) const { return t < safe_ || t == now || decide(t); }

    /// Enters the steps of a state or scope; `starts` has room for one time each and lives until leave().
    void enterGraph(const Precedence &p, std::vector<Time> &starts) { push({now + 1, &p, nullptr, starts.data(), 0, 0}); }
    void step(std::size_t k) {
        Section &s = sections_.back();
        s.step = k;
        s.starts[k] = now + 1;
    }
    void enterMap() { push({now + 1, nullptr, nullptr, nullptr, 0, now + 1}); }
    /// What runs until leave() is of the streams, which live until then.
    void enterStreams(Streams &s) { push({now + 1, nullptr, &s, nullptr, 0, 0}); }
    void iteration() { sections_.back().iteration = now + 1; }
    void leave() {
        sections_.pop_back();
        safe_ = sections_.empty() ? ~Time(0) : sections_.front().start;
    }

private:
    struct Section {
        Time start;
        const Precedence *graph; // of a graph; null: a map
        const Streams *streams;  // of streams
        Time *starts;            // of a graph: when each step began
        std::size_t step;        // the one that runs
        Time iteration;          // of a map: when the one that runs began
    };
    void push(const Section &s) {
        sections_.push_back(s);
        safe_ = sections_.front().start;
    }
    bool decide(Time t) const;

    std::vector<Section> sections_;
    Time safe_ = ~Time(0); // everything before is ordered
};

} // namespace sdfgc::interpret
