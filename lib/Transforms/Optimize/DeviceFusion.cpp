#include "Transforms/Optimize/DeviceFusion.h"

#include "Transforms/Edits/BlockRows.h"

#include "sdfgc/Analysis/Flow/AssignedSymbols.h"
#include "sdfgc/Analysis/Flow/Loops.h"
#include "sdfgc/Nest/Build.h"
#include "sdfgc/Nest/MakeMaps.h"

#include <algorithm>
#include <set>

namespace sdfgc::transforms {

using namespace ir;
using diag::Reason;
using diag::Why;
using nest::Map;

namespace {

/// Is a map a condition: a loop with at most one iteration (unite-maps)?
bool isCondition(const Map &m) {
    return m.entry->ordered &&
           std::all_of(m.ranges.begin(), m.ranges.end(), [](const sym::Range &r) { return sym::onlyValueOf(r).has_value(); });
}

/// Does a map contain loops?
bool hasMaps(const Map &m) {
    return std::any_of(m.body.begin(), m.body.end(),
                       [](const nest::Item &i) { return i.map && (!isCondition(*i.map) || hasMaps(*i.map)); });
}

/// Would a thread run inner loops once for each iteration of loops that have threads of their own now? `kept`: the loops that keep
/// theirs.
bool losesThreads(const Map &m, const std::set<Name> &kept) {
    std::set<Name> written;
    for (const nest::Item &i : m.body)
        for (const nest::PlacedUse &u : nest::usesOf(i))
            if (u.use->writes() && u.use->subset)
                written.merge(u.use->subset->freeSymbols());
    const auto lost = [&](bool parallel) {
        return std::any_of(m.params.begin(), m.params.end(),
                           [&](Name p) { return !kept.count(p) && (written.count(p) != 0) == parallel; });
    };
    return lost(true) && (lost(false) || hasMaps(m));
}

bool losesThreads(const Map &m, std::size_t depth) {
    return losesThreads(m, {m.params.begin(), m.params.begin() + static_cast<std::ptrdiff_t>(std::min(depth, m.params.size()))});
}

} // namespace

namespace {

/// Is it a nested SDFG with a loop, which is there because its iterations depend on each other (loops-into-maps)?
bool isSweep(const nest::Item &i) {
    const auto *nested = i.step && i.step->nodes.size() == 1 ? dyn_cast<NestedSDFGNode>(i.step->nodes.front()) : nullptr;
    if (!nested || !nested->sdfg)
        return false;
    const std::vector<Block *> blocks = analysis::sequenceOf(*nested->sdfg);
    return std::any_of(blocks.begin(), blocks.end(), [](const Block *b) { return isa<LoopRegion>(b); });
}

/// The arrays that the sweeps of a map write, if it has any.
std::set<Name> sweptBy(const Map &rows, const SDFG &g) {
    std::set<Name> out;
    for (const nest::Item &i : rows.body)
        if (isSweep(i))
            for (const nest::Use &u : i.step->uses)
                if (u.writes() && !rows.locals.count(u.data) && !g.desc(u.data)->totalSize.isOne())
                    out.insert(u.data);
    return out;
}

/// Does a map of tasklets read elements of these arrays, with one loop for elements of a row?
bool readsRows(const Map &elements, std::size_t depth, const std::set<Name> &arrays) {
    const auto reads = [&](const nest::Use &u) {
        return u.kind == nest::UseKind::Read && arrays.count(u.data) && u.subset && u.subset->isOneElement() &&
               nest::mentions(*u.subset, {elements.params.back()});
    };
    const auto isTasklet = [](const nest::Item &i) {
        return i.step && i.step->nodes.size() == 1 && isa<Tasklet>(i.step->nodes.front());
    };
    return elements.params.size() == depth + 1 && std::all_of(elements.body.begin(), elements.body.end(), isTasklet) &&
           std::any_of(elements.body.begin(), elements.body.end(),
                       [&](const nest::Item &i) { return std::any_of(i.step->uses.begin(), i.step->uses.end(), reads); });
}

} // namespace

bool sweepRows(const Map &a, const Map &b, std::size_t depth, const SDFG &g) {
    return a.params.size() == depth && readsRows(b, depth, sweptBy(a, g));
}

bool shareThreads(const Map &a, const Map &b, std::size_t depth, const SDFG &g) {
    return fillDevice({a.ranges.begin(), a.ranges.begin() + static_cast<std::ptrdiff_t>(depth)}) && !losesThreads(a, depth) &&
           !losesThreads(b, depth) && threadsAreNeighbours(a, depth, g) && threadsAreNeighbours(b, depth, g);
}

Reason whyNoBlocks(Map rows, const nest::Conflicts &items, const SDFG &g, bool anyOrder) {
    splitAccumulated(rows);
    const RowSharing plan(rows, items, g, anyOrder);
    if (plan.why())
        return {Why::Shape, "the threads of a block cannot share an iteration: " + plan.why().text};
    for (const auto &[lanes, d] : plan.lanes())
        if (losesThreads(*lanes, {lanes->params[d]}))
            return {Why::Shape, "a thread would run loops that have threads of their own now"};
    return plan.isWorthwhile() ? Reason() : Reason{Why::Shape, "a kernel of both would have too few threads"};
}

Reason whyOtherThreads(const Map &a, const Map &b, const Map &both, const nest::Conflicts &items, const SDFG &g, bool anyOrder) {
    const auto sharing = [&](const Map &m) { return RowSharing(m, items, g, anyOrder).sharing(); };
    for (const Map *m : {&a, &b})
        if (hasMaps(*m))
            if (const auto own = sharing(*m); own != RowSharing::Sharing::None && own != sharing(both))
                return {Why::Shape, "the threads of a block would not share an iteration as they do now"};
    return {};
}

std::set<Name> symbolsOfLoops(const Region &r) {
    std::set<Name> out;
    for (const LoopRegion *l = analysis::loopAround(&r); l; l = analysis::loopAround(l->parent()))
        out.merge(analysis::assignedIn(*l));
    return out;
}

bool isRow(const Map &m, const std::set<Name> &varying) {
    return m.params.size() == 1 && nest::mentions({m.ranges}, {varying.begin(), varying.end()});
}

bool isSumForBlocks(const nest::Item &item, const SDFG &g) {
    if (!item.step || !nest::isReduce(*item.step))
        return false;
    const std::optional<sym::Subset> &to = item.step->uses.back().subset;
    if (!to || (nest::orderCounts(*item.step, g) && to->nonUnitDims().empty()))
        return true;
    const auto known = to->numElements().asInt();
    return known && *known != 1 && *known < fewThreads;
}

} // namespace sdfgc::transforms
