// Returns symbols from kernels that run parts of a host program.
#pragma once

#include "sdfgc/Diag/Reason.h"
#include "sdfgc/IR/Sdfg.h"

#include <set>
#include <vector>

namespace sdfgc::transforms {

/// The symbols that blocks that follow each other, and the edges between them, assign, and that something reads after them.
std::set<Name> symbolResults(const std::vector<ir::Block *> &chain);

/// May an edge between two blocks be a part of a kernel: is it unconditional, and assigns numbers that are computed from symbols, and that are
/// no sizes?
bool isForKernel(const ir::InterstateEdge &e);

/// Why the host cannot get these symbols from a kernel; empty if it can.
diag::Reason whyNoResults(ir::Block &b);

/// Appends a state to blocks that become a kernel, which writes the symbols to scalars, and a state after the kernel, whose edge assigns
/// them again:
///
///     for j { if I[j] { count = count + 1 } }          for j { if I[j] { count = count + 1 } }
///                                                 ->   count_result = count                                part of the kernel
///     length = count                                   count = count_result;  length = count
void returnSymbols(std::vector<ir::Block *> &chain);

} // namespace sdfgc::transforms
