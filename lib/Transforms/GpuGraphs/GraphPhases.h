// Sorts the steps of consecutive states into alternating phases of host and device.
#pragma once

#include "sdfgc/Analysis/Device/GraphRegions.h"

namespace sdfgc::transforms {

/// Consecutive states of a region, without conditions or assignments between them.
using StateChain = std::vector<ir::State *>;

/// Sorts the steps of the states: first host steps that wait for no device operation of the chain, then operations that
/// can be graph nodes and depend only on these host steps, then host steps that need their results, and so on. Each
/// step stays after everything that it depends on: by edges, by memory that one of the two writes, or because both have
/// effects that memory does not show. A state is split into one part for each phase in which it has steps. The parts
/// replace the states, phase by phase.
///
/// Returns the states that are no longer part of the program; analyses identify them by address, so they must outlive
/// these. Returns an empty list and changes nothing if no device phase would have `least` operations, if the states are
/// phases already, or if a state cannot be split: it is timed, has queues or references, or passes values directly from
/// code to code. `freshLabel` returns unused labels. Other blocks of the region stay as they are.
std::vector<std::unique_ptr<ir::Block>> sortIntoPhases(ir::Region &r, const StateChain &chain, analysis::GraphBlockers &blockers,
                                                       int64_t least,
                                                       const std::function<std::string(const std::string &)> &freshLabel);

} // namespace sdfgc::transforms
