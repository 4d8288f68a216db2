// Edits the control flow of an SDFG: replaces blocks, with fresh labels.
#pragma once

#include "sdfgc/Analysis/Flow/Loops.h"

#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>

namespace sdfgc::transforms {

/// Edits one SDFG, and caches what would otherwise take a walk over all of it each time.
class FlowEdits {
public:
    explicit FlowEdits(ir::SDFG &g) : g_(g) {}

    /// Returns a label that no block has or had. (SDFG::freshLabel visits all blocks each time.)
    std::string freshLabel(const std::string &prefix);
    /// Records all labels. Must be called before a region temporarily leaves the SDFG.
    void readLabels();

    /// Replaces a block with the blocks of a region, which must be a sequence (sequenceOf), or with an empty state if
    /// it has none. The region may be outside the SDFG if labels were read before it left.
    void putInPlaceOf(ir::Block &b, ir::Region &content);

    /// Is the variable of a loop read outside it? The SDFG is scanned only once: code that was in a loop with a single
    /// iteration reads the value that an edge assigns to the variable before it.
    bool isReadOutside(const ir::LoopRegion &l);

private:
    void giveOwnLabels(ir::Region &content, const ir::Region &into, const ir::Block &goes);

    ir::SDFG &g_;
    std::unordered_set<std::string> labels_;       // of all blocks, once one is requested
    std::unordered_map<std::string, int> numbers_; // all labels with a prefix and a number below this are taken
    std::optional<analysis::VariableReads> reads_; // computed lazily, like labels_
};

} // namespace sdfgc::transforms
