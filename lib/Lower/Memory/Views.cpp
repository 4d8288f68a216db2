// Resolves views.
#include "Views.h"

#include "Elements.h"
#include "Lower/Expressions/Symbols.h"
#include "Places.h"

#include "sdfgc/Analysis/Scopes.h"

namespace sdfgc::tree::lowering {

using ir::DataDesc;

namespace {

/// The place of the viewed container, or of a member of a structure.
MemoryPlace viewedPlace(Instance &in, const ir::AccessNode &view, ir::AccessNode &viewed, const ir::Edge &edge, Block &out) {
    const DataDesc *vd = in.g->desc(viewed.data);
    MemoryPlace base = vd && vd->isView() ? resolveView(in, viewed, out) : placeAt(in, edge, viewed);
    if (!vd || !vd->isStructure())
        return base;
    if (edge.memlet.data.str().find('.') != std::string::npos)
        return containerPlace(in, edge.memlet.data);
    const Name member = edge.dst == &view ? edge.srcConn : edge.dstConn;
    if ((edge.srcConn || edge.dstConn) && vd->member(member))
        return containerPlace(in, Name(viewed.data.str() + "." + member.str()));
    return base;
}

} // namespace

MemoryPlace pointerView(Instance &in, const Instance &inner, Name name, const DataDesc &d, const MemoryPlace &base, sym::Expr start,
                        Block &out) {
    Variable v;
    v.name = in.fn->names.declare(name);
    v.type = variableType(d);
    v.kind = d.isStructure() ? VarKind::StructPtr : VarKind::Pointer;
    VarId id = in.function().vars.add(std::move(v));
    auto *declare = out.add<Declare>(id);
    const bool element = isBehindElement(base, d) || d.isStructure(); // this is the address
    declare->target = element ? elementAt(in, base, start) : addressAt(in, base, start);
    if (!element)
        in.function().refs[declare->target].castTo = d.dtype;
    return placeFor(inner, id, d);
}

void resolveViews(Instance &in, const std::vector<ir::Node *> &nodes, Block &out) {
    for (ir::Node *n : nodes)
        if (auto *a = dyn_cast<ir::AccessNode>(n)) {
            const DataDesc *d = in.g->desc(a->data);
            if (d && d->isView() && !in.viewPlaces.count(a))
                resolveView(in, *a, out);
        }
}

MemoryPlace resolveView(Instance &in, ir::AccessNode &n, Block &out) {
    if (auto it = in.viewPlaces.find(&n); it != in.viewPlaces.end())
        return it->second;
    in.viewPlaces[&n] = {}; // ends cycles of views that view each other
    ir::AccessNode *viewed = analysis::viewedNode(&n);
    ir::Edge *edge = analysis::viewEdge(&n);
    if (!viewed || !edge)
        return {};
    const DataDesc &d = *in.g->desc(n.data);
    const MemoryPlace base = viewedPlace(in, n, *viewed, *edge, out);
    if (!base.valid())
        return {};
    const sym::Expr start = startAt(in, base, *edge, edge->dst == &n);
    const bool sameType = base.type == d.dtype && !d.isContainerArray() && !d.isStructure();
    MemoryPlace p;
    if (d.isStructure() && base.type.isStruct()) {
        p = placeFor(in, base.var, d, base.offset); // another name for the same structure
        p.type = base.type;
    } else if (sameType || d.isStream()) {
        p = placeFor(in, base.var, d, start);
        p.memory = base.memory;
    } else {
        p = pointerView(in, in, n.data, d, base, start, out);
    }
    in.places[n.data] = p;
    return in.viewPlaces[&n] = p;
}

} // namespace sdfgc::tree::lowering
