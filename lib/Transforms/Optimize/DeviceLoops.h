// Which loops of a program for a device have maps in their bodies that would lose their threads if the loop became a map.
//
// A map around other maps is a kernel in which each thread runs the inner maps alone. A loop of the host around kernels
// is better: they have more threads, and neighbouring ones access neighbouring elements. A body without parallel maps loses
// nothing, and neither does one that is a single map, whose parameters join that of the loop. Of other bodies, loops-to-maps
// asks whether the threads of a block can share them (BlockRows.h).
#pragma once

#include "sdfgc/Diag/Reason.h"
#include "sdfgc/Nest/Conflicts.h"

namespace sdfgc::transforms {

/// Is the body of a loop a single map whose parameters may join its variable? Its ranges must not depend on it.
bool isPerfectNest(const std::vector<nest::Item> &body, Name variable);
/// Lets the body of a loop that is a single copy of several elements, between containers that share no memory, be a parallel map over
/// these elements. Returns the body.
const std::vector<nest::Item> &spreadCopy(std::vector<nest::Item> &body, const nest::Conflicts &items, const ir::SDFG &g);
/// Replaces a map whose body is a single map with one map that has the parameters of both. The outer map must have no
/// private containers.
void mergeInner(nest::Map &outer);

/// Does each iteration of a map use only one element of a container, in tasklets and copies, and write it first?
bool usesOneElement(const nest::Map &m, Name container);

/// Why the body of a loop, read as items or in its current form, would have fewer threads if the loop became a map;
/// empty if it would not. Maps of a body with control flow that only update one element do not count.
diag::Reason whyFewerThreads(const std::vector<nest::Item> &body);
diag::Reason whyFewerThreads(const ir::LoopRegion &l);

/// Why map-to-threads cannot assign the iterations of the inner maps to the threads of a block; empty if it can. Loops that all inner maps have in common become parameters of the map.
diag::Reason whyBlocksCannotShare(nest::Map &rows, const nest::Conflicts &items, const ir::SDFG &g, bool anyOrder);

} // namespace sdfgc::transforms
