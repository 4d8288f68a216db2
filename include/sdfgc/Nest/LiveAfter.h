// Does a container still hold a value that may be read when a block has run?
#pragma once

#include "sdfgc/Nest/Liveness.h"

#include <memory>

namespace sdfgc::nest {

/// The liveness of containers of one SDFG after its blocks. Reads the SDFG when it is first asked, and stays valid while
/// loops become maps: if a container is then private to a map, summaries of the blocks around it may still contain its
/// reads, and its writes, which no later code reads.
class LiveAfter {
public:
    LiveAfter(ir::SDFG &g, analysis::Memories &memories) : g_(g), memories_(memories) {}
    /// May an element be read after the block, before it is overwritten? The container must not outlive its SDFG, and the
    /// block must not be a state: states are known by runs only.
    bool isLive(ir::Block &b, Name container);
    /// Must be called before a loop is replaced.
    void forget(const ir::LoopRegion &l);

private:
    struct Known {
        std::vector<Run> runs;
        Summaries summaries;
        int64_t version; // of the memories that these refer to
        Known(ir::SDFG &g, analysis::Memories &memories);
    };
    ir::SDFG &g_;
    analysis::Memories &memories_;
    std::unique_ptr<Known> known_;
};

} // namespace sdfgc::nest
