// Writes items to states.
//
// A state takes items as long as its edges express the order: an item reads what earlier ones wrote through access nodes. If an
// item overwrites data that an earlier one still needs and no path orders the two, a new state begins. A scope cannot have a next
// state, so there an edge without data orders them.
#include "Nest/Order.h"
#include "sdfgc/IR/ScopeConnectors.h"
#include "sdfgc/Nest/Nest.h"
#include "sdfgc/Nest/Rename.h"

#include "sdfgc/IR/Scopes.h"
#include "sdfgc/IR/StateGraph.h"

#include <algorithm>
#include <unordered_map>

namespace sdfgc::nest {

using namespace ir;

namespace {

/// First and last node of a written item: where an edge without data ends and begins.
struct Written {
    Node *first = nullptr, *last = nullptr;
};

/// A scope that is being written; the top level of the state has no entry.
struct Scope {
    Scope(const analysis::Memories &memories, const SDFG *inside) : order(memories, inside) {}

    const Map *map = nullptr;
    MapEntry *entry = nullptr;
    MapExit *exit = nullptr;
    std::map<Name, AccessNode *> latest;                     // the access node with the current content of each container
    std::map<Name, std::vector<const Use *>> inputs;         // uses of data from outside
    std::map<std::string, std::vector<const Use *>> outputs; // uses whose data leaves, by connector suffix
    std::vector<const Use *> later;                          // uses of items that are not written yet, last one first
    Order order;
    std::vector<Written> written; // by position in `order`
};

class StateWriter {
public:
    StateWriter(State &s, Run &run) : s_(s), g_(*s.sdfg()), memories_(*run.memories), top_(memories_, nullptr) {}

    /// Does the item belong to this state, after those that are in it?
    bool takes(const Item &item) const { return top_.order.ties(usesOf(item), hasEffects(item)).empty(); }
    void add(const Item &item) { place(item, top_); }
    void finish() {
        pairScopes(s_);
        dropUnusedConnectors();
        s_.renumber();
    }

private:
    /// Access nodes are copied with their connectors, some of which no longer have an edge.
    void dropUnusedConnectors() {
        for (const auto &n : s_.nodes())
            if (isa<AccessNode>(n.get())) {
                std::erase_if(n->inConnectors, [&n](const Connector &c) { return !n->inEdge(c.name); });
                std::erase_if(n->outConnectors, [&n](const Connector &c) { return !n->outEdge(c.name); });
            }
    }

    void place(const Item &item, Scope &scope) {
        const std::vector<PlacedUse> uses = usesOf(item);
        const std::vector<std::size_t> ties = scope.order.add(uses, hasEffects(item));
        const Written w = item.map              ? map(*item.map, scope)
                          : item.step->isCopy() ? copy(*item.step, !ties.empty(), scope)
                                                : step(*item.step, scope);
        for (std::size_t earlier : ties)
            s_.connect(scope.written[earlier].last, {}, w.first, {}, Memlet::empty());
        tieToScope(*w.first, *w.last, scope);
        scope.written.push_back(w);
    }

    // ---- steps

    Written step(const Step &step, Scope &scope) {
        std::vector<Node *> nodes;
        std::unordered_map<const Node *, Node *> copies;
        for (const Node *n : step.nodes) {
            Node *c = s_.adopt(ir::clone(*n));
            renameSymbols(*c, g_, step.renamed);
            nodes.push_back(c);
            copies.emplace(n, c);
        }
        for (const Edge *e : step.edges) {
            Memlet m = e->memlet;
            renameSymbols(m, step.renamed);
            s_.connect(copies.at(e->src), e->srcConn, copies.at(e->dst), e->dstConn, std::move(m));
        }
        for (const Use &u : step.uses)
            if (u.writes())
                write(u, *nodes[u.node], scope);
            else
                read(u, *nodes[u.node], scope);
        return {nodes.front(), nodes.back()};
    }

    /// Ties nodes without inputs from outside, or without outputs, to the scope, so that they are still inside it.
    void tieToScope(Node &first, Node &last, Scope &scope) {
        if (!scope.entry || isa<AccessNode>(&first))
            return;
        if (first.inEdges().empty())
            s_.connect(scope.entry, {}, &first, {}, Memlet::empty());
        if (last.outEdges().empty())
            s_.connect(&last, {}, scope.exit, {}, Memlet::empty());
    }

    void read(const Use &u, Node &n, Scope &scope) {
        const auto [node, connector] = source(u, scope);
        s_.connect(node, connector, &n, u.connector, u.memlet);
    }

    void write(const Use &u, Node &n, Scope &scope) {
        if (scope.entry && (isPassed(u.data) || (!scope.map->locals.count(u.data) && !isReadLater(u, scope)))) {
            s_.connect(&n, u.connector, scope.exit, leaving(u, scope), u.memlet);
            return;
        }
        s_.connect(&n, u.connector, target(u, scope), {}, u.memlet);
    }

    /// `waits`: the copy depends on more than its source. Then it needs a node of its own, and so it does if others wait for it.
    Written copy(const Step &step, bool waits, Scope &scope) {
        const Use &from = step.uses.front(), &to = step.uses.back();
        const auto [node, connector] = source(from, scope);
        if (scope.entry && isa<AccessNode>(node) && !waits && !scope.map->locals.count(to.data) && !isUsedLater(to, scope) &&
            !isWrittenLater(from, scope)) {
            s_.connect(node, connector, scope.exit, leaving(to, scope), to.memlet);
            return {node, node};
        }
        AccessNode *target = this->target(to, scope);
        s_.connect(node, connector, target, {}, to.memlet);
        return {target, target};
    }

    // ---- sources and destinations of content

    struct End {
        Node *node;
        Name connector;
    };

    End source(const Use &u, Scope &scope) {
        if (auto it = scope.latest.find(u.data); it != scope.latest.end())
            return {it->second, {}};
        if (scope.entry && scope.map->locals.count(u.data))
            return {unwritten(u, scope), {}};
        if (scope.entry) {
            scope.inputs[u.data].push_back(&u);
            return {scope.entry, scopeOutput(u.data)};
        }
        return {isView(u.data) ? viewOf(*u.access) : current(*u.access, u.data), {}};
    }

    /// An access node for a container of an iteration that nothing has written yet. Calls may name one that they do not read; outside of
    /// the map, all iterations would share it.
    AccessNode *unwritten(const Use &u, Scope &scope) {
        AccessNode *a = copy(*u.access, u.data);
        s_.connect(scope.entry, {}, a, {}, Memlet::empty());
        scope.latest[u.data] = a;
        return a;
    }

    /// The access node with the current content of a container at the top level.
    AccessNode *current(const AccessNode &old, Name data) {
        AccessNode *&a = top_.latest[data];
        if (!a)
            a = copy(old, data);
        return a;
    }

    bool isView(Name data) const {
        const DataDesc *d = g_.desc(data);
        return d && d->isView();
    }

    /// Do scopes use it only through their connectors? Later steps of the scope read it from outside, too.
    bool isPassed(Name data) const {
        const DataDesc *d = g_.desc(data);
        return d && (d->isView() || d->isStructure());
    }

    /// An access node like the one that was read. The container may have been renamed.
    AccessNode *copy(const AccessNode &old, Name data) {
        auto *a = s_.add<AccessNode>(old);
        a->data = data;
        return a;
    }

    /// A view of the current content of the container that the original view shows.
    AccessNode *viewOf(const AccessNode &old) {
        const Edge *e = isView(old.data) ? viewEdge(&old) : nullptr;
        if (!e)
            return current(old, old.data);
        AccessNode *view = s_.add<AccessNode>(old);
        s_.connect(viewOf(*viewedNode(&old)), {}, view, Name("views"), e->memlet);
        return view;
    }

    /// A new access node for a container that is written; if the write goes through a view, the view comes before it.
    AccessNode *target(const Use &u, Scope &scope) {
        AccessNode *a = copy(*u.access, u.data);
        if (!scope.entry && isView(u.data)) {
            writeThrough(*u.access, *a);
            return a;
        }
        scope.latest[u.data] = a;
        if (scope.entry && !scope.map->locals.count(u.data))
            s_.connect(a, {}, scope.exit, leaving(u, scope), handedOn(u));
        return a;
    }

    /// The memlet of an access node inside a scope for content that was written there before.
    Memlet handedOn(const Use &u) const {
        Memlet m = Memlet::simple(u.data, u.subset ? *u.subset : g_.desc(u.data)->fullSubset());
        m.dynamic = u.memlet.dynamic;
        m.debugInfo = u.memlet.debugInfo;
        return m;
    }

    void writeThrough(const AccessNode &old, AccessNode &view) {
        const Edge *e = viewEdge(&old);
        const AccessNode *viewed = e ? viewedNode(&old) : nullptr;
        if (!viewed)
            return;
        auto *base = s_.add<AccessNode>(*viewed);
        s_.connect(&view, Name("views"), base, {}, e->memlet);
        if (isView(viewed->data))
            writeThrough(*viewed, *base);
        else
            top_.latest[viewed->data] = base;
    }

    static bool isReadLater(const Use &u, const Scope &scope) {
        return std::any_of(scope.later.begin(), scope.later.end(),
                           [&u](const Use *r) { return !r->writes() && r->data == u.data; });
    }
    static bool isWrittenLater(const Use &u, const Scope &scope) {
        return std::any_of(scope.later.begin(), scope.later.end(),
                           [&u](const Use *r) { return r->writes() && r->memory == u.memory; });
    }
    static bool isUsedLater(const Use &u, const Scope &scope) {
        return std::any_of(scope.later.begin(), scope.later.end(), [&u](const Use *r) { return r->data == u.data; });
    }

    Name leaving(const Use &u, Scope &scope) {
        scope.outputs[suffix(u)].push_back(&u);
        return scopeInput(suffix(u));
    }

    /// Suffix of the connectors for a container that leaves a scope: updates have their own connectors.
    std::string suffix(const Use &u) const {
        std::string out = u.data.str();
        if (u.kind == UseKind::Update)
            do
                out += "_update";
            while (g_.arrays.contains(Name(out)));
        return out;
    }

    // ---- maps

    Written map(const Map &m, Scope &outer) {
        Scope scope(memories_, &g_);
        scope.map = &m;
        openMap(m, scope);
        body(m, scope);
        for (const auto &[data, uses] : scope.inputs)
            read(together(uses, scopeInput(data), m), *scope.entry, outer);
        for (const auto &[suffix, uses] : scope.outputs)
            write(together(uses, scopeOutput(suffix), m), *scope.exit, outer);
        for (const auto &[data, node] : scope.latest)
            if (node->outEdges().empty())
                s_.connect(node, {}, scope.exit, {}, Memlet::empty());
        if (scope.exit->inEdges().empty())
            s_.connect(scope.entry, {}, scope.exit, {}, Memlet::empty());
        return {scope.entry, scope.exit};
    }

    void openMap(const Map &m, Scope &scope) {
        scope.entry = cast<MapEntry>(s_.adopt(ir::clone(*m.entry)));
        scope.exit = m.entry->exit ? cast<MapExit>(s_.adopt(ir::clone(*m.entry->exit))) : s_.add<MapExit>();
        for (Node *n : {static_cast<Node *>(scope.entry), static_cast<Node *>(scope.exit)}) {
            n->inConnectors.clear();
            n->outConnectors.clear();
        }
        scope.entry->exit = scope.exit;
        scope.exit->entry = scope.entry;
        scope.entry->params = m.params;
        scope.entry->ranges = m.ranges;
    }

    void body(const Map &m, Scope &scope) {
        std::vector<std::size_t> counts; // number of uses of each item
        for (auto item = m.body.rbegin(); item != m.body.rend(); ++item) {
            const std::vector<PlacedUse> uses = usesOf(*item);
            for (const PlacedUse &u : uses)
                scope.later.push_back(u.use);
            counts.push_back(uses.size());
        }
        for (const Item &item : m.body) {
            scope.later.resize(scope.later.size() - counts.back());
            counts.pop_back();
            place(item, scope);
        }
    }

    /// The union of these uses of a container over all iterations of a map, at a connector of the map.
    const Use &together(const std::vector<const Use *> &uses, Name connector, const Map &m) {
        Use &out = *unions_.emplace_back(std::make_unique<Use>(*uses.front()));
        const Name data = namedBy(uses);
        const DataDesc *d = g_.desc(data);
        out.connector = connector;
        out.memlet = Memlet();
        out.memlet.data = data;
        out.memlet.wcr = uses.front()->memlet.wcr;
        out.memlet.debugInfo = uses.front()->memlet.debugInfo;
        std::optional<sym::Subset> all;
        for (const Use *u : uses) {
            sym::Subset s = overIterations(*u, data, *d, m);
            all = all && !(*all == s) ? sym::boundingBox(*all, s) : s;
            out.memlet.volume += overIterations(u->memlet.volume, m);
            out.memlet.dynamic |= u->memlet.dynamic;
            out.memlet.allowOob |= u->memlet.allowOob;
        }
        out.memlet.subset = all;
        if (out.subset)
            out.subset = all;
        out.node = 0;
        return out;
    }

    /// The member of a structure that all memlets of uses name, or the container.
    static Name namedBy(const std::vector<const Use *> &uses) {
        const Name container = uses.front()->data, first = uses.front()->memlet.data;
        const bool same = std::all_of(uses.begin(), uses.end(), [first](const Use *u) { return u->memlet.data == first; });
        return same && first.str().rfind(container.str() + ".", 0) == 0 ? first : container;
    }

    static bool hasNoIterations(const Map &m) {
        return std::any_of(m.ranges.begin(), m.ranges.end(), [](const sym::Range &r) {
            return sym::isPositive(r.step) == sym::Truth::True && sym::isPositive(r.begin - r.end) == sym::Truth::True;
        });
    }

    static sym::Subset overIterations(const Use &u, Name data, const DataDesc &d, const Map &m) {
        const std::optional<sym::Subset> &own = u.memlet.data == data ? u.memlet.subset : u.memlet.otherSubset;
        const sym::Subset full = d.fullSubset(), one = own && own->rank() == d.rank() ? *own : full;
        if (hasNoIterations(m)) // its computed ends would not describe elements, and could be outside of the container
            return full;
        sym::Subset all = one;
        for (std::size_t k = m.params.size(); k-- > 0;)
            all = sym::propagate(all, m.params[k], m.ranges[k], full);
        for (std::size_t k = 0; k < full.rank(); ++k) // ranges rounded up to full tiles exceed the container
            if (!(all.dims[k] == one.dims[k]) && sym::covers({{full.dims[k]}}, {{all.dims[k]}}) != sym::Truth::True)
                all.dims[k] = full.dims[k];
        return all;
    }

    static sym::Expr overIterations(sym::Expr volume, const Map &m) {
        for (const sym::Range &r : m.ranges)
            volume *= r.steps();
        return std::any_of(m.params.begin(), m.params.end(), [&](Name p) { return volume.dependsOn(p); }) ? sym::Expr(0) : volume;
    }

    State &s_;
    SDFG &g_;
    const analysis::Memories &memories_;
    Scope top_;
    std::vector<std::unique_ptr<Use>> unions_; // uses of entire maps, which scopes point to
};

/// Facts about a region, valid until its old states are removed.
struct RegionFacts {
    const Block *start;
    std::vector<Block *> old;
};

/// Writes multiple runs. Steps that visit all blocks of a region are done once for all of its runs: finding the start and removing
/// old states.
class RunWriter {
public:
    explicit RunWriter(const FreshLabel &freshLabel) : freshLabel_(freshLabel) {}

    void write(Run &run) {
        RegionFacts &facts = factsOf(run);
        std::vector<State *> written = statesOf(run);
        splice(run, written, facts.start);
        facts.old.insert(facts.old.end(), run.states.begin(), run.states.end());
        takeLabels(run, written);
        run.states = std::move(written);
    }

    void finish() {
        for (auto &[region, facts] : facts_)
            region->removeBlocks(facts.old);
        for (auto &[s, label] : further_)
            s->label = freshLabel_ ? freshLabel_(label) : s->sdfg()->freshLabel(label);
    }

private:
    RegionFacts &factsOf(const Run &run) {
        const auto [it, isNew] = positions_.emplace(run.region, facts_.size());
        if (isNew)
            facts_.emplace_back(run.region, RegionFacts{run.region->start(), {}});
        return facts_[it->second].second;
    }

    static std::vector<State *> statesOf(Run &run) {
        std::vector<State *> written;
        std::unique_ptr<StateWriter> writer;
        auto open = [&] {
            if (writer)
                writer->finish();
            written.push_back(run.region->add<State>());
            writer = std::make_unique<StateWriter>(*written.back(), run);
        };
        open();
        for (const Item &item : run.items) {
            if (!writer->takes(item))
                open();
            writer->add(item);
        }
        writer->finish();
        return written;
    }

    /// Replaces states: edges into the first one lead to the new first one, and edges out of the last one leave the new last one.
    static void splice(Run &run, const std::vector<State *> &written, const Block *start) {
        Region &r = *run.region;
        State *first = run.states.front(), *last = run.states.back();
        r.moveInEdges(first, written.front());
        r.moveOutEdges(last, written.back());
        for (std::size_t i = 0; i + 1 < written.size(); ++i)
            r.connect(written[i], written[i + 1]);
        if (start == first)
            r.setStart(written.front());
    }

    void takeLabels(const Run &run, const std::vector<State *> &written) {
        for (std::size_t i = 0; i < written.size(); ++i) {
            const State &old = *run.states[std::min(i, run.states.size() - 1)];
            written[i]->debugInfo = old.debugInfo;
            if (i < run.states.size())
                written[i]->label = old.label;
            else
                further_.emplace_back(written[i], old.label);
        }
    }

    const FreshLabel &freshLabel_;
    std::vector<std::pair<Region *, RegionFacts>> facts_; // in the order of the runs
    std::unordered_map<const Region *, std::size_t> positions_;
    std::vector<std::pair<State *, std::string>> further_; // states, and the prefix of their labels
};

} // namespace

void write(Run &run, const FreshLabel &freshLabel) {
    RunWriter writer(freshLabel);
    writer.write(run);
    writer.finish();
}

bool writeChanged(std::vector<Run> &runs, const FreshLabel &freshLabel) {
    RunWriter writer(freshLabel);
    bool changed = false;
    for (Run &run : runs)
        if (run.changed) {
            writer.write(run);
            changed = true;
        }
    writer.finish();
    return changed;
}

bool rewriteRuns(SDFG &root, const std::function<void(SDFG &, analysis::Memories &, std::vector<Run> &)> &change) {
    analysis::Memories memories(root);
    bool changed = false;
    std::vector<SDFG *> all = allSDFGs(root);
    for (auto g = all.rbegin(); g != all.rend(); ++g) {
        std::vector<Run> runs = readRuns(**g, memories);
        change(**g, memories, runs);
        changed |= writeChanged(runs);
    }
    if (changed)
        root.renumber();
    return changed;
}

} // namespace sdfgc::nest
