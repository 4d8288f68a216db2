// Reverses control flow: blocks in the opposite order, loops from the last iteration to the first, branches as they
// were taken.
//
//     for i = 0; i < N; i += 1 { a; b }         for i = N - 1; i >= 0; i -= 1 { b reversed; a reversed }
//     if c { a } else { b }                     if c { a reversed } else { b reversed }
//
// A reversed loop has the same variable with the same values, so memlets keep their subsets. Symbols that edges assign
// in a loop are reassigned before the reversed code; tapes store values that cannot be recomputed. A condition is
// re-evaluated if everything that it reads is unchanged; otherwise a tape records which branch ran.
#pragma once

#include "Transforms/Differentiate/Items.h"
#include "Transforms/Edits/FlowEdits.h"

#include "sdfgc/Analysis/Flow/AssignedSymbols.h"

namespace sdfgc::transforms::gradient {

class FlowReverser {
public:
    FlowReverser(PrimalProgram &program, Maker &maker, const Activity &activity, ItemReverser &items, Values &values,
                 pass::Context &context)
        : program_(program), maker_(maker), activity_(activity), items_(items), values_(values), context_(context),
          edits_(maker.sdfg()), constant_(analysis::assignedOnce(maker.sdfg())) {}

    /// Appends the gradient of everything that a region does to another region, or to itself.
    void reverse(ir::Region &from, ir::Region &into);
    /// Appends a new state with items to a region.
    void append(ir::Region &into, const std::string &label, std::vector<nest::Item> items);
    /// Adds a new state with items before a block, or to an empty region.
    void prepend(ir::Region &into, ir::Block *before, const std::string &label, std::vector<nest::Item> items);
    /// The first block that was added at the top level of the SDFG, or null.
    ir::Block *first() const { return first_; }
    /// For gradients that start at zero and whose first access adds exactly one term to each element: stores that term
    /// instead. Returns these gradients.
    std::set<Name> storeFirstTerms(const std::set<Name> &gradients);
    /// Clears gradients in each iteration of the loops around their first use if their sizes depend on these loops.
    /// Returns these gradients.
    std::set<Name> clearInLoops(const std::set<Name> &gradients);
    bool failed() const { return failed_; }
    /// Writes the items of all added states. The program must not have been modified before.
    void write();

private:
    using Assignments = std::vector<std::pair<Name, std::string>>;
    /// Values that edges have assigned to symbols, at the start of a block.
    struct Symbols {
        Assignments values;               // in terms of quantities that do not change
        std::map<Name, ir::Block *> lost; // symbols whose values cannot be recomputed, with the first block where they had them
    };
    void block(ir::Block &b, ir::Region &into, const Symbols &symbols);
    void loop(ir::LoopRegion &l, ir::Region &into);
    void branches(ir::ConditionalBlock &c, ir::Region &into);
    bool canAskAgain(const ir::ConditionalBlock &c);
    void place(ir::Region &into, ir::Block *b);
    ir::State *addState(ir::Region &into, const std::string &label);
    std::vector<Symbols> valuesAlong(const std::vector<ir::Block *> &chain) const;
    void follow(const ir::InterstateEdge &e, ir::Block &to, Symbols &now) const;
    void restore(ir::Region &into, ir::Block &b, const Symbols &symbols);
    std::optional<std::string> notedValue(Name symbol, ir::Block &since, ir::Block &at);
    void fail(diag::Message message, const ir::Block &at);
    std::vector<nest::Item> note(const Values::Note &n, const std::string &value);
    bool noteLast(ir::LoopRegion &l, const analysis::CountedLoop &counted, ir::LoopRegion &reversed);

    PrimalProgram &program_;
    Maker &maker_;
    const Activity &activity_;
    ItemReverser &items_;
    Values &values_;
    pass::Context &context_;
    FlowEdits edits_;
    const std::set<Name> constant_;                                   // symbols with a single value throughout the program
    std::map<const ir::Region *, ir::Block *> last_;                  // of the added blocks
    std::map<const ir::Region *, Assignments> restored_;              // symbols that have these values at the end of a region
    std::map<std::pair<Name, const ir::Block *>, Values::Note> kept_; // values of symbols from a block on
    std::vector<nest::Run> added_;
    ir::Block *first_ = nullptr;
    bool failed_ = false;
};

} // namespace sdfgc::transforms::gradient
