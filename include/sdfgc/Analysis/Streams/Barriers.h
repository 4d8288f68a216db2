// The order in which the threads of a kernel access memory: the phases of a kernel with maps over its threads, and a
// walk that tracks accesses that other threads may not have finished. The pass place-barriers inserts the barriers that
// the walk finds missing; the verifier reports them.
//
// A phase is the code between two points at which threads could wait for each other:
//
//     map over threads                     each thread runs its iterations
//     cooperative copy                     each thread copies its elements
//     other code of the block              one thread runs it, or all of them do the same
//
// A barrier must separate two phases that access the same memory if one of them writes it, because threads run at their
// own pace. That includes iterations of loops around phases, of sequential maps, and of the grid if a block may get
// several iterations. Memory means shared and global memory, with a container as a unit; registers are private to a
// thread. All threads read the operands of conditions and loop bounds inside a kernel, so these must be complete at the
// end of the state that writes them.
//
// Blocks are ordered only in persistent kernels (GPU_Persistent), where all threads of the grid go through the body
// together. Maps over the device are phases of the grid, separated by grid barriers. The code of a block in one of
// their iterations is a separate walk.
//
// The first block alone runs some phases of the grid: maps with a single iteration or a grid limit, and code that a single thread
// runs. Two of these are separated by a barrier of the block, which all blocks reach:
//
//     map s[_ = 0:1] { threads: sum = ... }     by the first block
//     Barrier
//     r = sqrt(sum)                             by its first thread
//     GridBarrier
//     map d[i = 0:N] { A[i] /= r }              by all blocks
//
// The rule comes from the reference on GPU code generation, sections 5.7 and 9.12, but uses dependences instead of one
// barrier per map or state.
#pragma once

#include "sdfgc/Analysis/Flow/FlowWalk.h"
#include "sdfgc/Analysis/Streams/Streams.h"

#include <functional>

namespace sdfgc::analysis {

/// Which threads must wait for an access, at a barrier of the grid: those of all blocks, those of other blocks than the first one, which
/// has made the access before a barrier of its own, or all, where those of the first block may do so at a barrier of this block.
enum class PhaseWait : uint8_t { AllBlocks, OtherBlocks, FirstBlock };

/// Accesses since the last barrier on some path, each with a phase that performs it.
struct PhaseKnowledge {
    std::map<std::pair<MemoryUse, PhaseWait>, const StreamStep *> pending;
    /// The effect of a barrier that the threads of each block of a grid pass: the first block has made its accesses.
    void passBlockBarrier();
    void join(const PhaseKnowledge &other) { pending.insert(other.pending.begin(), other.pending.end()); }
    bool sameAs(const PhaseKnowledge &other) const;
};

/// Two phases without a barrier between them.
struct PhaseConflict {
    ir::State *state = nullptr; // contains the later phase
    ir::Node *scope = nullptr;  // the entry around it; null at the top level of a nested SDFG
    std::size_t step = 0;       // its position in `steps`, or their number for the end of the state
    const std::vector<StreamStep> *steps = nullptr;
    const StreamStep *earlier = nullptr;
    MemoryUse use;                       // of the earlier phase
    Executor executor = Executor::Block; // the threads: of a block, or of the grid

    std::string laterName() const, earlierName() const; // for messages
};

/// Walks over all kernels of a program.
class PhaseOrder : private FlowWalk<PhaseKnowledge> {
public:
    using Found = std::function<bool(const PhaseConflict &)>;
    PhaseOrder(ir::SDFG &root, StreamSteps &steps) : root_(root), steps_(steps) {}
    /// Calls `found` for each conflict. It returns true if it inserted a barrier before the later phase; either way the
    /// walk continues as if the barrier existed.
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
    PhaseWait waitFor(const StreamStep &phase) const;

    ir::SDFG &root_;
    StreamSteps &steps_;
    const Found *found_ = nullptr;
    Executor executor_ = Executor::Block;
    StreamStep condition_;    // represents reads by control flow
    bool manyBlocks_ = false; // is it the grid of a kernel that may have several blocks?
    std::map<std::pair<const ir::State *, const ir::Node *>, std::shared_ptr<std::vector<StreamStep>>> cache_;
    std::vector<std::shared_ptr<std::vector<StreamStep>>> old_; // knowledge points into them
};

/// May a block of the kernel get several iterations of its map?
bool blocksRepeat(const ir::MapEntry &kernel);

} // namespace sdfgc::analysis
