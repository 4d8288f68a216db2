#include "Transforms/Offload/Obstacles.h"

#include "Transforms/Edits/HostReads.h"
#include "Transforms/Offload/Overwritten.h"

#include "sdfgc/Analysis/Flow/Loops.h"
#include "sdfgc/Analysis/Memory/Memories.h"
#include "sdfgc/Analysis/Scopes.h"
#include "sdfgc/Analysis/Symbols/Mentions.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"

#include <algorithm>
#include <set>

namespace sdfgc::transforms {

using namespace ir;

namespace {

/// A container of a nested SDFG in a map that keeps values between executions; private memory would lose them.
Name keptInMaps(SDFG &g, bool inMap) {
    const auto keeps = [](const DataDesc &d) {
        return d.transient && (d.lifetime == Lifetime::Persistent || d.lifetime == Lifetime::Global);
    };
    if (inMap && std::any_of(g.arrays.begin(), g.arrays.end(), [&](const auto &entry) { return keeps(entry.second); })) {
        const std::set<Name> overwritten = overwrittenContainers(g);
        for (const auto &[n, d] : g.arrays)
            if (keeps(d) && !overwritten.count(n))
                return n;
    }
    for (State *s : allStates(g)) {
        const analysis::ScopeTree scopes(*s);
        for (const auto &n : s->nodes())
            if (auto *nested = dyn_cast<NestedSDFGNode>(n.get()); nested && nested->sdfg)
                if (const Name kept = keptInMaps(*nested->sdfg, inMap || scopes.scopeOf(n.get())))
                    return kept;
    }
    return {};
}

/// Is a map inside of another one, which may be a kernel?
bool isInMap(const MapEntry &m) {
    const State &s = *m.state();
    return analysis::ScopeTree(s).scopeOf(&m) || analysis::isInScope(*s.sdfg());
}

/// Scalars that dataflow never writes: the host knows their values, and kernels get them by value.
class ConstantScalars {
public:
    explicit ConstantScalars(SDFG &root) : memories_(root) {
        for (SDFG *g : allSDFGs(root))
            for (State *s : allStates(*g))
                for (AccessNode *a : nodesOf<AccessNode>(*s))
                    if (std::any_of(a->inEdges().begin(), a->inEdges().end(), [](const Edge *e) { return !e->memlet.isEmpty(); }))
                        written_.insert(memories_.of(*a));
    }
    bool operator()(SDFG &g, Name data, const DataDesc &d) { return d.isScalar() && written_.count(memories_.of(g, data)) == 0; }

private:
    analysis::Memories memories_;
    std::set<analysis::Memory> written_;
};

/// Can it stay on the host, between copies? Not in maps, not if it passes values to other code without a container, and not if
/// its code names a container itself, which need not have the values of the device.
bool canStage(const Tasklet &t) {
    const SDFG &g = *t.state()->sdfg();
    if (!t.code.isPython())
        for (Name word : analysis::identifiers(t.code.text()))
            if (g.arrays.contains(word) && !t.inConnector(word) && !t.outConnector(word))
                return false;
    const auto passes = [](const Edge *e) { return e->src->isCode() && e->dst->isCode() && !e->memlet.isEmpty(); };
    return !analysis::ScopeTree(*t.state()).scopeOf(&t) && !analysis::isInScope(g) &&
           std::none_of(t.inEdges().begin(), t.inEdges().end(), passes) &&
           std::none_of(t.outEdges().begin(), t.outEdges().end(), passes);
}

/// Would it copy arrays between host and device again and again?
bool copiesInLoop(const Tasklet &t) {
    const auto isLarge = [](const Edge *e) {
        return !e->memlet.isEmpty() && !(e->memlet.subset && e->memlet.subset->isOneElement());
    };
    if (std::none_of(t.inEdges().begin(), t.inEdges().end(), isLarge) &&
        std::none_of(t.outEdges().begin(), t.outEdges().end(), isLarge))
        return false;
    for (const State *s = t.state(); s;) {
        const Region *r = s->parent();
        for (; r && !isa<SDFG>(r); r = r->parent())
            if (isa<LoopRegion>(r))
                return true;
        const auto *g = dyn_cast<SDFG>(r);
        s = g && g->parentNode ? g->parentNode->state() : nullptr;
    }
    return false;
}

/// Is there anything that would run on the device?
bool hasDeviceCode(SDFG &g) {
    for (State *s : allStates(g)) {
        const analysis::ScopeTree scopes(*s);
        for (const Node *n : scopes.children(nullptr)) {
            const auto *t = dyn_cast<Tasklet>(n);
            const auto *nested = dyn_cast<NestedSDFGNode>(n);
            if (isa<MapEntry>(n) || isa<LibraryNode>(n) || (t && !isForHost(*t) && usesArray(*t)) ||
                (nested && nested->sdfg && hasDeviceCode(*nested->sdfg)))
                return true;
        }
    }
    return false;
}

/// Does an SDFG around a node, or this one, declare a callback of this name?
bool isCallback(const SDFG *g, Name n) {
    for (; g; g = g->parentSDFG())
        if (const Type *t = g->symbols.find(n))
            return t->isCallback();
    return false;
}

} // namespace

bool isForHost(const Tasklet &t) {
    if (!t.code.isPython() || t.sideEffects.value_or(false))
        return true;
    const SDFG &g = *t.state()->sdfg();
    const std::set<Name> names = analysis::namesInTasklet(t.code, g);
    return std::any_of(names.begin(), names.end(), [&](Name n) { return isCallback(&g, n); });
}

std::string obstacle(SDFG &root) {
    ConstantScalars constant(root);
    for (SDFG *g : allSDFGs(root)) {
        for (const auto &[n, d] : g->arrays) {
            if (d.isStream())
                return "stream `" + n.str() + "`";
            if (d.dtype == Type::opaque("MPI_Request")) // transfers continue after the call, but staging buffers do not last
                return "messages are pending until a node waits for `" + n.str() + "`";
            const bool isPlain = (d.isScalar() || d.isArray()) && !d.isReference();
            const bool isHosts = d.isStructure() && (!d.transient || d.isView()); // flattenMembers left it to control flow
            if (!isPlain && !isHosts && analysis::Mentions(*g).contain(n))
                return "container `" + n.str() + "` is not a plain array";
            if (d.lifetime == Lifetime::External)
                return "container `" + n.str() + "` is host memory that the caller provides";
            if (d.storage == Storage::CPU_ThreadLocal)
                return "thread-local container `" + n.str() + "`";
        }
        for (Block *b : allBlocks(*g))
            if (b->kind() == BlockKind::Return || b->kind() == BlockKind::Unstructured || b->kind() == BlockKind::FunctionCall)
                return "block `" + b->label + "` ends the program early or is unstructured";
        for (State *s : allStates(*g))
            for (const auto &n : s->nodes()) {
                if (const auto *t = dyn_cast<Tasklet>(n.get()); t && isForHost(*t) && (!canStage(*t) || !hasDeviceCode(root)))
                    return "tasklet `" + t->label + "` is code for the host";
                if (const auto *t = dyn_cast<Tasklet>(n.get()); t && isForHost(*t) && copiesInLoop(*t))
                    return "tasklet `" + t->label + "` in a loop is code for the host, with arrays that would be copied each time";
                if (const auto *t = dyn_cast<Tasklet>(n.get()))
                    for (Name symbol : analysis::changedSymbols(*t))
                        return "tasklet `" + t->label + "` changes the symbol `" + symbol.str() + "`";
                if (isa<ConsumeEntry>(n.get()))
                    return "consume scope `" + n->label + "`";
                if (const auto *m = dyn_cast<MapEntry>(n.get());
                    m && m->schedule != Schedule::Sequential && m->schedule != Schedule::CPU_Multicore &&
                    m->schedule != Schedule::Default && m->schedule != Schedule::Unrolled)
                    return "map `" + m->label + "` has the schedule " + std::string(name(m->schedule));
                if (const auto *m = dyn_cast<MapEntry>(n.get()); m && m->ordered && !isInMap(*m))
                    return "map `" + m->label + "` is a loop whose iterations depend on each other";
                if (const auto *a = dyn_cast<AccessNode>(n.get());
                    a && a->dataInstrument != DataInstrumentation::No_Instrumentation)
                    return "container `" + a->data.str() + "` is recorded or restored";
                if (const auto *nested = dyn_cast<NestedSDFGNode>(n.get()))
                    for (const auto &[symbol, value] : nested->symbolMapping)
                        for (Name free : value.freeSymbols())
                            if (const DataDesc *d = g->arrays.find(free); d && !g->symbols.find(free) && !constant(*g, free, *d))
                                return "nested SDFG `" + nested->label + "` maps the symbol `" + symbol.str() +
                                       "` to data that is not a constant scalar";
            }
    }
    if (const Name kept = keptInMaps(root, false))
        return "container `" + kept.str() + "` in a map keeps its values from one iteration to the next";
    return "";
}

bool onlyStores(SDFG &root) {
    const auto isArray = [](const Node *n) {
        const auto *a = dyn_cast<AccessNode>(n);
        return a && !a->state()->sdfg()->desc(a->data)->isScalar();
    };
    bool stores = false;
    for (SDFG *g : allSDFGs(root))
        for (State *s : allStates(*g)) {
            for (const auto &n : s->nodes())
                if (n->isEntry() || isa<LibraryNode>(n.get()))
                    return false;
            for (const auto &e : s->edges()) {
                if (isArray(e->src) && !e->memlet.isEmpty())
                    return false;
                if (isArray(e->dst) && isa<Tasklet>(e->src))
                    stores = true;
                if (isArray(e->dst) && (!isa<Tasklet>(e->src) || analysis::loopAround(s->parent())))
                    return false;
            }
        }
    return stores;
}

} // namespace sdfgc::transforms
