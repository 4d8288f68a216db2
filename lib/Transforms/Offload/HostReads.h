// What the host reads of device memory: conditions, assignments, loop bounds. Shared by offload-to-gpu and mirror-host-reads.
#pragma once

#include "sdfgc/IR/Sdfg.h"

#include <map>
#include <vector>

namespace sdfgc::transforms {

/// Pairs of containers that hold the same values, one on each side: host name -> device name.
using Twins = std::map<Name, Name>;

/// Nested SDFGs of `g` that the host runs, in order: those outside of maps.
std::vector<ir::NestedSDFGNode *> hostNested(ir::SDFG &g);

/// Does an access node outside or inside of maps write the container, or one of a view that looks at it?
bool writtenInDataflow(const ir::SDFG &g, Name data);

/// Does an edge of a node carry an array?
bool usesArray(const ir::Node &n);

/// Gives the dataflow (access nodes, memlets, the connectors of the node around `g`) another name for a container. Control flow
/// keeps the old one.
void renameDataflow(ir::SDFG &g, Name from, Name to);

/// Splits a container in two: dataflow works on a new one in device memory, whose name is returned; the old name stands for a
/// transient of the host that only control flow reads (or, in the root SDFG, for the caller's container).
Name splitForDevice(ir::SDFG &g, Name host);

/// Puts states with a copy from device to host in front of every place where the control flow of `g` reads one of the containers.
void refreshBeforeReads(ir::SDFG &g, const Twins &twins);

} // namespace sdfgc::transforms
