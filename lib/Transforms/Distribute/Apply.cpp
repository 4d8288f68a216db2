// Builds the graph of one rank from the plan.
//
//   1. In every distributed item, the range of the distributed parameter is cut to the rank's positions, and accesses
//      use the indices that elements have in the rank's part.
//   2. Sums over ranks go to a separate container and, after an Allreduce, from there to their destination.
//   3. Access nodes from which elements of neighbours, or all elements, are read are followed by nodes that fetch them.
//   4. Containers get the sizes of their parts (Storage.cpp).
#include "Transforms/Distribute/Make.h"
#include "Transforms/Distribute/Storage.h"
#include "Transforms/Edits/Nodes.h"

#include "sdfgc/Analysis/Indexing.h"
#include "sdfgc/Tasklet/Types.h"

#include <algorithm>

namespace sdfgc::transforms::distribution {

using namespace ir;

namespace {

class Application {
public:
    explicit Application(Plan &plan) : plan_(plan), g_(plan.graph), storage_(plan) {}

    void run() {
        for (Item &item : plan_.items)
            rewrite(item);
        fetchAll();
        storage_.finish();
        for (State *s : allStates(g_))
            s->renumber();
        g_.renumber();
    }

private:
    // ---- (1) iterations and indices

    void rewrite(Item &item) {
        const std::vector<Meaning> meanings = meaningsOf(item);
        if (item.at)
            cut(item);
        std::set<const Edge *> reduced;
        for (std::size_t k = 0; k < item.uses.size(); ++k) {
            Use &u = item.uses[k];
            const bool isPart = plan_.layouts.contains(u.data);
            if (meanings[k].kind == Meaning::Whole)
                readAll(u);
            else if (meanings[k].kind == Meaning::Near)
                fetchFor(u);
            if (isa<LibraryNode>(item.node) && item.at)
                cutOperand(item, u);
            if (isPart && (meanings[k].kind == Meaning::Local || meanings[k].kind == Meaning::Near))
                shift(item, u);
        }
        for (std::size_t k = 0; k < item.uses.size(); ++k)
            if (meanings[k].kind == Meaning::Reduced && reduced.insert(outerEdge(item.uses[k])).second)
                reduce(item, item.uses[k]);
        if (auto *m = dyn_cast<MapEntry>(item.node); m && item.at)
            summarise(item, *m);
    }

    /// All reads through one connector of a map use the same shift.
    std::vector<Meaning> meaningsOf(const Item &item) const {
        std::vector<Meaning> out;
        std::set<const Edge *> whole;
        for (const Use &u : item.uses) {
            out.push_back(meaningOf(plan_, item, u));
            if (out.back().kind == Meaning::Whole)
                whole.insert(outerEdge(u));
        }
        for (std::size_t k = 0; k < out.size(); ++k)
            if (!item.uses[k].writes && whole.contains(outerEdge(item.uses[k])))
                out[k].kind = Meaning::Whole;
        return out;
    }

    /// The positions of the rank that an item runs at.
    Storage::Section sectionOf(const Item &item) {
        const Position &at = *item.at;
        const Variable *v = at.variable ? item.variable(at.variable) : nullptr;
        std::set<Name> others;
        for (const Variable &o : item.variables)
            others.insert(o.name);
        return storage_.section(at.line, (v ? v->range.begin : sym::Expr(0)) + at.shift,
                                (v ? v->range.end : sym::Expr(0)) + at.shift, others);
    }

    void cut(Item &item) {
        const Position &at = *item.at;
        const Storage::Section s = sectionOf(item);
        const sym::Range own{s.begin - (at.variable ? at.shift : sym::Expr(0)), s.end - 1 - (at.variable ? at.shift : sym::Expr(0)),
                             1, 1};
        if (!at.variable) {
            const Name p = g_.freshName("__at" + std::to_string(fixed_.size()));
            fixed_.emplace(&item, p);
            if (auto *t = dyn_cast<Tasklet>(item.node)) {
                item.node = wrap(*item.state, *t, p, own);
            } else {
                auto *m = cast<MapEntry>(item.node);
                m->params.insert(m->params.begin(), p);
                m->ranges.insert(m->ranges.begin(), own);
            }
            return;
        }
        MapEntry *m = item.variable(at.variable)->map;
        for (std::size_t k = 0; m && k < m->params.size(); ++k)
            if (m->params[k] == at.variable)
                m->ranges[k] = own;
    }

    /// An operand of a library node keeps the elements that belong to the rank's part of the variable.
    void cutOperand(const Item &item, Use &u) {
        const Storage::Section s = sectionOf(item);
        const Name v = item.at->variable;
        sym::Subset whole = subsetOf(u);
        for (std::size_t d = 0; d < u.subset.rank(); ++d)
            if (u.subset.dims[d].begin.dependsOn(v)) {
                const auto at = [&](const sym::Expr &value) { return sym::substitute(u.subset.dims[d].begin, {{v, value}}); };
                whole.dims[d] = {at(s.begin - item.at->shift), at(s.end - 1 - item.at->shift), 1, 1};
            }
        setSubset(u, whole);
    }

    /// The container's subset in a use, as written in the graph.
    sym::Subset subsetOf(const Use &u) const {
        const Memlet &m = u.edge->memlet;
        const std::optional<sym::Subset> &s = m.data == nameOf(u) ? m.subset : m.otherSubset;
        if (s && s->rank() == g_.desc(u.data)->rank())
            return *s;
        return isa<LibraryNode>(u.writes ? u.edge->src : u.edge->dst) ? g_.desc(u.data)->fullSubset() : u.subset;
    }
    void setSubset(const Use &u, const sym::Subset &s) {
        Memlet &m = u.edge->memlet;
        const bool isOwn = m.data == nameOf(u) || !m.data;
        (isOwn ? m.subset : m.otherSubset) = s;
        if (isOwn)
            m.data = nameOf(u);
    }
    /// A separate container that holds the gathered elements of one.
    Name nameOf(const Use &u) const {
        const auto at = renamed_.find(u.edge);
        return at == renamed_.end() ? u.data : at->second;
    }

    void shift(const Item &item, const Use &u) {
        const Layout &l = plan_.layouts.at(u.data);
        sym::Subset s = subsetOf(u);
        sym::Expr by = storage_.shiftOf(l);
        if (const auto at = fixed_.find(&item); at != fixed_.end()) // the index matters only on the rank that runs the iteration
            by += sym::Expr::symbol(at->second) - item.at->shift;
        s.dims[l.dim].begin += by;
        s.dims[l.dim].end += by;
        setSubset(u, s);
    }

    /// Updates the edges outside of maps from the edges inside.
    void summarise(const Item &item, MapEntry &outermost) {
        item.state->renumber();
        const ScopeTree scopes(*item.state);
        std::vector<MapEntry *> maps{&outermost};
        for (Node *n : scopes.order())
            if (auto *m = dyn_cast<MapEntry>(n); m && scopes.encloses(&outermost, m))
                maps.push_back(m);
        for (std::size_t k = maps.size(); k-- > 0;) {
            for (Edge *e : maps[k]->inEdges())
                summariseEdge(*maps[k], *e, false);
            for (Edge *e : maps[k]->exit->outEdges())
                summariseEdge(*maps[k], *e, true);
        }
    }
    void summariseEdge(const MapEntry &m, Edge &outer, bool writes) {
        const auto *a = dyn_cast<AccessNode>(writes ? pathDestination(&outer) : pathSource(&outer));
        const auto layout = a ? plan_.layouts.find(a->data) : plan_.layouts.end();
        if (layout == plan_.layouts.end() || outer.memlet.data != a->data)
            return;
        const sym::Subset whole = sym::Subset::full(storage_.shapeOf(a->data));
        std::optional<sym::Subset> all;
        const Name inner = pairedConnector(writes ? outer.srcConn : outer.dstConn);
        for (const Edge *e : writes ? m.exit->inEdges() : m.outEdges()) {
            if ((writes ? e->dstConn : e->srcConn) != inner)
                continue;
            const bool isOwn = e->memlet.data == a->data;
            const std::optional<sym::Subset> &own = isOwn ? e->memlet.subset : e->memlet.otherSubset;
            sym::Subset s = own ? *own : whole;
            for (std::size_t k = m.params.size(); k-- > 0;)
                s = sym::propagate(s, m.params[k], m.ranges[k], whole);
            all = all ? sym::boundingBox(*all, s) : s;
        }
        if (!all)
            return;
        outer.memlet.subset = *all;
        outer.memlet.volume = all->numElements();
    }

    // ---- (2) sums over ranks

    /// Renames a container on all edges of the path of a use.
    static void renamePath(Edge *leaf, Name from, Name to) {
        for (Edge *e : memletPath(leaf))
            if (e->memlet.data == from)
                e->memlet.data = to;
    }

    void reduce(const Item &item, const Use &u) {
        State &s = *item.state;
        Edge *last = outerEdge(u);
        auto *target = cast<AccessNode>(last->dst);
        const bool isLibrary = isa<LibraryNode>(item.node);
        const DataDesc &d = *g_.desc(u.data);
        const std::string identity = py::print(**py::reductionIdentity(py::parseWcr(u.wcr).value->kind, d.dtype));
        DataDesc own = d;
        own.transient = true;
        own.storage = ir::Storage::Default;
        own.lifetime = Lifetime::Scope;
        const Name part = g_.addTransient(u.data.str() + "_of_rank", std::move(own));
        const sym::Subset all = isLibrary                                            ? subsetOf(u)
                                : last->memlet.data == u.data && last->memlet.subset ? *last->memlet.subset
                                                                                     : d.fullSubset();

        std::vector<Edge *> leaves = memletLeaves(last);
        for (Edge *leaf : leaves)
            renamePath(leaf, u.data, part);
        auto *computed = s.add<AccessNode>(part), *first = s.add<AccessNode>(part), *summed = s.add<AccessNode>(part);
        s.setDestination(last, computed, {});
        tie(s, first, item.node);
        if (isLibrary)
            startNode(*cast<LibraryNode>(item.node), *last, u, identity);
        const Copied c =
            elementsOf(all, plan_.layouts.contains(u.data) ? std::optional(plan_.layouts.at(u.data).dim) : std::nullopt);
        elementMap(s, "start_" + part.str(), c.params, c.ranges, nullptr, {first, c.element, all, ""}, "__out = " + identity);
        mpiNode(s, "Allreduce", computed, all, summed, all)->properties.set("op", u.wcr);
        addTo(s, u, c, {summed, c.element, all, ""}, target, all);
    }

    /// A library node that sums the rank's terms starts with the neutral element, regardless of the graph's initial value.
    static void startNode(LibraryNode &n, Edge &out, const Use &u, const std::string &identity) {
        out.memlet.wcr.clear();
        const bool isReduction = analysis::isReduction(n);
        if (isReduction && u.accumulates)
            n.properties.set("identity", identity);
        if (!isReduction)
            out.memlet.dynamic = true; // products without any terms may write nothing
    }

    /// The elements of a subset, one for each iteration of a map.
    struct Copied {
        std::vector<Name> params;
        std::vector<sym::Range> ranges;
        sym::Subset element;
        std::optional<std::size_t> dealt; // the parameter of a dimension
    };
    Copied elementsOf(const sym::Subset &all, std::optional<std::size_t> dealt) const {
        Copied c;
        c.element = all;
        for (std::size_t d = 0; d < all.rank(); ++d) {
            if (all.dims[d].isPoint() && dealt != d)
                continue;
            const Name p = g_.freshName("__e" + std::to_string(d));
            if (dealt == d)
                c.dealt = c.params.size();
            c.params.push_back(p);
            c.ranges.push_back(all.dims[d]);
            c.element.dims[d] = {sym::Expr::symbol(p), sym::Expr::symbol(p), 1, 1};
        }
        return c;
    }

    /// Writes the sum over all ranks to the container, or to the rank's part of it.
    void addTo(State &s, const Use &u, Copied c, const Operand &sum, AccessNode *target, const sym::Subset &all) {
        Operand out{target, c.element, all, u.accumulates ? u.wcr : ""};
        if (c.dealt) {
            const Layout &l = plan_.layouts.at(u.data);
            sym::Range &r = c.ranges[*c.dealt];
            const Storage::Section own = storage_.section(l.line, r.begin + l.offset, r.end + l.offset, {});
            r = {own.begin - l.offset, own.end - 1 - l.offset, 1, 1};
            for (sym::Subset *subset : {&out.element, &out.all}) {
                sym::Range &dim = subset->dims[l.dim];
                if (subset == &out.all)
                    dim = r;
                dim.begin += storage_.shiftOf(l);
                dim.end += storage_.shiftOf(l);
            }
        }
        elementMap(s, "add_" + u.data.str(), c.params, c.ranges, &sum, out, "__out = __inp");
    }

    // ---- (3) elements of other ranks

    void readAll(Use &u) {
        Edge *outer = outerEdge(u);
        const Name all = storage_.gathered(u.data);
        for (Edge *e : memletPath(u.edge))
            if (e->memlet.data == u.data) {
                e->memlet.data = all;
                renamed_.emplace(e, all);
            }
        renamed_.emplace(u.edge, all);
        auto &edges = gathers_[cast<AccessNode>(outer->src)];
        if (std::find(edges.begin(), edges.end(), outer) == edges.end())
            edges.push_back(outer);
    }
    void fetchFor(const Use &u) { halos_.insert(cast<AccessNode>(outerEdge(u)->src)); }

    void fetchAll() {
        std::vector<std::pair<State *, AccessNode *>> nodes; // in the order of the graph, not of addresses
        for (State *s : allStates(g_))
            for (AccessNode *a : nodesOf<AccessNode>(*s))
                nodes.emplace_back(s, a);
        for (const auto &[s, a] : nodes) {
            if (halos_.contains(a))
                fetchHalo(*s, *a);
            if (const auto at = gathers_.find(a); at != gathers_.end())
                gather(*s, *a, at->second);
        }
    }

    bool isWritten(Name data) const {
        return std::any_of(plan_.items.begin(), plan_.items.end(), [&](const Item &i) {
            return std::any_of(i.uses.begin(), i.uses.end(), [&](const Use &u) { return u.writes && u.data == data; });
        });
    }

    /// Later uses of the container, including writes, are ordered after the gather.
    void gather(State &s, AccessNode &a, const std::vector<Edge *> &edges) {
        auto *all = s.add<AccessNode>(storage_.gathered(a.data));
        for (Edge *e : edges)
            s.setSource(e, all, {});
        if (!isWritten(a.data)) {
            storage_.gatherAtStart(a.data);
            if (a.inEdges().empty() && a.outEdges().empty())
                s.removeNode(&a);
            return;
        }
        for (Edge *e : std::vector<Edge *>(a.outEdges()))
            tie(s, all, e->dst);
        storage_.gather(s, &a, all);
    }
    void fetchHalo(State &s, AccessNode &a) {
        if (!isWritten(a.data))
            return storage_.fetchAtStart(a.data);
        auto *fetched = s.add<AccessNode>(a.data);
        const auto gathered = gathers_.find(&a); // these edges are moved away from the node anyway
        for (Edge *e : std::vector<Edge *>(a.outEdges()))
            if (gathered == gathers_.end() ||
                std::find(gathered->second.begin(), gathered->second.end(), e) == gathered->second.end())
                s.setSource(e, fetched, e->srcConn);
        storage_.fetchHalo(s, &a, fetched);
    }

    Plan &plan_;
    SDFG &g_;
    Storage storage_;
    std::map<const Item *, Name> fixed_; // the parameters of items that run at one position
    std::map<const Edge *, Name> renamed_;
    std::map<AccessNode *, std::vector<Edge *>> gathers_; // of outer edges
    std::set<AccessNode *> halos_;
};

} // namespace

void apply(Plan &plan) { Application(plan).run(); }

} // namespace sdfgc::transforms::distribution
