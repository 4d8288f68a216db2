// Values of the program that gradients need: where they are, or where they are stored before something overwrites them.
//
// The derivative of `b = sin(a)` needs `a`. If nothing overwrites `a` until the end of the program, it is read where it is. Otherwise a *tape*
// keeps it: a copy of the elements that are read, made right before, in an array with a dimension for each loop around it.
//
//     for t = 0; t < T; t += 1                  for t = 0; t < T; t += 1
//         s = sin(s * x[t])                         tape_s[t] = s
//                                                   s = sin(s * x[t])
//
// Elements that nothing in a loop writes before they are read are stored once, in front of the loop, however often they are read.
//
// The sizes of tapes are known in front of the loops: of each loop, the largest number of iterations that it has in any iteration of the
// loops around it, by a formula, or because it was counted (Counting.h).
#pragma once

#include "Transforms/Differentiate/Counting.h"
#include "Transforms/Differentiate/Storage.h"

#include "sdfgc/Pass/Pass.h"

namespace sdfgc::transforms::gradient {

/// The elements that a use is of, in terms of the container that it names; nothing if it does not say.
std::optional<sym::Subset> subsetOf(const nest::Use &u);

/// May two uses in one iteration be of one element?
bool meet(const nest::Use &a, const nest::Use &b, const sym::Assumptions &facts);

/// Is a use one of an item?
bool hasUse(const nest::Item &i, const nest::Use &use);
/// Where the item is that a use is one of; after the last one if there is none.
std::size_t positionOf(const std::vector<nest::Item> &items, const nest::Use &use);

/// Have they the same numbers of elements in the dimensions of more than one, for certain?
bool haveSameShape(const sym::Subset &a, const sym::Subset &b);

class Values {
public:
    Values(Program &program, Maker &maker, Counting &counting, const Strategy &strategy, pass::Context &context)
        : program_(program), maker_(maker), counting_(counting), strategy_(strategy), context_(context) {}

    /// What a step read, for its gradient: a use of the same elements at a connector, in terms of the same loops and maps. What a tape keeps has
    /// dimensions of one element for loops and maps in front. Nothing, after an error, if the value is lost.
    std::optional<nest::Use> of(const nest::Use &read, Name connector);
    /// The same of what a step wrote.
    std::optional<nest::Use> ofResult(const nest::Use &written, Name connector);
    /// The same of what a step reads or writes, and iterations of a map around it are to store: they have it for themselves, or change it.
    std::optional<nest::Use> ofLocal(const nest::Use &u, Name connector, const nest::Map &outermost);
    /// A scalar that keeps a number of a block, for one in loops an element of an array: which branch of a conditional ran, say.
    struct Note {
        Name tape;
        std::vector<sym::Expr> index;
        /// As code reads it.
        std::string text(const ir::SDFG &g) const;
    };
    /// Nothing if the iterations of the loops around cannot be counted; `whyUnknown` says why.
    std::optional<Note> noteAt(ir::Block &b, std::string_view name, ScalarKind type);
    const std::string &whyUnknown() const { return whyUnknown_; }

    /// Puts the copies that fill tapes into the runs, and returns those that stand in front of loops.
    std::vector<std::pair<ir::LoopRegion *, nest::Item>> storeAll();
    /// All tapes, with what they keep.
    struct Tape {
        Name name, data;
        sym::Subset box;             // of the data, that an iteration stores
        std::vector<sym::Expr> most; // elements of each dimension that it stores, if all that is named lies inside
        std::vector<CountedLoop> loops;
        std::vector<analysis::LoopLevel> maps; // in them, whose iterations store what they have for themselves
        nest::Run *run = nullptr;
        std::vector<nest::Item> *items = nullptr; // of the run, or of a map in it
        std::size_t position = 0;                 // of the item in front of which it is filled
        const ir::AccessNode *access = nullptr;
        bool result = false;                 // of what the item before wrote, not of what items after it read
        ir::LoopRegion *inFrontOf = nullptr; // filled there: nothing in the loop writes what is read before it is read
    };
    const std::vector<Tape> &tapes() const { return tapes_; }
    /// How much tapes and notes need.
    Ledger ledger() const;

private:
    std::optional<nest::Use> stored(const nest::Use &u, Name connector);
    const Tape *tapeAt(Tape t, std::size_t item, analysis::Memory m, const nest::Use &u);
    const Tape *tapeInFrontOfLoop(const nest::Use &read);
    std::optional<sym::Subset> boxInLoop(const Tape &t, analysis::Memory m) const;
    nest::Item storeOf(const Tape &t);
    static std::vector<analysis::LoopLevel> levelsAround(const Tape &t);
    void setBox(Tape &t, const sym::Subset &box) const;
    sym::Subset boxOf(const Tape &t, analysis::Memory m, std::size_t end) const;
    bool isKnownInFront(sym::Expr size) const;
    std::optional<std::vector<sym::Expr>> tripsOf(const std::vector<CountedLoop> &loops);
    std::optional<std::vector<sym::Expr>> tripsOf(const Tape &t);
    std::optional<std::vector<sym::Expr>> shapeOf(const Tape &t);
    sym::Subset placeOf(const Tape &t, const sym::Subset &s) const;
    bool lost(const nest::Use &read, const std::string &why, const std::string &hint = "");

    Program &program_;
    Maker &maker_;
    Counting &counting_;
    const Strategy &strategy_;
    pass::Context &context_;
    std::vector<Tape> tapes_;
    // Where they are in `tapes_`: those between items, and those in front of loops.
    std::map<std::tuple<const std::vector<nest::Item> *, std::size_t, Name, bool>, std::size_t> byPlace_;
    std::map<std::pair<const ir::LoopRegion *, Name>, std::size_t> inFront_;
    std::vector<std::pair<Name, const ir::Block *>> notes_;
    std::string whyUnknown_; // how often loops run, when that was asked for last; empty if it is known
};

} // namespace sdfgc::transforms::gradient
