// Maps in place of steps that could run as maps, and maps inside of maps.
#pragma once

#include "sdfgc/Nest/Nest.h"

namespace sdfgc::transforms {

/// A copy between two containers as a map over the iterations of `like`; nothing if it has another shape. The map has a tasklet of its
/// own for each element.
std::unique_ptr<nest::Map> copyAsMap(const nest::Step &copy, const nest::Map &like, const ir::SDFG &g);

/// A Reduce node as two items: `init` gives every output its identity; `update` is a map over all elements of the input, in their
/// order, that updates outputs with conflict resolution.
struct ReduceAsMaps {
    nest::Item init;
    std::unique_ptr<nest::Map> update; // null: the node cannot be written so
};
/// Parameters have the names of those of `like`, whose schedule the maps have. Not if the node has no identity, if its function is not
/// associative, or if teams of threads would update one output together: only its first loop is parallel.
ReduceAsMaps reduceAsMaps(const nest::Step &reduce, const nest::Map &like, const ir::SDFG &g);

/// Is a step a Reduce node?
bool isReduce(const nest::Step &s);

/// May the loops of a map become loops inside of each other: does its author ask for nothing that is said of all of them together?
bool canSplit(const nest::Map &m);
/// Makes a map over the first `depth` parameters, around a sequential one over the others.
void splitOff(nest::Map &m, std::size_t depth);

} // namespace sdfgc::transforms
