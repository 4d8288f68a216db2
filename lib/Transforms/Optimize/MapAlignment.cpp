#include "Transforms/Optimize/MapAlignment.h"

#include "sdfgc/Nest/Build.h"
#include "sdfgc/Nest/Conflicts.h"
#include "sdfgc/Nest/MakeMaps.h"
#include "sdfgc/Serialize/SameMap.h"

#include <algorithm>
#include <numeric>

namespace sdfgc::transforms {

using namespace ir;
using nest::Map;
using nest::PlacedUse;

namespace {

/// Do the schedules of two maps agree, so that one can replace both?
bool sameSchedule(const MapEntry &a, const MapEntry &b) { return serialize::sameBut(a, b, {"label", "params", "range"}); }

/// The position of the only parameter on which an index depends; none if there are none or several.
std::optional<std::size_t> parameterIn(const sym::Range &index, const Map &m) {
    std::optional<std::size_t> only;
    for (std::size_t d = 0; d < m.params.size(); ++d)
        if (index.begin.dependsOn(m.params[d])) {
            if (only)
                return std::nullopt;
            only = d;
        }
    return only;
}

bool isBox(const Map &m) {
    return std::none_of(m.ranges.begin(), m.ranges.end(), [&](const sym::Range &r) { return nest::mentions({{r}}, m.params); });
}

} // namespace

Alignment alignment(const Map &earlier, const Map &later, std::size_t limit) {
    Alignment out;
    if (!sameSchedule(*earlier.entry, *later.entry) || earlier.entry->ordered || later.entry->ordered)
        return out;
    limit = std::min({limit, earlier.params.size(), later.params.size()});
    for (std::size_t d = 0; d < limit; ++d, ++out.depth) {
        const sym::Range &a = earlier.ranges[d];
        const sym::Range b = later.ranges[d].substituted(out.meaning);
        if (!(a.step == b.step) || !a.tile.isOne() || !b.tile.isOne() || !((a.end - a.begin) == (b.end - b.begin)))
            break;
        out.meaning.emplace(later.params[d], sym::Expr::symbol(earlier.params[d]) + b.begin - a.begin);
    }
    std::erase_if(out.meaning, [](const auto &m) { return m.second.isSymbol(m.first); });
    return out;
}

std::unique_ptr<Map> reordered(const Map &m, const Map &like) {
    if (!isBox(m) || m.entry->ordered)
        return nullptr;
    std::vector<std::optional<std::size_t>> place(m.params.size()); // in `like`
    for (const PlacedUse &u : nest::aligned(m, m, {}, m.params.size()))
        for (const PlacedUse &v : nest::aligned(like, like, {}, like.params.size())) {
            const std::optional<sym::Subset> &mine = u.use->subset, &other = v.use->subset;
            if (u.use->data != v.use->data || !mine || !other || mine->rank() != other->rank())
                continue;
            for (std::size_t k = 0; k < mine->rank(); ++k)
                if (const auto p = parameterIn(mine->dims[k], m), q = parameterIn(other->dims[k], like); p && q && !place[*p])
                    place[*p] = q;
        }
    std::vector<std::size_t> order(m.params.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return place[a].value_or(like.params.size()) < place[b].value_or(like.params.size());
    });
    if (std::is_sorted(order.begin(), order.end()))
        return nullptr;
    auto out = std::make_unique<Map>(nest::copyOf(m));
    nest::reorderLoops(*out, order);
    const std::size_t all = m.params.size();
    return alignment(*out, like, all).depth > alignment(m, like, all).depth ? std::move(out) : nullptr;
}

std::unique_ptr<Map> apartFrom(const Map &m, const Map &like, const SDFG &g) {
    const auto meets = [&](Name p) { return std::count(like.params.begin(), like.params.end(), p) != 0; };
    std::unique_ptr<Map> out;
    for (std::size_t d = alignment(like, m, m.params.size()).depth; d < m.params.size(); ++d) {
        if (!meets(m.params[d]))
            continue;
        if (!out)
            out = std::make_unique<Map>(nest::copyOf(m));
        Name fresh = nest::freshParameter(m.params[d].str(), *out, g);
        while (meets(fresh))
            fresh = nest::freshParameter(fresh.str() + "_0", *out, g);
        if (!nest::renameParameter(*out, d, fresh))
            return nullptr;
    }
    return out;
}

std::optional<Map> mapForReduction(const nest::Step &reduction) {
    const auto *node = cast<LibraryNode>(reduction.nodes.front());
    if (node->schedule != Schedule::CPU_Multicore && node->schedule != Schedule::Sequential)
        return std::nullopt;
    auto entry = std::make_shared<MapEntry>();
    entry->schedule = node->schedule;
    entry->debugInfo = node->debugInfo;
    Map out;
    out.entry = entry.get();
    out.made = std::move(entry);
    return out;
}

} // namespace sdfgc::transforms
