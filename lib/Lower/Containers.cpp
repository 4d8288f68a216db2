// Containers as variables: declaration, allocation, views, and references to their elements.
#include "Lowering.h"

#include <algorithm>

namespace sdfgc::tree {

using ir::DataDesc;

Place Lowering::placeFor(Instance &in, VarId v, const DataDesc &d, sym::Expr offset) {
    Place p;
    p.var = v;
    p.offset = offset;
    p.type = d.dtype;
    p.desc = &d;
    for (std::size_t i = 0; i < d.rank(); ++i) {
        p.shape.push_back(sub(in, d.shape[i]));
        p.strides.push_back(i < d.strides.size() ? sub(in, d.strides[i]) : sym::Expr(1));
        p.offsets.push_back(i < d.offset.size() ? sub(in, d.offset[i]) : sym::Expr(0));
    }
    return p;
}

// ---------------------------------------------------------------------------------------------------- references to elements

RefId Lowering::elementAt(Instance &in, const Place &p, sym::Expr offset) {
    MemRef r;
    r.var = p.var;
    // A single value has one valid element, whatever the index expression looks like.
    r.offset = fn(in).vars[p.var].kind == VarKind::Value ? sym::Expr(0) : final(in, offset);
    return fn(in).refs.add(std::move(r));
}

RefId Lowering::addressAt(Instance &in, const Place &p, sym::Expr offset) {
    RefId slot = elementAt(in, p, offset);
    fn(in).refs[slot].address = true;
    return slot;
}

RefId Lowering::element(Instance &in, const Place &p, std::span<const sym::Expr> indices) {
    sym::Expr offset = p.offset;
    for (std::size_t d = 0; d < indices.size() && d < p.strides.size(); ++d)
        offset += (indices[d] + p.offsets[d]) * p.strides[d];
    return elementAt(in, p, offset);
}

py::ExprRef Lowering::read(Instance &in, const Place &p, sym::Expr offset) {
    return tree::memRef(elementAt(in, p, offset), p.type);
}

sym::Expr Lowering::startOffset(const Place &p, const sym::Subset &s) const {
    sym::Expr offset = p.offset;
    for (std::size_t d = 0; d < s.rank() && d < p.strides.size(); ++d)
        offset += (s.dims[d].begin + p.offsets[d]) * p.strides[d];
    return offset;
}

// ---------------------------------------------------------------------------------------------------- declarations

void Lowering::declareTop(Instance &in, Block &out) {
    for (Name n : in.declarations.program)
        in.places[n] = fieldPlace(in, n, *in.g->arrays.find(n));
    declareAt(in, in.declarations.call, out);
    declareAt(in, in.declarations.top, out);
}

void Lowering::declareAt(Instance &in, const std::vector<Name> &names, Block &out) {
    // A stream that only feeds an array is a view of that array, which must be declared first.
    for (bool streams : {false, true})
        for (Name n : names)
            if (in.g->arrays.find(n)->isStream() == streams)
                declareContainer(in, n, out);
}

/// Containers that some access node asks to be zero from the start.
const std::set<Name> &Lowering::zeroed(ir::SDFG &g) {
    auto [known, isNew] = zeroed_.try_emplace(&g);
    if (isNew)
        for (const ir::State *s : ir::allStates(g))
            for (const auto &n : s->nodes())
                if (const auto *a = dyn_cast<ir::AccessNode>(n.get()); a && a->setZero)
                    known->second.insert(a->data);
    return known->second;
}

/// What a container's memory is in the tree, by the kind that place-in-memory chose.
VarKind Lowering::variableKind(const Instance &in, const DataDesc &d, Name name) {
    switch (d.memory) {
    case ir::MemoryKind::Value:
        return d.isReference() ? (d.isStructure() ? VarKind::StructPtr : VarKind::Pointer) : VarKind::Value;
    case ir::MemoryKind::Stack:
        return VarKind::Stack;
    case ir::MemoryKind::Device:
    case ir::MemoryKind::Slices:
    case ir::MemoryKind::Grid:
        return VarKind::DeviceBuffer;
    case ir::MemoryKind::Pinned:
        return VarKind::PinnedBuffer;
    case ir::MemoryKind::Pool:
        return VarKind::PoolBuffer;
    case ir::MemoryKind::Shared:
        return VarKind::Shared;
    case ir::MemoryKind::Heap:
    case ir::MemoryKind::PerThread:
    case ir::MemoryKind::DeviceHeap:
        return VarKind::Buffer;
    case ir::MemoryKind::Undecided: // refused by the verifier
    case ir::MemoryKind::Field:
        break;
    }
    error(diag::Id::NoPlace, analysis::placeOf(*in.g, d, name), name.str());
    return VarKind::Buffer;
}

void Lowering::declareContainer(Instance &in, Name name, Block &out) {
    using ir::MemoryKind;
    const DataDesc &d = *in.g->arrays.find(name);
    if (d.isStream())
        return declareStream(in, name, d, out);
    const sym::Expr size = final(in, sub(in, d.totalSize));
    if (analysis::isInArena(d) && in.fn->device.inside) {
        in.places[name] = d.memory == MemoryKind::Grid ? gridArray(in, name, d, size) : slice(in, name, d, size, out);
        return;
    }
    const bool reserved = in.declarations.reserved.count(name) != 0;
    const bool isArena = analysis::isInArena(d); // has its size when the kernel is started
    const bool ofDevice =
        isArena || d.memory == MemoryKind::Device || d.memory == MemoryKind::Pinned || d.memory == MemoryKind::Pool;
    const bool structure = d.isStructure() && !d.isReference();
    Variable v;
    v.kind = variableKind(in, d, name);
    v.type = d.isStructure() && d.dtype.isPointer() ? d.dtype.element() : d.dtype;
    v.alignment = d.alignment > 0 ? d.alignment : 0;
    v.startOffset = sub(in, d.startOffset);
    v.comment = "transient " + name.str();
    v.zeroed = zeroed(*in.g).count(name) != 0;
    v.countKnown = !reserved && !isArena && d.memory != MemoryKind::Pool;
    v.count = d.memory == MemoryKind::PerThread ? size * sym::call(number::teamSize, {}) : size;
    if (v.kind == VarKind::Shared && !size.asInt())
        error(diag::Id::KernelArray, analysis::placeOf(*in.g, d, name), name.str(), size.str());
    if (ofDevice) {
        fn(in).needsState = true;
        module_->streams = std::max(module_->streams, 1);
    }
    const bool ofFunction = d.lifetime == ir::Lifetime::Global && in.parent;
    v.name = ofFunction ? nameInFunction(in, name) : in.fn->names.declare(name);
    const VarId id = fn(in).vars.add(std::move(v));
    if (ofFunction)
        declareInFunction(in, id);
    else
        out.add<Declare>(id);
    Place p = placeFor(in, id, d);
    if (structure)
        p.type = fn(in).vars[id].type;
    if (d.memory == MemoryKind::PerThread)
        p.offset = size * sym::call(number::thread, {});
    in.places[name] = p;
    if (structure && d.transient && !in.fn->device.inside)
        allocateMembers(in, name, d, out);
}

/// A name that no other variable of the function has: what is declared at its top is seen everywhere.
Name Lowering::nameInFunction(Instance &in, Name wanted) {
    std::set<Name> taken;
    for (const Variable &v : fn(in).vars)
        taken.insert(v.name);
    return in.fn->names.declareOutermost(wanted, taken);
}

/// Declares a variable at the top of the function, whatever block the code is in.
void Lowering::declareInFunction(Instance &in, VarId v) {
    std::vector<NodePtr> &top = in.fn->top->body;
    top.insert(top.begin() + static_cast<std::ptrdiff_t>(in.fn->topAt++), std::make_unique<Declare>(v));
}

/// Memory for what the pointers of a transient structure point to: arrays, and structures in it (format reference 3.7).
void Lowering::allocateMembers(Instance &in, Name owner, const DataDesc &d, Block &out) {
    for (const auto &[member, m] : d.members) {
        const Name path(owner.str() + "." + member.str());
        const Place pointer = m->isArray() || m->isStructure() ? place(in, path) : Place();
        if (!pointer.valid())
            continue;
        Variable v;
        v.name = in.fn->names.declare(Name(owner.str() + "_" + member.str()));
        v.type = m->isStructure() && m->dtype.isPointer() ? m->dtype.element() : m->dtype;
        v.kind = m->isStructure() ? VarKind::Value : VarKind::Buffer;
        v.count = m->isStructure() ? sym::Expr(0) : final(in, sub(in, m->totalSize));
        v.comment = "member " + path.str();
        const VarId id = fn(in).vars.add(std::move(v));
        out.add<Declare>(id);
        out.add<SetPointer>(pointer.var, addressAt(in, placeFor(in, id, *m), 0));
        if (m->isStructure())
            allocateMembers(in, path, *m, out);
    }
}

void Lowering::declareStream(Instance &in, Name name, const DataDesc &d, Block &out) {
    Variable v;
    v.type = d.dtype;
    v.kind = VarKind::Stream;
    v.count = final(in, sub(in, d.numElements()));
    v.comment = "stream " + name.str();
    v.name = in.fn->names.declare(name);
    VarId id = fn(in).vars.add(std::move(v));
    out.add<Declare>(id);
    in.places[name] = placeFor(in, id, d);
}

Place Lowering::fieldPlace(Instance &in, Name name, const DataDesc &d) {
    StateField f;
    f.name = Name("__" + std::to_string(in.g->cfgId) + "_" + name.str());
    f.type = d.dtype;
    f.lifetime = d.lifetime;
    f.storage = context_.options.gpu() ? d.storage : ir::Storage::CPU_Heap; // page-locked memory is memory to the CPU
    f.count = final(in, sub(in, d.totalSize));
    f.startOffset = sub(in, d.startOffset);
    f.alignment = d.alignment;
    f.isScalar = d.isScalar() && d.storage != ir::Storage::GPU_Global;
    f.isStream = d.isStream();
    f.comment = ir::elementName(*in.g) + ": " + name.str();
    std::set<Name> init;
    for (const Param &p : module_->init)
        init.insert(p.cName);
    for (Name s : f.count.freeSymbols())
        if (!init.count(s)) {
            error(diag::Id::PersistentSize, analysis::placeOf(*in.g, d, name), name.str(), f.count.str());
            return {};
        }
    bool known = false;
    for (const StateField &other : module_->fields)
        known |= other.name == f.name;
    Variable v;
    v.name = f.name;
    v.type = d.dtype;
    v.kind = VarKind::StateField;
    v.count = f.isScalar ? sym::Expr(0) : f.count;
    if (!known)
        module_->fields.push_back(std::move(f));
    fn(in).needsState = true;
    return placeFor(in, fn(in).vars.add(std::move(v)), d);
}

/// Memory for the size that a container has now.
void Lowering::reserve(Instance &in, Name name, diag::Location at, Block &out) {
    const DataDesc *d = in.g->arrays.find(name);
    const auto place = in.places.find(name);
    if (!d || place == in.places.end() || !place->second.valid()) {
        error(diag::Id::NoPlace, std::move(at), name.str());
        return;
    }
    place->second = placeFor(in, place->second.var, *d);
    const VarId v = place->second.var;
    auto *allocate = out.add<Allocate>(v, final(in, sub(in, d->totalSize)));
    const VarKind kind = fn(in).vars[v].kind;
    allocate->reserve = kind == VarKind::DeviceBuffer || kind == VarKind::PinnedBuffer; // waits for the device where it grows
    allocate->zero = zeroed(*in.g).count(name) != 0;
}

// ---------------------------------------------------------------------------------------------------- finding places

Place Lowering::place(Instance &in, Name data) {
    if (auto it = in.places.find(data); it != in.places.end())
        return it->second;
    if (data.str().find('.') != std::string::npos)
        return memberPlace(in, data);
    if (const DataDesc *d = in.g->arrays.find(data); d && d->isView())
        return viewOutsideState(in, data);
    if (const ir::Constant *c = in.g->constant(data)) {
        Variable v;
        v.name = data;
        v.type = c->desc.dtype;
        v.kind = c->desc.isScalar() ? VarKind::Value : VarKind::Constant;
        v.isConst = true;
        return in.places[data] = placeFor(in, fn(in).vars.add(std::move(v)), c->desc);
    }
    return {};
}

/// A view that control flow mentions before any state has used it: what its first access node looks at.
Place Lowering::viewOutsideState(Instance &in, Name data) {
    for (ir::State *s : ir::allStates(*in.g))
        for (const auto &n : s->nodes())
            if (auto *a = dyn_cast<ir::AccessNode>(n.get()); a && a->data == data) {
                Block declarations;
                Place p = resolveView(in, *a, declarations);
                if (p.valid() && declarations.body.empty())
                    return p;
                in.viewPlaces.erase(a);
                in.places.erase(data);
            }
    return {};
}

Place Lowering::memberPlace(Instance &in, Name dottedName) {
    const std::string &text = dottedName.str();
    auto dot = text.rfind('.');
    Name owner(std::string_view(text).substr(0, dot)), member(std::string_view(text).substr(dot + 1));
    Place parent = place(in, owner);
    const DataDesc *d = in.g->desc(dottedName);
    if (!parent.valid() || !d)
        return {};
    Variable v;
    v.name = member;
    v.kind = VarKind::Member;
    v.parent = parent.var;
    v.type = d->dtype;
    if (d->isStructure())
        v.type = d->dtype.isPointer() ? d->dtype.element() : d->dtype;
    bool value = d->isScalar() || d->isStructure(); // a nested structure is a pointer in its field
    v.count = value ? sym::Expr(0) : sub(in, d->totalSize);
    Type type = v.type;
    Place p = placeFor(in, fn(in).vars.add(std::move(v)), *d);
    p.type = type;
    return in.places[dottedName] = p;
}

Place Lowering::placeOfNode(Instance &in, const ir::AccessNode &n) {
    if (auto it = in.viewPlaces.find(&n); it != in.viewPlaces.end())
        return it->second;
    return place(in, n.data);
}

Place Lowering::placeAt(Instance &in, const ir::Edge &e, const ir::AccessNode &end) {
    Name data = e.memlet.data;
    if (data && data != end.data && data.str().rfind(end.data.str() + ".", 0) == 0)
        return place(in, data);
    return placeOfNode(in, end);
}

// ---------------------------------------------------------------------------------------------------- views

void Lowering::resolveViews(Instance &in, const std::vector<ir::Node *> &nodes, Block &out) {
    for (ir::Node *n : nodes)
        if (auto *a = dyn_cast<ir::AccessNode>(n)) {
            const DataDesc *d = in.g->desc(a->data);
            if (d && d->isView() && !in.viewPlaces.count(a))
                resolveView(in, *a, out);
        }
}

Place Lowering::resolveView(Instance &in, ir::AccessNode &n, Block &out) {
    if (auto it = in.viewPlaces.find(&n); it != in.viewPlaces.end())
        return it->second;
    in.viewPlaces[&n] = {}; // ends cycles of views that look at each other
    ir::AccessNode *viewed = analysis::viewedNode(&n);
    ir::Edge *edge = analysis::viewEdge(&n);
    const DataDesc &d = *in.g->desc(n.data);
    if (!viewed || !edge)
        return {};
    const DataDesc *vd = in.g->desc(viewed->data);
    Place base = vd && vd->isView() ? resolveView(in, *viewed, out) : placeAt(in, *edge, *viewed);
    if (vd && vd->isStructure() && edge->memlet.data.str().find('.') != std::string::npos)
        base = place(in, edge->memlet.data);
    else if (vd && vd->isStructure() && (edge->srcConn || edge->dstConn)) {
        Name member = edge->dst == &n ? edge->srcConn : edge->dstConn;
        if (vd->member(member))
            base = place(in, Name(viewed->data.str() + "." + member.str()));
    }
    if (!base.valid())
        return {};
    std::optional<sym::Subset> subset = edge->dst == &n ? analysis::sourceSubset(edge) : analysis::destinationSubset(edge);
    if (edge->memlet.data == n.data && !subset)
        subset = std::nullopt;
    sym::Expr start = base.offset;
    if (subset && subset->rank() == base.strides.size())
        start = startOffset(base, sub(in, *subset));
    else if (base.desc)
        start = startOffset(base, sub(in, base.desc->fullSubset()));
    Place p;
    bool sameType = base.type == d.dtype && !d.isContainerArray() && !d.isStructure();
    if (d.isStructure() && base.type.isStruct()) {
        p = placeFor(in, base.var, d, base.offset); // another name for the same structure
        p.type = base.type;
    } else if (sameType || d.isStream()) {
        p = placeFor(in, base.var, d, start);
    } else {
        // Another element type, or an element that is itself a pointer: a pointer variable of its own.
        Variable v;
        v.name = in.fn->names.declare(n.data);
        v.type = d.dtype;
        v.kind = VarKind::Pointer;
        if (d.isStructure()) {
            v.kind = VarKind::StructPtr;
            v.type = d.dtype.isPointer() ? d.dtype.element() : d.dtype;
        }
        VarId id = fn(in).vars.add(std::move(v));
        auto *declare = out.add<Declare>(id);
        // An array that is an element of a container array: the element is the address.
        bool pointerElement = base.type.isPointer() && (!d.dtype.isPointer() || base.type == Type::pointer(d.dtype));
        declare->target = pointerElement || d.isStructure() ? elementAt(in, base, start) : addressAt(in, base, start);
        MemRef &r = fn(in).refs[declare->target];
        if (!pointerElement && !d.isStructure())
            r.castTo = d.dtype;
        p = placeFor(in, id, d);
        if (d.isStructure())
            p.type = fn(in).vars[id].type;
    }
    in.places[n.data] = p;
    return in.viewPlaces[&n] = p;
}

} // namespace sdfgc::tree
