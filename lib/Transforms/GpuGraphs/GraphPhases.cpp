// Separates host and device steps into phases, for form-gpu-graphs.
//
//     state a { A -> gA; map on gA; x = n * 2; map by x }        state a   { A -> gA; x = n * 2 }       host
//     state b { y = n * 3; map by y; gA -> A }           becomes state b   { y = n * 3 }
//                                                                state a_1 { map on gA; map by x }      device
//                                                                state b_1 { map by y }
//                                                                state b_2 { gA -> A }                  host
//
// A step is a StreamSteps step: a kernel, a copy, or a tasklet of the host. Its phase is the earliest one that is not
// before the phase of any step that it depends on; host phases are even, device phases odd. Within a phase, states and
// their steps keep their order, so a step only moves past steps that are independent of it.
#include "Transforms/GpuGraphs/GraphPhases.h"

#include "Transforms/Edits/Nodes.h"

#include "sdfgc/Analysis/Memory/Copies.h"
#include "sdfgc/Analysis/Scopes.h"

#include <algorithm>
#include <unordered_map>

namespace sdfgc::transforms {
namespace {

using namespace ir;
using analysis::Memory;
using analysis::MemoryUse;
using analysis::StreamStep;

/// Effects not visible in memory: C++, callbacks, and everything that nested SDFGs on the host do.
constexpr Memory world = -2;
constexpr int mostPhases = 32; // a state is copied once per phase

bool isView(const AccessNode &a) {
    const DataDesc *d = a.state()->sdfg()->desc(a.data);
    return d && d->isView();
}

/// A state and the phases of its contents.
struct Cut {
    State *state = nullptr;
    std::unordered_map<const Node *, int> units;  // top-level nodes other than access nodes
    std::unordered_map<const Edge *, int> copies; // between access nodes

    std::set<int> phases() const {
        std::set<int> all;
        for (const auto &[n, phase] : units)
            all.insert(phase);
        for (const auto &[e, phase] : copies)
            all.insert(phase);
        return all;
    }
};

class Sorter {
public:
    Sorter(const StateChain &chain, analysis::GraphBlockers &blockers) : chain_(chain), blockers_(blockers) {}

    /// Returns false if a state cannot be split.
    bool run() {
        return std::all_of(chain_.begin(), chain_.end(), [this](State *s) { return state(*s); });
    }
    const std::vector<Cut> &cuts() const { return cuts_; }
    int last() const { return operations_.empty() ? 0 : std::max(lastHost_, operations_.rbegin()->first); }
    /// Is there a phase with at least `least` operations?
    bool has(int64_t least) const {
        return std::any_of(operations_.begin(), operations_.end(), [least](const auto &x) { return x.second >= least; });
    }

private:
    bool state(State &s) {
        if (s.instrument != Instrumentation::No_Instrumentation || s.symbolInstrument != DataInstrumentation::No_Instrumentation)
            return false;
        for (const auto &n : s.nodes())
            if (const auto *a = dyn_cast<AccessNode>(n.get()); a && !isPlain(s, *a))
                return false;
        cuts_.push_back({&s, {}, {}});
        const analysis::ScopeTree scopes(s);
        for (const StreamStep &x : blockers_.steps().of(s))
            if (!step(x, s))
                return false;
        return std::all_of(scopes.children(nullptr).begin(), scopes.children(nullptr).end(),
                           [this](const Node *n) { return isa<AccessNode>(n) || cuts_.back().units.count(n); }) &&
               valuesStay(s) && std::all_of(s.nodes().begin(), s.nodes().end(), [this](const auto &n) {
                   const auto *a = dyn_cast<AccessNode>(n.get());
                   return !a || viewStays(*a);
               });
    }
    static bool isPlain(State &s, const AccessNode &a) {
        const DataDesc *d = s.sdfg()->desc(a.data);
        return d && !d->isStream() && !d->isReference() && a.dataInstrument == DataInstrumentation::No_Instrumentation;
    }
    /// Does no value pass directly from code to code between phases?
    bool valuesStay(const State &s) const {
        return std::all_of(s.edges().begin(), s.edges().end(), [this](const auto &e) {
            const auto &units = cuts_.back().units;
            const auto from = units.find(entryOf(e->src)), to = units.find(e->dst);
            return e->memlet.isEmpty() || from == units.end() || to == units.end() || from->second == to->second;
        });
    }
    /// A view that is written and read is in one phase: the edges on both sides determine the viewed container.
    bool viewStays(const AccessNode &a) {
        const Edge *looks = isView(a) ? analysis::viewEdge(&a) : nullptr;
        if (!looks)
            return true;
        std::set<int> phases;
        bool reads = false, writes = false;
        for (const Edge *e : a.inEdges())
            if (e != looks && !e->memlet.isEmpty())
                writes = true, phases.insert(ofCopy(*e));
        for (const Edge *e : a.outEdges())
            if (e != looks && !e->memlet.isEmpty()) {
                const auto unit = cuts_.back().units.find(e->dst);
                const auto copy = cuts_.back().copies.find(e);
                reads = true;
                phases.insert(unit != cuts_.back().units.end()    ? unit->second
                              : copy != cuts_.back().copies.end() ? copy->second
                                                                  : -1);
            }
        return !(reads && writes) || phases.size() == 1;
    }
    static const Node *entryOf(const Node *n) {
        if (const auto *m = dyn_cast<MapExit>(n))
            return m->entry;
        if (const auto *c = dyn_cast<ConsumeExit>(n))
            return c->entry;
        return n;
    }

    bool step(const StreamStep &x, State &s) {
        if (x.kind == StreamStep::Async)
            return false;
        const int nodes = blockers_.nodesOf(x, s); // device operations
        const bool device = nodes > 0;
        std::vector<MemoryUse> uses = x.uses;
        uses.insert(uses.end(), x.host.begin(), x.host.end());
        if (x.kind == StreamStep::Nested)
            connected(*x.node, uses);
        if (!device && hasEffects(x))
            uses.push_back({world, true});
        int phase = x.edge ? of(*x.edge->src) : before(*x.node);
        for (MemoryUse u : uses)
            phase = std::max({phase, memory_[u.memory].written, u.write ? memory_[u.memory].read : 0});
        phase += (phase % 2 == 1) != device;
        for (MemoryUse u : uses) {
            int &known = u.write ? memory_[u.memory].written : memory_[u.memory].read;
            known = std::max(known, phase);
        }
        if (phase >= mostPhases)
            return false;
        if (x.edge)
            cuts_.back().copies[x.edge] = phase;
        else
            cuts_.back().units[x.node] = phase;
        if (device)
            operations_[phase] += nodes;
        else
            lastHost_ = std::max(lastHost_, phase);
        return true;
    }
    void connected(const Node &n, std::vector<MemoryUse> &uses) {
        for (const Edge *e : n.inEdges())
            if (const auto *a = dyn_cast<AccessNode>(e->src); a && !e->memlet.isEmpty())
                uses.push_back({blockers_.steps().memory(*a), false});
        for (const Edge *e : n.outEdges())
            if (const auto *a = dyn_cast<AccessNode>(e->dst); a && !e->memlet.isEmpty())
                uses.push_back({blockers_.steps().memory(*a), true});
    }
    /// May the step have effects that its memory does not show? Python tasklets without calls of user functions have none.
    bool hasEffects(const StreamStep &x) const {
        const auto *t = x.edge ? nullptr : dyn_cast<Tasklet>(x.node);
        const bool plain = x.edge || (t && t->code.isPython() && t->codeGlobal.text().empty() && t->stateFields.empty() &&
                                      !t->sideEffects.value_or(false));
        return !plain || !chain_.front()->sdfg()->root()->callbackMapping.empty();
    }

    /// The latest phase of any predecessor of a unit or an access node.
    int before(const Node &n) {
        int phase = 0;
        for (const Edge *e : n.inEdges())
            phase = std::max(phase, isa<AccessNode>(e->dst) && isa<AccessNode>(e->src) ? ofCopy(*e) : of(*e->src));
        return phase;
    }
    int ofCopy(const Edge &e) {
        const auto found = cuts_.back().copies.find(&e);
        return found == cuts_.back().copies.end() ? of(*e.src) : found->second;
    }
    int of(const Node &n) {
        if (isa<AccessNode>(&n))
            return before(n);
        const auto found = cuts_.back().units.find(entryOf(&n));
        return found == cuts_.back().units.end() ? 0 : found->second;
    }

    struct Phases {
        int written = 0, read = 0; // the latest ones
    };
    const StateChain &chain_;
    analysis::GraphBlockers &blockers_;
    std::vector<Cut> cuts_;
    std::map<Memory, Phases> memory_;
    std::map<int, int64_t> operations_; // by device phase
    int lastHost_ = 0;
};

/// A copy of a state, restricted to one phase.
std::unique_ptr<Block> partOf(const Cut &cut, int phase) {
    std::unique_ptr<Block> copy = clone(*cut.state);
    auto &part = static_cast<State &>(*copy);
    part.renumber();
    cut.state->renumber();
    const analysis::ScopeTree scopes(*cut.state);
    const auto counterpart = [&part](const Node &n) { return part.nodes()[n.id()].get(); };
    std::set<Node *> keep;
    std::set<std::size_t> dropped; // indices of edges
    for (const auto &n : cut.state->nodes()) {
        const Node *outermost = n.get();
        while (const Node *around = scopes.scopeOf(outermost))
            outermost = around;
        const auto unit = cut.units.find(outermost);
        if (unit == cut.units.end() || unit->second != phase)
            continue;
        keep.insert(counterpart(*n));
        for (const auto *edges : {&n->inEdges(), &n->outEdges()})
            for (const Edge *e : *edges)
                for (const Node *end : {e->src, e->dst})
                    if (isa<AccessNode>(end) && !e->memlet.isEmpty())
                        keep.insert(counterpart(*end));
    }
    for (std::size_t i = 0; i < cut.state->edges().size(); ++i) {
        const Edge &e = *cut.state->edges()[i];
        const auto moved = cut.copies.find(&e);
        if (moved != cut.copies.end() && moved->second == phase)
            keep.insert({counterpart(*e.src), counterpart(*e.dst)});
        else if (moved != cut.copies.end())
            dropped.insert(i);
    }
    for (bool grown = true; grown;) { // views need the viewed container
        grown = false;
        for (const auto &n : cut.state->nodes())
            if (const auto *a = dyn_cast<AccessNode>(n.get()); a && isView(*a) && keep.count(counterpart(*a)))
                if (const AccessNode *viewed = analysis::viewedNode(a))
                    grown = keep.insert(counterpart(*viewed)).second || grown;
    }
    std::vector<Edge *> edges;
    for (std::size_t i : dropped)
        edges.push_back(part.edges()[i].get());
    for (Edge *e : edges)
        part.removeEdge(e);
    std::vector<Node *> dead;
    for (const auto &n : part.nodes())
        if (!keep.count(n.get()))
            dead.push_back(n.get());
    part.removeNodes(dead);
    return copy;
}

/// Replaces the states with their parts. Returns the states, because analyses identify them and their contents by address.
std::vector<std::unique_ptr<Block>> replace(Region &r, const StateChain &chain, const std::vector<Cut> &cuts, int last,
                                            const std::function<std::string(const std::string &)> &freshLabel) {
    const Block *const start = r.start();
    std::vector<Block *> parts;
    std::map<const State *, int> number;
    for (int phase = 0; phase <= last; ++phase)
        for (const Cut &cut : cuts) {
            if (!cut.phases().count(phase))
                continue;
            Block *part = r.adopt(partOf(cut, phase));
            part->label = number[cut.state]++ == 0 ? cut.state->label : freshLabel(cut.state->label);
            parts.push_back(part);
        }
    takePlace(r, start, *chain.front(), *chain.back(), *parts.front(), *parts.back());
    for (std::size_t i = 1; i < parts.size(); ++i)
        r.connect(parts[i - 1], parts[i]);
    std::vector<std::unique_ptr<Block>> gone;
    for (State *s : chain) {
        for (InterstateEdge *e : std::vector(s->outEdges()))
            r.removeEdge(e);
        gone.push_back(r.detach(s));
    }
    return gone;
}

} // namespace

std::vector<std::unique_ptr<Block>> sortIntoPhases(Region &r, const StateChain &chain, analysis::GraphBlockers &blockers,
                                                   int64_t least,
                                                   const std::function<std::string(const std::string &)> &freshLabel) {
    Sorter sorter(chain, blockers);
    if (!sorter.run() || !sorter.has(least))
        return {};
    int latest = 0;
    bool inOrder = true; // each state has a single phase, and none comes before that of its predecessor
    for (const Cut &cut : sorter.cuts()) {
        const std::set<int> phases = cut.phases();
        inOrder = inOrder && phases.size() <= 1 && (phases.empty() || *phases.begin() >= latest);
        latest = phases.empty() ? latest : *phases.begin();
    }
    if (inOrder)
        return {};
    return replace(r, chain, sorter.cuts(), sorter.last(), freshLabel);
}

} // namespace sdfgc::transforms
