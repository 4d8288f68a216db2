// The kinds of removals.
#pragma once

#include "sdfgc/IR/Sdfg.h"

#include <span>

namespace sdfgc::reduce {

/// Removes targets `from` ... `to` - 1 of one kind, in list order; returns how many targets there are. With from == to it only
/// counts. Every removal shortens the list of targets, so that a search terminates.
using Removal = std::size_t (*)(ir::SDFG &root, std::size_t from, std::size_t to);

struct RemovalKind {
    const char *targets; // for people: `nodes`
    Removal remove;
};

/// In the order in which they are tried: large removals come first.
std::span<const RemovalKind> kinds();

/// Removes leftovers of removals: scope connectors without a counterpart, scopes without content, connectors and access nodes
/// without edges. Renumbers.
void cleanUp(ir::SDFG &root);

inline bool isSelected(std::size_t i, std::size_t from, std::size_t to) { return from <= i && i < to; }

// ---- Blocks.cpp
std::size_t removeBlocks(ir::SDFG &root, std::size_t from, std::size_t to);
/// A loop or plain region is replaced by its content, a conditional block by that of its first branch.
std::size_t unwrapRegions(ir::SDFG &root, std::size_t from, std::size_t to);
std::size_t removeBranches(ir::SDFG &root, std::size_t from, std::size_t to);
std::size_t removeAssignments(ir::SDFG &root, std::size_t from, std::size_t to);
std::size_t removeConditions(ir::SDFG &root, std::size_t from, std::size_t to);
// ---- Nodes.cpp
std::size_t removeScopes(ir::SDFG &root, std::size_t from, std::size_t to);
std::size_t removeNodes(ir::SDFG &root, std::size_t from, std::size_t to);
std::size_t removeEdges(ir::SDFG &root, std::size_t from, std::size_t to);
std::size_t simplifyMemlets(ir::SDFG &root, std::size_t from, std::size_t to);
std::size_t simplifyTasklets(ir::SDFG &root, std::size_t from, std::size_t to);
std::size_t shrinkRanges(ir::SDFG &root, std::size_t from, std::size_t to);
// ---- Declarations.cpp
std::size_t removeContainers(ir::SDFG &root, std::size_t from, std::size_t to);
std::size_t removeSymbols(ir::SDFG &root, std::size_t from, std::size_t to);
std::size_t removeCode(ir::SDFG &root, std::size_t from, std::size_t to);
std::size_t removeDebugInfo(ir::SDFG &root, std::size_t from, std::size_t to);

} // namespace sdfgc::reduce
