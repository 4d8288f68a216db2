// Which items of a scope must follow which others, and whether edges with data already enforce this.
#pragma once

#include "sdfgc/Nest/Nest.h"

namespace sdfgc::nest {

/// The items of a scope or state in order.
///
/// Views and structures have no access nodes in a scope. Their uses are ordered there by memory, or by member.
class Order {
public:
    /// `scope`: the SDFG, for the order of a scope; null for that of a state.
    Order(const analysis::Memories &memories, const ir::SDFG *scope) : memories_(&memories), scope_(scope) {}

    /// The earlier items (by position, the last one first) that an item with these uses must follow, leaving out those that a path
    /// of data, or another item of the list, already orders before it.
    std::vector<std::size_t> ties(const std::vector<PlacedUse> &uses, bool effects) const {
        return predecessorsOf(uses, effects).ties;
    }
    /// Returns the same and adds the item.
    std::vector<std::size_t> add(const std::vector<PlacedUse> &uses, bool effects);

private:
    struct Kept {
        std::size_t item;
        bool writes;
        Name base; // the container whose access node orders a write before a read: behind views; empty: none does
        analysis::Member member;
        friend bool operator==(const Kept &, const Kept &) = default;
    };
    /// A set of items with one bit each: a state may have many thousands, each after nearly all earlier ones.
    class Items {
    public:
        bool contains(std::size_t item) const { return item / 64 < words_.size() && (words_[item / 64] >> item % 64 & 1) != 0; }
        void insert(std::size_t item);
        void insert(const Items &others);

    private:
        std::vector<uint64_t> words_;
    };
    struct Predecessors {
        std::vector<std::size_t> ties;
        Items after; // all items that it follows
    };
    Predecessors predecessorsOf(const std::vector<PlacedUse> &uses, bool effects) const;
    Name baseOf(const Use &u) const;
    bool isApart(const Kept &k, const Use &u) const;
    /// Calls `f` with each earlier use of memory that may be the same.
    template <class F> void forEachAt(const Use &u, const F &f) const;
    void keep(const std::vector<PlacedUse> &uses, bool effects);

    const analysis::Memories *memories_;
    const ir::SDFG *scope_;
    std::map<analysis::Memory, std::vector<Kept>> kept_;
    std::set<analysis::Memory> aliasing_; // those of kept_ that may alias other memory
    std::vector<std::size_t> effects_;
    std::vector<Items> after_; // for each item, all items that it follows
};

} // namespace sdfgc::nest
