// Control flow, backwards: blocks in the opposite order, loops from the last iteration to the first, branches where they were taken.
//
//     for i = 0; i < N; i += 1 { a; b }         for i = N - 1; i >= 0; i -= 1 { b reversed; a reversed }
//     if c { a } else { b }                     if c { a reversed } else { b reversed }
//
// A reversed loop has the variable of the loop itself, with the same values, so that memlets keep their subsets. Symbols that edges give
// values in a loop get these values once more, in front of what is reversed; tapes keep those that cannot be computed once more. A condition is evaluated once more if all that it reads is what
// it was; else a tape tells which branch ran.
#pragma once

#include "Transforms/Differentiate/Items.h"
#include "Transforms/Differentiate/SymbolValues.h"
#include "Transforms/Optimize/FlowEdits.h"

namespace sdfgc::transforms::gradient {

class FlowReverser {
public:
    FlowReverser(Program &program, Maker &maker, const Activity &activity, ItemReverser &items, Values &values,
                 pass::Context &context)
        : program_(program), maker_(maker), activity_(activity), items_(items), values_(values), context_(context),
          edits_(maker.sdfg()), constant_(assignedOnce(maker.sdfg())) {}

    /// Puts the gradient of all that a region does after the last block of another one, or of itself.
    void reverse(ir::Region &from, ir::Region &into);
    /// A state of its own at the end of a region, for items.
    void append(ir::Region &into, const std::string &label, std::vector<nest::Item> items);
    /// A state in front of a block, or at the end of an empty region.
    void prepend(ir::Region &into, ir::Block *before, const std::string &label, std::vector<nest::Item> items);
    /// The first block that was put into the SDFG itself, or null.
    ir::Block *first() const { return first_; }
    /// Gradients that begin with zero, of which the first thing that happens is that something is added to each element, once: it is
    /// stored instead. Returns those.
    std::set<Name> storeFirstTerms(const std::set<Name> &gradients);
    /// Gradients that begin with zero in each iteration of the loops around their first use: their sizes depend on these. Returns those.
    std::set<Name> clearInLoops(const std::set<Name> &gradients);
    bool failed() const { return failed_; }
    /// Writes the items of all states that were added. Nothing of the program may have changed before.
    void write();

private:
    using Assignments = std::vector<std::pair<Name, std::string>>;
    /// What edges have given symbols where a block begins.
    struct Symbols {
        Assignments values;               // in terms of what does not change
        std::map<Name, ir::Block *> lost; // symbols whose values cannot be computed once more: where they had them first
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
    bool noteLast(ir::LoopRegion &l, const CountedLoop &counted, ir::LoopRegion &reversed);

    Program &program_;
    Maker &maker_;
    const Activity &activity_;
    ItemReverser &items_;
    Values &values_;
    pass::Context &context_;
    FlowEdits edits_;
    const std::set<Name> constant_;                                   // symbols that have one value throughout the program
    std::map<const ir::Region *, ir::Block *> last_;                  // of what was put there
    std::map<const ir::Region *, Assignments> restored_;              // symbols that have these values at its end
    std::map<std::pair<Name, const ir::Block *>, Values::Note> kept_; // values of symbols from a block on
    std::vector<nest::Run> added_;
    ir::Block *first_ = nullptr;
    bool failed_ = false;
};

} // namespace sdfgc::transforms::gradient
