// Tasklets outside of maps that a device would execute as kernels of one thread.
//
// A tasklet moves to the device if it uses what kernels compute: a mean made from a sum, the element after the last one of a
// map. Its launch takes longer than its work, so passes that run before the offload let other kernels do it.
#pragma once

#include "sdfgc/Nest/Nest.h"

namespace sdfgc::transforms {

/// The containers of an SDFG that kernels would compute: those that maps and library nodes write, and those that tasklets
/// outside of maps compute from them. The runs must be all runs of the SDFG.
std::set<Name> computedByKernels(const std::vector<nest::Run> &runs);

/// Would an item be a kernel of one thread: a Python tasklet outside of maps that reads or writes what kernels compute?
bool isThread(const nest::Item &i, const std::set<Name> &computed);

/// Is it a scalar of the program, on the host so far, which may become a variable of a thread?
bool isHostScalar(const ir::DataDesc &d);

} // namespace sdfgc::transforms
