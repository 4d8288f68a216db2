#include "Nest/Order.h"

#include "sdfgc/IR/StateGraph.h"

namespace sdfgc::nest {

namespace {

/// The container whose access node the writer puts there: behind views.
Name baseOf(const Use &u) {
    const ir::AccessNode *behind = u.access ? ir::nodeBehindViews(u.access) : nullptr;
    return behind ? behind->data : u.data;
}

} // namespace

bool Order::isFlow(const Use &earlier, const Use &later) {
    return earlier.writes() && !later.writes() && baseOf(earlier) == baseOf(later);
}

bool Order::meet(const Use &a, const Use &b) const {
    return (a.writes() || b.writes()) && (a.memory == b.memory || !memories_->apart(a.memory, b.memory));
}

Order::Place Order::follows(const std::vector<PlacedUse> &uses, bool effects) const {
    Place out;
    std::set<std::size_t> ordered;
    std::set<Name> own; // what the item reads of these it has written itself
    for (const PlacedUse &u : uses) {
        for (const Kept &k : uses_)
            if (meet(*k.use, *u.use))
                (isFlow(*k.use, *u.use) && !own.count(u.use->data) ? out.after : ordered).insert(k.item);
        if (u.use->writes())
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
    for (const PlacedUse &u : uses)
        uses_.push_back({after_.size(), u.use});
    if (effects)
        effects_.push_back(after_.size());
    after_.push_back(out.after);
    return out;
}

} // namespace sdfgc::nest
