// Scopes, order and memlet paths of one state. They are part of IR, because its text form needs them; analyses use
// these names.
#pragma once

#include "sdfgc/IR/StateGraph.h"

namespace sdfgc::analysis {

using ir::dataIsSource;
using ir::destinationSubset;
using ir::hasDynamicRange;
using ir::isDynamicRange;
using ir::memletLeaves;
using ir::memletPath;
using ir::nodeBehindViews;
using ir::pairedConnector;
using ir::pathDestination;
using ir::PathEnds;
using ir::pathSource;
using ir::ScopeTree;
using ir::setsReference;
using ir::sourceSubset;
using ir::viewEdge;
using ir::viewedNode;

} // namespace sdfgc::analysis
