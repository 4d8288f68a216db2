#include "sdfgc/Analysis/Device/GraphRegions.h"

#include "sdfgc/Analysis/LibraryCalls.h"
#include "sdfgc/Analysis/Memory/Axes.h"
#include "sdfgc/Analysis/Verify.h"

#include <algorithm>

namespace sdfgc::analysis {

using namespace ir;
using diag::Why;

namespace {

std::string quoted(Name n) { return "`" + n.str() + "`"; }

} // namespace

namespace {

/// One of these names that host loops around a state assign in each iteration; empty if there is none.
Name changedByLoopsAround(const State &s, const std::set<Name> &names) {
    for (const Region *r = s.parent(); r; r = r->parent()) {
        const auto *l = dyn_cast<LoopRegion>(r);
        if (!l)
            continue;
        if (l->variable && names.count(l->variable))
            return l->variable;
        for (const InterstateEdge *e : allInterstateEdges(*l))
            for (const auto &[symbol, value] : e->assignments)
                if (names.count(symbol))
                    return symbol;
    }
    return Name();
}

void addSymbolsOfEdges(std::set<Name> &names, const Node &n) {
    for (const auto *edges : {&n.inEdges(), &n.outEdges()})
        for (const Edge *e : *edges)
            if (e->memlet.subset)
                names.merge(e->memlet.subset->freeSymbols());
}

/// The arguments of a recorded call are part of its graph. Returns a symbol, in terms of the SDFG that assigns it, that would
/// require a different graph in each iteration of a loop. Empty if there is none.
Name changedByLoops(const Tasklet &t) {
    const State *s = t.state();
    std::set<Name> names = namesInTasklet(t.code, *s->sdfg());
    addSymbolsOfEdges(names, t);
    while (true) {
        if (const Name found = changedByLoopsAround(*s, names))
            return found;
        const NestedSDFGNode *n = s->sdfg()->parentNode;
        if (!n)
            return Name();
        std::set<Name> outer;
        for (const auto &[symbol, value] : n->symbolMapping)
            if (names.count(symbol))
                for (const Name used : value.freeSymbols())
                    outer.insert(used);
        addSymbolsOfEdges(outer, *n);
        names = std::move(outer);
        s = n->state();
    }
}

} // namespace

/// Checks one block.
class GraphBlockers::Scan {
public:
    Scan(GraphBlockers &all, GraphBlock &out) : all_(all), out_(out) {}

    /// A single step, with the containers that it uses.
    void alone(const StreamStep &step, State &s) {
        std::set<const Node *> ends;
        if (step.edge)
            ends = {step.edge->src, step.edge->dst};
        else
            for (const auto *edges : {&step.node->inEdges(), &exitOf(step.node)->outEdges()})
                for (const Edge *e : *edges)
                    ends.insert({e->src, e->dst});
        for (const Node *n : ends)
            if (const auto *a = dyn_cast<AccessNode>(n))
                container(s, *a);
        this->step(step, s);
    }

    void block(Block &b) {
        switch (b.kind()) {
        case BlockKind::State:
            return state(static_cast<State &>(b));
        case BlockKind::Named:
        case BlockKind::Region:
        case BlockKind::FunctionCall:
        case BlockKind::SDFG:
            return sequence(static_cast<Region &>(b));
        case BlockKind::Loop:
            return loop(static_cast<LoopRegion &>(b));
        case BlockKind::Conditional:
            return branch(static_cast<ConditionalBlock &>(b));
        default:
            return add(Why::ControlFlow, "control flow jumps", placeOf(b));
        }
    }

private:
    void add(Why why, std::string text, diag::Location place, bool isAside = false) {
        out_.blockers.push_back({{why, std::move(text)}, std::move(place), isAside});
    }

    void sequence(Region &r) {
        const std::vector<Block *> order = blocksInOrder(r);
        for (std::size_t i = 0; i < order.size(); ++i) {
            block(*order[i]);
            if (i + 1 < order.size() && onlyNext(*order[i]) != order[i + 1])
                add(Why::ControlFlow, "the following steps depend on a condition, or symbols are assigned", placeOf(*order[i]),
                    true);
        }
    }

    void loop(LoopRegion &l) {
        if (!all_.loops_.of(l))
            return add(Why::ControlFlow, "the number of iterations of the loop is determined on the host", placeOf(l), true);
        ++out_.operations;
        sequence(l);
    }
    void branch(ConditionalBlock &c) {
        if (!all_.loops_.of(c))
            return add(Why::ControlFlow, "the branch is chosen on the host", placeOf(c), true);
        ++out_.operations;
        sequence(*c.branches()[0].region);
    }

    // ---- states
    void state(State &s) {
        if (const DeviceLoop *looked = all_.loops_.lookedAtBy(s)) {
            out_.isLook = true;
            if (s.parent() != looked->block && !all_.of(*looked->block).blockers.empty())
                add(Why::ControlFlow, "the host needs to know what runs next", placeOf(s));
            return;
        }
        if (s.instrument != Instrumentation::No_Instrumentation || s.symbolInstrument != DataInstrumentation::No_Instrumentation)
            add(Why::Measured, "the state is measured", placeOf(s));
        for (const auto &n : s.nodes())
            if (const auto *a = dyn_cast<AccessNode>(n.get()))
                container(s, *a);
        for (const StreamStep &step : all_.steps_.of(s))
            this->step(step, s);
    }

    void container(State &s, const AccessNode &a) {
        SDFG &g = *s.sdfg();
        const DataDesc *d = g.desc(a.data);
        if (a.dataInstrument != DataInstrumentation::No_Instrumentation)
            add(Why::Measured, quoted(a.data) + " is saved or restored", placeOf(a));
        if (!d)
            return;
        if (d->isStream() || d->isReference())
            return add(Why::Container, quoted(a.data) + (d->isStream() ? " is a queue" : " is a reference"), placeOf(a));
        if (!d->transient || d->storage != Storage::GPU_Global || !needsMemory(g, a.data, *d))
            return;
        if (a.setZero)
            return add(Why::Allocation, quoted(a.data) + " is cleared when it is allocated", placeOf(a));
        if (all_.values_.isSizeAssigned(g, *d) || all_.values_.of(g, d->totalSize).computed)
            add(Why::Allocation, "the size of " + quoted(a.data) + " is computed by the program", placeOf(a));
    }

    void step(const StreamStep &step, State &s) {
        switch (step.kind) {
        case StreamStep::Host:
            return host(step);
        case StreamStep::Async:
            return add(step.async.kind == AsyncOp::Reserve ? Why::Allocation : Why::Order, "the host allocates or waits",
                       placeOf(*step.node));
        case StreamStep::Nested:
            return nested(*static_cast<NestedSDFGNode *>(step.node));
        case StreamStep::Operation:
            ++out_.operations;
            return step.edge ? copy(step, s) : operation(step, s);
        case StreamStep::Loop:
            return;
        }
    }
    void host(const StreamStep &step) {
        add(Why::Host, "the host computes or copies here", step.edge ? placeOf(*step.edge) : placeOf(*step.node), true);
    }
    void nested(NestedSDFGNode &n) {
        if (n.instrument != Instrumentation::No_Instrumentation || n.sdfg->instrument != Instrumentation::No_Instrumentation)
            add(Why::Measured, "the nested SDFG is measured", placeOf(n));
        if (becomesFunction(*n.sdfg))
            return add(Why::ControlFlow, "the nested SDFG returns early, so it is a host function", placeOf(n));
        sequence(*n.sdfg);
    }

    void operation(const StreamStep &step, State &s) {
        if (const auto *m = dyn_cast<MapEntry>(step.node)) {
            if (!isGpuSchedule(m->schedule))
                return add(Why::Host, "the map runs on the host and contains device operations", placeOf(*m));
            if (m->instrument != Instrumentation::No_Instrumentation)
                add(Why::Measured, "the kernel is measured", placeOf(*m));
            if (m->stream)
                add(Why::Kept, "the kernel has a stream of its own", placeOf(*m));
            return;
        }
        const auto *l = dyn_cast<LibraryNode>(step.node);
        if (l && isCopyNode(*l))
            return copyNode(step, s, *l);
        if (l && isFillNode(*l))
            return fillNode(s, *l);
        if (l && asyncOp(*l))
            return add(Why::Allocation, "memory comes from the pool", placeOf(*l));
        if (const auto *t = dyn_cast<Tasklet>(step.node); t && t->code.language() == Language::Library)
            return library(step, *t);
        add(Why::Library, "host code accesses device memory", placeOf(*step.node));
    }

    /// A recordable call whose arguments the host knows when the region begins.
    void library(const StreamStep &step, const Tasklet &t) {
        std::string why;
        const auto call = libraryCall(t, why);
        if (!call)
            return add(Why::Library, why, placeOf(t));
        if (platform::recordedIn(*call->environment).empty())
            return add(Why::Library, "`" + call->function + "` is called: BLAS is the only library that graphs can record",
                       placeOf(t));
        if (t.instrument != Instrumentation::No_Instrumentation)
            add(Why::Measured, "the call is measured", placeOf(t));
        if (!call->loops.empty())
            add(Why::Layout, "the batch is more than one call", placeOf(t));
        if (const Name changing = changedByLoops(t))
            add(Why::Unprofitable,
                "arguments of the call depend on " + quoted(changing) + " in each iteration of a loop, and so would the graph",
                placeOf(t));
        for (const MemoryUse &u : step.host)
            add(Why::DeviceValue,
                "the call " + std::string(u.write ? "gives" : "gets") + " `" + all_.steps_.name(u.memory) + "` of the host",
                placeOf(t));
    }

    /// Both sides must exist, and mean the same, whenever the graph runs.
    void ends(const StreamStep &step, const diag::Location &place) {
        for (MemoryUse u : step.uses) {
            if (all_.steps_.isDevice(u.memory))
                continue;
            const DataDesc *d = all_.steps_.desc(u.memory);
            const bool ofCaller = d && !d->transient;
            if (!ofCaller || d->storage != Storage::CPU_Pinned || all_.steps_.endsWithState(u))
                return add(ofCaller ? Why::HostMemory : Why::DeviceValue,
                           ofCaller ? "`" + all_.steps_.name(u.memory) + "` is ordinary memory of the caller"
                                    : "the host " + std::string(u.write ? "needs" : "gives") + " `" + all_.steps_.name(u.memory) +
                                          "` here",
                           place, ofCaller);
        }
    }
    void method(CopyMethod how, const diag::Location &place) {
        if (how != CopyMethod::Linear && how != CopyMethod::Pitched && how != CopyMethod::Pitched3D)
            add(Why::Layout, "the copy is more than one call", place);
    }
    void copy(const StreamStep &step, State &) {
        if (step.edge->dstConn == Name("set"))
            return; // not a copy: it sets a reference, which container() rejects
        const diag::Location place = placeOf(*step.edge);
        ends(step, place);
        method(step.edge->memlet.copy, place);
        if (step.edge->memlet.stream)
            add(Why::Kept, "the copy has a stream of its own", place);
    }
    void copyNode(const StreamStep &step, State &s, const LibraryNode &n) {
        const diag::Location place = placeOf(n);
        ends(step, place);
        if (!copies_.count(&s)) {
            Memories memories(*s.sdfg()->root());
            copies_[&s] = copiesOf(s, memories);
        }
        for (const GraphCopy &c : copies_[&s])
            if (c.node == &n)
                method(c.edge->memlet.copy, place);
    }
    void fillNode(State &s, const LibraryNode &n) {
        for (const Edge *e : n.outEdges()) {
            const DataDesc *d = e->memlet.subset ? s.sdfg()->desc(e->memlet.data) : nullptr;
            if (d && !isRun(axesOf(d->strides, *e->memlet.subset)))
                add(Why::Layout, "the fill is more than one call", placeOf(n));
        }
        for (const Edge *e : n.inEdges())
            if (!e->memlet.isEmpty())
                add(Why::Host, "the value of the fill is read from a container", placeOf(n));
    }

    GraphBlockers &all_;
    GraphBlock &out_;
    std::map<const State *, std::vector<GraphCopy>> copies_;
};

GraphBlockers::GraphBlockers(SDFG &root) : steps_(root), loops_(root) {}

const GraphBlock &GraphBlockers::of(Block &b) {
    auto [at, isNew] = known_.try_emplace(&b);
    if (isNew)
        Scan(*this, at->second).block(b);
    return at->second;
}

int GraphBlockers::nodesOf(const StreamStep &step, State &s) {
    GraphBlock is;
    Scan(*this, is).alone(step, s);
    return is.blockers.empty() ? is.operations : 0;
}

bool GraphBlockers::onHost(const SDFG &g) {
    for (const SDFG *at = &g; at->parentNode; at = at->parentSDFG())
        if (becomesFunction(*at))
            return false;
    return executorInside(g, nullptr) == Executor::Host && !runsInTeam(g, nullptr, nullptr);
}

// ---------------------------------------------------------------------------------------------------- formed regions

Region *graphAround(Block &b) {
    Region *found = nullptr;
    for (Block *at = &b; at;) {
        if (auto *r = dyn_cast<Region>(at); r && r->graph == GraphMark::Formed)
            found = r;
        if (at->conditional())
            at = at->conditional();
        else if (at->kind() != BlockKind::SDFG)
            at = at->parent();
        else if (NestedSDFGNode *n = static_cast<SDFG *>(at)->parentNode)
            at = n->state();
        else
            break;
    }
    return found;
}

State *gateOf(Region &formed) {
    Block *before = formed.inEdges().size() == 1 ? formed.inEdges().front()->src : nullptr;
    return before && onlyNext(*before) ? dyn_cast<State>(before) : nullptr;
}

GraphOperations::GraphOperations(Region &formed, StreamSteps &steps, const DeviceLoops &loops) : loops_(loops) {
    region(formed, steps, all_);
}

void GraphOperations::region(Region &r, StreamSteps &steps, std::vector<GraphOperation> &out) {
    for (Block *b : blocksInOrder(r)) {
        auto *l = dyn_cast<LoopRegion>(b);
        auto *c = dyn_cast<ConditionalBlock>(b);
        if (l || c) {
            GraphOperation whole{{.kind = StreamStep::Operation}, loops_.of(*b)};
            if (l)
                region(*l, steps, whole.inside);
            for (std::size_t i = 0; c && i < c->branches().size(); ++i)
                region(*c->branches()[i].region, steps, whole.inside);
            for (const GraphOperation &x : whole.inside) {
                whole.stream = x.stream;
                whole.uses.insert(whole.uses.end(), x.uses.begin(), x.uses.end());
                whole.host.insert(whole.host.end(), x.host.begin(), x.host.end());
            }
            if (whole.loop)
                whole.uses.push_back({steps.memory(*r.sdfg(), whole.loop->flag), false});
            out.push_back(std::move(whole));
        } else if (auto *inner = dyn_cast<Region>(b)) {
            region(*inner, steps, out);
        }
        auto *s = dyn_cast<State>(b);
        if (!s || loops_.lookedAtBy(*s))
            continue;
        for (StreamStep &step : steps.of(*s))
            if (step.kind == StreamStep::Nested)
                region(*static_cast<NestedSDFGNode *>(step.node)->sdfg, steps, out);
            else if (step.kind == StreamStep::Operation)
                out.push_back({std::move(step)});
    }
}

} // namespace sdfgc::analysis
