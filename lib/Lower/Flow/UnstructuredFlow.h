// Control flow that is no sequence, as labels and jumps.
#pragma once

#include "Lower/Program/Instance.h"

namespace sdfgc::tree::lowering {

/// Every block of the region gets a label and is its own C++ scope, so that no jump passes a declaration. Conditions are tested in
/// edge order, an unconditional edge last; where none holds the region is left (format reference 5.5).
void lowerUnstructured(Instance &in, ir::Region &r, Block &out);

} // namespace sdfgc::tree::lowering
