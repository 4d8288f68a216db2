// Reads items from states.
#include "Nest/Effects.h"
#include "Nest/Window.h"

#include "sdfgc/Analysis/Flow/FlowWalk.h"
#include "sdfgc/Analysis/Indexing.h"
#include "sdfgc/Analysis/Memory/Access.h"
#include "sdfgc/Analysis/Memory/Copies.h"
#include "sdfgc/Analysis/Scopes.h"
#include "sdfgc/Analysis/Streams/Streams.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/IR/StateGraph.h"
#include "sdfgc/Nest/CallElements.h"

#include <algorithm>

namespace sdfgc::nest {

using namespace ir;

namespace {

/// Does an expression mention a container, so that its value changes when the container is written?
bool mentionsContainer(const std::set<Name> &symbols, const SDFG &g) {
    return std::any_of(symbols.begin(), symbols.end(), [&](Name n) { return g.arrays.contains(n); });
}

/// The part of the container, or of another view, that the view of a use shows.
std::optional<Window> windowOf(const Use &u, const SDFG &g) {
    const DataDesc *view = g.desc(u.data);
    const Edge *e = view && view->isView() ? viewEdge(u.access) : nullptr;
    const AccessNode *viewed = e ? viewedNode(u.access) : nullptr;
    const DataDesc *base = viewed ? g.desc(viewed->data) : nullptr;
    const std::optional<sym::Subset> shown = !base ? std::nullopt : e->src == viewed ? sourceSubset(e) : destinationSubset(e);
    const bool isView = base && base->isView() && base->isArray() && !base->isContainerArray();
    if (!shown || !(analysis::isPlain(base) || isView) || view->isContainerArray() || !view->isArray())
        return std::nullopt;
    return nest::windowOf(*view, {}, *base, *shown);
}

/// The same for a use whose view shows a container rather than another view.
std::optional<Window> windowOfContainer(const Use &u, const SDFG &g) {
    const std::optional<Window> window = windowOf(u, g);
    return window && analysis::isPlain(g.desc(viewedNode(u.access)->data)) ? window : std::nullopt;
}

/// Makes the use refer to the container behind its view.
void show(Use &u) {
    u.access = viewedNode(u.access);
    u.data = u.memlet.data = u.access->data;
}

/// Reads one state.
class StateReader {
public:
    StateReader(const State &s, analysis::Memories &memories, const std::set<Name> &shared)
        : scopes_(s), ends_(s, scopes_), graph_(*const_cast<State &>(s).sdfg()), memories_(memories) {
        std::map<Name, const Node *> owners;
        for (const auto &n : s.nodes())
            if (const auto *a = dyn_cast<AccessNode>(n.get()); a && graph_.desc(a->data)->transient && !shared.count(a->data)) {
                const auto [owner, isNew] = owners.try_emplace(a->data, scopes_.scopeOf(a));
                while (owner->second && !scopes_.encloses(owner->second, a))
                    owner->second = scopes_.scopeOf(owner->second);
            }
        for (const auto &[name, scope] : owners)
            owned_[scope].insert(name);
    }

    std::vector<Item> items() { return scope(nullptr); }

private:
    std::vector<Item> scope(const Node *entry) {
        std::vector<Item> out;
        for (Node *n : scopes_.children(entry)) {
            if (auto *a = dyn_cast<AccessNode>(n))
                copiesAt(*a, out);
            else if (auto *m = dyn_cast<MapEntry>(n); m && canOpen(*m))
                out.push_back({std::make_unique<Map>(map(*m)), nullptr});
            else
                out.push_back({nullptr, std::make_unique<Step>(step(*n))});
        }
        return out;
    }

    /// The lowering copies when the source is complete, or when the destination is reached (lib/Lower/Flow/States.cpp).
    void copiesAt(AccessNode &a, std::vector<Item> &out) {
        for (Edge *e : a.inEdges())
            if ((e->src->isEntry() || analysis::copiesAtDestination(a)) && analysis::isTransfer(*e))
                out.push_back({nullptr, std::make_unique<Step>(copy(*e))});
        for (Edge *e : a.outEdges())
            if ((e->dst->isExit() || !analysis::copiesAtDestination(*e->dst)) && analysis::isTransfer(*e))
                out.push_back({nullptr, std::make_unique<Step>(copy(*e))});
    }

    /// Views inside a scope and ranges with values read at run time are left alone, as is everything that the graph pins.
    bool canOpen(const MapEntry &m) const {
        if (!m.optimize || hasDynamicRange(m))
            return false;
        const auto &inside = scopes_.children(&m);
        return std::none_of(inside.begin(), inside.end(), [this](const Node *n) {
            const auto *a = dyn_cast<AccessNode>(n);
            return a && !analysis::isPlain(graph_.desc(a->data));
        });
    }

    Map map(const MapEntry &m) {
        Map out;
        out.entry = &m;
        out.params = m.params;
        out.ranges = m.ranges;
        out.body = scope(&m);
        if (const auto own = owned_.find(&m); own != owned_.end())
            out.locals = own->second;
        return out;
    }

    Step step(Node &n) {
        Step out;
        std::set<const Node *> inside;
        if (n.isEntry()) {
            const Node *exit = scopes_.exitOf(&n);
            out.nodes.push_back(&n);
            for (const Node *other : scopes_.order())
                if (scopes_.encloses(&n, other) && other != exit)
                    out.nodes.push_back(other);
            out.nodes.push_back(exit);
        } else {
            out.nodes.push_back(&n);
        }
        inside.insert(out.nodes.begin(), out.nodes.end());
        for (const Node *each : out.nodes) {
            out.effects |= (each->isCode() || each->kind() == NodeKind::ConsumeEntry) && nest::hasEffects(*each);
            for (const Edge *e : each->outEdges())
                if (inside.count(e->dst))
                    out.edges.push_back(e);
        }
        usesAt(*out.nodes.front(), 0, inside, out);
        if (out.nodes.size() > 1)
            usesAt(*out.nodes.back(), out.nodes.size() - 1, inside, out);
        if (const auto *nested = dyn_cast<NestedSDFGNode>(&n); nested && nested->sdfg && out.nodes.size() == 1 && !out.effects)
            describeCall(out, std::make_shared<CallElements>(out.uses, *nested, graph_, memories_));
        return out;
    }

    void usesAt(const Node &n, std::size_t position, const std::set<const Node *> &inside, Step &out) {
        for (const Edge *e : n.inEdges())
            if (!inside.count(e->src) && !e->memlet.isEmpty()) {
                out.uses.push_back(use(*e, UseKind::Read, e->dstConn, position));
                seeThroughViews(out.uses.back(), n);
            }
        for (const Edge *e : n.outEdges())
            if (!inside.count(e->dst) && !e->memlet.isEmpty()) {
                Use u = use(*e, e->memlet.wcr.empty() ? UseKind::Write : UseKind::Update, e->srcConn, position);
                seeThroughViews(u, n);
                u.certain = u.kind == UseKind::Write && u.subset && !e->memlet.dynamic && writesAll(n, *e, *u.subset);
                out.uses.push_back(std::move(u));
            }
    }

    /// Is the entire subset written at an edge whenever the node runs? Code with pointers may skip elements.
    static bool writesAll(const Node &n, const Edge &e, const sym::Subset &subset) {
        if (const auto *l = dyn_cast<LibraryNode>(&n)) {
            const auto how = analysis::combinationOf(*l);
            return analysis::has(*l, analysis::Trait::WritesAll) ||
                   (how && !how->keepsOld() && !analysis::has(*l, analysis::Trait::KeepsElements));
        }
        const auto *t = dyn_cast<Tasklet>(&n);
        return t && subset.isOneElement() && assignsAlways(*t, e.srcConn);
    }

    Use use(const Edge &e, UseKind kind, Name connector, std::size_t node) {
        const auto *far = cast<AccessNode>(kind == UseKind::Read ? ends_.source(&e) : ends_.destination(&e));
        Use u;
        u.kind = kind;
        u.data = far->data;
        const analysis::Place place = memories_.placeOf(*far, e);
        u.memory = place.memory;
        u.member = place.member;
        u.connector = connector;
        u.node = node;
        u.memlet = e.memlet;
        u.access = far;
        if (analysis::isPlain(graph_.desc(far->data)))
            u.subset = kind == UseKind::Read ? sourceSubset(&e) : destinationSubset(&e);
        if (u.subset && u.subset->rank() != graph_.desc(far->data)->rank())
            u.subset.reset();
        if (!u.subset)
            u.shown = memberElements(u, graph_);
        return u;
    }

    // ---- views that show their container element by element are replaced with it in uses

    void seeThroughViews(Use &u, const Node &at) const {
        while (seeThroughView(u, at)) {
        }
    }

    /// Removes one view of a chain; false if it stays.
    bool seeThroughView(Use &u, const Node &at) const {
        const std::optional<Window> window = u.memlet.data == u.data ? windowOf(u, graph_) : std::nullopt;
        if (!window || !u.memlet.subset || u.memlet.subset->rank() != window->dims.size() || at.isEntry() || at.isExit())
            return false;
        const bool countsDims = (isa<Tasklet>(&at) && !u.memlet.subset->isOneElement()) ||
                                (isa<LibraryNode>(&at) && !(u.writes() && analysis::isIndexed(*cast<LibraryNode>(&at))));
        if (countsDims && !window->keepsRank())
            return false;
        u.memlet.subset = u.subset = window->placed(*u.memlet.subset);
        show(u);
        return true;
    }

    void seeThroughViews(Step &copy, const Edge &e) const {
        Use &from = copy.uses.front(), &to = copy.uses.back();
        const std::optional<Window> ofSource = windowOfContainer(from, graph_), ofTarget = windowOfContainer(to, graph_);
        const std::optional<sym::Subset> source = ofSource ? sourceSubset(&e) : from.subset;
        const std::optional<sym::Subset> target = ofTarget ? destinationSubset(&e) : to.subset;
        const Name newSource = ofSource ? viewedNode(from.access)->data : from.data;
        const Name newTarget = ofTarget ? viewedNode(to.access)->data : to.data;
        if ((!ofSource && !ofTarget) || !source || !target || newSource == newTarget || from.data == to.data ||
            (ofSource && source->rank() != ofSource->dims.size()) || (ofTarget && target->rank() != ofTarget->dims.size()))
            return;
        from.subset = source;
        to.subset = target;
        retargetCopy(copy, [&](Use &u, sym::Subset &subset) {
            const std::optional<Window> &window = u.writes() ? ofTarget : ofSource;
            if (!window)
                return;
            u.subset = subset = window->placed(subset);
            show(u);
        });
    }

    Step copy(const Edge &e) {
        Step out;
        out.uses.push_back(use(e, UseKind::Read, {}, 0));
        out.uses.push_back(use(e, e.memlet.wcr.empty() ? UseKind::Write : UseKind::Update, {}, 0));
        seeThroughViews(out, e);
        Use &to = out.uses.back();
        to.shown.reset(); // a scope cannot contain a copy to a view
        const DataDesc *source = graph_.desc(out.uses.front().data);
        const bool pops = source && source->isStream(); // all elements that are available
        to.certain = to.kind == UseKind::Write && to.subset && !e.memlet.dynamic && !pops;
        return out;
    }

    const ScopeTree scopes_;
    const PathEnds ends_;
    SDFG &graph_;
    analysis::Memories &memories_;
    std::map<const Node *, std::set<Name>> owned_; // containers private to iterations of a scope, with all their nodes
};

/// Is an edge between code nodes, or does it set a reference?
bool isForeign(const Edge &e, const PathEnds &ends) {
    if (e.memlet.isEmpty())
        return e.srcConn || e.dstConn;
    const auto *from = dyn_cast<AccessNode>(ends.source(&e)), *to = dyn_cast<AccessNode>(ends.destination(&e));
    if ((!from && ends.source(&e)->isCode() && !to) || (!from && !ends.source(&e)->isCode()))
        return true;
    if (!to && !ends.destination(&e)->isCode() && !ends.destination(&e)->isEntry())
        return true;
    return to && e.dstConn == Name("set");
}

bool isPlainAccess(const AccessNode &a, const SDFG &g) {
    return g.arrays.contains(a.data) && !a.setZero && a.dataInstrument == DataInstrumentation::No_Instrumentation;
}

/// Does the node's own text, apart from its edges, mention containers? A nested SDFG has only the symbols that it is given.
bool dependsOnContainers(const Node &n, const SDFG &g) {
    if (const auto *nested = dyn_cast<NestedSDFGNode>(&n))
        return std::any_of(nested->symbolMapping.begin(), nested->symbolMapping.end(), [&g](const auto &m) {
            const std::vector<Name> &names = m.second.freeSymbols();
            return mentionsContainer({names.begin(), names.end()}, g);
        });
    return !isa<AccessNode>(&n) && mentionsContainer(analysis::freeSymbols(n), g);
}

bool dependsOnContainers(const Edge &e, const SDFG &g) {
    return (e.memlet.subset && mentionsContainer(e.memlet.subset->freeSymbols(), g)) ||
           (e.memlet.otherSubset && mentionsContainer(e.memlet.otherSubset->freeSymbols(), g));
}

/// The readable states of a region, and which of them unconditionally follow which.
class Chains {
public:
    explicit Chains(const Region &r) {
        const Block *start = r.start();
        for (const auto &b : r.blocks())
            if (auto *s = dyn_cast<State>(b.get()); s && isReadable(*s))
                readable_.insert(s);
        for (const State *s : readable_) {
            Block *only = analysis::onlyNext(*s);
            auto *next = only ? dyn_cast<State>(only) : nullptr;
            if (next && next != s && next != start && next->inEdges().size() == 1 && readable_.count(next)) {
                next_[s] = next;
                follows_.insert(next);
            }
        }
    }

    /// The run that starts at a block; empty if there is none.
    std::vector<State *> from(Block *b) const {
        std::vector<State *> out;
        auto *s = dyn_cast<State>(b);
        if (!s || follows_.count(s) || !readable_.count(s))
            return out;
        for (out.push_back(s); next_.count(s); out.push_back(s))
            s = next_.at(s);
        return out;
    }

private:
    std::set<const State *> readable_, follows_;
    std::map<const State *, State *> next_;
};

std::vector<Run> runsOf(Region &r) {
    std::vector<Run> runs;
    const Chains chains(r);
    for (const auto &b : r.blocks())
        if (std::vector<State *> states = chains.from(b.get()); !states.empty()) {
            Run run;
            run.region = &r;
            run.states = std::move(states);
            runs.push_back(std::move(run));
        }
    return runs;
}

void readItems(Run &run, analysis::Memories &memories, const std::set<Name> &shared) {
    run.memories = &memories;
    for (const State *s : run.states)
        for (Item &i : readState(*s, memories, shared))
            run.items.push_back(std::move(i));
}

} // namespace

Use throughView(const Use &u, const SDFG &g) {
    Use out = u;
    const std::optional<Window> window = u.memlet.data == u.data ? windowOfContainer(u, g) : std::nullopt;
    if (window && u.memlet.subset && u.memlet.subset->rank() == window->dims.size()) {
        out.memlet.subset = out.subset = window->placed(*u.memlet.subset);
        show(out);
    }
    return out;
}

bool isReadable(const State &s) { return unreadable(s).empty(); }

std::string unreadable(const State &s) {
    if (s.instrument != Instrumentation::No_Instrumentation || s.symbolInstrument != DataInstrumentation::No_Instrumentation)
        return "is measured or recorded";
    if (s.nosync)
        return "does not wait for its device operations";
    const ScopeTree scopes(s);
    if (!scopes.valid())
        return "has scopes that are not nested";
    const SDFG &g = *s.sdfg();
    const PathEnds ends(s, scopes);
    const auto named = [](const Node *n) { return "`" + (isa<AccessNode>(n) ? cast<AccessNode>(n)->data.str() : n->label) + "`"; };
    for (const auto &n : s.nodes()) {
        if (n->instrument != Instrumentation::No_Instrumentation)
            return "measures " + named(n.get());
        if (dependsOnContainers(*n, g))
            return "has code or a range, in " + named(n.get()) + ", that names containers";
        if (const auto *a = dyn_cast<AccessNode>(n.get()); a && !isPlainAccess(*a, g))
            return ownerOf(a->data) != a->data ? "has an access node of " + named(a) + " instead of the structure"
                                               : "clears or records " + named(a) + ", or reads it as a constant";
    }
    for (const auto &e : s.edges()) {
        if (isForeign(*e, ends))
            return e->dstConn == Name("set") ? "sets reference " + named(e->dst)
                                             : "connects " + named(e->src) + " directly with " + named(e->dst);
        if (dependsOnContainers(*e, g))
            return "has a subset that names containers, between " + named(e->src) + " and " + named(e->dst);
    }
    return {};
}

namespace {

bool isInKeptLoop(const Block &b) {
    if (const auto *l = dyn_cast<LoopRegion>(&b); l && !l->optimize)
        return true;
    return b.parent() && isInKeptLoop(*b.parent());
}

bool isKeptMap(const Node *n) {
    const auto *m = dyn_cast<MapEntry>(n);
    return m && !m->optimize;
}

} // namespace

bool isKept(const Region &r) {
    const NestedSDFGNode *node = r.sdfg()->parentNode;
    return isInKeptLoop(r) || (node && isKept(*node));
}

bool isKept(const Node &n) {
    const State &s = *n.state();
    if (std::any_of(s.nodes().begin(), s.nodes().end(), [](const auto &other) { return isKeptMap(other.get()); })) {
        const std::vector<Node *> around = ScopeTree(s).enclosing(&n);
        if (isKeptMap(&n) || std::any_of(around.begin(), around.end(), isKeptMap))
            return true;
    }
    return isKept(*s.parent());
}

std::vector<Item> readState(const State &s, analysis::Memories &memories, const std::set<Name> &shared) {
    return StateReader(s, memories, shared).items();
}

std::vector<Run> readRuns(SDFG &g, analysis::Memories &memories) {
    std::vector<Run> runs;
    if (g.parentNode && isKept(*g.parentNode))
        return runs;
    const std::set<Name> shared = analysis::sharedContainers(g);
    for (Region *r : allRegions(g))
        for (Run &run : isInKeptLoop(*r) ? std::vector<Run>() : runsOf(*r)) {
            readItems(run, memories, shared);
            runs.push_back(std::move(run));
        }
    return runs;
}

std::optional<Run> readRegion(Region &r, analysis::Memories &memories, const std::set<Name> &shared) {
    std::vector<Run> runs = runsOf(r);
    if (runs.size() != 1 || runs[0].states.size() != r.blocks().size() || runs[0].states.front() != r.start())
        return std::nullopt;
    readItems(runs[0], memories, shared);
    return std::move(runs[0]);
}

} // namespace sdfgc::nest
