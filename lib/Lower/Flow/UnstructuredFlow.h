// Control flow that is not a sequence, as labels and jumps.
#pragma once

#include "Lower/Program/Instance.h"

namespace sdfgc::tree::lowering {

/// Every block of the region gets a label and its own C++ scope, so that no jump crosses a declaration. Conditions are tested in
/// edge order, an unconditional edge last; if none holds, control leaves the region (format reference 5.5).
void lowerUnstructured(Instance &in, ir::Region &r, Block &out);

} // namespace sdfgc::tree::lowering
