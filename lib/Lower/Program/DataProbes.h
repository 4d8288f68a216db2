// Data instrumentation: access nodes that save or restore the content of a container.
#pragma once

#include "Instance.h"

namespace sdfgc::tree::lowering {

/// Saves or restores a container when its node is reached, after copies into it are complete. Device memory is copied through host
/// memory; this waits for all streams before and for the copies after, so streams need not handle probes.
void dataProbe(Instance &in, const ir::AccessNode &n, Block &out);

} // namespace sdfgc::tree::lowering
