// Consume scopes: bodies that run once for each element of a stream.
#pragma once

#include "Lower/Program/Instance.h"

namespace sdfgc::tree::lowering {

/// A consume scope with what is inside. One without a stream that has a place is reported.
void lowerConsume(Instance &in, ir::ConsumeEntry &c, Block &out);

} // namespace sdfgc::tree::lowering
