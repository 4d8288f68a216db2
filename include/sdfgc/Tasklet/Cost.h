// Estimates the cost of code, for decisions such as whether a team of threads pays.
#pragma once

#include "sdfgc/Tasklet/Ast.h"

namespace sdfgc::py {

struct Operations {
    int64_t all = 0;
    int64_t inFunctions = 0; // of those: in mathematical functions and powers, which compilers do not vectorise
};

/// Returns the number of operations in one execution of a block, where an addition counts 1, a division 8 and a
/// mathematical function 32; both branches of an `if` count. Nothing if unknown: loops, C++, and functions unknown to
/// the front end. Needs no types.
std::optional<Operations> countOperations(const std::vector<StmtRef> &block);
/// Returns `all` of countOperations.
std::optional<int64_t> operations(const std::vector<StmtRef> &block);

} // namespace sdfgc::py
