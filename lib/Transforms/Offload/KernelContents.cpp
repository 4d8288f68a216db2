#include "Transforms/Offload/KernelContents.h"

#include "Transforms/Offload/Obstacles.h"

#include "sdfgc/Analysis/Scopes.h"

namespace sdfgc::transforms {

using namespace ir;

namespace {

void privatise(SDFG &g);

void privatiseScope(State &s, const analysis::ScopeTree &scopes, const Node *entry) {
    SDFG &g = *s.sdfg();
    for (Node *n : scopes.children(entry)) {
        if (auto *m = dyn_cast<MapEntry>(n)) {
            if (m->schedule != Schedule::Unrolled)
                m->schedule = Schedule::Sequential;
            privatiseScope(s, scopes, m);
        } else if (auto *a = dyn_cast<AccessNode>(n)) {
            DataDesc *d = g.arrays.find(a->data);
            if (d && d->transient && !isGpuStorage(d->storage)) {
                d->storage = Storage::Register;
                d->lifetime = Lifetime::Scope;
            }
        } else if (auto *nested = dyn_cast<NestedSDFGNode>(n); nested && nested->sdfg) {
            privatise(*nested->sdfg);
        } else if (auto *l = dyn_cast<LibraryNode>(n)) {
            l->schedule = Schedule::Sequential;
        }
    }
}

void privatise(SDFG &g) {
    for (auto [n, d] : g.arrays)
        if (DataDesc *mine = g.arrays.find(n); mine->transient && !isGpuStorage(mine->storage)) {
            mine->storage = Storage::Register;
            mine->lifetime = Lifetime::Scope;
        }
    for (State *s : allStates(g)) {
        analysis::ScopeTree scopes(*s);
        privatiseScope(*s, scopes, nullptr);
    }
}

} // namespace

void makeKernelsSequential(SDFG &g) {
    for (State *s : allStates(g)) {
        analysis::ScopeTree scopes(*s);
        for (Node *n : scopes.children(nullptr)) {
            if (auto *m = dyn_cast<MapEntry>(n); m && m->schedule == Schedule::GPU_Device)
                privatiseScope(*s, scopes, m);
            if (auto *l = dyn_cast<LibraryNode>(n))
                l->schedule = Schedule::GPU_Device;
        }
    }
    for (NestedSDFGNode *nested : hostNested(g))
        makeKernelsSequential(*nested->sdfg);
}

} // namespace sdfgc::transforms
