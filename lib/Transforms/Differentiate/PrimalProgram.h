// The program to differentiate, in execution order: which values are overwritten before their gradient is computed?
//
// The gradient of a program runs after all of it, last operation first. A value that an operation reads is still
// available for its gradient if no later write, in the same iteration of the surrounding loops or a later one, hits the
// same element. This is a dependence question (sdfgc/Analysis/Dependences/Dependences.h): does a write follow a read?
#pragma once

#include "sdfgc/Analysis/Flow/LoopHeader.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/Nest/Nest.h"

#include <span>
#include <unordered_map>

namespace sdfgc::transforms::gradient {

/// Prints the headers of loops like those of reversed loops.
void printHeaders(ir::SDFG &g);
/// Gives loops without a variable one that counts their iterations, from 0. Returns these loops.
std::vector<ir::LoopRegion *> numberLoops(ir::SDFG &g);
/// Removes it.
void forgetNumbers(ir::LoopRegion &l);

/// A state that the nest form cannot read: the memories that it reads and writes.
struct HiddenState {
    const ir::State *state = nullptr;
    std::set<analysis::Memory> from, to;
};

/// The position of a use in the program. Its instance is that of the viewed container.
struct Site : nest::PlacedUse {
    std::vector<const void *> scopes; // the loops and maps around it, outermost first
    std::size_t loops = 0;            // how many of them are loops
    std::size_t at = 0;               // position in the order of the program
    const nest::Run *run = nullptr;   // that contains the item; null for control flow
    const nest::Item *item = nullptr; // in the run
};

class PrimalProgram {
public:
    PrimalProgram(ir::SDFG &g, analysis::Memories &memories);

    ir::SDFG &sdfg() { return g_; }
    std::vector<nest::Run> &runs() { return runs_; }
    std::set<analysis::Memory> memoriesOf(const std::vector<Name> &names) const;
    /// The run that starts with a block, or null.
    nest::Run *runAt(const ir::Block *b);
    /// The blocks of a region in order; empty if they are not a sequence (sequenceOf).
    const std::vector<ir::Block *> &chainOf(const ir::Region &r) const { return chains_.at(&r); }
    const sym::Assumptions &facts() const { return facts_; }
    const analysis::SymbolTypes &symbolTypes() const { return symbolTypes_; }
    const std::vector<Site> &sites() const { return sites_; }
    /// The sites in a loop of the program.
    std::span<const Site> sitesIn(const ir::LoopRegion &l) const;
    const Site &siteOf(const nest::Use &u) const { return sites_[byUse_.at(&u)]; }
    /// May the elements that a use reads be written after it, before the program ends?
    bool isOverwritten(const nest::Use &read) const;
    /// The same before the end of the iteration: of a map around the use or, if that is null, of the loops around its
    /// run.
    bool isOverwrittenInIteration(const nest::Use &read, const nest::Map *of) const;
    /// May the item that contains a read write the value before it is read, in the same iteration of the surrounding
    /// loops?
    bool isMadeInItem(const nest::Use &read) const { return isRewrittenIn(*siteOf(read).item, read); }
    /// May an item that contains a use write the elements, in the same iteration of everything around it, before the
    /// use reads them or after it wrote them?
    bool isRewrittenIn(const nest::Item &item, const nest::Use &u) const;
    /// Returns how many of the loops around a read, outer ones first, must have started for the value to be final:
    /// nothing in the remaining loops writes it before the read.
    std::size_t loopsBefore(const nest::Use &read) const;
    /// May different iterations of a map write an element that this write stores to? `owner`: a map whose iterations
    /// own the container, or null.
    bool isRepeated(const nest::Use &write, const nest::Map *owner) const;
    /// May an iteration of a map write or update an element that this use accesses in another iteration of the map?
    bool meetsOthers(const nest::Map &m, const nest::Use &u) const;
    /// May different iterations of maps access an element of this write? `owner`: as above. True if nothing is known.
    bool isShared(const nest::Use &write, const nest::Map *owner) const;
    /// Does a map around an update access the memory other than by such updates?
    bool isUsedOtherwise(const nest::Use &update, const nest::Map *map) const;
    /// The same for everything that code of control flow reads at a block.
    bool isOverwritten(Name container, const ir::Block &at) const;
    /// Symbols that edges assign, and loop variables that are read outside their loops.
    const std::set<Name> &assigned() const { return assigned_; }
    /// The number of operations that may write a memory, and whether one of them is in a loop.
    struct Writers {
        std::size_t count = 0;
        bool inLoop = false;
    };
    Writers writersOf(analysis::Memory m) const;
    /// Does control flow read a container, in conditions or on edges?
    bool isReadByFlow(Name container) const { return readByFlow_.count(container) != 0; }
    const std::vector<HiddenState> &hidden() const { return hidden_; }
    /// Real-valued symbols that edges assign, represented as memories of their own.
    const std::map<Name, analysis::Memory> &realSymbols() const { return realSymbols_; }
    /// Those that a step reads.
    std::vector<Name> realSymbolsIn(const nest::Step &s) const;
    /// The memories that an assignment to one of them reads.
    std::set<analysis::Memory> readBy(const std::string &value) const;

private:
    void findHidden();
    void findRealSymbols();
    void walk(ir::Region &r);
    void block(ir::Block &b);
    void add(const nest::Item &item, const nest::Item &top, const nest::Run &run);
    void addMap(const nest::Map &m, const nest::Item &top, const nest::Run &run);
    void addUse(const nest::Use &u, const nest::Item &top, const nest::Run &run);
    /// The sites that write a memory, in an item, a loop or a map of the program.
    std::span<const std::size_t> writesIn(const void *part, analysis::Memory m) const;
    /// The same for all sites that share the first `scopes` scopes with a site.
    std::span<const std::size_t> writesInScopes(const Site &site, std::size_t scopes, analysis::Memory m) const;
    bool isOverwritten(const Site &read, analysis::Memory m, std::size_t fixed) const;
    bool follows(const Site &write, const Site &read, std::size_t fixed = 0) const;
    bool precedes(const Site &write, const Site &read, std::size_t fixed) const;
    std::optional<analysis::Conflict> conflict(const Site &read, const Site &write, std::size_t common) const;
    bool isWrittenInHidden(analysis::Memory m) const;

    ir::SDFG &g_;
    analysis::Memories &memories_;
    std::vector<nest::Run> runs_;
    std::unordered_map<const ir::Block *, nest::Run *> runAt_;
    std::unordered_map<const ir::Region *, std::vector<ir::Block *>> chains_;
    sym::Assumptions facts_;
    const analysis::SymbolTypes symbolTypes_;
    std::set<Name> assigned_;
    std::set<Name> changing_; // those assigned in several places
    const std::set<Name> readByFlow_;
    std::vector<Site> sites_;
    std::map<analysis::Memory, std::vector<std::size_t>> writes_; // sites, ascending
    std::map<analysis::Memory, Writers> writers_;
    struct Extent {
        std::size_t begin = 0, end = 0;
    };
    std::unordered_map<const void *, Extent> extents_; // sites of items, loops and maps
    std::vector<HiddenState> hidden_;
    std::map<Name, analysis::Memory> realSymbols_;
    std::unordered_map<const nest::Use *, std::size_t> byUse_;
    std::unordered_map<const ir::Block *, Site> places_; // of blocks at which control flow reads containers
    Site here_;                                          // during the walk
};

} // namespace sdfgc::transforms::gradient
