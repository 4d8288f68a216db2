// Does a variable bring a value into a block, or is it given one there before anything reads it?
#pragma once

#include "sdfgc/Tree/Effects.h"

namespace sdfgc::tree {

enum class Flow : uint8_t {
    Read,     // some path reads the value from before the block, or nobody knows
    Maybe,    // no path does; some paths leave the variable alone
    Assigned, // every path assigns the variable before it reads it
};

/// What a block does with the value that a variable of one element has before it. Blocks with labels count as Read: a goto may come
/// from anywhere.
Flow valueFlow(const Function &f, EffectTable &table, const Block &b, Name n);

/// Is it `n = value`, for the whole variable and with a value that does not read it?
bool assignsWhole(const Function &f, const EffectTable &table, const py::StmtRef &s, Name n);

/// Is it a loop whose header assigns the variable before its test?
bool startsLoop(const Function &f, const EffectTable &table, const Node &n, Name name);

} // namespace sdfgc::tree
