// Questions that passes over the nest form ask of pairs of items.
#pragma once

#include "sdfgc/Nest/Nest.h"

namespace sdfgc::transforms {

/// What an item as a whole does to memories, how many steps it has, and whether it does more (nest::hasEffects).
struct ItemFacts {
    struct Does {
        bool reads = false, writes = false;
    };
    std::map<analysis::Memory, Does> memories; // that it uses
    std::size_t steps = 0;
    bool effects = false;
    bool queues = false; // does it push to streams, or pop from them?
};

/// A use in terms of the loops of a map that its own map is laid over.
struct AlignedUse {
    const nest::Use *use = nullptr;
    analysis::AccessInstance instance;
};

/// Knows the containers of one SDFG. Valid as long as the program's memories are.
class NestItems {
public:
    NestItems(const ir::SDFG &g, const analysis::Memories &memories);

    /// What is known of symbols (analysis::factsOf).
    const sym::Assumptions &facts() const { return facts_; }
    ItemFacts factsOf(const nest::Item &item) const;
    /// Does `a` write a transient that `b` reads?
    bool handsOn(const ItemFacts &a, const ItemFacts &b) const;
    /// Do both use one memory?
    bool shares(const ItemFacts &a, const ItemFacts &b) const;
    /// How many streams of memory do both have together? Scalars are none, and neither are transients that they write and read: these
    /// mostly become variables.
    std::size_t streamsOf(const ItemFacts &a, const ItemFacts &b) const;
    /// How many bytes have the memories together that both use? What a second walk over them costs, for remarks.
    sym::Expr sharedBytes(const ItemFacts &a, const ItemFacts &b) const;
    /// Can two uses be of one element, one of them a write?
    bool meet(const nest::Use &a, const nest::Use &b) const;
    /// Must two items keep their order?
    bool ordered(const nest::Item &a, const ItemFacts &factsOfA, const nest::Item &b, const ItemFacts &factsOfB) const;
    /// The conflict of two uses that meet, whose first `common` loops are the same.
    std::optional<analysis::Conflict> conflict(const AlignedUse &a, const AlignedUse &b, std::size_t common) const;

private:
    bool mayMeet(const ItemFacts &a, const ItemFacts &b) const;
    const analysis::Memories &memories_;
    const sym::Assumptions facts_;
};

/// The reason for a remark on a conflict between iterations: `WHAT by `A` (idx[i] is not affine)`, where A is what `named` uses.
diag::Reason conflictReason(const std::string &what, const AlignedUse &named, const AlignedUse &other, const analysis::Conflict &c);

/// Can the first `depth` loops of a map be laid over others, in whose terms `meaning` gives its parameters? The loops that are left, and
/// the body, must have no names that would mean something else there.
bool canLayOver(const nest::Map &m, const std::map<Name, sym::Expr> &meaning, std::size_t depth);

/// The uses of a map whose first `depth` loops are laid over those of `onto`. `meaning`: of its parameters in terms of that map's.
std::vector<AlignedUse> aligned(const nest::Map &m, const nest::Map &onto, const std::map<Name, sym::Expr> &meaning,
                                std::size_t depth);

/// Memories of transients that one step writes, and that nothing outside of the run of that step uses.
std::set<analysis::Memory> handedInRuns(const std::vector<nest::Run> &runs, ir::SDFG &g, const analysis::Memories &memories);

} // namespace sdfgc::transforms
