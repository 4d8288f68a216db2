// Blocks of statements around lowered code.
#pragma once

#include "Lower/Program/Instance.h"

namespace sdfgc::tree::lowering {

/// Makes `block` a C++ scope if there are declarations directly in `body`, which is `block` itself or the body of a measurement in
/// it.
void braceIfDeclaring(Block &block, const Block &body);

} // namespace sdfgc::tree::lowering
