// The `location` of tasklets: the threads of a kernel that run it (format reference 6; DaCe: codegen/targets/cuda.py).
//
//     gpu_thread   the threads of a block, counted along x, then y, then z
//     gpu_warp     its warps: thread number divided by the size of a warp
//     gpu_block    the blocks of the grid, counted in the same order
//
// Each is a number, or a range `begin:end:step` with an exclusive end. In device code, a thread runs the tasklet if all
// keys name it. Host code has no device threads: DaCe ignores the keys there.
#pragma once

#include "sdfgc/IR/Sdfg.h"

#include <string>
#include <vector>

namespace sdfgc::analysis {

enum class GuardLevel : uint8_t { Thread, Warp, Block };

struct ThreadGuard {
    GuardLevel level = GuardLevel::Thread;
    sym::Range range; // with an inclusive end, like ranges of maps
    std::string text; // `gpu_thread: 0`
};

struct ThreadGuards {
    std::vector<ThreadGuard> guards;
    std::string unreadable; // the first key, with its value, that is neither a number nor a range; empty: none
};

/// Returns the guards in the `location` of a tasklet; none for other nodes.
ThreadGuards threadGuardsOf(const ir::Node &n);

/// Is a node in device code, judging by the surrounding schedules, also outside its SDFG?
bool isInKernel(const ir::Node &n);

/// Returns the keys of a `location` that guard nothing: all keys of nodes other than tasklets, and unknown ones.
std::vector<std::string> locationWithoutMeaning(const ir::Node &n);

/// Removes the `location` of a node.
void removeLocation(ir::Node &n);

} // namespace sdfgc::analysis
