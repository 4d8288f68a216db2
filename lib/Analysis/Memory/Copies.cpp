#include "sdfgc/Analysis/Memory/Copies.h"

#include "Analysis/Symbols/OuterValues.h"

#include "sdfgc/Analysis/Scopes.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"

#include <algorithm>
#include <map>

namespace sdfgc::analysis {

using namespace ir;

CopyShape copyShape(std::vector<Axis> from, std::vector<Axis> to) {
    CopyShape s;
    s.corresponding = sameSizes(from, to);
    const auto sameStride = [](const Axis &a, const Axis &b) { return a.stride == b.stride; };
    const bool samePlaces = s.corresponding && std::equal(from.begin(), from.end(), to.begin(), to.end(), sameStride);
    if ((isRun(from) && isRun(to)) || (samePlaces && isDense(from))) {
        s.dims.push_back({volume(to), 1, 1});
    } else if (s.corresponding) {
        for (std::size_t d = from.size(); d-- > 0;) {
            CopyDim dim{from[d].size, from[d].stride, to[d].stride};
            CopyDim *inner = s.dims.empty() ? nullptr : &s.dims.back();
            if (inner && dim.from == inner->from * inner->size && dim.to == inner->to * inner->size)
                inner->size *= dim.size;
            else
                s.dims.push_back(dim);
        }
        std::reverse(s.dims.begin(), s.dims.end());
    }
    s.from = std::move(from);
    s.to = std::move(to);
    return s;
}

// ---------------------------------------------------------------------------------------------------- who copies

namespace {

bool hasThreadMaps(const State &s, const ScopeTree &scopes, const Node *entry) {
    for (const Node *n : scopes.children(entry)) {
        if (const auto *m = dyn_cast<MapEntry>(n); m && (isThreadBlock(m->schedule) || hasThreadMaps(s, scopes, m)))
            return true;
        if (const auto *nested = dyn_cast<NestedSDFGNode>(n); nested && nested->sdfg)
            for (State *inner : allStates(*nested->sdfg))
                if (hasThreadMaps(*inner, ScopeTree(*inner), nullptr))
                    return true;
    }
    return false;
}

} // namespace

bool runByBlocks(const MapEntry &kernel) { return hasThreadMaps(*kernel.state(), ScopeTree(*kernel.state()), &kernel); }

namespace {

/// Nothing if the scopes of the node's state are on the host.
std::optional<Executor> executorInState(const Node &n, const State &s, const ScopeTree &scopes) {
    for (const Node *entry : scopes.enclosing(&n)) {
        const auto *m = dyn_cast<MapEntry>(entry);
        if (m && isThreadBlock(m->schedule))
            return Executor::Thread;
        if (m && m->schedule == Schedule::GPU_Persistent)
            return Executor::Grid;
        if (m && m->schedule == Schedule::GPU_Device)
            return hasThreadMaps(s, scopes, m) ? Executor::Block : Executor::Thread;
    }
    return std::nullopt;
}

/// The executor of code outside of all scopes of the SDFG.
Executor executorAround(const SDFG &g) { return g.parentNode ? executorOf(*g.parentNode) : Executor::Host; }

} // namespace

Executor executorOf(const Node &n) {
    const auto inState = executorInState(n, *n.state(), ScopeTree(*n.state()));
    return inState ? *inState : executorAround(*n.state()->sdfg());
}

// ---------------------------------------------------------------------------------------------------- the table

namespace {

/// May objects of size `inside` start at this distance from each other?
bool isPitch(sym::Expr distance, sym::Expr inside) {
    return sym::isLess(distance, inside) != sym::Truth::True && sym::isLess(distance, 1) != sym::Truth::True;
}

/// Is the dimension before the innermost `inner` ones made of rows (or slices): contiguous elements or single ones inside?
bool areRows(const CopyShape &s) {
    if (!s.inRows())
        return !s.dims.empty() && isPitch(s.dims.back().from, 1) && isPitch(s.dims.back().to, 1);
    if (s.dims.size() < 2)
        return false;
    const CopyDim &row = s.dims.back(), &rows = s.dims[s.dims.size() - 2];
    return isPitch(rows.from, row.size) && isPitch(rows.to, row.size);
}

bool areSlices(const CopyShape &s) {
    if (s.dims.size() != 3 || !s.inRows() || !areRows(s))
        return false;
    const CopyDim &slices = s.dims[0], &rows = s.dims[1];
    auto whole = [&](sym::Expr slice, sym::Expr row) { return isPitch(slice, row * rows.size) && sym::mod(slice, row).isZero(); };
    return whole(slices.from, rows.from) && whole(slices.to, rows.to);
}

/// Rows 3 and 4.
CopyMethod chooseOnHost(const CopyEnds &ends, const CopyShape &shape) {
    const bool bytes = (!ends.converts || ends.repacks) && !ends.resolves;
    return bytes && ends.apart && shape.isRun() && !shape.from.empty() ? CopyMethod::Linear : CopyMethod::Elements;
}

} // namespace

CopyMethod chooseCopy(const CopyEnds &ends, const CopyShape &shape) {
    if (ends.executor != Executor::Host)
        return ends.executor == Executor::Thread || ends.inRegisters ? CopyMethod::PerThread : CopyMethod::Cooperative;
    if (!ends.fromDevice && !ends.toDevice)
        return chooseOnHost(ends, shape);
    const bool onDevice = ends.fromDevice && ends.toDevice;
    if (ends.converts || ends.resolves)
        return onDevice ? CopyMethod::Kernel : CopyMethod::Staged;
    if (shape.isRun())
        return CopyMethod::Linear;
    const bool rows = shape.corresponding && areRows(shape);
    if (rows && shape.dims.size() <= (shape.inRows() ? 2U : 1U))
        return CopyMethod::Pitched;
    if (onDevice)
        return CopyMethod::Kernel;
    if (shape.corresponding && areSlices(shape))
        return CopyMethod::Pitched3D;
    return rows && shape.inRows() ? CopyMethod::Batched : CopyMethod::Staged;
}

// ---------------------------------------------------------------------------------------------------- copies of a graph

CopyEnds GraphCopy::ends() const {
    auto device = [](const DataDesc *d) { return d->storage == Storage::GPU_Global; };
    CopyEnds e;
    e.executor = executor;
    e.fromDevice = device(source);
    e.toDevice = device(target);
    e.inRegisters = source->storage == Storage::Register || target->storage == Storage::Register;
    e.converts = source->dtype != target->dtype;
    e.repacks = source->dtype.isVector() != target->dtype.isVector();
    e.resolves = !edge->memlet.wcr.empty();
    e.apart = apart;
    return e;
}

namespace {

bool isOnHost(const GraphCopy &c) {
    return c.executor == Executor::Host && !isGpuStorage(c.source->storage) && !isGpuStorage(c.target->storage);
}

/// The shape of a copy in terms of the outer values of a nested SDFG's symbols.
CopyShape shapeOutside(const GraphCopy &c, const ScopeTree &scopes, bool assigned) {
    const std::map<Name, sym::Expr> values = outerValues(*c.from->state()->sdfg(), scopes, scopeOfEdge(scopes, *c.edge), assigned);
    auto axes = [&values](std::vector<sym::Expr> strides, const sym::Subset &s) {
        for (sym::Expr &stride : strides)
            stride = sym::substitute(stride, values);
        return axesOf(strides, s.substituted(values));
    };
    return copyShape(axes(c.source->strides, c.fromSubset), axes(c.target->strides, c.toSubset));
}

} // namespace

CopyShape GraphCopy::shape() const {
    CopyShape here = copyShape(axesOf(source->strides, fromSubset), axesOf(target->strides, toSubset));
    const State &s = *from->state();
    if (!isOnHost(*this) || !apart || here.isRun() || !s.sdfg()->parentNode)
        return here;
    // A nested SDFG may have a separate symbol for each size and stride; only the caller knows that together they are contiguous.
    const ScopeTree scopes(s);
    if (!shapeOutside(*this, scopes, true).isRun())
        return here;
    CopyShape outside = shapeOutside(*this, scopes, false);
    return outside.isRun() ? outside : here;
}

namespace {

/// Is each element read before another one overwrites it? This holds if the copy moves elements towards the beginning, one after
/// another.
bool movesForward(const GraphCopy &c) {
    if (c.fromSubset.rank() != c.toSubset.rank())
        return false;
    const sym::Assumptions facts = factsOf(*c.from->state()->sdfg());
    bool decided = false;
    for (std::size_t d = 0; d < c.fromSubset.rank(); ++d) {
        const sym::Range &from = c.fromSubset.dims[d], &to = c.toSubset.dims[d];
        if (from.step != to.step || from.tile != to.tile || from.size() != to.size() ||
            sym::isLess(0, from.step, facts) != sym::Truth::True)
            return false;
        if (!decided && sym::isLess(from.begin, to.begin, facts) != sym::Truth::False)
            return false;
        decided = decided || sym::isLess(to.begin, from.begin, facts) == sym::Truth::True;
        if (!decided && from.begin != to.begin)
            return false;
    }
    return true;
}

/// Elements of a container; where a name stands for part of a container of the surrounding SDFG, elements of that container.
struct Part {
    const SDFG *g;
    Name data;
    std::optional<sym::Subset> subset;
};

Part partOf(const AccessNode &n, const sym::Subset &subset) {
    const SDFG &g = *n.state()->sdfg();
    const DataDesc *d = g.desc(n.data);
    if (const Edge *e = d && d->isView() ? viewEdge(&n) : nullptr) {
        const AccessNode *viewed = viewedNode(&n);
        return {&g, viewed->data, e->src == viewed ? sourceSubset(e) : destinationSubset(e)};
    }
    if (d && !d->transient && g.parentNode) {
        const NestedSDFGNode &around = *g.parentNode;
        const Edge *in = around.inEdge(n.data), *e = in ? in : around.outEdge(n.data);
        if (e)
            return {around.state()->sdfg(), e->memlet.data, e->memlet.subset};
    }
    return {&g, n.data, subset};
}

bool isApart(const Part &a, const Part &b) {
    return a.g == b.g && a.data == b.data && a.subset && b.subset &&
           sym::intersects(*a.subset, *b.subset, factsOf(*a.g)) == sym::Truth::False;
}

} // namespace

bool overwritesItsSource(const GraphCopy &c, Memories &memories) {
    if (c.apart || c.executor == Executor::Grid || c.executor == Executor::Block)
        return false;
    if (memories.of(*c.from) != memories.of(*c.to)) // the caller guarantees that arguments that may alias do not overlap
        return false;
    const bool oneByOne = c.executor == Executor::Thread || isOnHost(c);
    if (c.fromData != c.toData) // two names for the same memory: a view, connectors of a nested SDFG
        return !isApart(partOf(*c.from, c.fromSubset), partOf(*c.to, c.toSubset));
    if (c.fromSubset == c.toSubset || (oneByOne && movesForward(c)))
        return false;
    return sym::intersects(c.fromSubset, c.toSubset, factsOf(*c.from->state()->sdfg())) != sym::Truth::False;
}

sym::Subset missingSubset(const sym::Subset &given, const sym::Subset &whole, const sym::Assumptions &facts) {
    const sym::Truth same = sym::isEqual(given.numElements(), whole.numElements(), facts);
    if (given.rank() != whole.rank() || same == sym::Truth::True)
        return whole;
    if (same == sym::Truth::False)
        return given;
    sym::Subset front = whole;
    for (std::size_t d = 0; d < whole.rank(); ++d)
        front.dims[d].end = whole.dims[d].begin + given.dims[d].size() - 1;
    return front;
}

std::set<Name> sharedContainers(const SDFG &g) {
    std::map<Name, const Node *> scopeOf;
    std::set<Name> shared;
    for (const State *s : allStates(g)) {
        const ScopeTree scopes(*s);
        for (const auto &n : s->nodes()) {
            const auto *a = dyn_cast<AccessNode>(n.get());
            const DataDesc *d = a ? g.desc(a->data) : nullptr;
            if (!d)
                continue;
            const auto around = scopes.enclosing(a);
            const Node *outermost = around.empty() ? nullptr : around.back();
            auto [it, isNew] = scopeOf.try_emplace(a->data, outermost);
            if (!d->transient || !outermost || it->second != outermost)
                shared.insert(a->data);
        }
    }
    return shared;
}

bool isViewing(const Edge &e) {
    const std::vector<Edge *> path = memletPath(&e);
    auto views = [&](Node *n) {
        const auto *a = dyn_cast<AccessNode>(n);
        const DataDesc *d = a ? a->state()->sdfg()->desc(a->data) : nullptr;
        return d && d->isView() && std::find(path.begin(), path.end(), viewEdge(a)) != path.end();
    };
    return views(path.front()->src) || views(path.back()->dst);
}

bool isTransfer(const Edge &e) {
    const bool entering = e.src->isEntry() && isa<AccessNode>(e.dst), leaving = isa<AccessNode>(e.src) && e.dst->isExit();
    if (e.memlet.isEmpty() || !(entering || leaving || (isa<AccessNode>(e.src) && isa<AccessNode>(e.dst))))
        return false;
    const auto *from = dyn_cast<AccessNode>(pathSource(&e)), *to = dyn_cast<AccessNode>(pathDestination(&e));
    if (!from || !to || isViewing(e))
        return false;
    const auto source = sourceSubset(&e), target = destinationSubset(&e);
    const bool ontoItself = from->data == to->data && e.memlet.wcr.empty() && (!source || !target || *source == *target);
    return !ontoItself;
}

namespace {

sym::Subset subsetOf(const std::optional<sym::Subset> &own, const std::optional<sym::Subset> &other, const DataDesc &d) {
    return own ? *own : other ? missingSubset(*other, d.fullSubset()) : d.fullSubset();
}

/// The object that a memlet names at one end of its path: a container, one of its members, or a constant.
Name dataAt(const Memlet &m, const AccessNode &end) { return m.data.str().rfind(end.data.str() + ".", 0) == 0 ? m.data : end.data; }
const DataDesc *descOf(const SDFG &g, Name data) {
    const DataDesc *d = g.desc(data);
    const Constant *c = d ? nullptr : g.constant(data);
    return c ? &c->desc : d;
}

class CopyCollector {
public:
    CopyCollector(State &s, Memories &memories) : s_(s), g_(*s.sdfg()), memories_(memories) {}

    std::vector<GraphCopy> run() {
        for (const auto &e : s_.edges())
            if (isTransfer(*e) && !setsReference(e.get()))
                add(e.get(), e.get(), nullptr);
        for (const auto &n : s_.nodes()) {
            auto *copy = dyn_cast<LibraryNode>(n.get());
            if (!copy || !isCopyNode(*copy))
                continue;
            Edge *from = copy->inEdge("_cpy_in"), *to = copy->outEdge("_cpy_out"); // there may be others: a stream, an order
            if (from && to)
                add(from, to, copy);
        }
        return std::move(copies_);
    }

private:
    void add(Edge *in, Edge *out, LibraryNode *node) {
        GraphCopy c;
        c.edge = out;
        c.node = node;
        c.from = dyn_cast<AccessNode>(pathSource(in));
        c.to = dyn_cast<AccessNode>(pathDestination(out));
        if (!c.from || !c.to || in->memlet.isEmpty() || out->memlet.isEmpty())
            return;
        c.fromData = dataAt(in->memlet, *c.from);
        c.toData = dataAt(out->memlet, *c.to);
        c.source = descOf(g_, c.fromData);
        c.target = descOf(g_, c.toData);
        if (!c.source || !c.target || c.source->isStream() || c.target->isStream())
            return;
        auto from = sourceSubset(in), to = destinationSubset(out);
        c.fromSubset = subsetOf(from, to, *c.source);
        c.toSubset = subsetOf(to, from, *c.target);
        c.executor = executor(out->src->isEntry() ? *out->dst : *out->src); // performed inside the scope
        c.apart = memories_.apart(memories_.of(*c.from), memories_.of(*c.to));
        if (isOnHost(c) || (isElements(*c.source, c.fromSubset) && isElements(*c.target, c.toSubset)))
            copies_.push_back(std::move(c));
    }
    static bool isElements(const DataDesc &d, const sym::Subset &s) { return !d.isStructure() && s.rank() == d.rank(); }

    Executor executor(const Node &n) {
        if (!scopes_) {
            scopes_.emplace(s_);
            around_ = executorAround(g_);
        }
        return executorInState(n, s_, *scopes_).value_or(around_);
    }

    State &s_;
    SDFG &g_;
    Memories &memories_;
    std::optional<ScopeTree> scopes_; // when a copy has been found: most states have none
    Executor around_ = Executor::Host;
    std::vector<GraphCopy> copies_;
};

} // namespace

bool isCopyNode(const LibraryNode &n) { return n.className() == "CopyLibraryNode"; }
bool isFillNode(const LibraryNode &n) { return n.className() == "FillLibraryNode"; }

std::vector<GraphCopy> copiesOf(State &s, Memories &memories) { return CopyCollector(s, memories).run(); }

} // namespace sdfgc::analysis
