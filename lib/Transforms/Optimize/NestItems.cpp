#include "Transforms/Optimize/NestItems.h"

#include "sdfgc/Analysis/Symbols.h"

#include <algorithm>
#include <utility>

namespace sdfgc::transforms {

using namespace ir;
using nest::Item;
using nest::Map;
using nest::PlacedUse;
using nest::Step;
using nest::Use;
using nest::UseKind;

NestItems::NestItems(const SDFG &g, const analysis::Memories &memories) : memories_(memories), facts_(analysis::factsOf(g)) {}

ItemFacts NestItems::factsOf(const Item &item) const {
    ItemFacts out;
    const Step *last = nullptr;
    for (const PlacedUse &u : nest::usesOf(item)) {
        out.steps += u.step != std::exchange(last, u.step);
        ItemFacts::Does &does = out.memories[u.use->memory];
        (u.use->writes() ? does.writes : does.reads) = true;
    }
    out.effects = nest::hasEffects(item);
    return out;
}

bool NestItems::handsOn(const ItemFacts &a, const ItemFacts &b) const {
    return std::any_of(a.memories.begin(), a.memories.end(), [&](const auto &m) {
        const auto other = b.memories.find(m.first);
        if (!m.second.writes || other == b.memories.end() || !other->second.reads)
            return false;
        const DataDesc *d = memories_.desc(m.first);
        return d && d->transient;
    });
}

bool NestItems::shares(const ItemFacts &a, const ItemFacts &b) const {
    return std::any_of(a.memories.begin(), a.memories.end(), [&b](const auto &m) { return b.memories.count(m.first) != 0; });
}

std::size_t NestItems::memoriesOf(const ItemFacts &a, const ItemFacts &b) {
    return a.memories.size() + static_cast<std::size_t>(std::count_if(b.memories.begin(), b.memories.end(), [&a](const auto &m) {
               return a.memories.count(m.first) == 0;
           }));
}

bool NestItems::meet(const Use &a, const Use &b) const {
    return (a.writes() || b.writes()) && (a.memory == b.memory || !memories_.apart(a.memory, b.memory));
}

bool NestItems::mayMeet(const ItemFacts &a, const ItemFacts &b) const {
    for (const auto &[m, does] : a.memories) {
        if (const auto same = b.memories.find(m); same != b.memories.end() && (does.writes || same->second.writes))
            return true;
        if (memories_.mayAlias(m))
            for (const auto &[n, other] : b.memories)
                if (memories_.mayAlias(n) && (does.writes || other.writes))
                    return true;
    }
    return false;
}

bool NestItems::ordered(const Item &a, const ItemFacts &factsOfA, const Item &b, const ItemFacts &factsOfB) const {
    if (factsOfA.effects && factsOfB.effects)
        return true;
    if (!mayMeet(factsOfA, factsOfB))
        return false;
    for (const PlacedUse &u : nest::usesOf(a))
        for (const PlacedUse &v : nest::usesOf(b))
            if (meet(*u.use, *v.use) && conflict({u.use, u.instance()}, {v.use, v.instance()}, 0))
                return true;
    return false;
}

std::optional<analysis::Conflict> NestItems::conflict(const AlignedUse &a, const AlignedUse &b, std::size_t common) const {
    if (a.use->data == b.use->data)
        return analysis::conflictOf(a.instance, b.instance, common, facts_);
    // One memory under two names: views, arguments that may alias.
    return analysis::conflictOf({std::nullopt, a.instance.loops}, {std::nullopt, b.instance.loops}, common, facts_);
}

std::vector<AlignedUse> aligned(const Map &m, const Map &onto, const std::map<Name, sym::Expr> &meaning) {
    std::vector<analysis::LoopLevel> outer;
    for (std::size_t d = 0; d < onto.params.size(); ++d)
        outer.push_back({onto.params[d], onto.ranges[d]});
    std::vector<AlignedUse> out;
    for (const Item &i : m.body)
        for (const PlacedUse &u : nest::usesOf(i)) {
            AlignedUse a{u.use, {u.use->subset, outer}};
            if (a.instance.subset)
                a.instance.subset = a.instance.subset->substituted(meaning);
            for (const analysis::LoopLevel &l : u.loops)
                a.instance.loops.push_back({l.variable,
                                            {sym::substitute(l.range.begin, meaning), sym::substitute(l.range.end, meaning),
                                             sym::substitute(l.range.step, meaning), l.range.tile}});
            out.push_back(std::move(a));
        }
    return out;
}

namespace {

bool isOnHost(const DataDesc *d) {
    return d && (d->storage == Storage::Default || d->storage == Storage::CPU_Heap || d->storage == Storage::Register);
}

/// The element of a subset that each iteration of a map takes; nothing where sizes differ. `params`: for the dimensions with more
/// than one element, in order.
std::optional<sym::Subset> elementOf(const sym::Subset &s, const Map &like) {
    sym::Subset out = s;
    std::size_t next = 0;
    for (const std::size_t d : s.nonUnitDims()) {
        const sym::Range &r = s.dims[d];
        if (next == like.params.size() || !r.tile.isOne() || !(r.steps() == like.ranges[next].steps()))
            return std::nullopt;
        const sym::Range &l = like.ranges[next];
        const sym::Expr step = (sym::Expr::symbol(like.params[next]) - l.begin) / l.step;
        out.dims[d].begin = out.dims[d].end = r.begin + step * r.step;
        out.dims[d].step = 1;
        ++next;
    }
    return next == like.params.size() ? std::optional(out) : std::nullopt;
}

bool mentions(const sym::Subset &s, const std::vector<Name> &params) {
    const std::set<Name> symbols = s.freeSymbols();
    return std::any_of(params.begin(), params.end(), [&](Name p) { return symbols.count(p) != 0; });
}

bool isBoxOfUnitSteps(const Map &m) {
    return std::all_of(m.ranges.begin(), m.ranges.end(), [&](const sym::Range &r) {
        return r.step.isOne() && r.tile.isOne() &&
               std::none_of(m.params.begin(), m.params.end(), [&](Name p) { return r.begin.dependsOn(p) || r.end.dependsOn(p); });
    });
}

Use ofElement(const Use &whole, sym::Subset element, Name connector) {
    Use u = whole;
    u.connector = connector;
    u.memlet = Memlet::simple(whole.data, element);
    u.memlet.volume = 1;
    u.memlet.debugInfo = whole.memlet.debugInfo;
    u.subset = std::move(element);
    return u;
}

} // namespace

std::unique_ptr<Map> copyAsMap(const Step &copy, const Map &like, const SDFG &g) {
    const Use &from = copy.uses.front(), &to = copy.uses.back();
    const DataDesc *source = g.desc(from.data), *target = g.desc(to.data);
    if (!from.subset || !to.subset || !to.certain || !isOnHost(source) || !isOnHost(target) || !(source->dtype == target->dtype) ||
        !isBoxOfUnitSteps(like) || mentions(*from.subset, like.params) || mentions(*to.subset, like.params))
        return nullptr;
    const auto read = elementOf(*from.subset, like), written = elementOf(*to.subset, like);
    if (!read || !written)
        return nullptr;
    auto tasklet = std::make_shared<Tasklet>();
    tasklet->label = "copy_" + from.data.str();
    tasklet->code = {"__out = __inp", Language::Python};
    tasklet->addIn(Name("__inp"), source->dtype);
    tasklet->addOut(Name("__out"), target->dtype);
    tasklet->debugInfo = to.access->debugInfo;
    auto step = std::make_unique<Step>();
    step->nodes.push_back(tasklet.get());
    step->made = std::move(tasklet);
    step->uses.push_back(ofElement(from, *read, Name("__inp")));
    step->uses.push_back(ofElement(to, *written, Name("__out")));
    auto map = std::make_unique<Map>();
    map->entry = like.entry;
    map->params = like.params;
    map->ranges = like.ranges;
    map->body.push_back({nullptr, std::move(step)});
    return map;
}

} // namespace sdfgc::transforms
