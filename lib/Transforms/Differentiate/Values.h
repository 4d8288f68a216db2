// Values of the program that gradients need: where they are, or where they are stored before they are overwritten.
//
// The derivative of `b = sin(a)` needs `a`. If `a` is not overwritten before the end of the program, it is read in
// place. Otherwise a *tape* stores it: an array with a dimension for each surrounding loop, filled with the elements
// right before they are read.
//
//     for t = 0; t < T; t += 1                  for t = 0; t < T; t += 1
//         s = sin(s * x[t])                         tape_s[t] = s
//                                                   s = sin(s * x[t])
//
// Elements that a loop reads before it writes them are stored once, before the loop, however often they are read.
//
// The sizes of tapes are known before the loops: for each loop, its maximum trip count over all iterations of the
// surrounding loops, by a formula or by counting (Counting.h).
#pragma once

#include "Transforms/Differentiate/Counting.h"
#include "Transforms/Differentiate/Storage.h"

#include "sdfgc/Pass/Pass.h"

namespace sdfgc::transforms::gradient {

/// Returns the elements that a use accesses, in terms of the container that it names; nothing if the use does not
/// specify them.
std::optional<sym::Subset> subsetOf(const nest::Use &u);

/// May two uses in one iteration access the same element?
bool meet(const nest::Use &a, const nest::Use &b, const sym::Assumptions &facts);

/// Does an item contain a use?
bool hasUse(const nest::Item &i, const nest::Use &use);
/// Returns the position of the item that contains a use; the end if there is none.
std::size_t positionOf(const std::vector<nest::Item> &items, const nest::Use &use);

/// Do both certainly have the same sizes in the dimensions with more than one element?
bool haveSameShape(const sym::Subset &a, const sym::Subset &b);

class Values {
public:
    Values(PrimalProgram &program, Maker &maker, Counting &counting, const Strategy &strategy, pass::Context &context)
        : program_(program), maker_(maker), counting_(counting), strategy_(strategy), context_(context) {}

    /// Returns, for the gradient of a step, a use of the elements that it read, at a connector, in terms of the same
    /// loops and maps. A tape has leading dimensions of size one for loops and maps. Returns nothing, after an error,
    /// if the value is lost.
    std::optional<nest::Use> of(const nest::Use &read, Name connector);
    /// The same for elements that a step wrote.
    std::optional<nest::Use> ofResult(const nest::Use &written, Name connector);
    /// The same for elements that a step reads or writes and that iterations of a surrounding map are to store, because
    /// they own or change them.
    std::optional<nest::Use> ofLocal(const nest::Use &u, Name connector, const nest::Map &outermost);
    /// A scalar that stores a number for a block, or an array element for a block in loops: for example, which branch
    /// of a conditional ran.
    struct Note {
        Name tape;
        std::vector<sym::Expr> index;
        /// The text with which code reads it.
        std::string text(const ir::SDFG &g) const;
    };
    /// Returns nothing if the iterations of the surrounding loops cannot be counted; `whyUnknown` gives the reason.
    std::optional<Note> noteAt(ir::Block &b, std::string_view name, ScalarKind type);
    const std::string &whyUnknown() const { return whyUnknown_; }

    /// Inserts the copies that fill tapes into the runs. Returns those that belong before loops.
    std::vector<std::pair<ir::LoopRegion *, nest::Item>> storeAll();
    /// A tape and the elements that it stores.
    struct Tape {
        Name name, data;
        sym::Subset box;             // of the data, stored by one iteration
        std::vector<sym::Expr> most; // upper bounds of its sizes, if everything in bounds is stored
        std::vector<analysis::CountedLoop> loops;
        std::vector<analysis::LoopLevel> maps; // inside the loops; their iterations store private data
        nest::Run *run = nullptr;
        std::vector<nest::Item> *items = nullptr; // of the run, or of a map in it
        std::size_t position = 0;                 // of the item before which it is filled
        const ir::AccessNode *access = nullptr;
        bool result = false;                 // stores results of the previous item, not inputs of later items
        ir::LoopRegion *inFrontOf = nullptr; // filled before this loop, in which no write precedes the reads
    };
    const std::vector<Tape> &tapes() const { return tapes_; }
    /// The memory that tapes and notes need.
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
    std::optional<std::vector<sym::Expr>> tripsOf(const std::vector<analysis::CountedLoop> &loops);
    std::optional<std::vector<sym::Expr>> tripsOf(const Tape &t);
    std::optional<std::vector<sym::Expr>> shapeOf(const Tape &t);
    sym::Subset placeOf(const Tape &t, const sym::Subset &s) const;
    bool lost(const nest::Use &read, const std::string &why, const std::string &hint = "");

    PrimalProgram &program_;
    Maker &maker_;
    Counting &counting_;
    const Strategy &strategy_;
    pass::Context &context_;
    std::vector<Tape> tapes_;
    // Indices into `tapes_`: of tapes between items, and of tapes before loops.
    std::map<std::tuple<const std::vector<nest::Item> *, std::size_t, Name, bool>, std::size_t> byPlace_;
    std::map<std::pair<const ir::LoopRegion *, Name>, std::size_t> inFront_;
    std::vector<std::pair<Name, const ir::Block *>> notes_;
    std::string whyUnknown_; // why the last requested trip count is unknown; empty if it is known
};

} // namespace sdfgc::transforms::gradient
