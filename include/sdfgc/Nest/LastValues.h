// Symbols that every iteration of a loop assigns and that code after the loop reads.
//
// If the loop becomes a map, they are private to its iterations. Their values in the last iteration are computed once more after the
// loop, by the part of its control flow that they depend on:
//
//     for b = first; b <= last; b = b + 1 {           map[b = first:last + 1] { ... }
//         if b == last { n = len[b] }                 if first <= last {
//         else { n = 8 }                         ->       if last == last { n = len[last] }
//         state { map[i = 0:n] ... }                      else { n = 8 }
//     }                                               }
//     m = n                                           m = n
#pragma once

#include "sdfgc/Analysis/Flow/LoopHeader.h"
#include "sdfgc/Analysis/Memory/Memories.h"
#include "sdfgc/Diag/Reason.h"

namespace sdfgc::nest {

/// The part of a loop's control flow that computes the values of symbols.
class LastValues {
public:
    /// `symbols`: assigned on every path of an iteration, before it reads them. The body must consist of sequences, branches and
    /// loops (readBody). `l` must outlive the object.
    LastValues(ir::LoopRegion &l, const std::set<Name> &symbols);

    /// Can the part be executed after the loop, with the same result? It must contain no jumps and no inner loops, and read no
    /// containers that the loop writes. `carried`: symbols whose values pass from iteration to iteration, which it must not read
    /// either.
    bool isPossible(analysis::Memories &memories, const std::set<Name> &carried) const;
    /// Does it read containers?
    bool readsContainers() const { return !containers_.empty(); }
    /// Adds the part after the loop. `header`: of the loop; it has an end.
    void add(const analysis::LoopHeader &header) const;

private:
    void findNeeded(const ir::Region &r);
    void need(const ir::Code &code);
    bool isNeeded(const ir::Block &b) const;
    std::string inLast(const std::string &text) const;
    void copy(const ir::Region &from, ir::Region &to) const;
    void copy(const ir::ConditionalBlock &from, ir::ConditionalBlock &to) const;

    ir::LoopRegion &loop_;
    std::set<Name> needed_;     // symbols
    std::set<Name> containers_; // that it reads
    bool hasRegions_ = false;   // loops, or other regions, that compute them
    mutable Name last_;         // the symbol with the last value of the loop's variable
};

} // namespace sdfgc::nest
