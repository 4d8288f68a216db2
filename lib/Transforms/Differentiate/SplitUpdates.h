// Rewrites operations as others with known derivatives.
#pragma once

#include "Transforms/Differentiate/Request.h"

namespace sdfgc::transforms::gradient {

/// Runs split-updates on everything that a request reaches, including nested SDFGs. False after an error.
bool splitUpdates(ir::SDFG &g, const Request &request, Mode mode, bool &changed, pass::Context &context);

} // namespace sdfgc::transforms::gradient
