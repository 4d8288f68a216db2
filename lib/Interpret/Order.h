// Decides which of two tasks comes first under every schedule.
//
// The interpreter executes one task after the other, but a graph orders them only in part: nodes of a state by its edges,
// iterations of a map not at all. The current execution is a stack of sections, from the outside in:
//
//     graph     nodes of a state or of a scope: ordered if a path of edges leads from one to the other
//     map       iterations: not ordered; the sections inside decide the order within one of them
//     streams   operations of streams and of the host: ordered if one of them waits for the other
//
// Anything executed in sequence (blocks of control flow, iterations of a loop, a state whose nodes form a chain) is ordered and
// needs no section. Times only grow, and a section is finished before the next one begins, so past tasks need no record: the
// innermost section that had begun by then contains both tasks, and it decides their order.
#pragma once

#include "Memory.h"

#include <algorithm>

namespace sdfgc::interpret {

/// Which steps of a graph section precede which, by edges: the transitive closure.
class Precedence {
public:
    Precedence() = default;
    /// `before[k]`: steps, all less than k, with an edge to step k.
    explicit Precedence(const std::vector<std::vector<std::size_t>> &before);
    bool isBefore(std::size_t a, std::size_t b) const { return words_[b * stride_ + a / 64] >> (a % 64) & 1; }
    /// Does every step precede the next one?
    bool isChain() const { return chain_; }
    std::size_t steps() const { return steps_; }

private:
    std::size_t steps_ = 0, stride_ = 0;
    bool chain_ = true;
    std::vector<uint64_t> words_;
};

/// Operations that are queued on streams, and the host that queues them. Each actor knows the progress of every other one that it
/// has waited for, directly or indirectly: a vector clock.
class Streams {
public:
    explicit Streams(std::size_t streams, std::size_t events)
        : clocks_(streams + 1, std::vector<uint64_t>(streams + 1)), events_(events, clocks_[0]), running_(streams) {}
    std::size_t host() const { return clocks_.size() - 1; }

    /// The next tasks, from `start` on, belong to a stream or to the host.
    void run(std::size_t actor, Time start) {
        running_ = actor;
        marks_.push_back({start, actor, ++clocks_[actor][actor]});
    }
    /// `actor` waits for all work that `other` has been given so far.
    void wait(std::size_t actor, std::size_t other) { join(clocks_[actor], clocks_[other]); }
    void record(std::size_t event, std::size_t stream) { events_[event] = clocks_[stream]; }
    void waitForEvent(std::size_t actor, std::size_t event) { join(clocks_[actor], events_[event]); }

    /// Do events at that time precede current ones?
    bool isBefore(Time t) const;

private:
    struct Mark {
        Time start;
        std::size_t actor;
        uint64_t number; // index within the actor
    };
    static void join(std::vector<uint64_t> &into, const std::vector<uint64_t> &from) {
        for (std::size_t k = 0; k < into.size(); ++k)
            into[k] = std::max(into[k], from[k]);
    }
    std::vector<Mark> marks_;
    mutable std::size_t last_ = 0; // mark of the last query: neighbours in memory often belong to one operation
    std::vector<std::vector<uint64_t>> clocks_, events_;
    std::size_t running_;
};

class Order {
public:
    Time now = beforeTheCall;

    /// Returns to the state before the first section; a stopped run may have left sections open.
    void leaveAll() {
        sections_.clear();
        safe_ = ~Time(0);
    }
    /// Begins the next task.
    void task() { ++now; }

    /// Does a past task, or the caller, precede the running one?
    bool isBefore(Time t) const { return t < safe_ || t == now || decide(t); }

    /// Enters the steps of a state or scope; `starts` has room for one time each and lives until leave().
    void enterGraph(const Precedence &p, std::vector<Time> &starts) { push({now + 1, &p, nullptr, starts.data(), 0, 0}); }
    void step(std::size_t k) {
        Section &s = sections_.back();
        s.step = k;
        s.starts[k] = now + 1;
    }
    void enterMap() { push({now + 1, nullptr, nullptr, nullptr, 0, now + 1}); }
    /// Tasks until leave() belong to the streams, which must live until then.
    void enterStreams(Streams &s) { push({now + 1, nullptr, &s, nullptr, 0, 0}); }
    void iteration() { sections_.back().iteration = now + 1; }
    void leave() {
        sections_.pop_back();
        safe_ = sections_.empty() ? ~Time(0) : sections_.front().start;
    }

private:
    struct Section {
        Time start;
        const Precedence *graph; // for a graph; null: a map
        const Streams *streams;  // for streams
        Time *starts;            // for a graph: when each step began
        std::size_t step;        // the current one
        Time iteration;          // for a map: when the current one began
    };
    void push(const Section &s) {
        sections_.push_back(s);
        safe_ = sections_.front().start;
    }
    bool decide(Time t) const;

    std::vector<Section> sections_;
    Time safe_ = ~Time(0); // everything before this time is ordered
};

} // namespace sdfgc::interpret
