#include "Transforms/Offload/KernelLoops.h"

#include "Transforms/Edits/DevicePlacement.h"
#include "Transforms/Edits/Outline.h"
#include "Transforms/Offload/HandleSizes.h"
#include "Transforms/Offload/KernelResults.h"
#include "Transforms/Offload/Obstacles.h"

#include "sdfgc/Analysis/Flow/AssignedSymbols.h"
#include "sdfgc/Analysis/Indexing.h"
#include "sdfgc/Analysis/Memory/Copies.h"
#include "sdfgc/Analysis/Scopes.h"
#include "sdfgc/Analysis/Symbols/Mentions.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/Nest/Nest.h"

#include <algorithm>

namespace sdfgc::transforms {

using namespace ir;
using diag::Reason;
using diag::Why;

namespace {

std::string quoted(std::string_view name) { return "`" + std::string(name) + "`"; }

/// Is it a vector, or a single element?
bool isVector(const Memlet &m) {
    return m.subset &&
           std::count_if(m.subset->dims.begin(), m.subset->dims.end(), [](const sym::Range &r) { return !r.size().isOne(); }) <= 1;
}

/// Rule 1 for a library node.
Reason whyNot(const LibraryNode &n) {
    const auto &in = n.inEdges();
    if (analysis::isReduction(n) || (analysis::has(n, analysis::Trait::Product) &&
                                     std::any_of(in.begin(), in.end(), [](const Edge *e) { return isVector(e->memlet); })))
        return {};
    return {Why::Library, quoted(n.label) + " is a library call of the host"};
}

/// A tasklet in a node, at any depth, with code that is not Python or has effects; null if there is none.
const Tasklet *taskletForHost(const Node &n) {
    if (const auto *t = dyn_cast<Tasklet>(&n))
        return isForHost(*t) ? t : nullptr;
    const auto *nested = dyn_cast<NestedSDFGNode>(&n);
    for (const State *s : nested && nested->sdfg ? allStates(std::as_const(*nested->sdfg)) : std::vector<const State *>())
        for (const auto &inner : s->nodes())
            if (const Tasklet *t = taskletForHost(*inner))
                return t;
    return nullptr;
}

/// Rule 1 for a map. A map of a single thread is a tasklet that offload-to-gpu moved.
Reason whyNot(const MapEntry &m, const analysis::ScopeTree &scopes) {
    const auto isOpen = [](const MapEntry &map) {
        const bool isFree = !map.gpuBlockSize && map.gpuLaunchBounds == "0" && map.gpuMinWarpsPerEu == 0 && map.gpuMaxNReg == 0;
        return !isGpuSchedule(map.schedule) || (map.schedule == Schedule::GPU_Device && isFree);
    };
    if (!isOpen(m) && !isThread(m))
        return {Why::Shape, "the graph arranges the threads of map " + quoted(m.label)};
    if (m.instrument != Instrumentation::No_Instrumentation)
        return {Why::Effects, "map " + quoted(m.label) + " is timed"};
    if (nest::isKept(m))
        return {Why::Kept, "map " + quoted(m.label) + " must not be changed"};
    if (hasDynamicRange(m))
        return {Why::Opaque, "the range of map " + quoted(m.label) + " is read from memory"};
    for (const Node *n : scopes.order()) {
        if (!scopes.encloses(&m, n))
            continue;
        if (const auto *inner = dyn_cast<MapEntry>(n); inner && isGpuSchedule(inner->schedule))
            return {Why::Shape, "the graph arranges the threads of map " + quoted(inner->label)};
        if (const Tasklet *t = taskletForHost(*n))
            return {Why::Opaque,
                    "tasklet " + quoted(t->label) + " may depend on the arrangement of threads, since it is not Python"};
    }
    return {};
}

/// Containers that control flow in a block reads.
std::set<Name> readByControl(Block &b) {
    const SDFG &g = *b.sdfg();
    std::set<Name> out;
    const auto add = [&out](const std::vector<Name> &names) { out.insert(names.begin(), names.end()); };
    const auto edges = [&](const Region &r) {
        for (const auto &e : r.edges())
            add(analysis::containersRead(*e, g));
    };
    for (const Block *inner : blocksOf(b)) {
        if (const auto *l = dyn_cast<LoopRegion>(inner))
            add(analysis::containersRead(*l, g));
        if (const auto *r = dyn_cast<Region>(inner))
            edges(*r);
        if (const auto *c = dyn_cast<ConditionalBlock>(inner)) {
            add(analysis::containersRead(*c, g));
            for (const auto &branch : c->branches())
                edges(*branch.region);
        }
    }
    return out;
}

/// Names that the program has from its callers, and constants.
std::set<Name> passedNames(const SDFG &root) {
    std::set<Name> out;
    const analysis::ArgumentList arguments = analysis::argumentList(root);
    for (const auto *list : {&arguments.program, &arguments.sizes})
        for (const analysis::Argument &a : *list)
            out.insert(a.name);
    for (const auto &[name, value] : root.constants)
        out.insert(name);
    return out;
}

/// Checks a block and everything in it.
class Check {
public:
    Check(Block &b, bool moved, std::set<Name> assigned)
        : g_(*b.sdfg()), moved_(moved), assigned_(std::move(assigned)), control_(readByControl(b)) {}

    Reason all(const Block &b) {
        for (const Name n : control_)
            if (Reason why = control(n))
                return why;
        return block(b);
    }

private:
    Reason block(const Block &b) {
        if (b.kind() == BlockKind::Return || b.kind() == BlockKind::Unstructured || b.kind() == BlockKind::FunctionCall)
            return {Why::ControlFlow, "block " + quoted(b.label) + " returns, or is unstructured"};
        if (const auto *s = dyn_cast<State>(&b))
            return state(*s);
        if (const auto *c = dyn_cast<ConditionalBlock>(&b)) {
            for (const auto &branch : c->branches())
                if (Reason why = region(*branch.region))
                    return why;
            return {};
        }
        const auto *r = dyn_cast<Region>(&b);
        return r ? region(*r) : Reason();
    }

    Reason region(const Region &r) {
        if (nest::isKept(r))
            return {Why::Kept, quoted(r.label) + " must not be changed"};
        for (const auto &e : r.edges())
            for (const auto &[symbol, value] : e->assignments)
                if (analysis::callsFunctions(value))
                    return {Why::Effects, "the value of " + quoted(symbol.view()) + " calls a function"};
        for (const auto &b : r.blocks())
            if (Reason why = block(*b))
                return why;
        return {};
    }

    /// Rule 3 for a container that control flow reads.
    Reason control(Name n) const {
        const DataDesc *d = g_.desc(n);
        if (!d || d->isScalar() || (moved_ && d->storage == Storage::GPU_Global))
            return {};
        if (!d->isArray() || d->isView() || isMember(n) || (moved_ && !(g_.isRoot() && d->storage == Storage::CPU_Heap)))
            return {Why::Host, "control flow reads " + quoted(n.view()) + " on the host"};
        if (g_.isRoot() && !d->transient) // the kernel reads a copy
            if (const std::string why = missingSize(n, *d, passedNames(g_)); !why.empty())
                return {Why::HostMemory, why};
        return {};
    }

    static bool isMember(Name n) { return n.view().find('.') != std::string_view::npos; }

    /// Rule 3 for a container that dataflow outside of maps uses.
    Reason container(const AccessNode &a) const {
        const Name n = a.data;
        const DataDesc *d = g_.desc(n);
        if (!d || !(d->isScalar() || d->isArray()) || d->isReference() || d->isStream() || isMember(n))
            return {Why::Container, quoted(n.view()) + " is not a plain array"};
        if (d->isScalar() && !d->transient && d->storage != Storage::GPU_Global && !a.inEdges().empty())
            return {Why::HostMemory,
                    "scalar " + quoted(n.view()) + " is " +
                        (g_.isRoot() ? "an argument, which is a value of the host" : "a result of a nested SDFG on the host")};
        const bool isHosts = d->storage == Storage::CPU_Pinned || d->storage == Storage::CPU_ThreadLocal;
        if (isHosts || (d->isArray() && moved_ && d->storage != Storage::GPU_Global && !isForControl(a)))
            return {Why::HostMemory, "array " + quoted(n.view()) + " is in the memory of the host"};
        if (d->isArray() && !d->isView())
            for (const Name size : d->freeSymbols())
                if (assigned_.count(size))
                    return {Why::Container, "the size of " + quoted(n.view()) + " changes"};
        return {};
    }

    bool isForControl(const AccessNode &a) const {
        return control_.count(a.data) && a.outEdges().empty() &&
               std::all_of(a.inEdges().begin(), a.inEdges().end(), [](const Edge *e) { return copiedForControl(*e) != nullptr; });
    }

    Reason state(const State &s) {
        if (s.instrument != Instrumentation::No_Instrumentation || s.symbolInstrument != DataInstrumentation::No_Instrumentation)
            return {Why::Effects, "state " + quoted(s.label) + " is timed or recorded"};
        const analysis::ScopeTree scopes(s);
        for (const Node *n : scopes.children(nullptr)) {
            Reason why;
            if (const auto *a = dyn_cast<AccessNode>(n))
                why = container(*a);
            else if (const auto *m = dyn_cast<MapEntry>(n))
                why = whyNot(*m, scopes);
            else if (const auto *t = dyn_cast<Tasklet>(n))
                why = isForHost(*t) ? Reason(Why::Host, "tasklet " + quoted(t->label) + " is code for the host") : Reason();
            else if (const auto *l = dyn_cast<LibraryNode>(n))
                why = whyNot(*l);
            else if (const auto *nested = dyn_cast<NestedSDFGNode>(n); nested && nested->sdfg)
                why = inside(*nested);
            else if (!n->isExit())
                why = {Why::Opaque, quoted(n->label) + " is a consume scope, or not known"};
            if (why)
                return why;
        }
        return {};
    }

    Reason inside(const NestedSDFGNode &nested) {
        SDFG &inner = *nested.sdfg;
        std::set<Name> assigned = analysis::assignedIn(inner);
        for (const auto &[symbol, value] : nested.symbolMapping)
            for (const Name n : value.freeSymbols())
                if (assigned_.count(n))
                    assigned.insert(symbol);
        return Check(inner, moved_, std::move(assigned)).all(inner);
    }

    SDFG &g_;
    const bool moved_;
    const std::set<Name> assigned_; // symbols whose values the block changes
    const std::set<Name> control_;  // containers that control flow in it reads
};

} // namespace

const AccessNode *copiedForControl(const Edge &e) {
    const auto *from = dyn_cast<AccessNode>(e.src), *to = dyn_cast<AccessNode>(e.dst);
    if (!from || !to || e.memlet.isEmpty() || !e.memlet.wcr.empty() || !from->inEdges().empty())
        return nullptr;
    const SDFG &g = *from->state()->sdfg();
    const DataDesc *device = g.desc(from->data), *host = g.desc(to->data);
    const auto read = analysis::sourceSubset(&e), written = analysis::destinationSubset(&e);
    const bool isEntire = device && host && device->isArray() && host->isArray() && device->dtype == host->dtype &&
                          device->storage == Storage::GPU_Global && host->storage == Storage::CPU_Heap && !device->isView() &&
                          !host->isView() && device->shape == host->shape && device->strides == host->strides &&
                          read == device->fullSubset() && written == host->fullSubset();
    return isEntire ? from : nullptr;
}

bool copiesOnlyFor(const State &s, Block &reader) {
    const std::set<Name> read = readByControl(reader);
    return !s.edges().empty() && std::all_of(s.edges().begin(), s.edges().end(), [&](const auto &e) {
        return copiedForControl(*e) && read.count(cast<AccessNode>(e->dst)->data);
    });
}

namespace {

/// An array of the host, and the array of the device that is copied to it for control flow.
class HostArray {
public:
    HostArray(SDFG &g, Name host, Name device) : g_(g), host_(host), device_(device) {}

    /// Does each reader outside of a block get a copy of its own, and the caller one at the end of the program?
    bool isCopiedAfter(Block &b) const {
        const std::vector<Block *> all = blocksOf(b);
        const std::set<const Block *> inside(all.begin(), all.end());
        for (const Block *other : blocksOf(g_))
            if (!inside.count(other) && !isCopiedFor(*other))
                return false;
        for (const InterstateEdge *e : allInterstateEdges(g_))
            if (!(inside.count(e->src) && inside.count(e->dst)) && has(analysis::containersRead(*e, g_)) && !copies(*e->src))
                return false;
        const DataDesc *d = g_.desc(host_);
        return d->transient || (g_.isRoot() && std::all_of(g_.blocks().begin(), g_.blocks().end(), [&](const auto &last) {
                                    return !last->outEdges().empty() || copies(*last);
                                }));
    }

private:
    bool has(const std::vector<Name> &names) const { return std::find(names.begin(), names.end(), host_) != names.end(); }

    bool copies(const Block &b) const {
        const auto *s = dyn_cast<State>(&b);
        return s && std::any_of(s->edges().begin(), s->edges().end(), [&](const auto &e) {
                   const AccessNode *from = copiedForControl(*e);
                   return from && from->data == device_ && cast<AccessNode>(e->dst)->data == host_;
               });
    }

    bool isCopiedFor(const Block &b) const {
        const auto fromCopy = [this](const InterstateEdge *e) { return copies(*e->src); };
        const auto *l = dyn_cast<LoopRegion>(&b);
        const auto *c = dyn_cast<ConditionalBlock>(&b);
        if ((l && has(analysis::containersRead(*l, g_))) || (c && has(analysis::containersRead(*c, g_)))) {
            const auto isLast = [](const auto &inner) { return inner->outEdges().empty(); };
            return !b.inEdges().empty() && std::all_of(b.inEdges().begin(), b.inEdges().end(), fromCopy) &&
                   (!l || std::all_of(l->blocks().begin(), l->blocks().end(),
                                      [&](const auto &inner) { return !isLast(inner) || copies(*inner); }));
        }
        const auto *s = dyn_cast<State>(&b);
        return !s || s == g_.start() || std::none_of(s->nodes().begin(), s->nodes().end(), [this](const auto &n) {
            const auto *a = dyn_cast<AccessNode>(n.get());
            return a && a->data == host_ && !a->outEdges().empty();
        });
    }

    SDFG &g_;
    const Name host_, device_;
};

} // namespace

namespace {

/// Does an edge move a single element, or none?
bool isOfElement(const Edge &e) {
    if (e.memlet.isEmpty() || (e.memlet.subset && e.memlet.subset->isOneElement()))
        return true;
    const DataDesc *d = e.memlet.subset ? nullptr : e.src->state()->sdfg()->desc(e.memlet.data);
    return d && d->totalSize.isOne();
}

/// Does a map only add up values in one element? The first block computes this sum (map-to-threads).
bool isSum(const MapEntry &m, const analysis::ScopeTree &scopes) {
    const auto &inside = scopes.children(&m);
    const auto &out = m.exit->outEdges();
    return out.size() == 1 && m.exit->inEdges().size() == 1 && isOfElement(*out.front()) &&
           !m.exit->inEdges().front()->memlet.wcr.empty() && std::all_of(inside.begin(), inside.end(), [](const Node *n) {
               return isa<Tasklet>(n) || isa<AccessNode>(n) || n->isExit();
           });
}

/// Why the blocks of a grid cannot share the work of the states in a block.
Reason whyNotByMany(Block &b) {
    for (const Block *inner : blocksOf(b)) {
        const auto *s = dyn_cast<State>(inner);
        if (!s)
            continue;
        const analysis::ScopeTree scopes(*s);
        for (const Node *n : scopes.children(nullptr)) {
            const auto &edges = n->outEdges();
            const bool isElement = std::all_of(edges.begin(), edges.end(), [](const Edge *e) { return isOfElement(*e); });
            if (isa<NestedSDFGNode>(n) || (isa<LibraryNode>(n) && !isElement))
                return {Why::Library, quoted(n->label) + " is shared by the threads of one block"};
            const auto *m = dyn_cast<MapEntry>(n);
            if (m && !isSum(*m, scopes) && std::any_of(m->exit->outEdges().begin(), m->exit->outEdges().end(), [](const Edge *e) {
                    return !e->memlet.wcr.empty();
                }))
                return {Why::Update, "map " + quoted(m->label) + " updates elements that threads share"};
        }
    }
    return {};
}

} // namespace

Reason whyNotInKernel(Block &b, bool moved, KernelBlocks blocks) {
    SDFG &g = *b.sdfg();
    const std::set<Name> assigned = analysis::assignedIn(b);
    if (Reason why = Check(b, moved, assigned).all(b))
        return why;
    if (Reason why = blocks == KernelBlocks::Many ? whyNotByMany(b) : Reason())
        return why;
    for (const Block *inner : blocksOf(b))
        if (const auto *s = dyn_cast<State>(inner); s && moved)
            for (const auto &e : s->edges())
                if (const AccessNode *from = copiedForControl(*e))
                    if (const Name host = cast<AccessNode>(e->dst)->data; !HostArray(g, host, from->data).isCopiedAfter(b))
                        return {Why::Host, quoted(host.view()) + " is read on the host after it"};
    return whyNoResults(b);
}

} // namespace sdfgc::transforms
