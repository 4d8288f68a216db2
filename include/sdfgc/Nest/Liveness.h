// Which elements of containers are read later: backward, over the control flow of one SDFG and the items of its runs.
//
// Every piece of a program (an item, a run, a block) has a summary: which elements may be read before the piece writes them, which
// ones it writes for certain, and which symbols it assigns. Summaries of regions are made of those of their blocks, from the last to
// the first; those of loops and maps are what an iteration does, with the loop around it. The walk goes over the program once more
// with one set of live elements: passing a piece takes its summary, and what happens inside of a piece is undone when it is left. So
// both take time that is linear in the size of the graph, times the depth of its regions.
//
// Regions that are no chain of blocks, and regions that a jump (break, continue, return) leaves, have no order: nothing in them
// overwrites anything for those outside, and all that they read is live everywhere in them.
#pragma once

#include "sdfgc/Nest/Nest.h"

#include <unordered_map>

namespace sdfgc::nest {

/// Elements of containers, in terms of symbols as they are at one point of the program. An instance without subset is any element.
using Elements = std::map<analysis::Memory, std::vector<analysis::AccessInstance>>;

/// What a piece of a program does, seen from in front of it. Only memories that a LivenessWalk tracks are mentioned.
struct Summary {
    Elements exposed;            // may be read before the piece writes them
    Elements written;            // all of them, whenever the piece runs to its end
    std::set<Name> assigned;     // symbols
    bool assignsUnknown = false; // symbols that are not known
};

/// Elements that are known at a point which moves backwards. An instance that mentions a symbol means its value where it was added:
/// once the point is in front of an assignment to the symbol, it is any element.
class MovingElements {
public:
    /// Adds an instance. With `may`, it stands for elements that something may happen to: beyond four instances of a memory there is
    /// one for any element. Else for elements that it happens to for certain: further ones are left out.
    void add(analysis::Memory m, const analysis::AccessInstance &a, bool may);
    /// Takes out what is covered by elements that are overwritten. `facts`: of the memory's container.
    void overwrite(analysis::Memory m, const analysis::AccessInstance &by, const sym::Assumptions &facts);
    /// Takes out what elements that are read can be among.
    void read(analysis::Memory m, const analysis::AccessInstance &by, const sym::Assumptions &facts);
    /// Takes out a memory.
    void forget(analysis::Memory m);
    /// The point is in front of an assignment to a symbol; to any symbol.
    void assigned(Name symbol);
    void assignedAny() { anyAssigned_ = ++clock_; }
    /// The instances of a memory in terms of the symbols at the point.
    std::vector<analysis::AccessInstance> of(analysis::Memory m) const;
    /// All of them; those that are any element are left out unless `may`.
    Elements all(bool may) const;

    /// A point to go back to, with all that was known there.
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
    std::unordered_map<Name, uint64_t> assigned_; // when, on a clock that each addition and assignment moves
    uint64_t clock_ = 0, anyAssigned_ = 0;
    std::vector<std::pair<analysis::Memory, std::vector<Entry>>> oldEntries_;
    std::vector<std::pair<Name, uint64_t>> oldSymbols_;
};

/// The blocks of a region. Ordered: one after the other without condition, none of which is left by a jump to outside of it.
struct BlockChain {
    bool ordered = true;
    std::vector<ir::Block *> blocks; // in order; all of them if they are not ordered
};

/// The summaries of all pieces of one SDFG. Tracked are arrays and scalars that belong to the SDFG and have memory that no reference,
/// and no argument that may alias, can be as well.
class Summaries {
public:
    /// `runs`: all of the SDFG (readRuns). They, and the memories of the program, must outlive the summaries.
    Summaries(ir::SDFG &g, analysis::Memories &memories, const std::vector<Run> &runs);

    bool isTracked(analysis::Memory m) const { return tracked_.count(m) != 0; }
    analysis::Memory memoryOf(Name container) const { return memories_.of(g_, container); }
    /// What is known of the sizes of a tracked container, where it has elements at all.
    const sym::Assumptions &factsOf(analysis::Memory m) const { return tracked_.at(m); }
    /// All tracked containers by their memories.
    const std::map<analysis::Memory, sym::Assumptions> &tracked() const { return tracked_; }
    /// What a use is of, in the terms of its item; no subset where it is not one of the container itself.
    analysis::AccessInstance instanceOf(const Use &u) const;

    Summary of(const Item &item) const;
    Summary of(const std::vector<Item> &items) const;
    /// Of a block; of the first state of a run, that of the run; of others in the run, nothing.
    const Summary &of(ir::Block &b);
    /// What an edge reads and assigns.
    Summary of(const ir::InterstateEdge &e) const;
    /// All that is in a region, in its order or in none, without a loop's own header.
    Summary ofContent(ir::Region &r);
    BlockChain chainOf(ir::Region &r) const;
    /// Something in the block has changed: its summary, not that of blocks in it, is made again when it is asked for.
    void changed(const ir::Block &b) { blocks_.erase(&b); }

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
    std::map<analysis::Memory, sym::Assumptions> tracked_;
    std::unordered_map<const ir::Block *, const Run *> runs_; // by their states; the others than the first have none
    std::unordered_map<const ir::Block *, Summary> blocks_;
};

/// Goes over one SDFG from its end to its begin, and asks of each item whether it is to be taken out. Goes again where items were taken
/// out of loops: what they read may be written after them, by an item of an earlier iteration that was asked about before they went.
class LivenessWalk {
public:
    /// As Summaries.
    LivenessWalk(ir::SDFG &g, analysis::Memories &memories, std::vector<Run> &runs);
    virtual ~LivenessWalk() = default;
    /// Marks the runs that it takes items out of as changed.
    void walk();

protected:
    /// Told of each item, last one first and a map before what is in it: is it to be taken out?
    virtual bool takesOut(const Item &item) = 0;
    /// May elements that a use of the item writes be read later, or by others?
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
    std::unordered_map<const ir::Block *, Run *> runs_; // by their first states
    int repeated_ = 0;                                  // loops and maps around, and regions without an order
    bool again_ = false;                                // something was taken out there
    Summaries summaries_;
    MovingElements live_;        // may be read before they are written
    MovingElements overwritten_; // are written for certain before they are read: parts of what would else be live as a whole
};

} // namespace sdfgc::nest
