// Liveness of container elements: a backward analysis over the control flow of one SDFG and the items of its runs.
//
// Every piece of a program (an item, a run, a block) has a summary: the elements that it may read before it writes
// them, those that it certainly writes, and the symbols that it assigns. Summaries of regions are composed from those
// of their blocks, from the last to the first; those of loops and maps consist of the effects of an iteration, with the
// loop around it. A second walk over the program maintains a single set of live elements: passing a piece applies its
// summary, and leaving a piece undoes the changes made inside. Both therefore take time that is linear in the size of
// the graph, times the depth of its regions.
//
// Regions that are not a chain of blocks, and regions that a jump (break, continue, return) leaves, are unordered:
// nothing in them overwrites anything for code outside, and everything that they read is live everywhere inside.
#pragma once

#include "sdfgc/Nest/Nest.h"

#include <unordered_map>

namespace sdfgc::nest {

/// Elements of containers, in terms of symbol values at one point of the program. An instance without a subset means
/// any element.
using Elements = std::map<analysis::Memory, std::vector<analysis::AccessInstance>>;

/// The symbols of an instance that are defined outside of its loops.
std::set<Name> freeSymbolsOf(const analysis::AccessInstance &a);

/// The effects of a piece of a program, seen from before it. Mentions only memories that a LivenessWalk tracks.
struct Summary {
    Elements exposed;            // may be read before the piece writes them
    Elements written;            // certainly written, whenever the piece runs to its end
    std::set<Name> assigned;     // symbols
    bool assignsUnknown = false; // assigns unknown symbols
};

/// Elements that are known at a point which moves backwards. A symbol in an instance means its value at the point of
/// addition: once the point is before an assignment to the symbol, the instance means any element.
class MovingElements {
public:
    /// Adds an instance. With `may`, elements may be affected: beyond four instances of a memory, a single one for any
    /// element replaces them. Otherwise elements are certainly affected, and further instances are dropped.
    void add(analysis::Memory m, const analysis::AccessInstance &a, bool may);
    /// Removes elements covered by an overwrite. `whole`: all elements of the memory's container; `facts`: about it.
    void overwrite(analysis::Memory m, const analysis::AccessInstance &by, const sym::Subset &whole, const sym::Assumptions &facts);
    /// Removes elements that a read may include.
    void read(analysis::Memory m, const analysis::AccessInstance &by, const sym::Assumptions &facts);
    /// Removes a memory.
    void forget(analysis::Memory m);
    /// The point moves before an assignment to a symbol, or to any symbol.
    void assigned(Name symbol);
    void assignedAny() { anyAssigned_ = ++clock_; }
    /// Returns the instances of a memory in terms of the symbols at the point.
    std::vector<analysis::AccessInstance> of(analysis::Memory m) const;
    /// Returns all instances; without `may`, excludes those that mean any element.
    Elements all(bool may) const;

    /// A point to return to, with the state at that point.
    struct Mark {
        std::size_t entries = 0, symbols = 0;
        uint64_t anyAssigned = 0;
    };
    Mark mark() const { return {oldEntries_.size(), oldSymbols_.size(), anyAssigned_}; }
    void restore(const Mark &m);

private:
    struct Entry {
        analysis::AccessInstance instance;
        uint64_t since = 0;
    };
    std::vector<Entry> &change(analysis::Memory m);
    analysis::AccessInstance now(const Entry &e) const;
    std::map<analysis::Memory, std::vector<Entry>> entries_;
    std::unordered_map<Name, uint64_t> assigned_; // the time, on a clock that each addition and assignment advances
    uint64_t clock_ = 0, anyAssigned_ = 0;
    std::vector<std::pair<analysis::Memory, std::vector<Entry>>> oldEntries_;
    std::vector<std::pair<Name, uint64_t>> oldSymbols_;
};

/// The blocks of a region. Ordered: they run one after the other, unconditionally, and no jump from inside leaves the
/// region.
struct BlockChain {
    bool ordered = true;
    std::vector<ir::Block *> blocks; // in order; all blocks if unordered
};

/// The summaries of all pieces of one SDFG. Tracks arrays and scalars that belong to the SDFG and whose memory cannot
/// also be that of a reference or of an argument that may alias.
class Summaries {
public:
    /// `runs`: all runs of the SDFG (readRuns). They, and the memories of the program, must outlive the summaries. With `inCalls`,
    /// nested SDFGs expose what their blocks read of their arguments (CallElements.h), which takes time to find.
    Summaries(ir::SDFG &g, analysis::Memories &memories, const std::vector<Run> &runs, bool inCalls = false);

    bool isTracked(analysis::Memory m) const { return tracked_.count(m) != 0; }
    analysis::Memory memoryOf(Name container) const { return memories_.of(g_, container); }
    /// What is known about the sizes of a tracked container, assuming that it has elements.
    const sym::Assumptions &factsOf(analysis::Memory m) const { return tracked_.at(m); }
    /// All elements of a tracked container.
    sym::Subset wholeOf(analysis::Memory m) const { return memories_.desc(m)->fullSubset(); }
    /// All tracked containers by their memories.
    const std::map<analysis::Memory, sym::Assumptions> &tracked() const { return tracked_; }
    /// Returns the elements that a use accesses, in terms of its item; without subset if the use is not of the
    /// container itself.
    analysis::AccessInstance instanceOf(const Use &u) const;

    Summary of(const Item &item) const;
    Summary of(const std::vector<Item> &items) const;
    /// Returns the summary of a block; for the first state of a run, that of the run; for its other states, an empty
    /// one.
    const Summary &of(ir::Block &b);
    /// Returns the reads and assignments of an edge.
    Summary of(const ir::InterstateEdge &e) const;
    /// Returns the summary of the contents of a region, ordered or unordered, without a loop's own header.
    Summary ofContent(ir::Region &r);
    BlockChain chainOf(ir::Region &r) const;
    /// Call this if a block has changed: its summary, but not those of inner blocks, is recomputed on demand.
    void changed(const ir::Block &b) { blocks_.erase(&b); }
    /// Call this before a block is removed; another one may get its address. A block that replaces it, and is in no run,
    /// has a conservative summary.
    void forget(const ir::Block &b) {
        blocks_.erase(&b);
        runs_.erase(&b);
    }

private:
    void track();
    Summary make(ir::Block &b);
    Summary ofStep(const Step &s) const;
    Summary ofMap(const Map &m) const;
    Summary ofLoop(ir::LoopRegion &l);
    Summary ofBranches(ir::ConditionalBlock &c);
    Summary ofOpaque(const ir::State &s) const;
    void read(const std::vector<Name> &containers, Summary &s) const;

    ir::SDFG &g_;
    analysis::Memories &memories_;
    const bool inCalls_;
    std::map<analysis::Memory, sym::Assumptions> tracked_;
    std::unordered_map<const ir::Block *, const Run *> runs_; // by states; all but the first of a run have none
    std::unordered_map<const ir::Block *, Summary> blocks_;
};

/// Walks over one SDFG from its end to its start, and asks for each item whether to remove it. Repeats the walk if it
/// removed items in loops: a removed item may have been the only reader of values that items of an earlier iteration
/// write, which were asked about before.
class LivenessWalk {
public:
    /// Same parameters as Summaries.
    LivenessWalk(ir::SDFG &g, analysis::Memories &memories, std::vector<Run> &runs);
    virtual ~LivenessWalk() = default;
    /// Marks the runs from which it removes items as changed.
    void walk();

protected:
    /// Called for each item, last one first and a map before its contents: should it be removed?
    virtual bool takesOut(const Item &item) = 0;
    /// May elements that a use of the item writes be read later, or by other code?
    bool isLive(const PlacedUse &use) const;

private:
    struct Mark {
        MovingElements::Mark live, overwritten;
    };
    Mark mark() const { return {live_.mark(), overwritten_.mark()}; }
    void restore(const Mark &m);
    void assigned(Name symbol);
    void pass(const Summary &s);
    void walk(ir::Region &r);
    void inside(ir::Block &b);
    void inside(Item &map, Run &run);
    void walk(std::vector<Item> &items, Run &run);

    ir::SDFG &g_;
    std::unordered_map<const ir::Block *, Run *> runs_; // by first state
    int repeated_ = 0;                                  // surrounding loops and maps, and unordered regions
    bool again_ = false;                                // something was removed there
    Summaries summaries_;
    MovingElements live_;        // may be read before they are written
    MovingElements overwritten_; // certainly written before they are read: parts of elements that would otherwise be live entirely
};

} // namespace sdfgc::nest
