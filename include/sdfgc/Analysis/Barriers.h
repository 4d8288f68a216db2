// In which order the threads of a kernel touch memory: the phases of a kernel that has maps over its threads, and a walk that knows
// which accesses other threads may still be making. The pass place-barriers inserts what the walk finds missing; the verifier
// reports it.
//
// A phase is what threads do between two points at which they could wait for each other:
//
//     map over threads                     each thread its iterations
//     cooperative copy                     each thread its elements
//     other code of the block              one thread, or all of them alike
//
// Between two phases that touch the same memory, one of them writing, there is a barrier: threads run at their own pace. That holds
// across iterations of loops around phases, of sequential maps, and of the grid where a block may get several iterations. Memory is
// shared and global memory, a container as a whole; registers are each thread's own. What conditions and bounds of loops read
// inside of a kernel, all threads read: it is complete at the end of the state that writes it.
//
// Blocks are ordered in persistent kernels only (GPU_Persistent). There all threads of the grid go through the body together; maps
// over the device are phases of the grid, which barriers of the grid keep apart, and what a block does in one of their iterations
// is a walk of its own.
//
// The rule comes from the reference on GPU code generation, sections 5.7 and 9.12, with dependences instead of one barrier per map
// or state.
#pragma once

#include "sdfgc/Analysis/FlowWalk.h"
#include "sdfgc/Analysis/Streams.h"

#include <functional>

namespace sdfgc::analysis {

/// Accesses since the last barrier on some path, each with a phase that makes it.
struct PhaseKnowledge {
    std::map<MemoryUse, const StreamStep *> pending;
    void join(const PhaseKnowledge &other) { pending.insert(other.pending.begin(), other.pending.end()); }
    bool sameAs(const PhaseKnowledge &other) const;
};

/// Two phases without a barrier between them.
struct PhaseConflict {
    ir::State *state = nullptr; // in which the later one is
    ir::Node *scope = nullptr;  // the entry around it; null at the top level of a nested SDFG
    std::size_t step = 0;       // its position in `steps`; their number: the end of the state
    const std::vector<StreamStep> *steps = nullptr;
    const StreamStep *earlier = nullptr;
    MemoryUse use;                       // of the earlier one
    Executor executor = Executor::Block; // whose threads: a block's, or those of the grid

    std::string laterName() const, earlierName() const; // for messages
};

/// Walks all kernels of a program.
class PhaseOrder : private FlowWalk<PhaseKnowledge> {
public:
    using Found = std::function<bool(const PhaseConflict &)>;
    PhaseOrder(ir::SDFG &root, StreamSteps &steps) : root_(root), steps_(steps) {}
    /// `found` is called with each conflict. It returns true when it has put a barrier in front of the later phase; otherwise the walk goes
    /// on as if it were there.
    void run(const Found &found);

private:
    PhaseKnowledge state(ir::State &s, PhaseKnowledge head) override;
    void blocks(ir::State &s, ir::MapEntry &kernel);
    void grid(ir::State &s, ir::MapEntry &kernel);
    void kernelsOfGrid(ir::State &s, ir::Node *entry, std::vector<ir::MapEntry *> &out);
    bool found(const PhaseConflict &c);
    PhaseKnowledge scope(ir::State &s, ir::Node *entry, const PhaseKnowledge &in);
    const std::vector<StreamStep> &phases(ir::State &s, ir::Node *entry);
    bool check(ir::State &s, ir::Node *entry, std::size_t i, PhaseKnowledge &now);

    ir::SDFG &root_;
    StreamSteps &steps_;
    const Found *found_ = nullptr;
    Executor executor_ = Executor::Block;
    StreamStep condition_; // stands for what control flow reads
    std::map<std::pair<const ir::State *, const ir::Node *>, std::shared_ptr<std::vector<StreamStep>>> cache_;
    std::vector<std::shared_ptr<std::vector<StreamStep>>> old_; // knowledge points into them
};

/// May a block of the kernel get several iterations of its map?
bool blocksRepeat(const ir::MapEntry &kernel);

} // namespace sdfgc::analysis
