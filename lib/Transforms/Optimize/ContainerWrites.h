// Writes to containers in one SDFG: which loops contain them, and which of them have certainly run at a point.
#pragma once

#include "sdfgc/Analysis/Flow/Dominators.h"
#include "sdfgc/Analysis/Memory/Memories.h"

#include <map>
#include <set>
#include <vector>

namespace sdfgc::transforms {

/// A write to a place in memory: by an access node of the SDFG, or of an SDFG nested in one of its states.
struct ContainerWrite {
    ir::State *state; // of the SDFG itself
    const ir::AccessNode *node;
    /// Does the state always write the only element of the container? Only if one tasklet or copy at its top level does.
    bool certain = false;
};

/// Valid until nodes of the SDFG change. New blocks are unknown to `dominates`.
class ContainerWrites {
public:
    ContainerWrites(ir::SDFG &g, analysis::Memories &memories);

    /// May anything in a loop, or in the SDFG, write the container, also under another name?
    bool writtenIn(const ir::Region &r, Name container) const;
    /// Returns all writes that the container may be affected by.
    std::vector<const ContainerWrite *> of(Name container) const;
    /// Does every path to a block pass a state of the same SDFG? True for the state itself.
    bool dominates(const ir::State &s, const ir::Block &at) const;

private:
    void add(ir::State &top, ir::State &s);
    void add(const analysis::Place &place, const ContainerWrite &w);

    struct Written {
        analysis::Place place;
        std::vector<ContainerWrite> writes;
    };
    ir::SDFG &g_;
    analysis::Memories &memories_;
    std::vector<Written> places_;
    std::map<const ir::Region *, std::set<std::size_t>> written_; // of loops and the SDFG: positions in places_
    mutable std::map<const ir::Region *, analysis::BlockDominators> dominators_;
};

} // namespace sdfgc::transforms
