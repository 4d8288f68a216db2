#include "sdfgc/Analysis/Dependences/WcrReductions.h"

#include "sdfgc/Analysis/Memory/Access.h"
#include "sdfgc/Analysis/Memory/Copies.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/Tasklet/Types.h"

#include <algorithm>

namespace sdfgc::analysis {
namespace {

using namespace ir;
using Why = std::optional<std::string>;

constexpr int64_t maxReducedElements = 64; // of a container of which each thread has a private copy for a reduction
constexpr int64_t fewIterations = 32;      // of a kernel: atomic updates are fast enough

std::optional<py::Reduction> kindOf(const Edge &e) {
    auto wcr = py::parseWcr(e.memlet.wcr);
    return wcr.value ? std::optional(wcr.value->kind) : std::nullopt;
}

/// Can the threads of a block combine values of the type in any order (gpu_reduce.h)?
bool combinesInBlocks(py::Reduction kind, Type t) {
    using py::Reduction;
    return t.isNumeric() && kind != Reduction::Sub && kind != Reduction::Div && py::reductionIdentity(kind, t) &&
           identityKeepsValues(kind, t);
}

/// Nothing if the map is a kernel that is worth a reduction.
Why whyNotByBlocks(const MapEntry &map, const std::vector<Node *> &scopes, py::Reduction kind, Type t) {
    if (!combinesInBlocks(kind, t))
        return "values of " + t.str() + " cannot be combined first";
    sym::Expr iterations = 1;
    for (const sym::Range &r : map.ranges)
        iterations *= r.steps();
    if (iterations.asInt().value_or(fewIterations + 1) <= fewIterations && !runByBlocks(map))
        return "the kernel has few iterations";
    if (std::count_if(scopes.begin(), scopes.end(), [](const Node *n) { return *scheduleOf(n) == Schedule::GPU_Device; }) != 1)
        return "there is a kernel in the kernel";
    return std::nullopt;
}

/// Does a memlet on the way into the map carry this container?
bool isRead(const MapEntry &map, Name container) {
    return std::any_of(map.inEdges().begin(), map.inEdges().end(), [&](const Edge *e) {
        const auto *source = dyn_cast<AccessNode>(pathSource(e));
        return ownerOf(e->memlet.data) == container || (source && ownerOf(source->data) == container);
    });
}

/// Checks every use of a container in a map.
class Updates {
public:
    Updates(WriteTracer &tracer, const MapEntry &map, py::Reduction kind) : tracer_(tracer), map_(map), kind_(kind) {}

    /// Why the uses are not all updates by the same operation, of one element or of a small container.
    Why whyNot(const AccessNode &target);

private:
    bool kernel() const { return map_.schedule == Schedule::GPU_Device; }
    Why otherUse(const State &state, Name container);
    Why otherWrite(const Edge &write);
    bool updatesOnly(const NestedSDFGNode &nested, Name container);

    WriteTracer &tracer_;
    const MapEntry &map_;
    const py::Reduction kind_;
};

/// A use of the container in the map's state other than the map's writes.
Why Updates::otherUse(const State &state, Name container) {
    for (const auto &n : state.nodes()) {
        const auto *access = dyn_cast<AccessNode>(n.get());
        if (access && ownerOf(access->data) == container && tracer_.encloses(&map_, access))
            return "the map uses the target inside";
        const AccessNode *viewed =
            access && state.sdfg()->desc(access->data) && state.sdfg()->desc(access->data)->isView() ? viewedNode(access) : nullptr;
        if (viewed && ownerOf(viewed->data) == container)
            return "a view of the target is used in the state";
    }
    return std::nullopt;
}

/// Why a write is not an update by the operation: by a tasklet, by a copy of another container, or by a nested SDFG.
Why Updates::otherWrite(const Edge &write) {
    const auto *nested = dyn_cast<NestedSDFGNode>(write.src);
    const bool simple = isa<Tasklet>(write.src) || (!kernel() && (isa<AccessNode>(write.src) || nested));
    if (!simple || write.memlet.wcrNonatomic)
        return "the map also writes the target in other ways";
    if (nested ? !updatesOnly(*nested, write.srcConn) : kindOf(write) != kind_)
        return "the map also writes the target in other ways";
    if (usesOldValue(write))
        return "a tasklet uses the previous value of the target";
    return std::nullopt;
}

/// Are all uses of a nested SDFG's argument, a single element, updates by the operation on one thread?
bool Updates::updatesOnly(const NestedSDFGNode &nested, Name container) {
    SDFG *g = nested.sdfg.get();
    const DataDesc *d = g ? g->desc(container) : nullptr;
    const Edge *out = nested.outEdge(container);
    const DataDesc *outer = out ? nested.state()->sdfg()->desc(out->memlet.data) : nullptr;
    if (!d || !outer || nested.inEdge(container) || d->dtype != outer->dtype || d->alias != AliasKind::None ||
        !(d->isScalar() || d->isArray()) || !d->numElements().isOne() || containersReadByControlFlow(*g).count(container))
        return false;
    auto isUpdate = [&](const Edge *e) {
        const Edge &write = *memletPath(e).front();
        const bool alone = !outermostParallel(tracer_.scopes(*write.src->state()).enclosing(write.src));
        return alone && !write.memlet.isEmpty() && !otherWrite(write);
    };
    for (const State *s : allStates(*g))
        for (const auto &n : s->nodes()) {
            const auto *access = dyn_cast<AccessNode>(n.get());
            if (!access || ownerOf(access->data) != container)
                continue;
            const bool carries =
                std::any_of(n->outEdges().begin(), n->outEdges().end(), [](const Edge *e) { return !e->memlet.isEmpty(); });
            if (carries || !std::all_of(n->inEdges().begin(), n->inEdges().end(),
                                        [&](const Edge *e) { return e->memlet.isEmpty() || isUpdate(e); }))
                return false;
        }
    return true;
}

Why Updates::whyNot(const AccessNode &target) {
    const State &state = *map_.state();
    const Name container = ownerOf(target.data);
    if (isRead(map_, container))
        return "the map reads the target";
    if (Why why = otherUse(state, container))
        return why;
    const int64_t most = kernel() ? 1 : maxReducedElements;
    const DataDesc &d = *state.sdfg()->desc(target.data);
    std::optional<sym::Subset> outer;
    for (const Edge *write : tracer_.writesTo(state, container)) {
        if (!tracer_.encloses(&map_, write->src))
            continue;
        if (Why why = otherWrite(*write))
            return why;
        const Edge *leaving = edgeLeaving(&map_, *write);
        auto inside = destinationSubset(write), outside = destinationSubset(leaving);
        const bool agrees = leaving->memlet.wcr.empty() ? !kernel() : kindOf(*leaving) == kind_;
        if (!inside || !outside || !agrees || (outer && !(*outer == *outside)))
            return "the map writes different parts of the target";
        outer = outside;
        if (isa<NestedSDFGNode>(write->src) && !outside->isOneElement())
            return "a nested SDFG updates a container of several elements";
        if (outside->isOneElement() ? !(*inside == *outside) : d.totalSize.asInt().value_or(most + 1) > most)
            return outside->isOneElement() ? "the element is not the same in every iteration" : "the target is not small";
    }
    return std::nullopt;
}

/// The level whose SDFG contains the map; null if anything on the way to it also runs in parallel or goes through a view.
const WriteLevel *levelOf(const WriteTarget &target, const MapEntry &map) {
    for (const WriteLevel &level : target.levels) {
        const DataDesc *d = level.target->state()->sdfg()->desc(level.target->data);
        if (d->alias != AliasKind::None || !(d->isScalar() || d->isArray()))
            return nullptr;
        if (std::find(level.scopes.begin(), level.scopes.end(), &map) != level.scopes.end())
            return &level;
        if (outermostParallel(level.scopes) || map.schedule == Schedule::GPU_Device)
            return nullptr;
    }
    return nullptr;
}

} // namespace

bool identityKeepsValues(py::Reduction kind, Type t) {
    const bool isLogical =
        kind == py::Reduction::LogicalAnd || kind == py::Reduction::LogicalOr || kind == py::Reduction::LogicalXor;
    return !isLogical || t.isBool();
}

bool hasClause(py::Reduction kind, Type t) {
    const bool integer = t.isInteger(), real = t == Type(ScalarKind::Float32) || t == Type(ScalarKind::Float64);
    switch (kind) {
    case py::Reduction::Sum:
    case py::Reduction::Product:
    case py::Reduction::Min:
    case py::Reduction::Max:
        return integer || real;
    case py::Reduction::LogicalAnd:
    case py::Reduction::LogicalOr:
        return identityKeepsValues(kind, t);
    case py::Reduction::BitAnd:
    case py::Reduction::BitOr:
    case py::Reduction::BitXor:
        return integer;
    default:
        return false;
    }
}

ReductionOrNot reductionOf(WriteTracer &tracer, const Edge &leaf, const WriteTarget &target, const Node &scope) {
    const auto *map = dyn_cast<MapEntry>(&scope);
    const bool kernel = map && map->schedule == Schedule::GPU_Device;
    if (!map || !(kernel || map->schedule == Schedule::CPU_Multicore))
        return {nullptr, "the outermost parallel scope is not a map that can reduce"};
    const WriteLevel *level = levelOf(target, *map);
    if (!level)
        return {nullptr, "the path to the target leads through a view or another parallel scope"};
    const DataDesc *d = level->target->state()->sdfg()->desc(level->target->data);
    const auto kind = kindOf(leaf);
    if (kernel && kind)
        if (Why why = whyNotByBlocks(*map, level->scopes, *kind, d->dtype))
            return {nullptr, *why};
    if (!kind || (!kernel && !hasClause(*kind, d->dtype)))
        return {nullptr, "OpenMP has no clause for this operation on " + d->dtype.str()};
    if (Why why = Updates(tracer, *map, *kind).whyNot(*level->target))
        return {nullptr, *why};
    return {level, ""};
}

} // namespace sdfgc::analysis
