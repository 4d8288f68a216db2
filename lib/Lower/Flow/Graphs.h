// Regions launched as one GPU graph.
#pragma once

#include "Lower/Program/Instance.h"

namespace sdfgc::tree::lowering {

/// A formed region: a GraphRegion with its statements, whose operations are numbered and list the ones that they must follow. If it
/// contains anything that a graph cannot have, the statements are emitted as usual, with a remark.
void lowerGraph(Instance &in, ir::Region &formed, tree::Block &out);

} // namespace sdfgc::tree::lowering
