// Regions that are launched as one GPU graph.
#pragma once

#include "Lower/Program/Instance.h"

namespace sdfgc::tree::lowering {

/// A formed region: a GraphRegion with its statements, whose operations are numbered and know which of them come before. Where it has
/// more than a graph can have, the statements stand as they are, with a remark.
void lowerGraph(Instance &in, ir::Region &formed, tree::Block &out);

} // namespace sdfgc::tree::lowering
