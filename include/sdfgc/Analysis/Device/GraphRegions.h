// Regions of a program that one GPU graph can launch: the obstacles in each block, and the regions that were formed.
//
// A graph is a fixed list of kernels, copies, fills and recorded library calls with a partial order, which the host
// describes before any of them runs (docs/user/gpu-graphs.md). So a block can be part of a graph if
//   1. it contains nothing that the host computes, waits for, allocates, measures or prints;
//   2. everything that the host passes to it (scalars, sizes, symbols, addresses) has its value at the start of the
//      region: nothing in the region assigns it;
//   3. each of its operations is a single node: a kernel, one copy or fill between device memory and page-locked memory
//      of the caller, or one call of a library that can be recorded (sdfgc/Platform/Libraries.h);
//   4. the device controls its loops and branches (sdfgc/Analysis/Device/DeviceLoops.h).
//
// A region with the mark Formed is entered through an empty state, its *gate*, which is its only predecessor: there the
// stream and the host wait for the region's inputs. To streams the region is a single operation.
#pragma once

#include "sdfgc/Analysis/Device/DeviceLoops.h"
#include "sdfgc/Analysis/Memory/Allocation.h"
#include "sdfgc/Analysis/Streams/Streams.h"
#include "sdfgc/Diag/Diag.h"
#include "sdfgc/Diag/Reason.h"

#include <map>
#include <unordered_map>
#include <vector>

namespace sdfgc::analysis {

/// A reason that keeps a block out of a graph.
struct GraphBlocker {
    diag::Reason reason;
    diag::Location place; // of the element
    /// Present around the graphs of any program: copies between ordinary memory of the caller and the device,
    /// computations of the host, and its control decisions (loops, branches).
    bool isAside = false;
};

/// The role of a block in a graph.
struct GraphBlock {
    std::vector<GraphBlocker> blockers; // in graph order; empty: it can be part of one
    int operations = 0;                 // the number of its graph nodes
    bool isLook = false;                // a state that only the host path needs
    /// Does it contain nothing to do?
    bool isIdle() const { return operations == 0 && !isLook; }
};

/// The verdicts on blocks of one program, each computed once. Valid until the program changes.
class GraphBlockers {
public:
    explicit GraphBlockers(ir::SDFG &root);
    /// `b`: a state, or a block that contains states. A block of a kernel, or of a host scope, has a blocker.
    const GraphBlock &of(ir::Block &b);
    /// Returns how many graph nodes a step of a state would be, regardless of the other steps; 0 if it cannot be part
    /// of a graph.
    int nodesOf(const StreamStep &step, ir::State &s);
    /// The steps that the verdicts are based on, and the loops.
    StreamSteps &steps() { return steps_; }
    const DeviceLoops &loops() const { return loops_; }
    /// Does a state copy the flag of a loop or branch to the host? It stays before that loop or branch, or at the end
    /// of the loop's body.
    bool isLook(const ir::State &s) const { return loops_.lookedAtBy(s) != nullptr; }
    /// Does the device control a loop or branch?
    bool isDecided(const ir::Block &b) const { return loops_.of(b) != nullptr; }
    /// Can the SDFG contain graphs at all? It cannot if a kernel, or several host threads, run it.
    bool onHost(const ir::SDFG &g);

private:
    class Scan;
    StreamSteps steps_;
    OuterValues values_;
    DeviceLoops loops_;
    std::map<const ir::Block *, GraphBlock> known_;
};

/// Returns the outermost formed region that contains or is a block, also through nested SDFGs; null if there is none.
ir::Region *graphAround(ir::Block &b);
/// Returns the gate of a formed region; null if it has none, which no pass leaves behind.
ir::State *gateOf(ir::Region &formed);

/// An operation of a formed region, or a loop or branch with operations: with all uses inside, and a read of its flag.
struct GraphOperation : StreamStep {
    const DeviceLoop *loop = nullptr;
    std::vector<GraphOperation> inside = {};
};

/// The operations of one formed region in host order, with nested SDFGs inline and without looks. `loops`, those of the
/// program, must live as long.
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
