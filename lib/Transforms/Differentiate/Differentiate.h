// The gradient of one SDFG.
#pragma once

#include "Transforms/Differentiate/Items.h"

namespace sdfgc::transforms::gradient {

/// Adds the gradient of `of` with respect to `wrt` to an SDFG, after what it does. All must be containers of real numbers that the SDFG
/// does not have for itself; their gradients become containers of the same kind. `ledger` becomes what is stored, nested SDFGs included. False after an error.
bool differentiate(ir::SDFG &g, const Request &request, pass::Context &context, Ledger &ledger);

/// Nested SDFGs are run again for their gradients: does none read what it left in a transient when it ran before? Else an error says so.
bool canRunAgain(ir::SDFG &g, pass::Context &context);

} // namespace sdfgc::transforms::gradient
