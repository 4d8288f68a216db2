// Blocks as the content of a nested SDFG, which a step calls: the body of a loop, or a stretch of it.
#pragma once

#include "sdfgc/Nest/LoopBody.h"

namespace sdfgc::nest {

/// Returns a step whose only node is a new nested SDFG with the blocks of the loop's body, which is empty then; replace the loop
/// with LoopItems::replaceEmpty. Containers in `locals`, and views that only the body uses, move inside, others are passed as
/// whole arguments, in any case those that the body writes. Symbols that the body assigns are declared inside, others are passed;
/// those outside stay declared (forgetSymbols). Parallel maps in the body become sequential. `inside`: the containers that
/// nothing else uses (LoopItems::release), except another copy of the loop if `isCopy`: then they also stay outside.
Step moveBody(ir::LoopRegion &l, const LoopBody &body, const std::set<Name> &locals, analysis::Memories &memories,
              const std::set<Name> &inside, bool isCopy = false);

/// Consecutive elements of a region's sequence of blocks: block number k is at 2k, the edge after it at 2k + 1.
struct Stretch {
    std::size_t first = 0, last = 0;
    bool contains(std::size_t position) const { return first <= position && position <= last; }
};

/// Returns a step that calls a copy of part of a loop's body, with its accesses in terms of the loop (Use::call). `blocks`:
/// those of the loop, in sequence. `inside`: the containers that only the loop uses; `moved` receives those that become the nested
/// SDFG's own. They stay in the SDFG of the loop: remove them if the step is used. Symbols that the stretch assigns must not be
/// read elsewhere.
Step callOf(const ir::LoopRegion &l, const std::vector<ir::Block *> &blocks, const Stretch &part, const LoopBody &body,
            const Conflicts &items, analysis::Memories &memories, const std::function<bool(Name)> &inside, std::set<Name> &moved);

/// Undeclares those of the symbols that nothing in the SDFG assigns or reads any more.
void forgetSymbols(ir::SDFG &g, const std::set<Name> &symbols);

} // namespace sdfgc::nest
