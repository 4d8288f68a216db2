// Which elements of index arrays does a loop read? Found at run time, by a copy of the loop that does nothing else.
//
//     for b = 0; b < B; b = b + 1 {                       for b = 0; b < B; b = b + 1 {
//         if mask[b] > 0 {                                    if mask[b] > 0 {
//             map[k = 0:4] { t[k] = f(b, k) }
//             for k = 0; k < 4; k = k + 1 {           ->          for k = 0; k < 4; k = k + 1 {
//                 at = idx[4*b + k]                                   first, last = min(first, 4*b + k), max(last, 4*b + k)
//                 A[at] = t[k]                                    }
//             }                                               }
//         }                                               }
//     }
//
// An inner loop that does nothing else than read elements at an affine position runs its first and its last iteration only.
//
// The loop reads its first and its last element, so all elements between them exist, whatever the conditions are: callers may pass
// null, or less memory than declared, for arrays that a program uses under a condition. The declared size would not help anyway if
// the program does not need it otherwise, since callers then do not pass it.
#pragma once

#include "sdfgc/Diag/Reason.h"
#include "sdfgc/IR/Sdfg.h"
#include "sdfgc/Nest/LoopBody.h"

namespace sdfgc::transforms {

/// The reads of index arrays in a loop, all of them by edges of its control flow.
class IndexReads {
public:
    IndexReads(const ir::LoopRegion &l, std::vector<Name> arrays, const nest::LoopBody &body, analysis::Memories &memories);

    /// Why a copy of the loop cannot find them; empty if it can.
    const diag::Reason &obstacle() const { return why_; }
    /// The edges that read index arrays.
    const std::set<const ir::InterstateEdge *> &edges() const { return reads_; }

    /// Symbols for the first and the last position that is read in an array, and for how often it is read.
    struct Limits {
        Name first, last, count;
    };
    /// Adds the copy to a region. `limits`: of each array, already initialised.
    ir::LoopRegion *addCopy(ir::Region &r, const std::vector<Limits> &limits) const;

private:
    using Assignments = std::vector<std::pair<Name, std::string>>;

    void fail(diag::Why code, std::string text);
    std::vector<sym::Expr> positions(Name array, const std::string &text) const;
    bool findReads(const ir::Region &r);
    bool findReads(const ir::Block &b);
    void findOtherReads();
    void findNeeded();
    bool addNeeded(const ir::Region &r);
    void need(const ir::Code &c);
    bool hasOnlyReads(const ir::LoopRegion &l) const;
    std::string leap(const ir::LoopRegion &l, ir::LoopRegion &copy) const;
    void reduce(const ir::Region &from, ir::Region &to, const std::vector<Limits> &limits) const;
    Assignments reduced(const ir::InterstateEdge &e, const std::vector<Limits> &limits, const std::string &times) const;

    const ir::LoopRegion &loop_;
    ir::SDFG &g_;
    const std::vector<Name> arrays_;
    const nest::LoopBody &body_;
    analysis::Memories &memories_;
    std::set<const ir::InterstateEdge *> reads_;
    std::set<const ir::Block *> kept_; // blocks that lead to reads
    std::set<Name> needed_;            // symbols that decide about reads
    diag::Reason why_;
};

} // namespace sdfgc::transforms
