// Which of two tasks comes first, whatever the schedule?
//
// The interpreter executes one task after the other, but a graph orders them only in part: nodes of a state by its edges, iterations
// of a map not at all. What is being executed is a stack of sections, from the outside in:
//
//     graph     nodes of a state or of a scope: ordered where a path of edges leads from one to the other
//     map       iterations: not ordered; what happens in one of them is up to the sections inside
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

class Order {
public:
    Time now = beforeTheCall;

    /// The next task begins.
    void task() { ++now; }

    /// Was a task of the past, or of the caller, before the one that runs?
    bool isBefore(Time t) const { return t < safe_ || t == now || decide(t); }

    /// Enters the steps of a state or scope; `starts` has room for one time each and lives until leave().
    void enterGraph(const Precedence &p, std::vector<Time> &starts) { push({now + 1, &p, starts.data(), 0, 0}); }
    void step(std::size_t k) {
        Section &s = sections_.back();
        s.step = k;
        s.starts[k] = now + 1;
    }
    void enterMap() { push({now + 1, nullptr, nullptr, 0, now + 1}); }
    void iteration() { sections_.back().iteration = now + 1; }
    void leave() {
        sections_.pop_back();
        safe_ = sections_.empty() ? ~Time(0) : sections_.front().start;
    }

private:
    struct Section {
        Time start;
        const Precedence *graph; // null: a map
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
