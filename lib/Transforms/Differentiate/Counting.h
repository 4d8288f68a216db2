// Counts the iterations of loops without a formula for their trip count, by running them once beforehand.
//
//                                                  state { nested: s, A, N -> counted
//                                                      while s > tol { counted += 1; s = f(s, A) }    on a copy of s
//                                                  }
//     while s > tol { s = f(s, A) }      ->        n = counted
//                                                  for i = 0; i < n and s > tol; i += 1 { tape[i] = s; s = f(s, A) }
//
// The tape has as many elements as the loop has iterations, and its size is an ordinary symbol. So the graph remains
// ordinary, later passes decide about allocations as usual, and nothing grows while loops run, on the host or on a
// device. The cost is a second run of the loop, without the code that its condition does not depend on: later passes
// remove dead values. Loops whose gradient needs no tape do not run twice.
//
// The counting run covers the entire outermost loop or branch around the loop, since its iterations may differ; the
// result is the maximum trip count over all of them. It is a nested SDFG that receives everything the loop reads, and
// has private copies of everything it writes.
//
// If the bounds of a loop are elements of containers that the surrounding loops do not write, the maximum is computed
// instead (CountFormulas.cpp).
#pragma once

#include "Transforms/Differentiate/Maker.h"
#include "Transforms/Differentiate/PrimalProgram.h"
#include "Transforms/Edits/NamedElement.h"

#include "sdfgc/Pass/Pass.h"

namespace sdfgc::transforms::gradient {

class Counting {
public:
    /// `elements`: symbols that are set to elements (nameElements). `filled`: Request::filled.
    Counting(PrimalProgram &program, Maker &maker, std::map<Name, NamedElement> elements, std::set<Name> filled,
             pass::Context &context)
        : program_(program), maker_(maker), elements_(std::move(elements)), filled_(std::move(filled)), context_(context) {}

    /// Returns a symbol that holds, before the outermost surrounding loop or branch, the maximum trip count of a loop.
    /// Returns nothing if the loop cannot run twice; `whyNot` gives the reason.
    std::optional<sym::Expr> most(const analysis::CountedLoop &l);
    /// The reason for the last result of `most`; empty if that was a symbol.
    const std::string &whyNot() const { return whyNot_; }

    /// Items before a top-level block that compute trip counts, which then become symbols.
    struct Formula {
        ir::Block *block = nullptr;
        std::vector<nest::Item> items;
        Name symbol, counted; // the symbol is set to `counted`
    };
    std::vector<Formula> formulas() { return std::move(formulas_); }

    /// Copies the code to run beforehand. Requires that the program has not been modified yet.
    void copy();
    /// Inserts the copies into the program. Must come after all other insertions.
    void place();

private:
    /// Loops in one top-level block of the SDFG.
    struct Part {
        ir::Block *block = nullptr;
        struct Loop {
            analysis::CountedLoop loop;
            Name symbol, counted; // output of the nested SDFG that the symbol is set to
        };
        std::vector<Loop> loops;
        std::unique_ptr<ir::NestedSDFGNode> node; // after copying
        std::map<Name, Name> handed;              // its arguments: containers of the SDFG, by their names
    };
    std::optional<std::vector<nest::Item>> computed(const analysis::CountedLoop &l, Name into);
    std::vector<nest::Item> largestOf(sym::Expr trips, Name into, const std::vector<Name> &params, std::vector<sym::Range> ranges,
                                      std::map<Name, sym::Expr> meaning, const std::map<Name, Name> &connectors);
    std::string whyOnce(ir::Block &b) const;
    void copy(Part &p);
    void place(Part &p);

    PrimalProgram &program_;
    Maker &maker_;
    const std::map<Name, NamedElement> elements_;
    const std::set<Name> filled_;
    pass::Context &context_;
    std::vector<Part> parts_;
    std::map<const ir::LoopRegion *, Name> symbols_; // of all loops that were requested
    std::vector<Formula> formulas_;
    std::string whyNot_;
};

} // namespace sdfgc::transforms::gradient
