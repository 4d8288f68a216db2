// Consume scopes: bodies that run once for each element of a stream.
#pragma once

#include "Lower/Program/Instance.h"

namespace sdfgc::tree::lowering {

/// Lowers a consume scope and its contents. Reports one whose stream has no place.
void lowerConsume(Instance &in, ir::ConsumeEntry &c, Block &out);

} // namespace sdfgc::tree::lowering
