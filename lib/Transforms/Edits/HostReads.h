// Host reads of device memory: conditions, assignments, loop bounds. Shared by offload-to-gpu and mirror-host-reads.
#pragma once

#include "sdfgc/IR/Sdfg.h"

#include <map>
#include <vector>

namespace sdfgc::transforms {

/// Pairs of containers that hold the same values on host and device: host name -> device name.
using Twins = std::map<Name, Name>;

/// Returns the nested SDFGs of `g` that the host runs, in order: those outside maps.
std::vector<ir::NestedSDFGNode *> hostNested(ir::SDFG &g);

/// Does an access node, outside or inside maps, write the container or a view of it?
bool writtenInDataflow(const ir::SDFG &g, Name data);

/// Does an edge of a node carry an array?
bool usesArray(const ir::Node &n);

/// Renames a container in the dataflow (access nodes, memlets, connectors of the node around `g`). Control flow keeps
/// the old name.
void renameDataflow(ir::SDFG &g, Name from, Name to);

/// Renames a container in the code of interstate edges, loops and conditions. Dataflow keeps the old name.
void renameInControlFlow(ir::SDFG &g, Name from, Name to);

/// Splits a container in two. Dataflow uses a new one in device memory, whose name is returned. The old name refers to
/// a transient on the host that only control flow reads (or, in the root SDFG, to the caller's container).
Name splitForDevice(ir::SDFG &g, Name host);

/// Lets control flow read a transient on the host in place of a container, whose name dataflow keeps. Returns its name. The caller
/// adds the copies that fill it.
Name mirrorOnHost(ir::SDFG &g, Name original);

/// A container in device memory, and the container, or the member of a structure, that gets its values on the host.
struct HostCopy {
    Name device, host;
    friend bool operator==(const HostCopy &, const HostCopy &) = default;
};
/// The copies that are necessary before control flow reads a name.
using HostCopies = std::map<Name, std::vector<HostCopy>>;

/// Inserts states that copy from device to host before every place where the control flow of `g` reads one of the
/// containers.
void refreshBeforeReads(ir::SDFG &g, const Twins &twins);
void refreshBeforeReads(ir::SDFG &g, const HostCopies &copies);

} // namespace sdfgc::transforms
