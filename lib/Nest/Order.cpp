#include "Nest/Order.h"

#include "sdfgc/IR/StateGraph.h"

#include <algorithm>
#include <iterator>

namespace sdfgc::nest {

/// The container, behind any views, for which the writer creates an access node.
Name Order::baseOf(const Use &u) const {
    if (scope_) {
        const ir::DataDesc *d = scope_->desc(u.data);
        return d && (d->isView() || d->isStructure()) ? Name() : u.data;
    }
    const bool isRead = u.access && u.access->state();
    const ir::AccessNode *behind = isRead ? ir::nodeBehindViews(u.access) : nullptr;
    return behind && behind != u.access ? behind->data : u.data;
}

/// In a state, all members of a structure are ordered, because each write creates an access node of the structure.
bool Order::isApart(const Kept &k, const Use &u) const { return scope_ && memories_->apart(u.place(), {u.memory, k.member}); }

template <class F> void Order::forEachAt(const Use &u, const F &f) const {
    const analysis::Memory m = u.memory;
    auto all = [&](analysis::Memory which) {
        if (const auto found = kept_.find(which); found != kept_.end())
            for (const Kept &k : found->second)
                if (which != m || !isApart(k, u))
                    f(k);
    };
    all(m);
    if (memories_->mayAlias(m))
        for (const analysis::Memory other : aliasing_)
            if (other != m)
                all(other);
}

void Order::Items::insert(std::size_t item) {
    if (item / 64 >= words_.size())
        words_.resize(item / 64 + 1);
    words_[item / 64] |= uint64_t(1) << item % 64;
}

void Order::Items::insert(const Items &others) {
    if (others.words_.size() > words_.size())
        words_.resize(others.words_.size());
    for (std::size_t k = 0; k < others.words_.size(); ++k)
        words_[k] |= others.words_[k];
}

Order::Predecessors Order::predecessorsOf(const std::vector<PlacedUse> &uses, bool effects) const {
    std::set<std::size_t> byData, ordered;
    std::set<Name> own; // reads of these see the item's own writes
    for (const PlacedUse &u : uses) {
        const bool writes = u.use->writes(), outside = !writes && !own.count(u.use->data);
        const Name base = baseOf(*u.use);
        forEachAt(*u.use, [&](const Kept &k) {
            if (k.writes || writes)
                (outside && base && k.base == base ? byData : ordered).insert(k.item);
        });
        if (writes)
            own.insert(u.use->data);
    }
    if (effects)
        ordered.insert(effects_.begin(), effects_.end());
    Predecessors out;
    const auto isNew = [&](std::size_t item) {
        if (out.after.contains(item)) // and everything that `item` follows
            return false;
        out.after.insert(item);
        out.after.insert(after_[item]);
        return true;
    };
    for (auto item = byData.rbegin(); item != byData.rend(); ++item)
        isNew(*item);
    std::copy_if(ordered.rbegin(), ordered.rend(), std::back_inserter(out.ties), isNew);
    return out;
}

std::vector<std::size_t> Order::add(const std::vector<PlacedUse> &uses, bool effects) {
    Predecessors before = predecessorsOf(uses, effects);
    keep(uses, effects);
    after_.push_back(std::move(before.after));
    return std::move(before.ties);
}

void Order::keep(const std::vector<PlacedUse> &uses, bool effects) {
    for (const PlacedUse &u : uses) {
        std::vector<Kept> &kept = kept_[u.use->memory];
        const Kept k{after_.size(), u.use->writes(), baseOf(*u.use), u.use->member};
        if (k.writes) // this write follows all of these, and later conflicting items follow the write
            std::erase_if(kept, [&](const Kept &earlier) {
                return earlier.item != k.item && (!scope_ || !k.member.path || k.member.path == earlier.member.path);
            });
        if (kept.empty() || !(kept.back() == k))
            kept.push_back(k);
        if (memories_->mayAlias(u.use->memory))
            aliasing_.insert(u.use->memory);
    }
    if (effects)
        effects_.push_back(after_.size());
}

} // namespace sdfgc::nest
