// Estimates the cost of code, for decisions such as whether a team of threads pays.
#pragma once

#include "sdfgc/Tasklet/Ast.h"

namespace sdfgc::py {

/// Returns the number of operations in one execution of a block, where an addition counts 1, a division 8 and a
/// mathematical function 32; both branches of an `if` count. Nothing if unknown: loops, C++, and functions unknown to
/// the front end. Needs no types.
std::optional<int64_t> operations(const std::vector<StmtRef> &block);

} // namespace sdfgc::py
