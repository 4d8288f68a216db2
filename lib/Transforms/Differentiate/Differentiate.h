// The gradient of one SDFG.
#pragma once

#include "Transforms/Differentiate/Items.h"

namespace sdfgc::transforms::gradient {

/// Adds the gradient of `of` with respect to `wrt` to an SDFG, after what it does. All must be containers of real numbers that the SDFG
/// does not have for itself; their gradients become containers of the same kind. `ledger` becomes what is stored, nested SDFGs included. False after an error.
bool differentiate(ir::SDFG &g, const Request &request, pass::Context &context, Ledger &ledger);

} // namespace sdfgc::transforms::gradient
