// How much code computes: an estimate, for decisions like whether a team of threads is worth it.
#pragma once

#include "sdfgc/Tasklet/Ast.h"

namespace sdfgc::py {

/// Operations that one execution of a block takes, where an addition counts 1, a division 8 and a mathematical function 32; both
/// branches of an `if` count. Nothing when it cannot be told: loops, C++, functions that the front end does not know. No types are
/// needed.
std::optional<int64_t> operations(const std::vector<StmtRef> &block);

} // namespace sdfgc::py
