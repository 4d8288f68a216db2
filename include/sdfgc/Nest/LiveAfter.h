// Does a container still hold a value that may be read when a block has run?
#pragma once

#include "sdfgc/Nest/Liveness.h"

#include <memory>

namespace sdfgc::nest {

/// The liveness of containers of one SDFG after its blocks. Reads the SDFG when it is first asked.
class LiveAfter {
public:
    LiveAfter(ir::SDFG &g, analysis::Memories &memories) : g_(g), memories_(memories) {}
    /// May an element be read after the block, before it is overwritten? The container must not outlive its SDFG.
    bool isLive(ir::Block &b, Name container);
    /// Call this before the SDFG changes.
    void forget() { known_.reset(); }

private:
    struct Known {
        std::vector<Run> runs;
        Summaries summaries;
        Known(ir::SDFG &g, analysis::Memories &memories);
    };
    ir::SDFG &g_;
    analysis::Memories &memories_;
    std::unique_ptr<Known> known_;
};

} // namespace sdfgc::nest
