#include "Transforms/Optimize/RowParts.h"

#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/Nest/Build.h"
#include "sdfgc/Nest/MakeMaps.h"
#include "sdfgc/Support/UnionFind.h"
#include "sdfgc/Tasklet/Ast.h"

#include <algorithm>

namespace sdfgc::transforms {

using namespace ir;
using nest::Item;
using nest::Map;
using nest::PlacedUse;
using nest::Use;
using nest::UseKind;

namespace {

constexpr std::size_t fewSteps = 8; // that each thread of a map may repeat

/// Do all iterations only update elements that do not depend on them?
bool onlyAccumulates(const Map &m) {
    for (const Item &i : m.body) {
        if (!i.step)
            return false;
        for (const Use &u : i.step->uses)
            if (u.writes() && !m.locals.count(u.data) &&
                (u.kind != UseKind::Update || !u.subset || nest::mentions(*u.subset, m.params)))
                return false;
    }
    return true;
}

/// Would a thread that executes the item run loops alone that have threads otherwise?
bool losesThreads(const Item &i) {
    if (!i.map)
        return false;
    return i.map->entry->ordered ? std::any_of(i.map->body.begin(), i.map->body.end(), losesThreads) : !onlyAccumulates(*i.map);
}

/// Does a map update elements that some of its loops do not determine? These loops must not become threads.
bool accumulates(const Map &m) {
    const std::set<Name> own = nest::localsOf(m);
    for (const Item &i : m.body)
        for (const PlacedUse &u : nest::usesOf(i)) {
            if (u.use->kind != UseKind::Update || own.count(u.use->data))
                continue;
            if (!u.use->subset)
                return true;
            const std::set<Name> names = u.use->subset->freeSymbols();
            if (std::any_of(m.params.begin(), m.params.end(), [&](Name p) { return names.count(p) == 0; }))
                return true;
        }
    return false;
}

} // namespace

RowParts::RowParts(const Map &rows, const nest::Conflicts &items, const SDFG &g) : rows_(rows), items_(items), g_(g) {
    for (std::size_t k = 0; k < rows.body.size(); ++k) {
        uses_.push_back(nest::usesOf(rows.body[k]));
        for (const PlacedUse &u : uses_.back())
            if (u.use->writes() && rows.locals.count(u.use->data))
                writers_[u.use->data].push_back(k);
    }
    findRepeatable();
    findParts();
    possible_ =
        !parts_.empty() && isOrdered() && std::all_of(parts_.begin(), parts_.end(), [this](Part &p) { return complete(p); });
}

/// Does a step only compute a variable from values that the body does not change, apart from such variables?
bool RowParts::canBeRepeated(std::size_t k) const {
    const nest::Step *s = rows_.body[k].step.get();
    if (!s || s->effects || s->nodes.size() > 1)
        return false;
    if (!s->isCopy() && !nest::isPythonTasklet(*s))
        return false;
    return std::all_of(s->uses.begin(), s->uses.end(), [&](const Use &u) {
        if (u.writes()) {
            const auto writers = writers_.find(u.data);
            return u.kind == UseKind::Write && u.certain && writers != writers_.end() && writers->second.size() == 1;
        }
        if (!u.subset || !u.subset->isOneElement())
            return false;
        if (const auto writers = writers_.find(u.data); writers != writers_.end())
            return writers->second.size() == 1 && writers->second.front() < k && repeatable_[writers->second.front()];
        return std::none_of(uses_.begin(), uses_.end(), [&](const std::vector<PlacedUse> &of) {
            return std::any_of(of.begin(), of.end(), [&](const PlacedUse &w) { return w.use->writes() && items_.meet(*w.use, u); });
        });
    });
}

void RowParts::findRepeatable() {
    repeatable_.assign(rows_.body.size(), false);
    for (std::size_t k = 0; k < rows_.body.size(); ++k)
        repeatable_[k] = canBeRepeated(k);
}

/// Items that share a variable which is not repeated stay together.
void RowParts::findParts() {
    UnionFind sets;
    std::map<Name, std::size_t> first;
    for (std::size_t k = 0; k < uses_.size(); ++k) {
        sets.add();
        for (const PlacedUse &u : uses_[k]) {
            const auto writers = writers_.find(u.use->data);
            if (writers == writers_.end() || (writers->second.size() == 1 && repeatable_[writers->second.front()]))
                continue;
            const auto [user, isNew] = first.emplace(u.use->data, k);
            if (!isNew)
                sets.join(sets.find(user->second), sets.find(k));
        }
    }
    std::map<std::size_t, std::size_t> numbers; // of parts, by representatives
    for (std::size_t k = 0; k < uses_.size(); ++k) {
        if (repeatable_[k])
            continue;
        const auto [number, isNew] = numbers.emplace(sets.find(k), parts_.size());
        if (isNew)
            parts_.emplace_back();
        parts_[number->second].items.push_back(k);
    }
}

/// May the parts run one after the other?
bool RowParts::isOrdered() const {
    for (std::size_t a = 0; a < parts_.size(); ++a)
        for (std::size_t b = a + 1; b < parts_.size(); ++b)
            for (const std::size_t earlier : parts_[b].items)
                for (const std::size_t later : parts_[a].items)
                    if (earlier < later)
                        for (const PlacedUse &u : uses_[earlier])
                            for (const PlacedUse &v : uses_[later])
                                if (items_.meet(*u.use, *v.use))
                                    return false;
    return true;
}

/// Adds the steps to a part that compute variables which an item reads.
bool RowParts::needs(std::size_t k, Part &p) const {
    for (const PlacedUse &u : uses_[k]) {
        const auto writers = writers_.find(u.use->data);
        if (u.use->writes() || writers == writers_.end() || !repeatable_[writers->second.front()] ||
            !p.computed.insert(writers->second.front()).second)
            continue;
        if (p.computed.size() > fewSteps || !needs(writers->second.front(), p))
            return false;
    }
    return true;
}

/// Decides what a part becomes; false if it would lose threads.
bool RowParts::complete(Part &p) const {
    for (const std::size_t k : p.items)
        if (!needs(k, p))
            return false;
    const Map *inner = p.items.size() == 1 ? rows_.body[p.items.front()].map.get() : nullptr;
    if (!inner || accumulates(*inner))
        return std::none_of(p.items.begin(), p.items.end(), [this](std::size_t k) { return losesThreads(rows_.body[k]); });
    p.isMap = true;
    const auto hidesName = [&](std::size_t k) {
        const nest::Step &s = *rows_.body[k].step;
        std::set<Name> names = s.isCopy() ? std::set<Name>() : analysis::freeSymbols(*s.nodes.front());
        for (const Use &u : s.uses)
            if (u.subset)
                names.merge(u.subset->freeSymbols());
        return std::any_of(inner->params.begin(), inner->params.end(), [&](Name n) { return names.count(n) != 0; });
    };
    return !inner->entry->ordered && nest::canSplit(*inner) && std::none_of(p.computed.begin(), p.computed.end(), hidesName) &&
           std::none_of(inner->params.begin(), inner->params.end(),
                        [&](Name n) { return std::find(rows_.params.begin(), rows_.params.end(), n) != rows_.params.end(); }) &&
           std::none_of(inner->ranges.begin(), inner->ranges.end(),
                        [&](const sym::Range &r) { return nest::mentions({{r}}, rows_.params) || !r.tile.isOne(); });
}

std::vector<Item> RowParts::make(Map &rows, const MapEntry &like, SDFG &g, analysis::Memories &memories,
                                 const std::set<Name> &connectors) const {
    std::vector<Item> out;
    std::set<Name> taken; // variables that an earlier part has
    for (const Part &p : parts_) {
        const Item &last = rows.body[p.items.back()];
        auto map =
            std::make_unique<Map>(nest::mapLike(like, p.isMap ? last.map->entry->label : like.label, rows.params, rows.ranges));
        std::vector<std::size_t> all(p.computed.begin(), p.computed.end());
        all.insert(all.end(), p.items.begin(), p.items.end());
        std::sort(all.begin(), all.end());
        for (const std::size_t k : all) {
            Item &i = rows.body[k];
            if (p.computed.count(k)) {
                map->body.push_back({nullptr, std::make_unique<nest::Step>(*i.step)});
            } else if (p.isMap) {
                map->params.insert(map->params.end(), i.map->params.begin(), i.map->params.end());
                map->ranges.insert(map->ranges.end(), i.map->ranges.begin(), i.map->ranges.end());
                map->locals.merge(i.map->locals);
                std::move(i.map->body.begin(), i.map->body.end(), std::back_inserter(map->body));
            } else {
                map->body.push_back(std::move(i));
            }
        }
        std::map<Name, Name> own;
        for (const Item &i : map->body)
            for (const PlacedUse &u : nest::usesOf(i))
                if (const Name n = u.use->data; rows.locals.count(n) && !own.count(n))
                    own.emplace(n, taken.insert(n).second ? n : nest::addContainer(g, n.view(), DataDesc(*g.desc(n)), connectors));
        for (const auto &[variable, name] : own) {
            map->locals.insert(name);
            g.desc(name)->storage = Storage::Register;
        }
        for (Item &i : map->body)
            nest::renameContainers(i, own, g, memories);
        out.push_back({std::move(map), nullptr});
    }
    return out;
}

} // namespace sdfgc::transforms
