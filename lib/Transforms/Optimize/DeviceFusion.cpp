#include "Transforms/Optimize/DeviceFusion.h"

#include "Transforms/Edits/BlockRows.h"

#include "sdfgc/Nest/MakeMaps.h"

#include <algorithm>

namespace sdfgc::transforms {

using namespace ir;
using diag::Reason;
using diag::Why;
using nest::Map;

bool shareThreads(const Map &a, const Map &b, std::size_t depth, const SDFG &g) {
    return fillDevice({a.ranges.begin(), a.ranges.begin() + static_cast<std::ptrdiff_t>(depth)}) &&
           threadsAreNeighbours(a, depth, g) && threadsAreNeighbours(b, depth, g);
}

bool keepsLoops(const Map &m, std::size_t depth) {
    const bool isShort = std::none_of(m.body.begin(), m.body.end(), [](const nest::Item &i) { return i.map != nullptr; });
    if (depth >= m.params.size() || isShort)
        return true;
    const std::set<Name> own = nest::localsOf(m);
    const std::vector<nest::PlacedUse> uses = nest::aligned(m, m, {}, m.params.size());
    return std::all_of(uses.begin(), uses.end(), [&](const nest::PlacedUse &u) {
        return !u.use->writes() || own.count(u.use->data) || u.use->kind == nest::UseKind::Update;
    });
}

Reason whyNoBlocks(const Map &rows, const nest::Conflicts &items, const SDFG &g, bool anyOrder) {
    const RowSharing plan(rows, items, g, anyOrder);
    if (plan.why())
        return {Why::Shape, "the threads of a block cannot share an iteration: " + plan.why().text};
    return plan.isWorthwhile() ? Reason() : Reason{Why::Shape, "a kernel of both would have too few threads"};
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
