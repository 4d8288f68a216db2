// Where each transient of an SDFG is declared and allocated (codegen-semantics 10.1; docs/design.md, level allocated).
#pragma once

#include "sdfgc/IR/Sdfg.h"

#include <map>
#include <vector>

namespace sdfgc::tree {

using ir::LoopRegion;

struct Placement {
    /// Declared at the top of the SDFG with a size known there, in container order.
    std::vector<Name> top;
    /// Declared at the top of the SDFG, allocated later because the size depends on symbols that the SDFG itself assigns.
    std::vector<Name> late;
    /// Which late containers are allocated in front of a block.
    std::map<const ir::Block *, std::vector<Name>> allocateBefore;
    /// Used in one state only: declared in the innermost scope (null: the state itself) around all uses.
    std::map<const ir::State *, std::map<const ir::Node *, std::vector<Name>>> local;
    /// Fields of the program's state: persistent, external, global.
    std::vector<Name> fields;
};

Placement placeContainers(ir::SDFG &g);

} // namespace sdfgc::tree
