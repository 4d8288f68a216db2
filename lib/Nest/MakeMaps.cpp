#include "sdfgc/Nest/MakeMaps.h"
#include "sdfgc/Analysis/Memory/Access.h"
#include "sdfgc/Nest/Build.h"

#include <algorithm>

namespace sdfgc::nest {

using namespace ir;

namespace {

/// The element of a subset for one iteration of a map, with one parameter per dimension; nothing if the sizes differ.
std::optional<sym::Subset> elementOf(const sym::Subset &s, const Map &like) {
    const std::vector<std::size_t> dims = s.nonUnitDims();
    if (dims.size() != like.params.size())
        return std::nullopt;
    std::vector<sym::Expr> at;
    for (std::size_t k = 0; k < dims.size(); ++k) {
        const sym::Range &r = s.dims[dims[k]], &l = like.ranges[k];
        if (!r.tile.isOne() || !(r.steps() == l.steps()))
            return std::nullopt;
        at.push_back((sym::Expr::symbol(like.params[k]) - l.begin) / l.step);
    }
    return nest::elementOf(s, at);
}

bool isBoxOfUnitSteps(const Map &m) {
    return std::all_of(m.ranges.begin(), m.ranges.end(), [&](const sym::Range &r) {
        return r.step.isOne() && r.tile.isOne() &&
               std::none_of(m.params.begin(), m.params.end(), [&](Name p) { return r.begin.dependsOn(p) || r.end.dependsOn(p); });
    });
}

} // namespace

std::unique_ptr<Map> copyAsMap(const Step &copy, const Map &like, const SDFG &g) {
    const Use &from = copy.uses.front(), &to = copy.uses.back();
    const DataDesc *source = g.desc(from.data), *target = g.desc(to.data);
    if (!from.subset || !to.subset || !to.certain || !analysis::isOnHost(source) || !analysis::isOnHost(target) ||
        !(source->dtype == target->dtype) || !isBoxOfUnitSteps(like) || mentions(*from.subset, like.params) ||
        mentions(*to.subset, like.params))
        return nullptr;
    const auto read = elementOf(*from.subset, like), written = elementOf(*to.subset, like);
    if (!read || !written)
        return nullptr;
    auto map = std::make_unique<Map>();
    map->entry = like.entry;
    map->params = like.params;
    map->ranges = like.ranges;
    map->body.push_back(taskletStep("copy_" + from.data.str(), "__out = __inp", {ofElement(from, *read, Name("__inp"))},
                                    ofElement(to, *written, Name("__out")), g));
    return map;
}

bool canSplit(const Map &m) {
    const MapEntry &e = *m.entry;
    return (e.schedule == Schedule::CPU_Multicore || e.schedule == Schedule::Sequential) && e.collapse == 1 && !e.unroll &&
           e.ompNumThreads == sym::Expr(0) && e.ompSchedule == OmpSchedule::Default && e.ompIf == sym::Expr::boolean(true);
}

void dropSingleTrips(Map &m) {
    for (std::size_t d = m.params.size(); d-- > 0;) {
        if (m.params.size() == 1 || !m.ranges[d].isPoint())
            continue;
        const std::map<Name, sym::Expr> meaning{{m.params[d], m.ranges[d].begin}};
        if (!canSplit(m) || !std::all_of(m.body.begin(), m.body.end(), [&](const Item &i) { return canRename(i, meaning); }))
            continue;
        for (Item &i : m.body)
            rename(i, meaning);
        for (sym::Range &r : m.ranges) // those of tiles
            r = r.substituted(meaning);
        m.params.erase(m.params.begin() + static_cast<std::ptrdiff_t>(d));
        m.ranges.erase(m.ranges.begin() + static_cast<std::ptrdiff_t>(d));
    }
}

void reorderLoops(Map &m, const std::vector<std::size_t> &order) {
    std::vector<Name> params;
    std::vector<sym::Range> ranges;
    for (const std::size_t d : order) {
        params.push_back(m.params[d]);
        ranges.push_back(m.ranges[d]);
    }
    m.params = std::move(params);
    m.ranges = std::move(ranges);
}

namespace {

bool isLoopOf(const Map &m, Name n) {
    return std::count(m.params.begin(), m.params.end(), n) != 0 ||
           std::any_of(m.body.begin(), m.body.end(), [n](const Item &i) { return i.map && isLoopOf(*i.map, n); });
}

} // namespace

Name freshParameter(std::string_view base, const Map &m, const SDFG &g) {
    Name out = g.freshName(base);
    for (int k = 0; isLoopOf(m, out); ++k)
        out = g.freshName(std::string(base) + "_" + std::to_string(k));
    return out;
}

bool renameParameter(Map &m, std::size_t position, Name name) {
    const std::map<Name, sym::Expr> meaning{{m.params[position], sym::Expr::symbol(name)}};
    if (!std::all_of(m.body.begin(), m.body.end(), [&](const Item &i) { return canRename(i, meaning); }))
        return false;
    for (Item &i : m.body)
        rename(i, meaning);
    for (sym::Range &r : m.ranges)
        r = r.substituted(meaning);
    m.params[position] = name;
    return true;
}

void splitOff(Map &m, std::size_t depth) {
    if (depth == m.params.size())
        return;
    const auto at = static_cast<std::ptrdiff_t>(depth);
    auto inner = std::make_unique<Map>(
        loopLike(*m.entry, m.entry->label, {m.params.begin() + at, m.params.end()}, {m.ranges.begin() + at, m.ranges.end()}));
    setSimd(*inner, m.entry->simd);
    setSimd(m, false);
    if (m.entry->ordered)
        setOrdered(*inner);
    m.params.resize(depth);
    m.ranges.erase(m.ranges.begin() + at, m.ranges.end());
    std::swap(inner->body, m.body);
    std::swap(inner->locals, m.locals);
    m.body.push_back({std::move(inner), nullptr});
}

std::vector<Item> takeBody(Map &m, const std::map<Name, sym::Expr> &meaning, std::size_t depth) {
    splitOff(m, depth);
    if (!meaning.empty())
        for (Item &i : m.body)
            rename(i, meaning);
    return std::move(m.body);
}

Map copyOf(const Map &m) {
    Map out;
    out.entry = m.entry;
    out.made = m.made;
    out.params = m.params;
    out.ranges = m.ranges;
    out.locals = m.locals;
    for (const Item &i : m.body)
        out.body.push_back(i.map ? Item{std::make_unique<Map>(copyOf(*i.map)), nullptr}
                                 : Item{nullptr, std::make_unique<Step>(*i.step)});
    return out;
}

std::unique_ptr<Map> twinOf(const Map &m, SDFG &g, analysis::Memories &memories, const std::set<Name> &connectors) {
    Item twin{std::make_unique<Map>(copyOf(m)), nullptr};
    std::map<Name, Name> own;
    for (const Name n : localsOf(m))
        own.emplace(n, addContainer(g, n.view(), *g.desc(n), connectors));
    renameContainers(twin, own, g, memories);
    return std::move(twin.map);
}

} // namespace sdfgc::nest
