// Blocks of statements around lowered code.
#pragma once

#include "Lower/Program/Instance.h"

namespace sdfgc::tree::lowering {

/// Makes a block a C++ scope if there are declarations directly in it.
void braceIfDeclaring(Block &block);

} // namespace sdfgc::tree::lowering
