// Decides which containers and nodes at host level belong on the device once some containers are in device memory, and
// moves them.
#pragma once

#include "sdfgc/IR/Sdfg.h"
#include "sdfgc/Pass/Pass.h"

namespace sdfgc::transforms {

/// Adds an empty kernel of one thread.
ir::MapEntry *addThread(ir::State &s, std::string label, const ir::DebugInfo &where);
/// Is a map a kernel of one thread?
bool isThread(const ir::MapEntry &m);

/// Turns nodes of host-level states (outside kernels) that access device memory into kernels. Maps get the schedule
/// GPU_Device. A tasklet gets a map of one iteration around it and others that it passes values to; so does a sequential
/// map whose iterations depend on each other (with a remark). Transients that kernels write, and arrays that they read, move to device memory; nested
/// SDFGs and views follow their containers. Scalars that only the host writes stay and are passed to kernels by value.
/// Returns whether anything changed.
bool placeOnDevice(ir::SDFG &root, pass::Context &context);

/// In a graph that was already offloaded, moves transient scalars of the host that kernels write to device memory. DaCe
/// gives each thread a copy, which is lost after the kernel. Continues as placeOnDevice does. Returns whether anything
/// changed.
bool placeWrittenScalars(ir::SDFG &root, pass::Context &context);

} // namespace sdfgc::transforms
