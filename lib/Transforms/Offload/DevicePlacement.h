// Which containers and nodes of the host's level belong to the device once some containers are in device memory, and making it so.
#pragma once

#include "sdfgc/IR/Sdfg.h"
#include "sdfgc/Pass/Pass.h"

namespace sdfgc::transforms {

/// Nodes of host-level states (outside of kernels) that touch device memory become kernels: maps get the schedule GPU_Device,
/// tasklets a map of one iteration around them, as do sequential maps whose iterations depend on each other (a remark says so).
/// Transients that kernels write, and arrays that they read, move to device memory; nested SDFGs and views follow the containers
/// after them. Scalars that only the host writes stay there: kernels get them by value. Returns whether anything changed.
bool placeOnDevice(ir::SDFG &root, pass::Context &context);

/// Transient scalars of the host that kernels write move to device memory, in a graph that was offloaded already. DaCe gives each
/// thread a copy, which is gone after the kernel. Then as placeOnDevice. Returns whether anything changed.
bool placeWrittenScalars(ir::SDFG &root, pass::Context &context);

} // namespace sdfgc::transforms
