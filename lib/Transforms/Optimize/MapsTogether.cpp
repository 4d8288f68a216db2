#include "Transforms/Optimize/MapsTogether.h"

#include "sdfgc/Nest/Build.h"
#include "sdfgc/Nest/MakeMaps.h"
#include "sdfgc/Tasklet/Ast.h"

#include <algorithm>

namespace sdfgc::transforms {

using namespace ir;
using diag::Reason;
using diag::Why;
using nest::Item;
using nest::Map;

Reason MapsTogether::read(const std::vector<Item> &items) {
    if (Reason why = readRanges(items))
        return why;
    std::vector<nest::PlacedUse> uses;
    std::set<Name> own = apart_;
    Map onto;
    onto.params = params_;
    onto.ranges = ranges_;
    for (const Item &i : items) {
        if (!i.map) {
            if (mentionsParameters(*i.step))
                return {Why::Names, "the names of parameters in it conflict"};
            continue;
        }
        const std::map<Name, sym::Expr> meaning = meaningOf(*i.map);
        if (!nest::canLayOver(*i.map, meaning, params_))
            return {Why::Names, "the names of parameters in it conflict"};
        own.merge(nest::localsOf(i));
        for (nest::PlacedUse &u : nest::aligned(*i.map, onto, meaning, params_.size())) {
            u.instance.loops.insert(u.instance.loops.begin() + static_cast<std::ptrdiff_t>(params_.size()), loop_);
            uses.push_back(std::move(u));
        }
    }
    std::erase_if(uses, [&](const nest::PlacedUse &u) { return own.count(u.use->data) != 0; });
    for (const nest::PlacedUse &u : uses)
        if (!analysis::isPlain(g_.desc(u.use->data)))
            return {Why::Container, "`" + u.use->data.str() + "` in it is not a plain array"};
    return items_.dependence(uses, params_.size(), "iterations of its maps depend on each other");
}

/// Would names in a step have another meaning in the map?
bool MapsTogether::mentionsParameters(const nest::Step &s) const {
    const auto mentions = [this](const std::set<Name> &names) {
        return std::any_of(params_.begin(), params_.end(), [&](Name p) { return names.count(p) != 0; });
    };
    for (const Node *n : s.nodes)
        if (const auto *t = dyn_cast<Tasklet>(n); t && mentions(py::blockNames(t->code.blockOrRaw()).read))
            return true;
    return std::any_of(s.uses.begin(), s.uses.end(),
                       [&](const nest::Use &u) { return u.subset && mentions(u.subset->freeSymbols()); });
}

Reason MapsTogether::readRanges(const std::vector<Item> &items) {
    for (const Item &i : items) {
        if (!i.map)
            continue;
        const Map &m = *i.map;
        if (!nest::canSplit(m) || m.entry->ordered || m.entry->schedule != Schedule::CPU_Multicore || nest::hasEffects(i) ||
            std::find(m.params.begin(), m.params.end(), loop_.variable) != m.params.end())
            return {Why::Opaque, "map `" + m.entry->label + "` in it cannot be changed"};
        for (const sym::Range &r : m.ranges)
            if (nest::mentions({{r}}, {loop_.variable}) || !r.tile.isOne())
                return {Why::Shape, "a map in it changes its range"};
        if (entry_ && !(m.ranges == ranges_))
            return {Why::Shape, "its maps have different ranges"};
        if (entry_)
            continue;
        entry_ = m.entry;
        made_ = m.made;
        params_ = m.params;
        ranges_ = m.ranges;
    }
    return entry_ ? Reason() : Reason{Why::Shape, "it contains no maps"};
}

std::map<Name, sym::Expr> MapsTogether::meaningOf(const Map &m) const {
    std::map<Name, sym::Expr> out;
    for (std::size_t d = 0; d < params_.size(); ++d)
        if (m.params[d] != params_[d])
            out.emplace(m.params[d], sym::Expr::symbol(params_[d]));
    return out;
}

std::unique_ptr<Map> MapsTogether::join(std::vector<Item> items) const {
    auto out = std::make_unique<Map>(nest::mapLike(*entry_, entry_->label, params_, ranges_));
    for (Item &i : items) {
        if (i.step) {
            out->body.push_back(std::move(i));
            continue;
        }
        out->locals.insert(i.map->locals.begin(), i.map->locals.end());
        for (Item &inner : nest::takeBody(*i.map, meaningOf(*i.map), params_.size()))
            out->body.push_back(std::move(inner));
    }
    return out;
}

} // namespace sdfgc::transforms
