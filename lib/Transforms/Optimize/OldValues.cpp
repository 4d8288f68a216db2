#include "Transforms/Optimize/OldValues.h"

#include "Transforms/Optimize/ThreadSpace.h"

#include "sdfgc/Analysis/Memory/Access.h"
#include "sdfgc/Analysis/Memory/Copies.h"
#include "sdfgc/Nest/Build.h"

#include <algorithm>

namespace sdfgc::transforms {

using namespace ir;
using nest::Item;
using nest::Map;
using nest::PlacedUse;
using nest::Use;

namespace {

constexpr int64_t perRead = 4; // elements of a copy

/// A read of one element of an array by a tasklet, which can read another array instead.
bool isElementRead(const PlacedUse &u, const SDFG &g) {
    const DataDesc *d = g.desc(u.use->data);
    return u.use->kind == nest::UseKind::Read && u.use->subset && u.use->subset->isOneElement() &&
           u.use->memlet.data == u.use->data && !u.shown && !u.use->memlet.dynamic && analysis::isPlain(d) && d->isArray() &&
           analysis::isOnHost(d) &&
           std::all_of(d->offset.begin(), d->offset.end(), [](const sym::Expr &e) { return e == sym::Expr(0); }) &&
           u.step->nodes.size() == 1 && isa<Tasklet>(u.step->nodes.front());
}

/// The number of times that something in these loops is executed, by estimate. Variables of outer loops have the middle of their
/// range.
int64_t executions(const std::vector<analysis::LoopLevel> &loops) {
    std::map<Name, sym::Expr> middle;
    sym::Expr count = 1;
    for (const analysis::LoopLevel &l : loops) {
        const sym::Range r{sym::substitute(l.range.begin, middle), sym::substitute(l.range.end, middle), l.range.step,
                           l.range.tile};
        count *= r.steps();
        middle.emplace(l.variable, sym::floorDiv(r.begin + r.end, 2));
    }
    return estimate(count);
}

/// Do only later iterations of the first loop write what is read? Sets whether any of them does.
bool isOld(const PlacedUse &read, const std::vector<PlacedUse> &uses, const nest::Conflicts &items, bool &written) {
    for (const PlacedUse &w : uses) {
        if (!w.use->writes() || !items.meet(*read.use, *w.use))
            continue;
        const auto c = items.conflict(read, w, 1);
        if (!c)
            continue;
        written = true;
        if (w.use->data != read.use->data || c->levels.front().less || c->levels.front().equal)
            return false;
    }
    return true;
}

} // namespace

std::set<const Use *> readsOfOldValues(const std::vector<PlacedUse> &uses, const nest::Conflicts &items, const SDFG &g) {
    std::set<const Use *> out;
    for (const PlacedUse &u : uses) {
        bool written = false;
        if (isElementRead(u, g) && isOld(u, uses, items, written) && written &&
            executions(u.instance.loops) >= estimate(g.desc(u.use->data)->totalSize) / perRead)
            out.insert(u.use);
    }
    return out;
}

namespace {

/// An array, and the map that copies another one to it.
struct ArrayCopy {
    Name to;
    Item map;
};

ArrayCopy copyOf(const Use &read, const MapEntry &like, SDFG &g, analysis::Memories &memories, const std::set<Name> &connectors) {
    const DataDesc &from = *g.desc(read.data);
    DataDesc d = DataDesc::array(from.dtype, from.shape, true);
    d.storage = Storage::CPU_Heap;
    d.debugInfo = from.debugInfo;
    std::vector<Name> params;
    std::vector<sym::Range> ranges;
    std::vector<sym::Expr> at;
    for (const sym::Range &r : from.fullSubset().dims) {
        params.push_back(g.freshName("__i" + std::to_string(params.size())));
        ranges.push_back(r);
        at.push_back(sym::Expr::symbol(params.back()));
    }
    ArrayCopy out;
    out.to = nest::addContainer(g, read.data.str() + "_old", std::move(d), connectors);
    Use source = nest::ofElement(read, sym::Subset::point(at), Name("__inp")), target = source;
    target.moveTo(out.to, memories.of(g, out.to));
    target = nest::ofElement(target, sym::Subset::point(at), Name("__out"));
    target.kind = nest::UseKind::Write;
    target.certain = true;
    out.map.map = std::make_unique<Map>(nest::mapLike(like, "copy_" + read.data.str(), std::move(params), std::move(ranges)));
    out.map.map->body.push_back(
        nest::taskletStep("copy_" + read.data.str(), "__out = __inp", {std::move(source)}, std::move(target), g));
    return out;
}

/// Calls a function for each use in a map.
template <class F> void forEachUse(Map &m, const F &function) {
    for (Item &i : m.body) {
        if (i.map)
            forEachUse(*i.map, function);
        else
            for (Use &u : i.step->uses)
                function(u);
    }
}

} // namespace

std::vector<Item> copyOldValues(Map &m, const std::set<const Use *> &reads, SDFG &g, analysis::Memories &memories,
                                const std::set<Name> &connectors) {
    std::vector<Item> out;
    std::map<Name, Name> copies;
    forEachUse(m, [&](Use &u) {
        if (!reads.count(&u))
            return;
        if (!copies.count(u.data)) {
            ArrayCopy made = copyOf(u, *m.entry, g, memories, connectors);
            copies.emplace(u.data, made.to);
            out.push_back(std::move(made.map));
        }
        const Name to = copies.at(u.data), connector = u.connector;
        const std::size_t node = u.node;
        const sym::Subset element = *u.subset;
        u.moveTo(to, memories.of(g, to));
        u = nest::ofElement(u, element, connector);
        u.node = node;
    });
    return out;
}

} // namespace sdfgc::transforms
