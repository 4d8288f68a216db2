// Operations whose derivatives are those of others, rewritten as these.
#pragma once

#include "Transforms/Differentiate/Request.h"

namespace sdfgc::transforms::gradient {

/// The pass split-updates, of what is reached from a request: also for what is nested in the SDFG. False after an error.
bool splitUpdates(ir::SDFG &g, const Request &request, Mode mode, bool &changed, pass::Context &context);

} // namespace sdfgc::transforms::gradient
