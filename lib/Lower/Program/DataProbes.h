// Data instrumentation: access nodes that save what a container holds, or restore it.
#pragma once

#include "Instance.h"

namespace sdfgc::tree::lowering {

/// Saves or restores a container where its node is reached and what is copied into it has been. Device memory goes through a copy
/// on the host, which waits for all streams before and for the copies after: streams need not know of probes.
void dataProbe(Instance &in, const ir::AccessNode &n, Block &out);

} // namespace sdfgc::tree::lowering
