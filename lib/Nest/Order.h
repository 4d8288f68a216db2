// Which items of one scope must come after which others, and whether edges with data say so already.
#pragma once

#include "sdfgc/Nest/Nest.h"

namespace sdfgc::nest {

/// The items of a scope or state, one after the other.
class Order {
public:
    explicit Order(const analysis::Memories &memories) : memories_(&memories) {}

    /// Earlier items (by position) that an item must follow.
    struct Place {
        std::vector<std::size_t> ties; // that no path of data leads from
        std::set<std::size_t> after;   // all of them
    };
    /// Where an item with these uses would be.
    Place follows(const std::vector<PlacedUse> &uses, bool effects) const;
    /// Adds it.
    Place add(const std::vector<PlacedUse> &uses, bool effects);

private:
    struct Kept {
        std::size_t item;
        bool writes;
        Name base; // the container whose access node orders a write before a read: behind views
        friend bool operator==(const Kept &, const Kept &) = default;
    };
    /// Calls `f` with what was done to memory that may be the same.
    template <class F> void forEachAt(analysis::Memory m, const F &f) const;

    const analysis::Memories *memories_;
    std::map<analysis::Memory, std::vector<Kept>> kept_;
    std::set<analysis::Memory> aliasing_; // those of kept_ that may be other memory, too
    std::vector<std::size_t> effects_;
    std::vector<std::set<std::size_t>> after_; // by position
};

} // namespace sdfgc::nest
