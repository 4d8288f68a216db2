#include "Transforms/Offload/ScalarArguments.h"

#include "sdfgc/Analysis/Scopes.h"

namespace sdfgc::transforms {

using namespace ir;

namespace {

/// Can a container that is an array of one element be a scalar? Not if something wants its address.
bool canBeScalar(const SDFG &g, Name data) {
    for (const State *s : allStates(g))
        for (const AccessNode *a : nodesOf<AccessNode>(*s)) {
            if (a->data != data)
                continue;
            for (const Edge *e : a->outEdges()) {
                const auto *other = dyn_cast<AccessNode>(e->dst);
                const DataDesc *d = other ? g.desc(other->data) : nullptr;
                if (d && (d->isView() || d->isReference()))
                    return false;
                for (const Edge *leaf : analysis::memletLeaves(e))
                    if (const Connector *c = leaf->dst->inConnector(leaf->dstConn);
                        c && c->type.isPointer() && !isa<NestedSDFGNode>(leaf->dst))
                        return false;
            }
        }
    return true;
}

} // namespace

void takeScalars(SDFG &g) {
    for (State *s : allStates(g))
        for (NestedSDFGNode *n : nodesOf<NestedSDFGNode>(*s)) {
            if (!n->sdfg)
                continue;
            for (Edge *e : n->inEdges()) {
                DataDesc *inner = n->sdfg->arrays.find(e->dstConn);
                const auto *a = dyn_cast<AccessNode>(analysis::pathSource(e));
                const DataDesc *outer = a ? g.desc(a->data) : nullptr;
                if (!inner || !outer || !inner->isArray() || inner->isView() || !outer->isScalar() || n->outEdge(e->dstConn) ||
                    !inner->fullSubset().isOneElement() || !canBeScalar(*n->sdfg, e->dstConn))
                    continue;
                DataDesc d = DataDesc::scalar(inner->dtype);
                d.storage = inner->storage;
                d.debugInfo = inner->debugInfo;
                *inner = std::move(d);
                for (Edge *part : analysis::memletPath(e))
                    for (Connector *c : {part->src->outConnector(part->srcConn), part->dst->inConnector(part->dstConn)})
                        if (c && c->type.isPointer())
                            c->type = inner->dtype;
            }
            takeScalars(*n->sdfg);
        }
}

} // namespace sdfgc::transforms
