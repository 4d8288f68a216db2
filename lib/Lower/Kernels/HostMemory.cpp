#include "HostMemory.h"

#include "sdfgc/Analysis/Memory/Allocation.h"
#include "sdfgc/Analysis/Memory/Memories.h"
#include "sdfgc/Analysis/Scopes.h"
#include "sdfgc/Analysis/Verify.h"

#include <algorithm>

namespace sdfgc::tree::lowering {
namespace {

using namespace ir;

/// Is the container pageable host memory, if the host declares it? Single elements are passed by value.
bool isPageable(const DataDesc &d) {
    if (d.isStream() || d.isStructure() || d.isView() || d.isReference() || d.isScalar())
        return false;
    switch (d.memory) {
    case MemoryKind::Stack:
    case MemoryKind::Heap:
    case MemoryKind::PerThread:
        return true;
    case MemoryKind::Undecided: // an argument
    case MemoryKind::Field:
        return d.storage == Storage::CPU_Heap || d.storage == Storage::CPU_ThreadLocal || d.storage == Storage::Register;
    default:
        return false;
    }
}

/// Containers of the SDFG that a kernel uses and the host declares.
std::set<Name> containersOf(const SDFG &g, const MapEntry &kernel, const analysis::ScopeTree &scopes) {
    std::set<Name> used;
    for (const Edge *e : kernel.inEdges())
        used.insert(e->memlet.data);
    if (kernel.exit)
        for (const Edge *e : kernel.exit->outEdges())
            used.insert(e->memlet.data);
    for (const AccessNode *n : nodesOf<AccessNode>(*kernel.state()))
        if (const DataDesc *d = g.desc(n->data);
            d && scopes.encloses(&kernel, n) && (!d->transient || d->memory == MemoryKind::Field))
            used.insert(n->data);
    return used;
}

} // namespace

void warnOfHostMemory(const LoweredProgram &program) {
    SDFG &root = program.root;
    analysis::Memories memories(root);
    for (SDFG *g : allSDFGs(root)) {
        if (analysis::kernelAround(*g, nullptr, nullptr))
            continue;
        for (State *s : allStates(*g)) {
            std::optional<analysis::ScopeTree> scopes;
            for (const MapEntry *m : nodesOf<MapEntry>(*s)) {
                if (!isKernelSchedule(m->schedule))
                    continue;
                if (!scopes)
                    scopes.emplace(*s);
                for (const Name n : containersOf(*g, *m, *scopes)) {
                    const analysis::Memory memory = g->desc(n) ? memories.of(*g, n) : -1;
                    const DataDesc *d = memory < 0 ? nullptr : memories.desc(memory);
                    if (d && isPageable(*d))
                        program.warn(diag::Message(diag::Id::KernelUsesHostMemory, m->label, n.str(), name(d->storage)),
                                     analysis::placeOf(*m));
                }
            }
        }
    }
}

} // namespace sdfgc::tree::lowering
