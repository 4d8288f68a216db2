// Changes to the control flow of an SDFG: blocks in place of others, with labels that no block has.
#pragma once

#include "Transforms/Optimize/Loops.h"

#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>

namespace sdfgc::transforms {

/// Does a region have a break, a continue or a return in it?
bool hasJump(const ir::Region &r);

/// Changes one SDFG, and remembers what it would take a walk over all of it to find out each time.
class FlowEdits {
public:
    explicit FlowEdits(ir::SDFG &g) : g_(g) {}

    /// A label that no block has, or had. (SDFG::freshLabel goes over all blocks each time.)
    std::string freshLabel(const std::string &prefix);
    /// Makes note of all labels, before a region leaves the SDFG for a while.
    void readLabels();

    /// The blocks of a region, which is a sequence (sequenceOf), in place of a block of another region; a state if it has none. The region may
    /// be in no SDFG, if labels were read before it left.
    void putInPlaceOf(ir::Block &b, ir::Region &content);

    /// Does something outside of a loop read its variable? The SDFG is asked once: what used to be in a loop that runs once reads the
    /// value that an edge gives the variable in front of it.
    bool isReadOutside(const ir::LoopRegion &l);

private:
    void giveOwnLabels(ir::Region &content, const ir::Region &into, const ir::Block &goes);

    ir::SDFG &g_;
    std::unordered_set<std::string> labels_;       // of all blocks, once one is asked for
    std::unordered_map<std::string, int> numbers_; // below these, all labels with a prefix are taken
    std::optional<VariableReads> reads_;           // as labels_
};

} // namespace sdfgc::transforms
