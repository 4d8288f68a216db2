// Turns break and continue into conditions, since graphs have no jumps.
//
//   while err > tol {               while err > tol and leaves == 0 {
//       work                            work
//       if err < low: break             leaves = 1 if err < low else 0
//       more                            if leaves == 0 { more }
//   }                               }
//
// Each loop has a symbol that is 1 after a break, and one that is 1 in the skipped rest of an iteration; without
// `continue` the first serves as both. The loop's update does not run in the iteration that breaks.
#pragma once

#include "sdfgc/IR/Sdfg.h"

#include <memory>
#include <set>
#include <vector>

namespace sdfgc::transforms {

/// Replaces the jumps of a loop and of its inner loops.
class LoopJumps {
public:
    explicit LoopJumps(ir::LoopRegion &outermost) : g_(*outermost.sdfg()), outermost_(outermost) {}

    /// Are there jumps, none of them a return, all in regions that are sequences of blocks?
    bool canReplace() const;
    /// Replaces them. The initial assignments of the outermost loop are missing until enter() is called, which makes
    /// the only change outside the loop.
    void replace();
    void enter();
    /// Restores the content of the loop from copies of the original blocks. Not allowed after enter().
    void undo();
    /// Conditional blocks around the rest of an iteration: if their condition is false, nothing that follows in the
    /// iteration matters.
    const std::set<const ir::Block *> &guards() const { return guards_; }

private:
    /// The symbols that the jumps of a loop set.
    struct Symbols {
        Name leaves, skips; // empty without such a jump; skips: set by both, if a loop has a continue
        Name stops() const { return skips.empty() ? leaves : skips; }
    };
    using Assignments = std::vector<std::pair<Name, std::string>>;

    Name addSymbol(const std::string &name);
    static Assignments of(const Symbols &s, const ir::Block &jump, const std::string &value);
    void loops(ir::Region &r);
    void loop(ir::LoopRegion &l);
    bool sequence(ir::Region &r, const Symbols &s);
    bool block(ir::Block &b, const Symbols &s);
    void assignInPlaceOf(ir::Block &b, Assignments values);
    void guardRest(ir::Region &r, const std::vector<ir::Block *> &order, std::size_t last, const Symbols &s);
    void assignBefore(ir::Block &b, Assignments values);

    ir::SDFG &g_;
    ir::LoopRegion &outermost_;
    Name left_; // of the outermost loop
    std::vector<Name> added_;
    std::set<const ir::Block *> guards_;
    std::unique_ptr<ir::Block> before_; // the original loop
};

} // namespace sdfgc::transforms
