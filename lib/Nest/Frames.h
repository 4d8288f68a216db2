// The SDFGs whose blocks are read as part of a loop's body (LoopBody.cpp): that of the loop, and those nested in it.
#pragma once

#include "Nest/Values.h"
#include "Nest/Window.h"

namespace sdfgc::nest {

/// A container of a nested SDFG, as part of one of the loop's SDFG.
struct Placed {
    Name data;
    Name outer;                   // the container that is passed, in the surrounding frame
    std::optional<Window> window; // in terms of the loop; nothing: some of its elements
    bool isWholeStructure = false;
};

/// An SDFG whose blocks are being read.
struct Frame {
    ir::SDFG &g;
    std::set<Name> shared;
    std::map<Name, Placed> arguments; // of a nested SDFG
    const Frame *around = nullptr;
};

/// Returns what dataflow in a region writes, at any depth.
std::vector<analysis::Place> writtenIn(const ir::Region &r, analysis::Memories &memories);

/// Returns where an argument of a nested SDFG lies. `u`: of the call, in terms of the frame, whose values are given; `meaning`: of
/// the symbols of the nested SDFG.
Placed argumentOf(const Use &u, const ir::SDFG &g, const std::map<Name, sym::Expr> &meaning, const Frame &f, Values &values);

/// Returns elements of a container of a frame as elements of one of the loop's SDFG.
std::pair<Name, std::optional<sym::Subset>> placed(Name data, const std::optional<sym::Subset> &subset, const Frame &f);

/// Containers of frames that are private to iterations of maps.
using PrivateContainers = std::vector<std::pair<const ir::SDFG *, Name>>;
/// Is a container of a frame one of them, or passed from one?
bool isPrivate(Name data, const Frame &f, const PrivateContainers &all);

/// Does a memory belong to a nested SDFG, each call of which has its own?
bool isOwnOfCall(analysis::Memory memory, const Frame &f, const analysis::Memories &memories);

} // namespace sdfgc::nest
