// Reads a state as items: maps, library nodes and tasklets, with their reads and writes.
#include "Transforms/Distribute/Plan.h"

#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/IR/ScopeConnectors.h"

#include <algorithm>

namespace sdfgc::transforms::distribution {

using namespace ir;

namespace {

/// Does a container own its memory, as an array indexed from 0?
bool isPlain(const DataDesc *d) {
    return d && d->isArray() && d->alias == AliasKind::None && d->rank() > 0 && d->startOffset.isZero() &&
           std::all_of(d->offset.begin(), d->offset.end(), [](const sym::Expr &e) { return e.isZero(); });
}

bool isPlainOrScalar(const DataDesc *d) { return isPlain(d) || (d && d->isScalar() && d->alias == AliasKind::None); }

class ItemCollector {
public:
    explicit ItemCollector(Plan &plan) : plan_(plan), g_(plan.graph) {}

    void run() {
        for (const Name n : analysis::containersReadByControlFlow(g_))
            keep(n, "control flow reads it");
        for (const auto &[name, d] : g_.arrays)
            if (!isPlain(&d))
                keep(name, "its elements are not what it holds itself, or do not count from 0");
        for (State *s : allStates(g_)) {
            copiesToMaps(*s);
            s->renumber();
            read(*s);
        }
    }

private:
    void keep(Name data, const std::string &why) { plan_.everywhere.emplace(data, why); }

    void read(State &s) {
        const ScopeTree scopes(s);
        for (Node *n : scopes.children(nullptr)) {
            if (auto *a = dyn_cast<AccessNode>(n))
                readAccess(*a);
            else if (auto *m = dyn_cast<MapEntry>(n))
                readMap(s, scopes, *m);
            else if (auto *l = dyn_cast<LibraryNode>(n))
                readLibrary(s, *l);
            else if (isa<Tasklet>(n))
                readCode(s, *n);
            else
                keepAll(*n, "`" + n->label + "` uses it, which is no map, tasklet or library node");
        }
    }

    void keepAll(Node &n, const std::string &why) {
        for (const Edge *e : n.inEdges())
            keep(e->memlet.data, why);
        for (const Edge *e : exitOf(&n)->outEdges())
            keep(e->memlet.data, why);
    }

    /// The remaining edges between access nodes do not copy elements: views, streams, structures.
    void readAccess(const AccessNode &a) {
        for (const Edge *e : a.outEdges())
            if (const auto *to = dyn_cast<AccessNode>(e->dst); to && !e->memlet.isEmpty())
                for (const Name n : {a.data, to->data})
                    keep(n, "it is copied to or from a view, or with another shape");
    }

    void readCode(State &s, Node &n) {
        Item item;
        item.state = &s;
        item.node = &n;
        for (Edge *e : n.inEdges())
            addUse(item, e, false);
        for (Edge *e : n.outEdges())
            addUse(item, e, true);
        plan_.items.push_back(std::move(item));
    }

    void readLibrary(State &s, LibraryNode &n) {
        Item item;
        item.state = &s;
        item.node = &n;
        if (describe(n, item))
            plan_.items.push_back(std::move(item));
        else
            keepAll(n, "the library node `" + n.label + "` (" + n.className() + ") uses it");
    }

    void readMap(State &s, const ScopeTree &scopes, MapEntry &m) {
        Item item;
        item.state = &s;
        item.node = &m;
        addVariables(item, m);
        for (const auto &n : s.nodes())
            if (auto *inner = dyn_cast<MapEntry>(n.get()); inner && scopes.encloses(&m, inner))
                addVariables(item, *inner);
        for (const auto &owned : s.edges()) {
            Edge *e = owned.get();
            const bool reads = scopes.encloses(&m, e->dst) && !e->dst->isEntry() && !e->dst->isExit();
            const bool writes = scopes.encloses(&m, e->src) && !e->src->isEntry() && !e->src->isExit();
            if (reads && (e->src->isEntry() || isa<AccessNode>(e->src)))
                addOuter(item, e, pathSource(e), false, scopes);
            if (writes && e->dst->isExit())
                addOuter(item, e, pathDestination(e), true, scopes);
            if (e->dst->isEntry() && isDynamicRange(e->dstConn))
                keep(e->memlet.data, "the range of a map reads it");
        }
        for (const auto &n : s.nodes())
            if (const auto *a = dyn_cast<AccessNode>(n.get()); a && scopes.encloses(&m, a))
                keep(a->data, "it stands in a map"); // private to an iteration, or of an unknown one
        plan_.items.push_back(std::move(item));
    }

    static void addVariables(Item &item, MapEntry &m) {
        for (std::size_t k = 0; k < m.params.size(); ++k)
            item.variables.push_back({m.params[k], m.ranges[k], &m});
    }

    void addOuter(Item &item, Edge *e, const Node *end, bool writes, const ScopeTree &scopes) {
        if (const auto *a = dyn_cast<AccessNode>(end); a && !scopes.scopeOf(a))
            addUse(item, e, writes, a);
    }

    void addUse(Item &item, Edge *e, bool writes, const AccessNode *a = nullptr) {
        if (e->memlet.isEmpty())
            return;
        a = a ? a : dyn_cast<AccessNode>(writes ? e->dst : e->src);
        const DataDesc *d = a ? g_.desc(a->data) : nullptr;
        if (!d)
            return;
        const std::optional<sym::Subset> subset = writes ? destinationSubset(e) : sourceSubset(e);
        const Node *inner = writes ? e->src : e->dst;
        Use u;
        u.edge = e;
        u.data = a->data;
        u.writes = writes;
        u.whole = isa<NestedSDFGNode>(inner);
        u.subset = subset && subset->rank() == d->rank() ? *subset : d->fullSubset();
        u.wcr = writes ? e->memlet.wcr : "";
        u.accumulates = !u.wcr.empty();
        item.uses.push_back(std::move(u));
    }

    // ---- copies

    void copiesToMaps(State &s) {
        std::vector<Edge *> copies;
        for (const auto &e : s.edges()) {
            const auto *from = dyn_cast<AccessNode>(e->src), *to = dyn_cast<AccessNode>(e->dst);
            if (from && to && !e->memlet.isEmpty() && isPlainOrScalar(g_.desc(from->data)) && isPlainOrScalar(g_.desc(to->data)) &&
                !ScopeTree(s).scopeOf(from))
                copies.push_back(e.get());
        }
        for (Edge *e : copies)
            copyToMap(s, *e);
    }

    /// Requires both sides to have the same shape, except for dimensions of one element.
    void copyToMap(State &s, Edge &e) {
        auto *from = cast<AccessNode>(e.src), *to = cast<AccessNode>(e.dst);
        std::optional<sym::Subset> source = sourceSubset(&e), target = destinationSubset(&e);
        const bool hasSource = source.has_value();
        if (!hasSource && !target)
            return;
        if (!source || !target) // the other side starts at its first element
            (source ? target : source) = firstOf(source ? *source : *target, *g_.desc((source ? to : from)->data));
        if (!source || !target)
            return;
        const std::vector<std::size_t> a = source->nonUnitDims(), b = target->nonUnitDims();
        bool fits = a.size() == b.size();
        for (std::size_t k = 0; fits && k < a.size(); ++k)
            fits = source->dims[a[k]].size() == target->dims[b[k]].size();
        if (!fits)
            return;
        if (a.empty())
            return copyByTasklet(s, e, *source, *target);
        MapEntry *entry = s.addMap("copy_" + from->data.str() + "_to_" + to->data.str());
        MapExit *exit = entry->exit;
        Tasklet *t = s.addTasklet(entry->label, {"__out = __inp"});
        sym::Subset read = *source, written = *target;
        for (std::size_t k = 0; k < a.size(); ++k) {
            const Name p = g_.freshName("__c" + std::to_string(k));
            entry->params.push_back(p);
            entry->ranges.push_back({0, source->dims[a[k]].size() - 1, 1, 1});
            point(read.dims[a[k]], p);
            point(written.dims[b[k]], p);
        }
        Memlet in = Memlet::simple(from->data, *source), out = Memlet::simple(to->data, *target);
        out.wcr = e.memlet.wcr;
        s.connect(from, {}, entry, scopeInput(from->data), in);
        s.connect(entry, scopeOutput(from->data), t, "__inp", Memlet::simple(from->data, read));
        Memlet one = Memlet::simple(to->data, written);
        one.wcr = e.memlet.wcr;
        s.connect(t, "__out", exit, scopeInput(to->data), one);
        s.connect(exit, scopeOutput(to->data), to, {}, out);
        s.removeEdge(&e);
    }
    static void copyByTasklet(State &s, Edge &e, const sym::Subset &source, const sym::Subset &target) {
        auto *from = cast<AccessNode>(e.src), *to = cast<AccessNode>(e.dst);
        Tasklet *t = s.addTasklet("copy_" + from->data.str() + "_to_" + to->data.str(), {"__out = __inp"});
        Memlet out = Memlet::simple(to->data, target);
        out.wcr = e.memlet.wcr;
        s.connect(from, {}, t, "__inp", Memlet::simple(from->data, source));
        s.connect(t, "__out", to, {}, out);
        s.removeEdge(&e);
    }
    static void point(sym::Range &r, Name p) {
        const sym::Expr at = r.begin + sym::Expr::symbol(p) * r.step;
        r = {at, at, 1, 1};
    }
    static std::optional<sym::Subset> firstOf(const sym::Subset &other, const DataDesc &d) {
        if (other.rank() != d.rank())
            return std::nullopt;
        sym::Subset out;
        for (const sym::Range &r : other.dims)
            out.dims.push_back({0, r.size() - 1, 1, 1});
        return out;
    }

    Plan &plan_;
    SDFG &g_;
};

} // namespace

void collect(Plan &plan) { ItemCollector(plan).run(); }

Edge *outerEdge(const Use &use) {
    const std::vector<Edge *> path = memletPath(use.edge);
    return use.writes ? path.back() : path.front();
}

} // namespace sdfgc::transforms::distribution
