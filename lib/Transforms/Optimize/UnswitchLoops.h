// Loop unswitching: moves the conditional of a loop around it, with a loop for each branch.
#pragma once

#include "Transforms/Edits/FlowEdits.h"

#include "sdfgc/Analysis/Memory/Memories.h"
#include "sdfgc/Diag/Reason.h"

namespace sdfgc::transforms {

/// The element that a program must not contain twice, because it has a name or state of its own, or is measured.
diag::Reason whatIsUnique(const ir::LoopRegion &l);

/// Unswitches loops of one SDFG.
class LoopUnswitching {
public:
    /// `changedByCode`: symbols that tasklets change (analysis::changedSymbols).
    LoopUnswitching(ir::SDFG &g, analysis::Memories &memories, const std::set<Name> &changedByCode, FlowEdits &edits)
        : g_(g), memories_(memories), changedByCode_(changedByCode), edits_(edits) {}

    /// Returns the conditional in the body of a loop if all other blocks are states, otherwise null.
    static const ir::ConditionalBlock *testOf(const ir::LoopRegion &l);

    /// Returns why the conditional `c` must stay in its loop; empty if it can be hoisted. `assigned`: by the loop
    /// (assignedInside).
    diag::Reason obstacle(const ir::LoopRegion &l, const ir::ConditionalBlock &c, const std::set<Name> &assigned) const;

    /// Replaces the loop with a conditional that contains a loop for each branch of `c`. There must be no obstacle.
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
    std::set<Name> connectors_; // of all nodes, once requested
    int unswitched_ = 0;
};

} // namespace sdfgc::transforms
