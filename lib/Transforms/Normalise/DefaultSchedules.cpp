// default-schedules: replace `Default` schedules and storages with concrete ones, and mark nested arguments that may
// alias.
//
//   before:  A: Default   map[i] Default { t: Default }       after:  A: CPU_Heap   map[i] CPU_Multicore { t: Register }
//                           map[j] Default                               map[j] Sequential
//
// Rules: format reference 4.5 to 4.9, semantics reference 4. Concrete values are kept, so the same rules complete new
// elements of a graph (Completion.h).
//
// For each SDFG, from the outside in, given the schedules of all surrounding scopes:
//   0. A constant is part of the program text, which the host and kernels both read: CPU_Heap, whatever memory the
//      graph specifies.
//   1. An argument of a nested SDFG has the storage of the outer container at its connector; an argument of the root is
//      CPU_Heap.
//   2. One scope depth after another, over all states: a container takes its storage from the scope of its outermost
//      use (the innermost surrounding schedule that is not Sequential; without one, CPU_Heap), and a view takes the
//      storage of the viewed container. Then scopes and library nodes at this depth take their schedule from the scope
//      around them or, at the top level, from the containers next to them. Everything that a decision depends on is
//      decided at a smaller depth, so the result is independent of the order of states.
//   3. In a GPU_Device scope without thread-block maps, the threads of a block are implicit: containers inside are
//      Register, not GPU_Shared. Three kinds of maps there become a loop in each thread: those with a range read at run
//      time, those whose size the host cannot compute at launch, and those that write registers of the surrounding
//      scope.
//   4. Containers without access nodes become Register.
//
// Registers cannot hold what lives longer than a call; such containers become CPU_Heap instead.
//
// Not handled: concrete values, except the storage of nested arguments, which always follows the outer container, and
// that of constants.
#include "Transforms/Edits/Completion.h"
#include "Transforms/Edits/Nodes.h"
#include "Transforms/Normalise/DefaultTables.h"
#include "Transforms/Normalise/InferAliasing.h"

#include "sdfgc/Analysis/Device/BlockSizes.h"
#include "sdfgc/Analysis/Memory/Copies.h"
#include "sdfgc/Analysis/Scopes.h"
#include "sdfgc/Analysis/Verify.h"
#include "sdfgc/Pass/Pass.h"
#include "sdfgc/Transforms/Passes.h"

#include <algorithm>
#include <set>
#include <unordered_map>

namespace sdfgc::transforms {
namespace {

using namespace ir;

/// The scopes around a node, outermost first, across nested SDFGs.
using Stack = std::vector<Node *>;

template <class T> std::optional<T> innermost(const Stack &stack, std::optional<T> (*table)(Schedule), bool skipSequential) {
    for (auto it = stack.rbegin(); it != stack.rend(); ++it) {
        Schedule s = *scheduleOf(*it);
        if (skipSequential && s == Schedule::Sequential)
            continue;
        if (auto found = table(s))
            return found;
    }
    return std::nullopt;
}

/// Scope entries inside `within` (null: in the entire state), including those in nested SDFGs, with the number of scopes in
/// between.
void scopesInside(const State &s, const Node *within, std::size_t depth, std::vector<std::pair<Node *, std::size_t>> &out) {
    analysis::ScopeTree scopes(s);
    for (Node *n : scopes.order()) {
        if (n->isExit())
            continue;
        std::vector<Node *> around = scopes.enclosing(n);
        auto end = within ? std::find(around.begin(), around.end(), within) : around.end();
        if (within && end == around.end())
            continue;
        std::size_t between = depth + static_cast<std::size_t>(end - around.begin());
        if (n->isEntry())
            out.emplace_back(n, between);
        else if (auto *nested = dyn_cast<NestedSDFGNode>(n); nested && nested->sdfg)
            for (State *inner : allStates(*nested->sdfg))
                scopesInside(*inner, nullptr, between, out);
    }
}

std::vector<std::pair<Node *, std::size_t>> scopesInside(const Node *entry) {
    std::vector<std::pair<Node *, std::size_t>> out;
    scopesInside(*entry->state(), entry, 0, out);
    return out;
}

/// A map of a kernel that cannot be distributed over threads: its range is read at run time or known only in the kernel, or it
/// writes registers of the surrounding scope, which are private to each thread.
bool isLoopOfThread(const Node &entry) {
    if (hasDynamicRange(entry))
        return true;
    if (const auto *m = dyn_cast<MapEntry>(&entry); m && analysis::unknownAtLaunch(*m))
        return true;
    const SDFG &g = *entry.state()->sdfg();
    const auto &out = exitOf(&entry)->outEdges();
    return std::any_of(out.begin(), out.end(), [&](const Edge *e) {
        const auto *a = dyn_cast<AccessNode>(e->dst);
        const DataDesc *d = a ? g.desc(a->data) : nullptr;
        return d && d->storage == Storage::Register && !e->memlet.isEmpty();
    });
}

/// A Default map directly inside a device map becomes a thread-block map, so it counts, unless it is a loop of a thread.
bool hasThreadBlockMaps(const Node *deviceMap) {
    for (auto [n, depth] : scopesInside(deviceMap))
        if (isThreadBlock(*scheduleOf(n)) || (depth == 0 && *scheduleOf(n) == Schedule::Default && !isLoopOfThread(*n)))
            return true;
    return false;
}

bool hasDynamicThreadBlockMaps(const Node *deviceMap) {
    for (auto [n, depth] : scopesInside(deviceMap))
        if (*scheduleOf(n) == Schedule::GPU_ThreadBlock_Dynamic)
            return true;
    return false;
}

/// The answer is needed for each container of a kernel, so it is cached: a concrete schedule does not change during the pass.
class ThreadBlocks {
public:
    bool impliedIn(const Node *deviceMap) {
        auto [it, isNew] = known_.try_emplace(deviceMap, false);
        if (isNew)
            it->second = !hasThreadBlockMaps(deviceMap);
        return it->second;
    }

private:
    std::unordered_map<const Node *, bool> known_;
};

Storage storageAt(const Stack &stack, ThreadBlocks &blocks) {
    auto device = std::find_if(stack.rbegin(), stack.rend(), [](Node *n) { return *scheduleOf(n) == Schedule::GPU_Device; });
    bool inBlock = std::any_of(stack.begin(), stack.end(), [](Node *n) { return isThreadBlock(*scheduleOf(n)); });
    if (device != stack.rend() && !inBlock && blocks.impliedIn(*device))
        return Storage::Register;
    return innermost(stack, &storageInside, true).value_or(Storage::CPU_Heap);
}

/// Sets the storage of a container and of those members that have none. `force`: even if it has one.
bool setStorage(DataDesc &d, Storage s, bool force = false) {
    bool changed = false;
    const bool outlivesCalls = d.lifetime == Lifetime::Persistent || d.lifetime == Lifetime::External;
    if (s == Storage::Register && outlivesCalls)
        s = Storage::CPU_Heap;
    if (d.storage == Storage::Default || (force && d.storage != s)) {
        d.storage = s;
        changed = true;
    }
    for (auto &[name, member] : d.members)
        changed |= setStorage(*member, d.storage, force);
    if (d.elementDesc)
        changed |= setStorage(*d.elementDesc, d.storage, force);
    return changed;
}

class Defaults {
public:
    explicit Defaults(pass::Context &c) : context_(c) {}
    bool run(SDFG &g, const Stack &around);

private:
    struct StateView {
        explicit StateView(State *s) : state(s), scopes(*s) {}
        State *state;
        analysis::ScopeTree scopes;
    };
    struct PlacedNode {
        Node *node;
        Stack stack;
    };
    using Levels = std::vector<std::vector<PlacedNode>>; // by scope depth in this SDFG

    static Levels placesByDepth(const std::vector<StateView> &states, const Stack &around);
    void setConstants(SDFG &g);
    void setArguments(SDFG &g);
    void setStorages(SDFG &g, const std::vector<PlacedNode> &level);
    void setSchedule(SDFG &g, const PlacedNode &p);
    std::optional<Schedule> fromNeighbours(SDFG &g, Node *n);

    pass::Context &context_;
    ThreadBlocks blocks_;
    bool changed_ = false;
};

Defaults::Levels Defaults::placesByDepth(const std::vector<StateView> &states, const Stack &around) {
    Levels levels;
    for (const StateView &v : states)
        for (Node *n : v.scopes.order()) {
            if (n->isExit())
                continue;
            Stack stack = v.scopes.enclosing(n);
            std::reverse(stack.begin(), stack.end());
            std::size_t depth = stack.size();
            stack.insert(stack.begin(), around.begin(), around.end());
            if (levels.size() <= depth)
                levels.resize(depth + 1);
            levels[depth].push_back({n, std::move(stack)});
        }
    return levels;
}

bool Defaults::run(SDFG &g, const Stack &around) {
    setConstants(g);
    setArguments(g);
    std::vector<StateView> states;
    for (State *s : allStates(g))
        states.emplace_back(s);
    Levels levels = placesByDepth(states, around);
    for (const auto &level : levels) {
        setStorages(g, level);
        for (const PlacedNode &p : level)
            setSchedule(g, p);
    }
    for (auto &[name, desc] : g.arrays)
        changed_ |= setStorage(desc, Storage::Register);
    for (const auto &level : levels)
        for (const PlacedNode &p : level)
            if (auto *nested = dyn_cast<NestedSDFGNode>(p.node); nested && nested->sdfg) {
                changed_ |= inferAliasing(*nested);
                run(*nested->sdfg, p.stack);
            }
    return changed_;
}

/// Step 0. DaCe's GPU transformation moves them to device memory like any other container, without a copy.
void Defaults::setConstants(SDFG &g) {
    for (auto &[name, constant] : g.constants)
        for (DataDesc *d : {&constant.desc, g.desc(name)})
            if (d && isGpuStorage(d->storage))
                changed_ |= setStorage(*d, Storage::CPU_Heap, true);
}

/// Step 1.
void Defaults::setArguments(SDFG &g) {
    for (auto &[name, desc] : g.arrays) {
        if (desc.transient)
            continue;
        if (g.isRoot()) {
            changed_ |= setStorage(desc, Storage::CPU_Heap);
            continue;
        }
        const Edge *e = g.parentNode->inEdge(name);
        if (!e)
            e = g.parentNode->outEdge(name);
        if (const DataDesc *outer = e ? g.parentSDFG()->desc(e->memlet.data) : nullptr)
            changed_ |= setStorage(desc, outer->storage, true);
    }
}

void Defaults::setStorages(SDFG &g, const std::vector<PlacedNode> &level) {
    std::vector<const PlacedNode *> views;
    for (const PlacedNode &p : level) {
        auto *access = dyn_cast<AccessNode>(p.node);
        DataDesc *d = access ? g.desc(access->data) : nullptr;
        if (!d || d->storage != Storage::Default)
            continue;
        if (d->isView())
            views.push_back(&p);
        else
            changed_ |= setStorage(*d, storageAt(p.stack, blocks_));
    }
    // A view of a view waits for the inner one; each round decides at least one, or the remaining ones cannot be decided.
    for (bool progress = true; progress && !views.empty();) {
        progress = std::erase_if(views, [&](const PlacedNode *p) {
                       DataDesc &d = *g.desc(cast<AccessNode>(p->node)->data);
                       const AccessNode *viewed = analysis::viewedNode(cast<AccessNode>(p->node));
                       const DataDesc *source = viewed ? g.desc(viewed->data) : nullptr;
                       if (!source || source->storage == Storage::Default)
                           return d.storage != Storage::Default;
                       changed_ |= setStorage(d, source->storage);
                       return true;
                   }) != 0;
    }
    for (const PlacedNode *p : views)
        changed_ |= setStorage(*g.desc(cast<AccessNode>(p->node)->data), storageAt(p->stack, blocks_));
}

void Defaults::setSchedule(SDFG &g, const PlacedNode &p) {
    Schedule *s = scheduleOf(p.node);
    if (!s || *s != Schedule::Default)
        return;
    auto inside = innermost(p.stack, &scheduleInside, false);
    if (inside == Schedule::GPU_ThreadBlock && hasDynamicThreadBlockMaps(p.stack.back()))
        inside = Schedule::GPU_ThreadBlock_Dynamic;
    if (inside == Schedule::GPU_ThreadBlock && isLoopOfThread(*p.node))
        inside = Schedule::Sequential;
    if (!inside)
        inside = fromNeighbours(g, p.node);
    if (inside) {
        *s = *inside;
        changed_ = true;
    }
}

/// Containers adjacent to a node outside of scopes: inside a map, or at both ends of a library node.
std::vector<const Edge *> neighbours(const Node *n) {
    std::vector<const Edge *> out;
    auto append = [&](const std::vector<Edge *> &edges) { out.insert(out.end(), edges.begin(), edges.end()); };
    if (!n->isEntry())
        append(n->inEdges());
    append(n->outEdges());
    if (const Node *exit = exitOf(n); exit && exit != n)
        append(exit->inEdges());
    return out;
}

/// Copy and fill nodes connect different memories by design.
bool bridgesMemories(const Node *n) {
    const auto *l = dyn_cast<LibraryNode>(n);
    return l && (analysis::isCopyNode(*l) || analysis::isFillNode(*l));
}

/// The schedule implied by the adjacent containers; nothing after an error.
std::optional<Schedule> Defaults::fromNeighbours(SDFG &g, Node *n) {
    std::map<Schedule, std::set<Name>> wanted;
    for (const Edge *e : neighbours(n)) {
        const DataDesc *d = e->memlet.data ? g.desc(e->memlet.data) : nullptr;
        if (!d || d->isScalar())
            continue;
        if (auto s = impliedSchedule(d->storage))
            wanted[*s].insert(e->memlet.data);
    }
    if (wanted.empty())
        return Schedule::CPU_Multicore;
    if (wanted.size() == 1)
        return wanted.begin()->first;
    if (bridgesMemories(n) && wanted.count(Schedule::GPU_Device))
        return Schedule::GPU_Device;
    std::string conflict;
    for (const auto &[schedule, containers] : wanted) {
        conflict += (conflict.empty() ? "" : ", ") + std::string(name(schedule)) + " by";
        for (Name c : containers)
            conflict += " " + c.str();
    }
    context_.diags.report(diag::Id::ScheduleAmbiguous, analysis::placeOf(*n), conflict);
    return std::nullopt;
}

class DefaultSchedules : public pass::GraphPass {
public:
    bool run(SDFG &root, pass::Context &context) override { return decideDefaults(root, context); }
};

} // namespace

bool decideDefaults(SDFG &root, pass::Context &context) { return Defaults(context).run(root, {}); }

std::unique_ptr<pass::Pass> createDefaultSchedules() { return std::make_unique<DefaultSchedules>(); }

} // namespace sdfgc::transforms
