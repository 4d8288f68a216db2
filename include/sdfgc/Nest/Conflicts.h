// Queries on pairs of items of the nest form.
#pragma once

#include "sdfgc/Analysis/Memory/Access.h"
#include "sdfgc/Nest/Nest.h"

#include <span>

namespace sdfgc::nest {

/// Summary of an item: its memory accesses, its number of steps, and whether it has other effects (nest::hasEffects).
struct ItemFacts {
    std::map<analysis::Memory, analysis::Access> memories;
    std::size_t steps = 0;
    bool effects = false;
    bool queues = false; // pushes to streams or pops from them
};

/// Queries about the containers of one SDFG. Valid as long as the program's memories are.
class Conflicts {
public:
    Conflicts(const ir::SDFG &g, const analysis::Memories &memories);

    /// What is known about symbols (analysis::factsOf).
    const sym::Assumptions &facts() const { return facts_; }
    /// What of that also holds where no container is used (analysis::factsEverywhere).
    const sym::Assumptions &factsEverywhere() const { return factsEverywhere_; }
    ItemFacts factsOf(const Item &item) const;
    /// Does `a` write a transient that `b` reads?
    bool handsOn(const ItemFacts &a, const ItemFacts &b) const;
    /// Do both access a common memory?
    bool shares(const ItemFacts &a, const ItemFacts &b) const;
    /// Returns the number of memory streams that both have together. Scalars do not count, and neither do transients
    /// that are both written and read, because most of these become variables.
    std::size_t streamsOf(const ItemFacts &a, const ItemFacts &b) const;
    /// Returns the total size, in bytes, of the memories that both access. This is the cost of a second walk over them,
    /// for remarks.
    sym::Expr sharedBytes(const ItemFacts &a, const ItemFacts &b) const;
    /// Can two uses access the same element, at least one of them writing?
    bool meet(const Use &a, const Use &b) const;
    /// Must two items keep their order?
    bool ordered(const Item &a, const ItemFacts &factsOfA, const Item &b, const ItemFacts &factsOfB) const;
    /// Returns the conflict between two uses that meet and share their first `common` loops.
    std::optional<analysis::Conflict> conflict(const PlacedUse &a, const PlacedUse &b, std::size_t common) const;

    /// Returns why different iterations of the first `common` loops, which all uses share, conflict; `what` begins the text.
    diag::Reason dependence(const std::vector<PlacedUse> &uses, std::size_t common, const std::string &what) const;

    /// Does a subset of a container, in terms of these loops, certainly contain elements outside of it?
    bool leaves(Name data, const sym::Subset &subset, const std::vector<analysis::LoopLevel> &loops) const;
    /// Does a map that replaces a loop certainly access elements outside of an array or scalar? That is an error in a map,
    /// while a loop may never run.
    bool leavesContainers(const Map &m) const;

private:
    bool mayMeet(const ItemFacts &a, const ItemFacts &b) const;
    std::optional<sym::Subset> elementsOf(const PlacedUse &u) const;
    std::optional<analysis::Conflict> unionOf(const std::vector<analysis::AccessInstance> &a,
                                              const std::vector<analysis::AccessInstance> &b, std::size_t common) const;
    const ir::SDFG &g_;
    const analysis::Memories &memories_;
    const sym::Assumptions facts_, factsEverywhere_;
};

/// The reason for a remark on a conflict between iterations: `WHAT by `A` (idx[i] is not affine)`, where A is the
/// container of `named`.
diag::Reason conflictReason(const std::string &what, const PlacedUse &named, const PlacedUse &other, const analysis::Conflict &c);

/// Returns all names that have a meaning outside of an item, and those of its loops.
std::set<Name> namesOf(const Item &i);

/// Can the first loops of a map be replaced with as many others, whose variables are `onto`? `meaning` defines the parameters of the
/// map in terms of these. The remaining loops and the body must not contain names with another meaning there: neither of their own,
/// nor symbols that a variable would hide.
bool canLayOver(const Map &m, const std::map<Name, sym::Expr> &meaning, std::span<const Name> onto);

/// Returns the uses of a map after replacing its first `depth` loops with those of `onto`. `meaning` defines its
/// parameters in terms of that map's parameters.
std::vector<PlacedUse> aligned(const Map &m, const Map &onto, const std::map<Name, sym::Expr> &meaning, std::size_t depth);

/// Returns memories of transients that a single step writes and that are used only in the run of that step.
std::set<analysis::Memory> handedInRuns(const std::vector<Run> &runs, ir::SDFG &g, const analysis::Memories &memories);

} // namespace sdfgc::nest
