// Which items of one scope must come after which others, and whether edges with data say so already.
#pragma once

#include "sdfgc/Nest/Nest.h"

namespace sdfgc::nest {

/// The items of a scope or state, one after the other.
class Order {
public:
    explicit Order(const analysis::Memories &memories) : memories_(&memories) {}

    /// The earlier items (by position, the last one first) that an item with these uses must follow though no path of data, and no other
    /// of these, leads from them.
    std::vector<std::size_t> ties(const std::vector<PlacedUse> &uses, bool effects) const { return placeOf(uses, effects).ties; }
    /// The same, and adds it.
    std::vector<std::size_t> add(const std::vector<PlacedUse> &uses, bool effects);

private:
    struct Kept {
        std::size_t item;
        bool writes;
        Name base; // the container whose access node orders a write before a read: behind views
        friend bool operator==(const Kept &, const Kept &) = default;
    };
    /// Items, a bit for each: there may be many thousands in a state, each after nearly all before it.
    class Items {
    public:
        bool contains(std::size_t item) const { return item / 64 < words_.size() && (words_[item / 64] >> item % 64 & 1) != 0; }
        void insert(std::size_t item);
        void insert(const Items &others);

    private:
        std::vector<uint64_t> words_;
    };
    struct Place {
        std::vector<std::size_t> ties;
        Items after; // all that it follows
    };
    Place placeOf(const std::vector<PlacedUse> &uses, bool effects) const;
    /// Calls `f` with what was done to memory that may be the same.
    template <class F> void forEachAt(analysis::Memory m, const F &f) const;
    void keep(const std::vector<PlacedUse> &uses, bool effects);

    const analysis::Memories *memories_;
    std::map<analysis::Memory, std::vector<Kept>> kept_;
    std::set<analysis::Memory> aliasing_; // those of kept_ that may be other memory, too
    std::vector<std::size_t> effects_;
    std::vector<Items> after_; // of each item, all that it follows
};

} // namespace sdfgc::nest
