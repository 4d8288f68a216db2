#include "Transforms/Offload/KernelMemory.h"

#include "Transforms/Edits/HostReads.h"
#include "Transforms/Offload/ThreadLoops.h"

#include "sdfgc/Analysis/Memory/Copies.h"
#include "sdfgc/Analysis/Scopes.h"

#include <algorithm>
#include <set>

namespace sdfgc::transforms {

using namespace ir;

namespace {

/// The private elements of an SDFG that code outside of maps uses.
class Elements {
public:
    explicit Elements(SDFG &g) : g_(g) {
        for (State *s : allStates(g)) {
            const analysis::ScopeTree scopes(*s);
            for (Node *n : scopes.children(nullptr))
                if (auto *a = dyn_cast<AccessNode>(n))
                    nodes_.push_back(a);
        }
        for (const AccessNode *a : nodes_)
            if (const DataDesc *d = g.desc(a->data); d && d->transient && !d->isView() &&
                                                     (d->isScalar() || (d->isArray() && d->totalSize.isOne())) &&
                                                     !g.constant(a->data))
                elements_.insert(a->data);
        registers_ = elements_;
        while (dropShared()) {
        }
    }

    void place() {
        for (const Name n : elements_) {
            DataDesc &d = *g_.arrays.find(n);
            d.storage = registers_.count(n) ? Storage::Register : Storage::GPU_Shared;
            d.lifetime = Lifetime::Scope;
        }
        for (AccessNode *a : nodes_)
            if (registers_.count(a->data))
                for (Edge *e : std::vector<Edge *>(a->inEdges()))
                    if (isa<AccessNode>(e->src) && analysis::isTransfer(*e))
                        readByAll(*e);
    }

private:
    /// Removes elements from the registers that not all threads would write; false if there are none.
    bool dropShared() {
        bool dropped = false;
        for (const AccessNode *a : nodes_)
            if (registers_.count(a->data) && (isViewed(*a) || isWrittenByOne(*a))) {
                registers_.erase(a->data);
                dropped = true;
            }
        return dropped;
    }

    bool isViewed(const AccessNode &a) const {
        const auto isView = [this](const Node *n) {
            const auto *other = dyn_cast<AccessNode>(n);
            const DataDesc *d = other ? g_.desc(other->data) : nullptr;
            return d && d->isView();
        };
        return std::any_of(a.outEdges().begin(), a.outEdges().end(), [&](const Edge *e) { return isView(e->dst); }) ||
               std::any_of(a.inEdges().begin(), a.inEdges().end(),
                           [&](const Edge *e) { return isView(e->src) && !analysis::isTransfer(*e); });
    }

    bool isWrittenByOne(const AccessNode &a) const {
        return std::any_of(a.inEdges().begin(), a.inEdges().end(), [this](const Edge *e) {
            if (e->memlet.isEmpty() || isa<AccessNode>(e->src))
                return false;
            const auto *t = dyn_cast<Tasklet>(e->src);
            return !t || std::any_of(t->outEdges().begin(), t->outEdges().end(), [this](const Edge *out) {
                const auto *target = dyn_cast<AccessNode>(out->dst);
                return !out->memlet.isEmpty() && !(target && registers_.count(target->data));
            });
        });
    }

    /// Replaces a copy to a register with a tasklet, which each thread runs: threads would share a copy.
    void readByAll(Edge &e) const {
        State &s = *e.src->state();
        const auto *from = cast<AccessNode>(e.src), *to = cast<AccessNode>(e.dst);
        const auto source = analysis::sourceSubset(&e), target = analysis::destinationSubset(&e);
        Tasklet *t = s.addTasklet("copy_" + from->data.str(), {"__out = __inp", Language::Python});
        t->debugInfo = to->debugInfo;
        t->addIn("__inp", g_.desc(from->data)->dtype);
        t->addOut("__out", g_.desc(to->data)->dtype);
        Memlet written = Memlet::simple(to->data, target ? *target : g_.desc(to->data)->fullSubset());
        written.wcr = e.memlet.wcr;
        s.connect(e.src, e.srcConn, t, "__inp", Memlet::simple(from->data, source ? *source : g_.desc(from->data)->fullSubset()));
        s.connect(t, "__out", e.dst, e.dstConn, std::move(written));
        s.removeEdge(&e);
    }

    SDFG &g_;
    std::vector<AccessNode *> nodes_; // outside of maps
    std::set<Name> elements_, registers_;
};

} // namespace

void placeInBlock(SDFG &g) {
    runInOneThread(g);
    for (State *s : allStates(g))
        unwrapTasklets(*s);
    Elements(g).place();
    followStorage(g);
    for (State *s : allStates(g))
        for (MapEntry *m : nodesOf<MapEntry>(*s))
            m->gpuBlockSize.reset();
    for (NestedSDFGNode *nested : hostNested(g))
        placeInBlock(*nested->sdfg);
}

void placeInGrid(SDFG &g) {
    for (State *s : allStates(g)) {
        const analysis::ScopeTree scopes(*s);
        for (Node *n : scopes.children(nullptr)) {
            if (auto *m = dyn_cast<MapEntry>(n))
                m->gpuBlockSize.reset();
            const auto *a = dyn_cast<AccessNode>(n);
            DataDesc *d = a ? g.arrays.find(a->data) : nullptr;
            if (d && d->transient && !d->isView() && !isGpuStorage(d->storage)) {
                d->storage = Storage::GPU_Global;
                d->lifetime = Lifetime::Scope;
            }
        }
    }
}

} // namespace sdfgc::transforms
