// The memory that a container refers to: through views, boundaries of nested SDFGs, and references.
//
//     a view                          the memory of the viewed container
//     an argument of a nested SDFG    that of the container at the other end of the connector's edges
//     a reference                     one memory with every container that it is set to, anywhere in the program
//     a member of a structure         that of the structure
//     all others                      their own
//
// Uses of different memories never touch the same element, unless the caller passes arguments that may alias (apart).
#pragma once

#include "sdfgc/IR/Sdfg.h"
#include "sdfgc/Support/UnionFind.h"

#include <map>
#include <utility>
#include <vector>

namespace sdfgc::analysis {

/// Number of a memory; -1: none.
using Memory = int;

/// The memories of one program. Valid until views, references or nested SDFGs change; new containers and nodes may be added.
class Memories {
public:
    explicit Memories(ir::SDFG &root);

    Memory of(ir::SDFG &g, Name data);
    Memory of(const ir::AccessNode &n);
    /// The container that owns a memory; its descriptor is null if the program does not contain it.
    const std::pair<ir::SDFG *, Name> &owner(Memory m) const { return owners_[static_cast<std::size_t>(m)]; }
    const ir::DataDesc *desc(Memory m) const;
    /// Are they provably disjoint, whatever the subsets?
    bool apart(Memory a, Memory b) const;
    /// May it overlap with other memory for which this holds?
    bool mayAlias(Memory m) const { return mayAlias_[static_cast<std::size_t>(m)]; }

private:
    void mergeReferences(ir::SDFG &g);
    std::vector<std::pair<ir::SDFG *, Name>> owners_;
    std::vector<bool> mayAlias_;
    UnionFind merged_; // numbers
    std::map<std::pair<const ir::SDFG *, Name>, Memory> numbers_;
};

} // namespace sdfgc::analysis
