// Does a block read the old value of a variable, or assign the variable first?
#pragma once

#include "sdfgc/Tree/Effects.h"

namespace sdfgc::tree {

enum class Flow : uint8_t {
    Read,     // some path may read the value from before the block
    Maybe,    // no path reads it; some paths do not use the variable
    Assigned, // every path assigns the variable before it reads it
};

/// Returns how a block treats the old value of a single-element variable. Blocks with labels count as Read, because a
/// goto may come from anywhere.
Flow valueFlow(const Function &f, EffectTable &table, const Block &b, Name n);

/// Is it `n = value`, for the entire variable and with a value that does not read it?
bool assignsWhole(const Function &f, const EffectTable &table, const py::StmtRef &s, Name n);

/// Is it a loop whose header assigns the variable before its test?
bool startsLoop(const Function &f, const EffectTable &table, const Node &n, Name name);

} // namespace sdfgc::tree
