// Which containers may become private to the iterations of a loop, judging by what is outside of the loop.
#pragma once

#include "sdfgc/Nest/LiveAfter.h"
#include "sdfgc/Nest/LoopItems.h"

namespace sdfgc::transforms {

/// The scratch of one loop that may become a map.
class LoopScratch {
public:
    LoopScratch(ir::LoopRegion &l, const nest::LoopItems &loops, nest::LiveAfter &containers);

    /// What a container holds before and after the loop. Larger containers are allocated in each iteration, which pays off if the
    /// loop has loops. A container that lives as long as the program is scratch if only the loop uses it.
    nest::Outside outside(Name container) const;
    /// Why values of a container are needed outside, for the text of a reason; empty if they are not.
    std::string whyNeeded(Name container) const;

private:
    bool mayBePrivate(const ir::DataDesc &d) const;

    ir::LoopRegion &loop_;
    const ir::SDFG &g_;
    const nest::LoopItems &loops_;
    nest::LiveAfter &containers_;
    const bool hasLoops_;
};

} // namespace sdfgc::transforms
