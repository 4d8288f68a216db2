#include "Transforms/Optimize/DeviceLoops.h"

#include "sdfgc/Nest/Build.h"
#include "sdfgc/Nest/MakeMaps.h"

#include <algorithm>

namespace sdfgc::transforms {

using namespace ir;
using diag::Reason;
using diag::Why;
using nest::Item;
using nest::Map;

namespace {

bool isParallel(const MapEntry &m) { return !m.ordered && m.schedule != Schedule::Sequential && m.schedule != Schedule::Unrolled; }

bool hasThreads(const Node &n);

bool hasThreads(const Block &b) {
    const auto *s = dyn_cast<State>(&b);
    return s && std::any_of(s->nodes().begin(), s->nodes().end(), [](const auto &n) { return hasThreads(*n); });
}

/// Does the device share the work of a node among its threads?
bool hasThreads(const Node &n) {
    if (const auto *m = dyn_cast<MapEntry>(&n))
        return isParallel(*m);
    const auto *nested = dyn_cast<NestedSDFGNode>(&n);
    if (!nested || !nested->sdfg)
        return isa<LibraryNode>(&n);
    const std::vector<const Block *> blocks = allBlocks(std::as_const(*nested->sdfg));
    return std::any_of(blocks.begin(), blocks.end(), [](const Block *b) { return hasThreads(*b); });
}

bool hasThreads(const Item &i) {
    if (i.step)
        return std::any_of(i.step->nodes.begin(), i.step->nodes.end(), [](const Node *n) { return hasThreads(*n); });
    return isParallel(*i.map->entry) ||
           std::any_of(i.map->body.begin(), i.map->body.end(), [](const Item &inner) { return hasThreads(inner); });
}

Reason fewer() { return {Why::Shape, "its body contains maps, which are kernels with more threads"}; }

} // namespace

bool isPerfectNest(const std::vector<Item> &body, Name variable) {
    const Map *inner = body.size() == 1 ? body.front().map.get() : nullptr;
    return inner && isParallel(*inner->entry) && nest::canSplit(*inner) &&
           std::find(inner->params.begin(), inner->params.end(), variable) == inner->params.end() &&
           std::none_of(inner->ranges.begin(), inner->ranges.end(),
                        [&](const sym::Range &r) { return nest::mentions({{r}}, {variable}) || !r.tile.isOne(); });
}

void mergeInner(Map &outer) {
    const std::unique_ptr<Map> inner = std::move(outer.body.front().map);
    outer.params.insert(outer.params.end(), inner->params.begin(), inner->params.end());
    outer.ranges.insert(outer.ranges.end(), inner->ranges.begin(), inner->ranges.end());
    outer.locals = std::move(inner->locals);
    outer.body = std::move(inner->body);
}

Reason whyFewerThreads(const std::vector<Item> &body) {
    return std::any_of(body.begin(), body.end(), [](const Item &i) { return hasThreads(i); }) ? fewer() : Reason();
}

Reason whyFewerThreads(const LoopRegion &l) {
    const std::vector<const Block *> blocks = allBlocks(l);
    return std::any_of(blocks.begin(), blocks.end(), [](const Block *b) { return hasThreads(*b); }) ? fewer() : Reason();
}

} // namespace sdfgc::transforms
