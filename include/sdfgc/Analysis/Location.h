// `location` of tasklets: which threads of a kernel run one (format reference 6; DaCe: codegen/targets/cuda.py).
//
//     gpu_thread   the threads of a block, counted along x, then y, then z
//     gpu_warp     its warps: threads by the size of a warp
//     gpu_block    the blocks of the grid, counted likewise
//
// Each is a number, or a range `begin:end:step` without its end. In device code only what all of them name runs the tasklet. Code of
// the host has no threads of a device: DaCe ignores the keys there.
#pragma once

#include "sdfgc/IR/Sdfg.h"

#include <string>
#include <vector>

namespace sdfgc::analysis {

enum class GuardLevel : uint8_t { Thread, Warp, Block };

struct ThreadGuard {
    GuardLevel level = GuardLevel::Thread;
    sym::Range range; // with its end, as ranges of maps are
    std::string text; // `gpu_thread: 0`
};

struct ThreadGuards {
    std::vector<ThreadGuard> guards;
    std::string unreadable; // the first key whose value is neither a number nor a range, with the value; empty: there is none
};

/// The guards of a tasklet, as its `location` says. None for other nodes.
ThreadGuards threadGuardsOf(const ir::Node &n);

/// Is a node in code of the device, by the schedules around it, also outside of its SDFG?
bool isInKernel(const ir::Node &n);

/// Keys of a `location` that guard nothing: all keys of nodes other than tasklets, and unknown ones.
std::vector<std::string> locationWithoutMeaning(const ir::Node &n);

/// Takes the `location` away from a node.
void removeLocation(ir::Node &n);

} // namespace sdfgc::analysis
