// Finds the place of a name in the graph.
#include "Places.h"

#include "Elements.h"
#include "Lower/Expressions/Symbols.h"
#include "Views.h"

namespace sdfgc::tree::lowering {

using ir::DataDesc;

namespace {

/// For a view that control flow mentions before any state has used it: the memory that its first access node views.
MemoryPlace viewOutsideState(Instance &in, Name data) {
    for (ir::State *s : ir::allStates(*in.g))
        for (const auto &n : s->nodes())
            if (auto *a = dyn_cast<ir::AccessNode>(n.get()); a && a->data == data) {
                Block declarations;
                MemoryPlace p = resolveView(in, *a, declarations);
                if (p.valid() && declarations.body.empty())
                    return p;
                in.viewPlaces.erase(a);
                in.places.erase(data);
            }
    return {};
}

/// A member of a structure, by its dotted name. A view may show another structure in the next state, and its members change with
/// it.
MemoryPlace memberPlace(Instance &in, Name dottedName) {
    const std::string &text = dottedName.str();
    auto dot = text.rfind('.');
    Name owner(std::string_view(text).substr(0, dot)), member(std::string_view(text).substr(dot + 1));
    MemoryPlace parent = containerPlace(in, owner);
    const DataDesc *d = in.g->desc(dottedName);
    if (!parent.valid() || !d)
        return {};
    if (const auto known = in.places.find(dottedName); known != in.places.end())
        if (in.function().vars[known->second.var].parent == parent.var)
            return known->second;
    Variable v;
    v.name = member;
    v.kind = VarKind::Member;
    v.parent = parent.var;
    v.type = variableType(*d);
    bool value = d->isScalar() || d->isStructure(); // the field of a nested structure is a pointer
    v.count = value ? sym::Expr(0) : inVariables(in, d->totalSize);
    return in.places[dottedName] = placeFor(in, in.function().vars.add(std::move(v)), *d);
}

/// A constant of the program, as a globally visible variable.
MemoryPlace constantPlace(Instance &in, Name name, const ir::Constant &c) {
    Variable v;
    v.name = name;
    v.type = c.desc.dtype;
    v.kind = c.desc.isScalar() ? VarKind::Value : VarKind::Constant;
    v.isConst = true;
    return in.places[name] = placeFor(in, in.function().vars.add(std::move(v)), c.desc);
}

} // namespace

MemoryPlace containerPlace(Instance &in, Name data) {
    if (data.str().find('.') != std::string::npos)
        return memberPlace(in, data);
    if (auto it = in.places.find(data); it != in.places.end())
        return it->second;
    if (const DataDesc *d = in.g->arrays.find(data); d && d->isView())
        return viewOutsideState(in, data);
    if (const ir::Constant *c = in.g->constant(data))
        return constantPlace(in, data, *c);
    return {};
}

MemoryPlace placeOfNode(Instance &in, const ir::AccessNode &n) {
    if (auto it = in.viewPlaces.find(&n); it != in.viewPlaces.end())
        return it->second;
    return containerPlace(in, n.data);
}

MemoryPlace placeAt(Instance &in, const ir::Edge &e, const ir::AccessNode &end) {
    Name data = e.memlet.data;
    if (data && data != end.data && data.str().rfind(end.data.str() + ".", 0) == 0)
        return containerPlace(in, data);
    return placeOfNode(in, end);
}

} // namespace sdfgc::tree::lowering
