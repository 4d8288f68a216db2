// How often loops run at most, where no formula in front of them says it: they run once more before, to count.
//
//                                                  state { nested: s, A, N -> counted
//                                                      while s > tol { counted += 1; s = f(s, A) }    on a copy of s
//                                                  }
//     while s > tol { s = f(s, A) }      ->        n = counted
//                                                  for i = 0; i < n and s > tol; i += 1 { tape[i] = s; s = f(s, A) }
//
// The tape has as many elements as the loop has iterations, and its size is a symbol like any other: the graph stays an ordinary one,
// allocations are what the passes that come later make of them, and nothing grows while loops run, on the host or on a device. What it costs
// is a second run of the loop, without what its condition does not depend on: later passes take out what nobody reads. Loops whose gradient
// needs no tape do not run again.
//
// What runs again is all of the outermost loop or branch around, as its iterations may differ: counted is the largest number that the loop
// has in any of them. It is a nested SDFG that is handed all that the loop reads, and has what it writes for itself.
//
// Where a loop's ends are elements of containers that the loops around do not write, the largest number is computed instead (CountFormulas.cpp).
#pragma once

#include "Transforms/Differentiate/Maker.h"
#include "Transforms/Differentiate/Program.h"
#include "Transforms/Normalise/NamedElement.h"

#include "sdfgc/Pass/Pass.h"

namespace sdfgc::transforms::gradient {

class Counting {
public:
    /// `elements`: symbols that are set to elements (nameElements). `filled`: Request::filled.
    Counting(Program &program, Maker &maker, std::map<Name, NamedElement> elements, std::set<Name> filled, pass::Context &context)
        : program_(program), maker_(maker), elements_(std::move(elements)), filled_(std::move(filled)), context_(context) {}

    /// A symbol that is, in front of the outermost loop or branch around, the largest number of iterations that a loop has. Nothing if it
    /// cannot run twice: `whyNot` says why.
    std::optional<sym::Expr> most(const CountedLoop &l);
    /// The last answer of `most`, in words; empty if it was a symbol.
    const std::string &whyNot() const { return whyNot_; }

    /// Items that compute how often loops run, which then are symbols, in front of blocks of the SDFG itself.
    struct Formula {
        ir::Block *block = nullptr;
        std::vector<nest::Item> items;
        Name symbol, counted; // the symbol is to be set to this
    };
    std::vector<Formula> formulas() { return std::move(formulas_); }

    /// Copies what is to run before. Nothing of the program may have changed.
    void copy();
    /// Puts it into the program, after all else was.
    void place();

private:
    /// Loops in one block of the SDFG itself.
    struct Part {
        ir::Block *block = nullptr;
        struct Loop {
            CountedLoop loop;
            Name symbol, counted; // what the nested SDFG hands out, which the symbol is set to
        };
        std::vector<Loop> loops;
        std::unique_ptr<ir::NestedSDFGNode> node; // once copied
        std::map<Name, Name> handed;              // its arguments: containers of the SDFG by their names
    };
    std::optional<std::vector<nest::Item>> computed(const CountedLoop &l, Name into);
    std::vector<nest::Item> largestOf(sym::Expr trips, Name into, const std::vector<Name> &params, std::vector<sym::Range> ranges,
                                      std::map<Name, sym::Expr> meaning, const std::map<Name, Name> &connectors);
    std::string whyOnce(ir::Block &b) const;
    void copy(Part &p);
    void place(Part &p);

    Program &program_;
    Maker &maker_;
    const std::map<Name, NamedElement> elements_;
    const std::set<Name> filled_;
    pass::Context &context_;
    std::vector<Part> parts_;
    std::map<const ir::LoopRegion *, Name> symbols_; // of all loops that were asked for
    std::vector<Formula> formulas_;
    std::string whyNot_;
};

} // namespace sdfgc::transforms::gradient
