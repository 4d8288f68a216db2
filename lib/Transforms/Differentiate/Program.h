// The program that is differentiated, in its order: which value is overwritten before its gradient is computed?
//
// The gradient of a program runs after all of it, last operation first. What an operation read is there again for its gradient if nothing
// wrote the same element later on, in the same iteration of the loops around it or in a later one. That is a question of dependences
// (sdfgc/Analysis/Dependences.h): a write that follows a read.
#pragma once

#include "Transforms/Normalise/CountedLoop.h"

#include "sdfgc/Analysis/Symbols.h"
#include "sdfgc/Nest/LoopHeader.h"
#include "sdfgc/Nest/Nest.h"

#include <span>
#include <unordered_map>

namespace sdfgc::transforms::gradient {

/// Prints the headers of loops as those of reversed loops are printed.
void printHeaders(ir::SDFG &g);
/// Gives loops without a variable one that counts their iterations, from 0. Returns those.
std::vector<ir::LoopRegion *> numberLoops(ir::SDFG &g);
/// Takes it away.
void forgetNumbers(ir::LoopRegion &l);

/// A state that the nest form cannot read: what it reads and writes, of memories.
struct HiddenState {
    const ir::State *state = nullptr;
    std::set<analysis::Memory> from, to;
};

/// Where a use stands.
struct Site {
    const nest::Use *use = nullptr;
    analysis::AccessInstance instance; // of the container behind views, with the loops and maps around it
    std::vector<const void *> scopes;  // these loops and maps themselves, outermost first
    std::size_t loops = 0;             // how many of them are loops
    std::size_t at = 0;                // in the order of the program
    const nest::Run *run = nullptr;    // with the item; null for control flow
    const nest::Item *item = nullptr;  // of the run
};

class Program {
public:
    Program(ir::SDFG &g, analysis::Memories &memories);

    ir::SDFG &sdfg() { return g_; }
    std::vector<nest::Run> &runs() { return runs_; }
    std::set<analysis::Memory> memoriesOf(const std::vector<Name> &names) const;
    /// The run that begins with a block, or null.
    nest::Run *runAt(const ir::Block *b);
    /// The blocks of a region in their order; empty if they are no sequence (sequenceOf).
    const std::vector<ir::Block *> &chainOf(const ir::Region &r) const { return chains_.at(&r); }
    const sym::Assumptions &facts() const { return facts_; }
    const analysis::SymbolTypes &symbolTypes() const { return symbolTypes_; }
    const std::vector<Site> &sites() const { return sites_; }
    /// Those in a loop of the program.
    std::span<const Site> sitesIn(const ir::LoopRegion &l) const;
    const Site &siteOf(const nest::Use &u) const { return sites_[byUse_.at(&u)]; }
    /// Can the elements that a use reads be written after that, before the program is over?
    bool isOverwritten(const nest::Use &read) const;
    /// The same before the iteration is over, of a map around the use, or, if that is null, of the loops around its run.
    bool isOverwrittenInIteration(const nest::Use &read, const nest::Map *of) const;
    /// Can the value be written by the item that the read is part of, in the same iteration of the loops around it, before it is read?
    bool isMadeInItem(const nest::Use &read) const { return isRewrittenIn(*siteOf(read).item, read); }
    /// Can an item that the use is part of write the elements, in the same iteration of all that is around, before the use reads them or
    /// after it wrote them?
    bool isRewrittenIn(const nest::Item &item, const nest::Use &u) const;
    /// How many of the loops around a read, outer ones first, must have begun for it to get its value: nothing in the loops after these
    /// writes it before.
    std::size_t loopsBefore(const nest::Use &read) const;
    /// Can another iteration of a map write an element that this write stores to, by this one or another one? `owner`: a map whose
    /// iterations have the container for themselves, or null.
    bool isRepeated(const nest::Use &write, const nest::Map *owner) const;
    /// Can an iteration of a map write or update an element that this use, in another iteration of the map, is of?
    bool meetsOthers(const nest::Map &m, const nest::Use &u) const;
    /// Can different iterations of maps meet at an element that this write is of? `owner`: as above. True where nothing is known.
    bool isShared(const nest::Use &write, const nest::Map *owner) const;
    /// Does a map around an update touch the memory in another way than by such updates?
    bool isUsedOtherwise(const nest::Use &update, const nest::Map *map) const;
    /// The same of all that code of control flow reads, at a block.
    bool isOverwritten(Name container, const ir::Block &at) const;
    /// Symbols that edges assign, and variables of loops that are read outside of them.
    const std::set<Name> &assigned() const { return assigned_; }
    /// How many operations write a memory for certain or not, and whether one of them is in a loop.
    struct Writers {
        std::size_t count = 0;
        bool inLoop = false;
    };
    Writers writersOf(analysis::Memory m) const;
    /// Does code of control flow read a container, in conditions or on edges?
    bool isReadByFlow(Name container) const { return readByFlow_.count(container) != 0; }
    const std::vector<HiddenState> &hidden() const { return hidden_; }
    /// Symbols with real numbers that edges assign, as memories that nothing else has.
    const std::map<Name, analysis::Memory> &realSymbols() const { return realSymbols_; }
    /// Those that a step reads.
    std::vector<Name> realSymbolsIn(const nest::Step &s) const;
    /// Of an assignment to one of them: what it reads.
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
    /// The same, of all sites that have the first so many scopes with a site in common.
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
    std::set<Name> changing_; // of these, the ones that several places give values
    const std::set<Name> readByFlow_;
    std::vector<Site> sites_;
    std::map<analysis::Memory, std::vector<std::size_t>> writes_; // sites, ascending
    std::map<analysis::Memory, Writers> writers_;
    struct Extent {
        std::size_t begin = 0, end = 0;
    };
    std::unordered_map<const void *, Extent> extents_; // of items, loops and maps: their sites
    std::vector<HiddenState> hidden_;
    std::map<Name, analysis::Memory> realSymbols_;
    std::unordered_map<const nest::Use *, std::size_t> byUse_;
    std::unordered_map<const ir::Block *, Site> places_; // of blocks that control flow reads containers at
    Site here_;                                          // while walking
};

} // namespace sdfgc::transforms::gradient
