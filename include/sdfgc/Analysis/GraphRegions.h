// Regions of a program that one GPU graph can launch: what stands in the way, block by block, and the regions that were formed.
//
// A graph is a fixed list of kernels, copies, fills and recorded calls of libraries with an order among them, which the host describes before any of them runs
// (docs/user/gpu-graphs.md). So a block can be part of one if
//   1. it has nothing that the host computes, waits for, allocates, measures or prints;
//   2. all that the host hands over (scalars, sizes, symbols, addresses) has its value when the region begins: nothing in the region
//      assigns it;
//   3. each of its operations is one node: a kernel, one copy or one fill, between device memory and page-locked memory of the caller, or
//      one call of a library that can be recorded (sdfgc/Platform/Libraries.h);
//   4. its loops and branches are decided on the device (sdfgc/Analysis/DeviceLoops.h).
//
// A region with the mark Formed is entered through an empty state, its *gate*, which is its only predecessor: there the stream and the
// host wait for what the region needs. To streams the region is one operation.
#pragma once

#include "sdfgc/Analysis/Allocation.h"
#include "sdfgc/Analysis/DeviceLoops.h"
#include "sdfgc/Analysis/Streams.h"
#include "sdfgc/Diag/Diag.h"
#include "sdfgc/Diag/Reason.h"

#include <map>
#include <unordered_map>
#include <vector>

namespace sdfgc::analysis {

/// One thing that keeps a block out of a graph.
struct GraphBlocker {
    diag::Reason reason;
    diag::Location place; // of the element
    /// What stands around the graphs of any program: copies between ordinary memory of the caller and the device, what the host computes
    /// by itself, and what it decides (loops, branches).
    bool isAside = false;
};

/// What a block would be in a graph.
struct GraphBlock {
    std::vector<GraphBlocker> blockers; // in the order of the graph; none: it can be part of one
    int operations = 0;                 // nodes that it would have
    bool isLook = false;                // a state for which the device has no use, but the host path does
    /// Has it nothing to do?
    bool isIdle() const { return operations == 0 && !isLook; }
};

/// The verdicts on blocks of one program, each found once. Valid until the program changes.
class GraphBlockers {
public:
    explicit GraphBlockers(ir::SDFG &root);
    /// A state, or a block with states inside. A block of a kernel, or of a scope of the host, has a blocker.
    const GraphBlock &of(ir::Block &b);
    /// How many nodes of a graph a step of a state could be, whatever stands beside it; 0 if it cannot be part of one.
    int nodesOf(const StreamStep &step, ir::State &s);
    /// The steps that the verdicts are on, and the loops.
    StreamSteps &steps() { return steps_; }
    const DeviceLoops &loops() const { return loops_; }
    /// A state that brings the flag of a loop or branch to the host: it stays in front of that, or at the end of the loop's body.
    bool isLook(const ir::State &s) const { return loops_.lookedAtBy(s) != nullptr; }
    /// Does the device decide how often a loop, or whether a branch, runs?
    bool isDecided(const ir::Block &b) const { return loops_.of(b) != nullptr; }
    /// Can graphs be formed in the SDFG at all? Not where several threads of the host or a kernel run it.
    bool onHost(const ir::SDFG &g);

private:
    class Scan;
    StreamSteps steps_;
    OuterValues values_;
    DeviceLoops loops_;
    std::map<const ir::Block *, GraphBlock> known_;
};

/// The outermost formed region that a block is in, or is; through nested SDFGs. Null: it is in none.
ir::Region *graphAround(ir::Block &b);
/// The gate of a formed region; null if it has none, which no pass leaves behind.
ir::State *gateOf(ir::Region &formed);

/// An operation of a formed region, or a loop or branch of operations.
struct GraphOperation {
    StreamStep step; // of a loop or branch: with all that is used inside, and its flag, which it reads
    const DeviceLoop *loop = nullptr;
    std::vector<GraphOperation> inside = {};
};

/// The operations of one formed region in the order in which the host takes them, nested SDFGs in place; without looks. `loops`, those of
/// the program, live as long.
class GraphOperations {
public:
    GraphOperations(ir::Region &formed, StreamSteps &steps, const DeviceLoops &loops);
    const std::vector<GraphOperation> &all() const { return all_; }

private:
    void region(ir::Region &r, StreamSteps &steps, std::vector<GraphOperation> &out);
    const DeviceLoops &loops_;
    std::vector<GraphOperation> all_;
};

} // namespace sdfgc::analysis
