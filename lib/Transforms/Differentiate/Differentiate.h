// Adds gradients to a single SDFG.
#pragma once

#include "Transforms/Differentiate/Items.h"

namespace sdfgc::transforms::gradient {

/// Appends the gradient of `of` with respect to `wrt` to an SDFG. All must be floating-point containers that are not local to the
/// SDFG. Their gradients become containers of the same kind. `ledger` receives the stored tapes, including those of nested SDFGs.
/// Returns false after an error.
bool differentiate(ir::SDFG &g, const Request &request, pass::Context &context, Ledger &ledger);

/// Nested SDFGs run again for their gradients. Checks that none of them reads what a previous run left in a transient;
/// reports an error otherwise.
bool canRunAgain(ir::SDFG &g, pass::Context &context);

} // namespace sdfgc::transforms::gradient
