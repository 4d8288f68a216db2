// Ranges of maps that read containers: through connectors (`map[i = n:m] with n <- first[0]`), or by the name of a scalar.
#pragma once

#include "sdfgc/IR/StateGraph.h"

#include <string>
#include <vector>

namespace sdfgc::transforms {

/// A value that the ranges of a map outside other scopes read.
struct RangeRead {
    ir::MapEntry *map;
    Name name;                  // in the ranges: of a connector, or of a scalar
    ir::Edge *edge = nullptr;   // to the connector; null for a scalar
    std::string text;           // as control flow in front of the state may write it
    std::vector<ir::Node *> in; // nodes that may mention the connector: the map, and all in its scope
};

/// Returns the reads of a state that a symbol can replace, if nothing in the state writes the containers.
std::vector<RangeRead> rangeReads(ir::State &s);

/// Lets a map use a symbol instead. A connector is removed, and so is an access node that nothing else needs.
void replaceRead(const RangeRead &r, Name symbol);

} // namespace sdfgc::transforms
