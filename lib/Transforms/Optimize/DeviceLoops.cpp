#include "Transforms/Optimize/DeviceLoops.h"

#include "Transforms/Edits/BlockRows.h"
#include "Transforms/Edits/LaneParameters.h"

#include "sdfgc/Analysis/Scopes.h"
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

/// Do all iterations of a map only update one element, so that a thread can as well compute it alone?
bool accumulates(const MapEntry &m, const analysis::ScopeTree &scopes) {
    const std::vector<Node *> content = scopes.children(&m);
    return std::none_of(content.begin(), content.end(), [](const Node *n) { return hasThreads(*n) || isa<NestedSDFGNode>(n); }) &&
           std::all_of(m.exit->outEdges().begin(), m.exit->outEdges().end(), [](const Edge *e) {
               return !e->memlet.wcr.empty() && e->memlet.subset && e->memlet.subset->isOneElement();
           });
}

bool hasThreads(const Block &b) {
    const auto *s = dyn_cast<State>(&b);
    if (!s)
        return false;
    const analysis::ScopeTree scopes(*s);
    return std::any_of(s->nodes().begin(), s->nodes().end(), [&](const auto &n) {
        const auto *m = dyn_cast<MapEntry>(n.get());
        return hasThreads(*n) && !(m && accumulates(*m, scopes));
    });
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

namespace {

/// The elements of a copy's end. Indices of a view, which does not move in the loop, are those of its memlet; different ones must be
/// different elements.
std::optional<sym::Subset> elementsOfEnd(const nest::Use &u, const SDFG &g) {
    if (u.subset)
        return u.subset;
    const DataDesc *d = g.desc(u.data);
    const AccessNode *viewed = d && d->isView() && u.access && u.access->data == u.data ? analysis::viewedNode(u.access) : nullptr;
    const std::optional<sym::Subset> &stated = u.memlet.data == u.data ? u.memlet.subset : u.memlet.otherSubset;
    if (u.shown || !viewed || !analysis::isPlain(g.desc(viewed->data)) || !d->isArray() || d->isContainerArray() ||
        !d->isPackedC() || !stated || stated->rank() != d->rank())
        return std::nullopt;
    return stated;
}

nest::Use elementOfEnd(const nest::Use &u, const sym::Subset &all, const std::vector<sym::Expr> &at, Name connector) {
    const sym::Subset element = nest::elementOf(all, at);
    nest::Use out = nest::ofElement(u, element, connector);
    if (u.subset)
        return out;
    out.subset.reset();
    out.shown = nest::MemberElements{u.data, element};
    return out;
}

} // namespace

const std::vector<Item> &spreadCopy(std::vector<Item> &body, const nest::Conflicts &items, const SDFG &g) {
    const nest::Step *copy = body.size() == 1 ? body.front().step.get() : nullptr;
    if (!copy || !copy->isCopy() || copy->uses.back().kind != nest::UseKind::Write)
        return body;
    const nest::Use &from = copy->uses.front(), &to = copy->uses.back();
    const std::optional<sym::Subset> read = elementsOfEnd(from, g), written = elementsOfEnd(to, g);
    const DataDesc *source = g.desc(from.data), *target = g.desc(to.data);
    if (!read || !written || !source->isArray() || !target->isArray() || !(source->dtype == target->dtype) || to.memlet.dynamic ||
        items.meet(from, to))
        return body;
    const std::vector<std::size_t> ofRead = read->nonUnitDims(), ofWritten = written->nonUnitDims();
    std::vector<Name> params;
    std::vector<sym::Range> ranges;
    std::vector<sym::Expr> at;
    for (std::size_t k = 0; k < ofWritten.size(); ++k) {
        const sym::Range &r = written->dims[ofWritten[k]];
        if (ofRead.size() != ofWritten.size() || !r.tile.isOne() || !read->dims[ofRead[k]].tile.isOne() ||
            !(read->dims[ofRead[k]].steps() == r.steps()))
            return body;
        params.push_back(g.freshName("__i" + std::to_string(k)));
        ranges.push_back({0, r.steps() - 1});
        at.push_back(sym::Expr::symbol(params.back()));
    }
    if (params.empty())
        return body;
    const std::string label = "copy_" + from.data.str() + "_to_" + to.data.str();
    auto map = std::make_unique<Map>(nest::mapLike(nest::parallelEntry(), label, std::move(params), std::move(ranges)));
    nest::Use element = elementOfEnd(from, *read, at, Name("__inp")), result = elementOfEnd(to, *written, at, Name("__out"));
    map->body.push_back(nest::taskletStep("copy_" + from.data.str(), "__out = __inp", {std::move(element)}, std::move(result), g));
    body.front() = {std::move(map), nullptr};
    return body;
}

void mergeInner(Map &outer) {
    const std::unique_ptr<Map> inner = std::move(outer.body.front().map);
    outer.params.insert(outer.params.end(), inner->params.begin(), inner->params.end());
    outer.ranges.insert(outer.ranges.end(), inner->ranges.begin(), inner->ranges.end());
    outer.locals = std::move(inner->locals);
    outer.body = std::move(inner->body);
}

bool usesOneElement(const Map &m, Name container) {
    const sym::Subset *element = nullptr;
    for (const Item &i : m.body)
        for (const nest::PlacedUse &u : nest::usesOf(i)) {
            if (u.use->data != container)
                continue;
            std::vector<Name> inner;
            for (const analysis::LoopLevel &l : u.instance.loops)
                inner.push_back(l.variable);
            const bool isPlain = u.step->isCopy() || (u.step->nodes.size() == 1 && isa<Tasklet>(u.step->nodes.front()));
            if (!isPlain || !u.use->subset || !u.use->subset->isOneElement() || nest::mentions(*u.use->subset, inner) ||
                (element ? !(*element == *u.use->subset)
                         : u.use->kind != nest::UseKind::Write || !u.use->certain || !inner.empty()))
                return false;
            element = &*u.use->subset;
        }
    return element != nullptr;
}

Reason whyFewerThreads(const std::vector<Item> &body) {
    return std::any_of(body.begin(), body.end(), [](const Item &i) { return hasThreads(i); }) ? fewer() : Reason();
}

Reason whyBlocksCannotShare(Map &rows, const nest::Conflicts &items, const SDFG &g, bool anyOrder) {
    spreadLanes(rows, items, g, anyOrder);
    const RowSharing plan(rows, items, g, anyOrder);
    if (plan.keepsThreads() && plan.onlyAccumulates())
        return {};
    if (plan.why())
        return plan.why();
    if (!plan.keepsThreads())
        return {Why::Shape, "inner maps have several loops"};
    return plan.isWorthwhile() ? Reason() : Reason{Why::Shape, "neighbouring threads would not access neighbouring elements"};
}

Reason whyFewerThreads(const LoopRegion &l) {
    const std::vector<const Block *> blocks = allBlocks(l);
    return std::any_of(blocks.begin(), blocks.end(), [](const Block *b) { return hasThreads(*b); }) ? fewer() : Reason();
}

} // namespace sdfgc::transforms
