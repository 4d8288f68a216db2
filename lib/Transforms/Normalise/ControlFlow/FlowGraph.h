// The control-flow graph of one region while it is being structured: blocks with ordered, complete jumps.
//
// Unlike the edges of a region, the jumps of a node always end with an unconditional one; finishing the region is a
// jump to `exitNode`. Nodes keep their index; a node that was merged into another one is unreachable and has no block.
#pragma once

#include "sdfgc/Analysis/Flow/Dominators.h"
#include "sdfgc/IR/Sdfg.h"

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace sdfgc::transforms::flow {

constexpr int exitNode = -1; // the region is finished

using Assignments = std::vector<std::pair<Name, std::string>>;

struct Jump {
    int target = exitNode;
    bool conditional = false;
    ir::Code condition; // kept even if redundant (the complement of the previous one)
    Assignments assignments;
    bool implicit = false; // no edge in the file: "none true, the region is finished"
    ir::DebugInfo debugInfo;

    static Jump to(int target, Assignments a = {}) { return {target, false, {"1", ir::Language::Python}, std::move(a), false, {}}; }
};

struct Node {
    std::unique_ptr<ir::Block> block;
    /// Tested in order, the last one is unconditional. Empty if the block itself leaves (break, continue, return).
    std::vector<Jump> jumps;
    int height = 0; // levels of regions nested inside by structuring
};

struct Graph {
    std::vector<Node> nodes;
    int entry = exitNode;
    ir::BlockKind kind = ir::BlockKind::Region; // of the region

    int add(std::unique_ptr<ir::Block> block, std::vector<Jump> jumps, int height = 0);
    /// Can a block finish the region from anywhere inside? In a loop body by `continue`, in an SDFG by `return`.
    bool canLeaveAnywhere() const { return kind == ir::BlockKind::SDFG || kind == ir::BlockKind::Loop; }
};

/// Fresh labels for new blocks of one SDFG.
class Labels {
public:
    explicit Labels(ir::SDFG &g);
    std::string fresh(const std::string &prefix);

private:
    std::set<std::string> used_;
};

/// Moves the content out of a region with a start block. `canBeNaN` as for areComplementary.
Graph takeFrom(ir::Region &r, const std::function<bool(Name)> &canBeNaN);

/// Creates an empty state.
std::unique_ptr<ir::Block> emptyState(Labels &labels, const std::string &prefix);
/// A state without dataflow or instrumentation: running it has no effect.
bool isEmptyState(const ir::Block &b);
/// Does a break or continue inside refer to a loop around `b`?
bool hasFreeBreak(const ir::Block &b);

/// Order and dominators of a graph. They stay as they are when jumps change later.
class Order : public analysis::Dominators {
public:
    explicit Order(const Graph &g);
};

} // namespace sdfgc::transforms::flow
