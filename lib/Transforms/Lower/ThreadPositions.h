// Where an iteration of a kernel runs: the number of its thread and of its block, in terms of symbols.
#pragma once

#include "Transforms/Schedule/KernelBlocks.h"

#include <optional>
#include <string>
#include <string_view>

namespace sdfgc::transforms {

/// The maps around a node, innermost first, across nested SDFGs, up to the kernel.
struct Surroundings {
    explicit Surroundings(const ir::Node &n);
    ir::MapEntry *kernel = nullptr;  // the innermost map over the device
    ir::MapEntry *threads = nullptr; // the innermost thread-block map
    bool isInner = false;            // the map over the device is in another one
};

/// The position of an iteration, in terms of symbols at the node.
struct ThreadPosition {
    std::optional<sym::Expr> thread, block; // nothing: not known. `thread`: nothing also beside thread-block maps
    bool besideThreads = false;             // the code runs once for each block
    sym::Expr threads = 1;                  // of a block
    BlockSizes size{1, 1, 1};               // the same along each axis, in terms of symbols at the kernel
    bool isOpen = false;                    // the graph does not say how many
    ir::MapEntry *kernel = nullptr;         // null: the node is in no kernel, and nothing else is known
    std::string obstacle;                   // why something is not known
};

/// The position of the iteration that runs a node. Nested SDFGs between the kernel and the node get the symbols that it needs.
ThreadPosition threadPosition(const ir::Node &n);

/// Does anything in the SDFG have the name? Beyond what SDFG::freshName avoids: connectors, parameters of maps, and words of code, which
/// would hide a symbol that the SDFG gets later.
bool isTaken(const ir::SDFG &g, Name name);

} // namespace sdfgc::transforms
