// The memory that a container refers to: through views, boundaries of nested SDFGs, and references.
//
//     a view                          the memory of the viewed container
//     an argument of a nested SDFG    that of the container at the other end of the connector's edges
//     a reference                     one memory with every container that it is set to, anywhere in the program
//     a structure                     its own, with all members
//     all others                      their own
//
// Uses of different memories never touch the same element, unless the caller passes arguments that may alias (apart).
//
// A place is a memory and a path of members in it. The path follows views and boundaries too:
//
//     P.edges.start                   edges.start of P
//     e = view of P.edges, e.start    edges.start of P
//     s = view of A[i], s.n           *.n of A, an array of structures: the index is left out
//
// Members of one structure are apart unless one path is a prefix of the other, both may alias according to their
// descriptors, or the program changes the pointer of one of them (docs/user/optimiser.md, *Which memory is the same*).
// Queries about memories instead of places are conservative: a memory contains all of its members.
#pragma once

#include "sdfgc/IR/Sdfg.h"
#include "sdfgc/Support/UnionFind.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace sdfgc::analysis {

/// Number of a memory; -1: none.
using Memory = int;

/// A part of a memory: a member of a structure, or everything.
struct Member {
    Name path;             // empty: everything
    bool mayAlias = false; // with others whose descriptors allow it
    bool fixed = true;     // does its name mean the same memory everywhere in the program?
    friend bool operator==(const Member &, const Member &) = default;
};

struct Place {
    Memory memory = -1;
    Member member;
};

/// The memories of one program. Valid until views, references or nested SDFGs change; new containers and nodes may be added.
class Memories {
public:
    explicit Memories(ir::SDFG &root);

    /// Call this after replacing nested SDFGs, including those nested in them, with copies: `gone` no longer exist. A new one may
    /// have the address of an old one. `made`: the copies, without those nested in them.
    void replaced(const std::vector<const ir::SDFG *> &gone, const std::vector<ir::SDFG *> &made);
    /// Returns a number that is another one after `replaced` has given memories new identities.
    int64_t version() const { return version_; }

    Memory of(ir::SDFG &g, Name data);
    Memory of(const ir::AccessNode &n);
    /// A view that shows several members has their common path if it is given by name.
    Place placeOf(ir::SDFG &g, Name data);
    Place placeOf(const ir::AccessNode &n);
    /// The same for an edge at the node, whose memlet may state a member.
    Place placeOf(const ir::AccessNode &n, const ir::Edge &e);
    /// Returns the member of a structure that `data` stands for, by its name in the SDFG of the node: `P.edges.start`.
    /// `data`: that of the node, which may be a view, or a member of that. Nothing if it is not a member, or if an index
    /// is part of the place.
    static std::optional<Name> memberOf(const ir::AccessNode &n, Name data);
    /// The container that owns a memory; its descriptor is null if the program does not contain it.
    const std::pair<ir::SDFG *, Name> &owner(Memory m) const { return owners_[static_cast<std::size_t>(m)]; }
    const ir::DataDesc *desc(Memory m) const;
    /// Are they provably disjoint, whatever the subsets?
    bool apart(Memory a, Memory b) const;
    bool apart(const Place &a, const Place &b) const;
    /// May it, or a member of it, overlap with other memory for which this holds?
    bool mayAlias(Memory m) const;

private:
    /// A path from a memory or from a container of one SDFG.
    struct Path {
        std::string text;
        bool closed = false; // it leads to memory with another layout, whose parts have no names
    };
    struct Position {
        Memory memory = -1;
        Path path;
    };
    /// A container of one SDFG that is not a view, and a path in it.
    struct Local {
        Name root;
        Path path;
    };

    static void descend(Path &path, const ir::SDFG &g, Name from, std::string_view members);
    static void append(Path &path, const Path &inner);
    static Local localOf(const ir::AccessNode &n, int views);
    static Local shownAt(const ir::AccessNode &base, const ir::Edge &e, Name connector, const ir::DataDesc &as, int views);
    const Position &positionOf(ir::SDFG &g, Name owner);
    Position at(ir::SDFG &g, const Local &l);
    Position behind(ir::SDFG &g, Name owner);
    Place placeAt(const Position &p);
    Memory add(ir::SDFG &g, Name data);
    void find(ir::SDFG &root);
    void merge(Memory into, Memory other);
    void findReferences(ir::SDFG &g);
    void findNewPointers(ir::SDFG &g);
    Memory representative(Memory m) { return m < 0 ? m : static_cast<Memory>(merged_.find(static_cast<std::size_t>(m))); }

    ir::SDFG *root_;
    bool merges_ = false; // has merged memories
    int64_t version_ = 0;
    std::vector<std::pair<ir::SDFG *, Name>> owners_;
    std::vector<bool> mayAlias_, membersMayAlias_;
    std::vector<int> structures_;              // number of merged containers with members, by representative
    std::map<Memory, std::set<Name>> changed_; // members whose pointers the program changes, by representative
    UnionFind merged_;                         // numbers
    std::map<std::pair<const ir::SDFG *, Name>, Position> positions_;
};

} // namespace sdfgc::analysis
