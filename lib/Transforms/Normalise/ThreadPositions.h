// Where an iteration of a kernel runs: its thread and block numbers, in terms of symbols.
#pragma once

#include "sdfgc/Analysis/Device/KernelBlocks.h"

#include <optional>
#include <string>
#include <string_view>

namespace sdfgc::transforms {

/// The maps around a node, innermost first, across nested SDFGs, up to the kernel.
struct Surroundings {
    explicit Surroundings(const ir::Node &n);
    ir::MapEntry *kernel = nullptr;  // the innermost map over the device
    ir::MapEntry *threads = nullptr; // the innermost thread-block map
    bool isInner = false;            // the device map is inside another one
};

/// The position of an iteration, in terms of symbols at the node.
struct ThreadPosition {
    std::optional<sym::Expr> thread, block; // nothing: unknown; `thread` is also unset next to thread-block maps
    bool besideThreads = false;             // the code runs once per block
    sym::Expr threads = 1;                  // per block
    analysis::BlockSizes size{1, 1, 1};     // block size along each axis, in terms of symbols at the kernel
    bool isOpen = false;                    // the graph leaves the block size open
    ir::MapEntry *kernel = nullptr;         // null: the node is not in a kernel, and nothing else is set
    std::string obstacle;                   // why something is unknown
};

/// Returns the position of the iteration that runs a node. Nested SDFGs between the kernel and the node receive the
/// symbols that it needs.
ThreadPosition threadPosition(const ir::Node &n);

/// Is the name used anywhere in the SDFG? Beyond the names that SDFG::freshName avoids, this covers connectors, map
/// parameters, and words of code, which would hide a symbol that is added later.
bool isTaken(const ir::SDFG &g, Name name);

} // namespace sdfgc::transforms
