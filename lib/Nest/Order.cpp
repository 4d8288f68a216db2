#include "Nest/Order.h"

#include "sdfgc/IR/StateGraph.h"

namespace sdfgc::nest {

namespace {

/// The container whose access node the writer puts there: behind views.
Name baseOf(const Use &u) {
    const ir::AccessNode *behind = u.access ? ir::nodeBehindViews(u.access) : nullptr;
    return behind && behind != u.access ? behind->data : u.data;
}

} // namespace

template <class F> void Order::forEachAt(analysis::Memory m, const F &f) const {
    auto all = [&](analysis::Memory which) {
        if (const auto found = kept_.find(which); found != kept_.end())
            for (const Kept &k : found->second)
                f(k);
    };
    all(m);
    if (memories_->mayAlias(m))
        for (const analysis::Memory other : aliasing_)
            if (other != m)
                all(other);
}

Order::Place Order::follows(const std::vector<PlacedUse> &uses, bool effects) const {
    Place out;
    std::set<std::size_t> ordered;
    std::set<Name> own; // what the item reads of these it has written itself
    for (const PlacedUse &u : uses) {
        const bool writes = u.use->writes(), outside = !writes && !own.count(u.use->data);
        const Name base = baseOf(*u.use);
        forEachAt(u.use->memory, [&](const Kept &k) {
            if (k.writes || writes)
                (outside && k.base == base ? out.after : ordered).insert(k.item);
        });
        if (writes)
            own.insert(u.use->data);
    }
    if (effects)
        ordered.insert(effects_.begin(), effects_.end());
    const std::set<std::size_t> direct = out.after;
    for (std::size_t item : direct)
        out.after.insert(after_[item].begin(), after_[item].end());
    for (auto item = ordered.rbegin(); item != ordered.rend(); ++item)
        if (!out.after.count(*item)) {
            out.ties.push_back(*item);
            out.after.insert(*item);
            out.after.insert(after_[*item].begin(), after_[*item].end());
        }
    return out;
}

Order::Place Order::add(const std::vector<PlacedUse> &uses, bool effects) {
    Place out = follows(uses, effects);
    for (const PlacedUse &u : uses) {
        std::vector<Kept> &kept = kept_[u.use->memory];
        const Kept k{after_.size(), u.use->writes(), baseOf(*u.use)};
        if (kept.empty() || !(kept.back() == k))
            kept.push_back(k);
        if (memories_->mayAlias(u.use->memory))
            aliasing_.insert(u.use->memory);
    }
    if (effects)
        effects_.push_back(after_.size());
    after_.push_back(out.after);
    return out;
}

} // namespace sdfgc::nest
