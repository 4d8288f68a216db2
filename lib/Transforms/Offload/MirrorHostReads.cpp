// mirror-host-reads: copy device memory to the host where control flow reads it.
//
//   before:  while r > eps { map GPU_Device -> r }
//   after:   copy gpu_r -> r; while r > eps { map GPU_Device -> gpu_r; copy gpu_r -> r }
//
//   before:  x (GPU_Global) -> map[i = 0:n] with n <- x
//   after:   x -> host_n -> map[i = 0:n] with n <- host_n
//
// Control flow runs on the host: conditions, loop headers and assignments of the program, and of nested SDFGs outside
// kernels. A container in device memory that it reads is split: dataflow keeps the device's part under the name gpu_X,
// control flow reads X on the host, and a copy precedes every place that reads it. A map range that determines the size
// of a kernel and comes from device memory is copied to a scalar. A kernel reads the other values of its entry itself.
//
// Errors: loops and branches that read device memory passed by the caller, or views. A copy cannot replace these, and
// the host cannot follow their pointers. The verifier reports the same problem on edges.
#include "Transforms/Edits/HostReads.h"

#include "sdfgc/Analysis/Scopes.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/Analysis/Verify.h"
#include "sdfgc/Pass/Pass.h"
#include "sdfgc/Transforms/Passes.h"

#include <algorithm>

namespace sdfgc::transforms {
namespace {

using namespace ir;

/// Can control flow have a separate copy of a container in device memory?
bool canSplit(const SDFG &g, const DataDesc &d) { return !(g.isRoot() && !d.transient) && !d.isView(); }

/// Rejects loops and branches for which the host would have to read device memory.
void refuseReads(const SDFG &g, diag::Engine &diags) {
    for (const Block *b : allBlocks(g)) {
        const auto *l = dyn_cast<LoopRegion>(b);
        const auto *c = dyn_cast<ConditionalBlock>(b);
        if (!l && !c)
            continue;
        for (const Name n : l ? analysis::containersRead(*l, g) : analysis::containersRead(*c, g))
            if (const DataDesc *d = g.arrays.find(n); d && d->storage == Storage::GPU_Global && !canSplit(g, *d))
                diags.report(diag::Id::DeviceDataOnHost, analysis::placeOf(*b), n.str(), ir::name(d->storage));
    }
}

bool mirrorControlFlow(SDFG &g) {
    Twins twins;
    for (Name n : analysis::containersReadByControlFlow(g)) {
        const DataDesc *d = g.arrays.find(n);
        if (d && d->storage == Storage::GPU_Global && canSplit(g, *d))
            twins[n] = splitForDevice(g, n);
    }
    if (!twins.empty())
        refreshBeforeReads(g, twins);
    return !twins.empty();
}

/// Does the host need the value, because it determines the size of the kernel? The kernel reads other values itself.
bool decidesSize(const MapEntry &m, Name symbol) {
    const auto mentions = [symbol](sym::Expr e) {
        const std::vector<Name> &names = e.freeSymbols();
        return std::find(names.begin(), names.end(), symbol) != names.end();
    };
    const std::vector<sym::Expr> block = m.gpuBlockSize.value_or(std::vector<sym::Expr>());
    return std::any_of(block.begin(), block.end(), mentions) ||
           std::any_of(m.ranges.begin(), m.ranges.end(),
                       [&](const sym::Range &r) { return mentions(r.begin) || mentions(r.end) || mentions(r.step); });
}

/// Ranges that a kernel's map reads from device memory.
bool mirrorRanges(SDFG &g) {
    bool changed = false;
    for (State *s : allStates(g)) {
        std::vector<Edge *> ranges;
        analysis::ScopeTree scopes(*s);
        for (Node *n : scopes.children(nullptr)) {
            const auto *m = dyn_cast<MapEntry>(n);
            if (!m || m->schedule != Schedule::GPU_Device)
                continue;
            for (Edge *e : n->inEdges()) {
                const auto *a = dyn_cast<AccessNode>(e->src);
                const DataDesc *d = a ? g.desc(a->data) : nullptr;
                if (isDynamicRange(e->dstConn) && decidesSize(*m, e->dstConn) && d && d->storage == Storage::GPU_Global)
                    ranges.push_back(e);
            }
        }
        for (Edge *e : ranges) {
            Name host = g.freshName("host_" + e->dstConn.str());
            DataDesc d = DataDesc::scalar(g.desc(e->memlet.data)->dtype, true);
            d.storage = Storage::Register;
            g.arrays.set(host, d);
            auto *a = s->add<AccessNode>(host);
            Memlet copy = e->memlet, read = Memlet::simple(host, d.fullSubset());
            copy.otherSubset = d.fullSubset();
            s->connect(e->src, e->srcConn, a, {}, copy);
            s->connect(a, {}, e->dst, e->dstConn, read);
            s->removeEdge(e);
            changed = true;
        }
    }
    return changed;
}

bool mirror(SDFG &g, diag::Engine &diags) {
    refuseReads(g, diags);
    bool changed = mirrorControlFlow(g);
    changed |= mirrorRanges(g);
    for (NestedSDFGNode *nested : hostNested(g))
        changed |= mirror(*nested->sdfg, diags);
    return changed;
}

class MirrorHostReads : public pass::GraphPass {
public:
    bool run(SDFG &root, pass::Context &context) override {
        const bool changed = mirror(root, context.diags);
        if (changed)
            root.renumber();
        return changed;
    }
};

} // namespace

std::unique_ptr<pass::Pass> createMirrorHostReads() { return std::make_unique<MirrorHostReads>(); }

} // namespace sdfgc::transforms
