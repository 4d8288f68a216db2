// The walk over the loops of a program, shared by passes over loops.
#pragma once

#include "sdfgc/Nest/LiveAfter.h"
#include "sdfgc/Nest/LoopBody.h"
#include "sdfgc/Nest/LoopItems.h"
#include "sdfgc/Pass/Pass.h"

#include <functional>
#include <optional>

namespace sdfgc::transforms {

/// Which values are needed after the loops of one SDFG; found when a pass asks for it.
class ValuesAfterLoops {
public:
    /// `memories`: of the program. Both must outlive this.
    ValuesAfterLoops(ir::SDFG &g, analysis::Memories &memories) : g_(g), memories_(memories) {}

    /// Stays valid while loops become maps.
    nest::BodySymbols &symbols() {
        if (!symbols_)
            symbols_.emplace(g_);
        return *symbols_;
    }
    /// Stays valid if the caller says which blocks go (LiveAfter::forget).
    nest::LiveAfter &containers() {
        if (!containers_)
            containers_.emplace(g_, memories_);
        return *containers_;
    }
    /// Call this after other changes to blocks: references to both are invalid then.
    void forget() {
        symbols_.reset();
        containers_.reset();
    }

private:
    ir::SDFG &g_;
    analysis::Memories &memories_;
    std::optional<nest::BodySymbols> symbols_;
    std::optional<nest::LiveAfter> containers_;
};

/// A pass's information about the SDFG of a loop.
struct LoopsOf {
    ir::SDFG &g;
    analysis::Memories &memories;
    const nest::Conflicts &items;
    nest::LoopItems &loops;
    ValuesAfterLoops &after;
};

/// Which loops of a nest come first. With `OuterFirst`, those inside of a replaced loop are left out.
enum class LoopOrder : uint8_t { InnerFirst, OuterFirst };

/// Which SDFGs: those before anything moved to a device, or those with kernels.
enum class LoopPlace : uint8_t { Host, Device };

/// Calls `change` for the loops of a program. Left out are loops in scopes, in SDFGs of the other kind, and those
/// inside of elements that the graph keeps (nest::isKept); a loop that is itself kept is passed, so that the caller can remark on
/// it. `change` returns whether it replaced the loop (LoopItems::replace, LoopItems::changed). Returns whether any loop changed.
bool changeLoops(ir::SDFG &root, const std::function<bool(ir::LoopRegion &, const LoopsOf &)> &change,
                 LoopOrder order = LoopOrder::InnerFirst, LoopPlace place = LoopPlace::Host);

} // namespace sdfgc::transforms
