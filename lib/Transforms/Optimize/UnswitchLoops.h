// Loop unswitching: a loop for each branch of the conditional in it, which is tested in front of them.
#pragma once

#include "Transforms/Optimize/FlowEdits.h"

#include "sdfgc/Analysis/Memories.h"
#include "sdfgc/Diag/Reason.h"

namespace sdfgc::transforms {

/// Unswitches loops of one SDFG.
class LoopUnswitching {
public:
    /// `changedByCode`: symbols that tasklets change (analysis::changedSymbols).
    LoopUnswitching(ir::SDFG &g, analysis::Memories &memories, const std::set<Name> &changedByCode, FlowEdits &edits)
        : g_(g), memories_(memories), changedByCode_(changedByCode), edits_(edits) {}

    /// The conditional in the body of a loop, if all other blocks there are states; else null.
    static const ir::ConditionalBlock *testOf(const ir::LoopRegion &l);

    /// Why its conditional `c` stays in a loop; empty if it can be tested in front. `assigned`: by the loop (assignedIn).
    diag::Reason obstacle(const ir::LoopRegion &l, const ir::ConditionalBlock &c, const std::set<Name> &assigned) const;

    /// Puts a conditional in place of the loop, with a loop for each branch of the one in it, against which nothing stands.
    void unswitch(ir::LoopRegion &l, const ir::ConditionalBlock &c);

private:
    bool isInvariant(const ir::Code &c, const ir::LoopRegion &l, const std::set<Name> &assigned) const;
    bool isWrittenIn(const ir::LoopRegion &l, Name scalar) const;
    bool isIdleWithout(const ir::LoopRegion &l, const ir::ConditionalBlock &c);
    void separate(ir::LoopRegion &l, const std::set<Name> &shared, std::set<Name> &owned);
    void rename(ir::LoopRegion &l);

    ir::SDFG &g_;
    analysis::Memories &memories_;
    const std::set<Name> &changedByCode_;
    FlowEdits &edits_;
    std::set<Name> connectors_; // of all nodes, once they are asked for
    int unswitched_ = 0;
};

} // namespace sdfgc::transforms
