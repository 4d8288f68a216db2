#include "Transforms/Edits/DevicePlacement.h"

#include "Transforms/Edits/Nodes.h"

#include "sdfgc/Analysis/Dependences/DependentIterations.h"
#include "sdfgc/Analysis/Memory/Access.h"
#include "sdfgc/Analysis/Memory/Copies.h"
#include "sdfgc/Analysis/Scopes.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/IR/ScopeConnectors.h"
#include "sdfgc/Support/UnionFind.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace sdfgc::transforms {
namespace {

using namespace ir;

using Container = std::pair<SDFG *, Name>;

/// A node outside of kernels, and the containers around it. For a map: also those that its iterations share and access directly.
struct HostNode {
    Node *node;
    std::vector<Container> reads, writes;
};

class Placement {
public:
    Placement(SDFG &root, pass::Context &context) : root_(root), context_(context) {}
    bool run();

private:
    void collect(SDFG &g);
    void collectScope(State &s, const analysis::ScopeTree &scopes, const Node *entry);
    void collectInside(const analysis::ScopeTree &scopes, const Node *entry, HostNode &map) const;
    void join(Container a, Container b);
    Container find(Container c);
    bool onDevice(Container c) { return device_.count(find(c)) != 0; }
    bool isDeviceNode(const HostNode &n);
    void spread();
    bool apply();
    bool wrapSequentialMaps();
    bool wrapTasklets();

    SDFG &root_;
    pass::Context &context_;
    std::vector<HostNode> nodes_;
    std::vector<Container> containers_; // in order of appearance
    std::map<Container, std::size_t> numbers_;
    UnionFind sets_;
    std::set<Container> device_;     // representatives
    std::set<Name> shared_;          // of the current SDFG
    std::set<const Node *> inOrder_; // maps inside a kernel of one iteration
};

Container Placement::find(Container c) {
    const auto [it, isNew] = numbers_.try_emplace(c, containers_.size());
    if (isNew) {
        sets_.add();
        containers_.push_back(c);
    }
    return containers_[sets_.find(it->second)];
}

void Placement::join(Container a, Container b) {
    a = find(a);
    b = find(b);
    if (a == b)
        return;
    if (device_.erase(b))
        device_.insert(a);
    sets_.join(numbers_.at(a), numbers_.at(b));
}

bool isKernelMap(const Node &n) {
    const auto *m = dyn_cast<MapEntry>(&n);
    return m && isGpuSchedule(m->schedule);
}

bool holdsKernels(const analysis::ScopeTree &scopes, const Node *entry) {
    for (Node *n : scopes.children(entry))
        if (isKernelMap(*n) || (n->isEntry() && holdsKernels(scopes, n)))
            return true;
    return false;
}

void Placement::collectScope(State &s, const analysis::ScopeTree &scopes, const Node *entry) {
    SDFG &g = *s.sdfg();
    auto dataOf = [&](const Edge *e, bool source) -> std::optional<Container> {
        auto *a = dyn_cast<AccessNode>(source ? analysis::pathSource(e) : analysis::pathDestination(e));
        return a ? std::optional<Container>({&g, analysis::ownerOf(a->data)}) : std::nullopt;
    };
    for (Node *n : scopes.children(entry)) {
        if (auto *a = dyn_cast<AccessNode>(n)) {
            const DataDesc *d = g.desc(a->data);
            if (d && d->isView())
                if (AccessNode *viewed = analysis::viewedNode(a))
                    join({&g, analysis::ownerOf(a->data)}, {&g, analysis::ownerOf(viewed->data)});
            continue;
        }
        if (auto *nested = dyn_cast<NestedSDFGNode>(n)) {
            if (!nested->sdfg)
                continue;
            for (const Edge *e : nested->inEdges())
                if (auto c = dataOf(e, true); c && e->dstConn)
                    join(*c, {nested->sdfg.get(), e->dstConn});
            for (const Edge *e : nested->outEdges())
                if (auto c = dataOf(e, false); c && e->srcConn)
                    join(*c, {nested->sdfg.get(), e->srcConn});
            const std::set<Name> outer = std::exchange(shared_, {});
            collect(*nested->sdfg);
            shared_ = outer;
            continue;
        }
        auto *m = dyn_cast<MapEntry>(n);
        if (m && !isKernelMap(*m) && holdsKernels(scopes, m)) {
            collectScope(s, scopes, m);
            continue;
        }
        if (n->isExit() || isa<ConsumeEntry>(n))
            continue;
        HostNode found{n, {}, {}};
        for (const Edge *e : n->inEdges())
            if (auto c = dataOf(e, true); c && !e->memlet.isEmpty())
                found.reads.push_back(*c);
        const Node *last = m ? static_cast<Node *>(m->exit) : n;
        for (const Edge *e : last->outEdges())
            if (auto c = dataOf(e, false); c && !e->memlet.isEmpty())
                found.writes.push_back(*c);
        if (m)
            collectInside(scopes, m, found);
        nodes_.push_back(std::move(found));
    }
}

/// Finds writes of a map even if only an access node shows them, without a path to the map's exit.
void Placement::collectInside(const analysis::ScopeTree &scopes, const Node *entry, HostNode &map) const {
    auto moves = [](const Edge *e) { return !e->memlet.isEmpty(); };
    auto shared = [this](const Container &c) {
        const DataDesc *d = c.first->desc(c.second);
        return shared_.count(c.second) || (d && d->storage == Storage::GPU_Global);
    };
    for (Node *n : scopes.children(entry)) {
        if (auto *a = dyn_cast<AccessNode>(n)) {
            const Container c{a->state()->sdfg(), analysis::ownerOf(a->data)};
            if (!shared(c))
                continue;
            if (std::any_of(a->inEdges().begin(), a->inEdges().end(), moves))
                map.writes.push_back(c);
            if (std::any_of(a->outEdges().begin(), a->outEdges().end(), moves))
                map.reads.push_back(c);
        } else if (n->isEntry()) {
            collectInside(scopes, n, map);
        }
    }
}

void Placement::collect(SDFG &g) {
    shared_ = analysis::sharedContainers(g);
    for (const auto &[name, d] : g.arrays) {
        Container top = find({&g, name});
        if (d.storage == Storage::GPU_Global)
            device_.insert(top);
    }
    for (State *s : allStates(g)) {
        analysis::ScopeTree scopes(*s);
        collectScope(*s, scopes, nullptr);
    }
}

bool Placement::isDeviceNode(const HostNode &n) {
    if (isKernelMap(*n.node))
        return true;
    if (const auto *t = dyn_cast<Tasklet>(n.node); t && !t->code.isPython())
        return false; // host code that may receive device memory
    if (isa<LibraryNode>(n.node))
        return false;
    auto device = [this](const Container &c) { return onDevice(c); };
    return std::any_of(n.reads.begin(), n.reads.end(), device) || std::any_of(n.writes.begin(), n.writes.end(), device);
}

/// Iterates to a fixed point: containers that kernels write, and arrays that they read, belong in device memory.
void Placement::spread() {
    for (bool changed = true; changed;) {
        changed = false;
        auto move = [&](const Container &c, bool written) {
            const DataDesc *d = c.first->desc(c.second);
            if (!d || onDevice(c) || d->isStream() || d->storage == Storage::CPU_Pinned || (d->isScalar() && !written))
                return;
            if (c.first == &root_ && !d->transient)
                return; // the caller's memory
            device_.insert(find(c));
            changed = true;
        };
        for (const HostNode &n : nodes_) {
            if (!isDeviceNode(n))
                continue;
            for (const Container &c : n.writes)
                move(c, true);
            for (const Container &c : n.reads)
                move(c, false);
        }
    }
}

bool Placement::apply() {
    bool changed = false;
    for (const Container &c : containers_) {
        DataDesc *d = c.first->arrays.find(c.second);
        const bool callers = c.first == &root_ && d && !d->transient;
        if (!d || callers || !onDevice(c) || d->storage == Storage::GPU_Global || d->isStream())
            continue;
        d->storage = Storage::GPU_Global;
        changed = true;
    }
    for (const HostNode &n : nodes_)
        if (auto *m = dyn_cast<MapEntry>(n.node); m && isDeviceNode(n) && !isKernelMap(*m) && !inOrder_.count(m)) {
            m->schedule = Schedule::GPU_Device;
            changed = true;
        }
    return changed;
}

/// Wraps nodes, or scopes, that pass values to each other in one kernel of one iteration.
void wrap(State &s, const std::vector<Node *> &together) {
    MapEntry *entry = addThread(s, together.front()->label, together.front()->debugInfo);
    MapExit *exit = entry->exit;
    int number = 0;
    auto inside = [&](const Node *n) { return std::find(together.begin(), together.end(), n) != together.end(); };
    for (Node *first : together) {
        Node *last = exitOf(first);
        const std::vector<Edge *> in(first->inEdges().begin(), first->inEdges().end()),
            out(last->outEdges().begin(), last->outEdges().end());
        bool fed = false;
        for (Edge *e : in) {
            if (inside(e->src)) {
                fed = true;
                continue;
            }
            const std::string suffix = std::to_string(number++);
            const bool data = !e->memlet.isEmpty();
            s.connect(e->src, e->srcConn, entry, data ? scopeInput(suffix) : Name(), e->memlet);
            if (data)
                s.connect(entry, scopeOutput(suffix), first, e->dstConn, e->memlet);
            fed |= data;
            s.removeEdge(e);
        }
        if (!fed)
            s.connect(entry, {}, first, {}, Memlet::empty());
        bool drained = false;
        for (Edge *e : out) {
            if (inside(e->dst)) {
                drained = true;
                continue;
            }
            const std::string suffix = std::to_string(number++);
            const bool data = !e->memlet.isEmpty();
            s.connect(exit, data ? scopeOutput(suffix) : Name(), e->dst, e->dstConn, e->memlet);
            if (data)
                s.connect(last, e->srcConn, exit, scopeInput(suffix), e->memlet);
            drained |= data;
            s.removeEdge(e);
        }
        if (!drained)
            s.connect(last, {}, exit, {}, Memlet::empty());
    }
}

/// Kernels run their iterations in any order. A sequential map whose iterations depend on each other is left to one thread.
bool Placement::wrapSequentialMaps() {
    bool changed = false;
    for (const HostNode &n : nodes_) {
        auto *m = dyn_cast<MapEntry>(n.node);
        if (!m || !(m->schedule == Schedule::Sequential || m->schedule == Schedule::Unrolled) || !isDeviceNode(n))
            continue;
        const Name shared = analysis::sharedByIterations(*m, analysis::ScopeTree(*m->state()));
        if (!shared)
            continue;
        context_.missed(*m, "runs in one device thread",
                        {diag::Why::Dependence, "an iteration may use what another one writes to `" + shared.str() + "`"});
        wrap(*m->state(), {m});
        inOrder_.insert(m);
        changed = true;
    }
    return changed;
}

/// Is a node a scalar that only passes a value from one tasklet of the device to others, none of which is in a kernel yet?
bool isBetween(const Node &n, const std::set<const Node *> &device, const std::set<const Node *> &done) {
    const auto *a = dyn_cast<AccessNode>(&n);
    const DataDesc *d = a ? a->state()->sdfg()->desc(a->data) : nullptr;
    const auto isFree = [&](const Edge &e, const Node *t) {
        return device.count(t) && !done.count(t) && !e.memlet.isEmpty() && e.memlet.wcr.empty();
    };
    return d && d->isScalar() && d->transient && a->inEdges().size() == 1 && !a->outEdges().empty() &&
           isFree(*a->inEdges().front(), a->inEdges().front()->src) &&
           std::all_of(a->outEdges().begin(), a->outEdges().end(), [&](const Edge *e) { return isFree(*e, e->dst); });
}

/// The nodes that one thread should run together with a tasklet, because they pass values to each other: directly, or through scalars.
/// Ordering edges do not merge nodes: a node between the two on another path would have to run both before and after the kernel.
std::vector<Node *> passingValues(Node *tasklet, const std::set<const Node *> &device, const std::set<const Node *> &done,
                                  bool throughScalars) {
    std::vector<Node *> out{tasklet};
    std::set<const Node *> taken{tasklet};
    for (std::size_t i = 0; i < out.size(); ++i) {
        const Node *n = out[i];
        const bool isScalar = isa<AccessNode>(n);
        const auto add = [&](const Edge *e, Node *other) {
            const bool isDirect = isa<Tasklet>(other) && e->srcConn && e->dstConn;
            if ((isScalar || isDirect || (throughScalars && isBetween(*other, device, done))) && !done.count(other) &&
                taken.insert(other).second)
                out.push_back(other);
        };
        for (const Edge *e : n->inEdges())
            add(e, e->src);
        for (const Edge *e : n->outEdges())
            add(e, e->dst);
    }
    return out;
}

/// Does a path leave some nodes and come back? A kernel of these nodes would have to run before and after what is on it.
bool leadsBack(const std::vector<Node *> &together) {
    const std::set<const Node *> inside(together.begin(), together.end());
    std::set<const Node *> seen;
    std::vector<const Node *> open;
    const auto follow = [&](const Node *n) {
        for (const Edge *e : n->outEdges())
            if (inside.count(e->dst) == 0 && seen.insert(e->dst).second)
                open.push_back(e->dst);
    };
    for (const Node *n : together)
        follow(n);
    while (!open.empty()) {
        const Node *n = open.back();
        open.pop_back();
        if (std::any_of(n->outEdges().begin(), n->outEdges().end(), [&](const Edge *e) { return inside.count(e->dst) != 0; }))
            return true;
        follow(n);
    }
    return false;
}

/// Do some nodes use a container through a node, while the state has another node of this container, and one of the two is written?
/// Edges may not order such nodes.
bool meetsOthers(const std::vector<Node *> &together) {
    std::map<Name, const AccessNode *> used;
    std::set<Name> several;
    const auto add = [&](const Node *n) {
        const auto *a = dyn_cast<AccessNode>(n);
        if (a && used.try_emplace(a->data, a).first->second != a)
            several.insert(a->data);
    };
    for (const Node *n : together) {
        for (const Edge *e : n->inEdges())
            add(e->src);
        for (const Edge *e : n->outEdges())
            add(e->dst);
    }
    const std::vector<AccessNode *> all = nodesOf<AccessNode>(*together.front()->state());
    return std::any_of(all.begin(), all.end(), [&](const AccessNode *a) {
        const auto own = used.find(a->data);
        return own != used.end() && (own->second != a || several.count(a->data)) &&
               (!a->inEdges().empty() || !own->second->inEdges().empty());
    });
}

/// Scalars that only the thread of a kernel uses are in its registers.
void keepInRegisters(const std::vector<Node *> &together) {
    for (const Node *n : together) {
        const auto *a = dyn_cast<AccessNode>(n);
        if (!a)
            continue;
        SDFG &g = *a->state()->sdfg();
        std::size_t uses = analysis::containersReadByControlFlow(g).count(a->data);
        for (const State *s : allStates(g))
            for (const AccessNode *other : nodesOf<AccessNode>(*s))
                uses += other->data == a->data;
        if (uses == 1) {
            g.desc(a->data)->storage = Storage::Register;
            g.desc(a->data)->lifetime = Lifetime::Scope;
        }
    }
}

bool Placement::wrapTasklets() {
    std::set<const Node *> device, done;
    for (const HostNode &n : nodes_)
        if (isa<Tasklet>(n.node) && isDeviceNode(n))
            device.insert(n.node);
    bool changed = false;
    for (const HostNode &n : nodes_) {
        if (!device.count(n.node) || done.count(n.node))
            continue;
        std::vector<Node *> together = passingValues(n.node, device, done, true);
        if (leadsBack(together) || meetsOthers(together))
            together = passingValues(n.node, device, done, false);
        done.insert(together.begin(), together.end());
        wrap(*together.front()->state(), together);
        keepInRegisters(together);
        changed = true;
    }
    return changed;
}

bool Placement::run() {
    collect(root_);
    spread();
    bool changed = wrapSequentialMaps();
    changed |= apply();
    return wrapTasklets() || changed;
}

} // namespace

MapEntry *addThread(State &s, std::string label, const DebugInfo &where) {
    MapEntry *entry = s.addMap(std::move(label), {"thread"}, {{0, 0, 1, 1}}, Schedule::GPU_Device, where);
    entry->gpuBlockSize = std::vector<sym::Expr>{1, 1, 1};
    return entry;
}

bool isThread(const MapEntry &m) {
    return m.schedule == Schedule::GPU_Device && m.gpuBlockSize &&
           std::all_of(m.gpuBlockSize->begin(), m.gpuBlockSize->end(), [](const sym::Expr &e) { return e.isOne(); });
}

bool placeWrittenScalars(SDFG &root, pass::Context &context) {
    bool changed = false;
    for (SDFG *g : allSDFGs(root))
        for (State *s : allStates(*g))
            for (MapEntry *m : nodesOf<MapEntry>(*s)) {
                if (!isKernelMap(*m) || analysis::executorOf(*m) != analysis::Executor::Host)
                    continue;
                for (Edge *e : m->exit->outEdges()) {
                    const auto *a = dyn_cast<AccessNode>(analysis::pathDestination(e));
                    DataDesc *d = a && !e->memlet.isEmpty() ? g->arrays.find(a->data) : nullptr;
                    if (!d || !d->isScalar() || !d->transient || isGpuStorage(d->storage) || d->storage == Storage::CPU_Pinned)
                        continue;
                    d->storage = Storage::GPU_Global;
                    d->lifetime = d->lifetime == Lifetime::Scope ? Lifetime::SDFG : d->lifetime;
                    context.done(*m, "`" + a->data.str() + "`, which it writes, moves to device memory");
                    changed = true;
                }
            }
    if (changed)
        placeOnDevice(root, context); // their other users
    return changed;
}

bool placeOnDevice(SDFG &root, pass::Context &context) { return Placement(root, context).run(); }

} // namespace sdfgc::transforms
