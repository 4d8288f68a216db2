// The walk over the loops of a program, shared by passes over loops.
#pragma once

#include "sdfgc/Nest/LoopItems.h"
#include "sdfgc/Pass/Pass.h"

#include <functional>

namespace sdfgc::transforms {

/// A pass's information about the SDFG of a loop.
struct LoopsOf {
    ir::SDFG &g;
    analysis::Memories &memories;
    const nest::Conflicts &items;
    nest::LoopItems &loops;
};

/// Which loops of a nest come first. With `OuterFirst`, those inside of a replaced loop are left out.
enum class LoopOrder : uint8_t { InnerFirst, OuterFirst };

/// Calls `change` for the loops of a program. Left out are loops in scopes, in SDFGs with kernels, and those
/// inside of elements that the graph keeps (nest::isKept); a loop that is itself kept is passed, so that the caller can remark on
/// it. `change` returns whether it replaced the loop (LoopItems::replace, LoopItems::changed). Returns whether any loop changed.
bool changeLoops(ir::SDFG &root, const std::function<bool(ir::LoopRegion &, const LoopsOf &)> &change,
                 LoopOrder order = LoopOrder::InnerFirst);

} // namespace sdfgc::transforms
