// Containers as variables.
#include "Containers.h"

#include "Elements.h"
#include "Lower/Expressions/Symbols.h"
#include "Lower/Kernels/KernelArrays.h"
#include "Places.h"

#include "sdfgc/Analysis/Memory/Allocation.h"
#include "sdfgc/Analysis/Verify.h"

#include <algorithm>

namespace sdfgc::tree::lowering {

using ir::DataDesc;
using ir::MemoryKind;

namespace {

/// The kind of variable for a container, by the memory kind that place-in-memory chose.
VarKind variableKind(const Instance &in, const DataDesc &d, Name name) {
    switch (d.memory) {
    case MemoryKind::Value:
        return d.isReference() ? (d.isStructure() ? VarKind::StructPtr : VarKind::Pointer) : VarKind::Value;
    case MemoryKind::Stack:
        return VarKind::Stack;
    case MemoryKind::Device:
    case MemoryKind::Slices:
    case MemoryKind::Grid:
        return VarKind::DeviceBuffer;
    case MemoryKind::Pinned:
        return VarKind::PinnedBuffer;
    case MemoryKind::Pool:
        return VarKind::PoolBuffer;
    case MemoryKind::Shared:
        return VarKind::Shared;
    case MemoryKind::Heap:
    case MemoryKind::PerThread:
    case MemoryKind::DeviceHeap:
        return VarKind::Buffer;
    case MemoryKind::Undecided: // rejected by the verifier
    case MemoryKind::Field:
        break;
    }
    in.error(diag::Id::NoPlace, analysis::placeOf(*in.g, d, name), name.str());
    return VarKind::Buffer;
}

/// Declares a variable at the top of the function, whichever block the code is in.
void declareInFunction(Instance &in, VarId v) {
    std::vector<NodePtr> &top = in.fn->top->body;
    top.insert(top.begin() + static_cast<std::ptrdiff_t>(in.fn->topAt++), std::make_unique<Declare>(v));
}

/// Allocates memory for the pointers of a transient structure: arrays, and nested structures (format reference 3.7).
void allocateMembers(Instance &in, Name owner, const DataDesc &d, Block &out) {
    for (const auto &[member, m] : d.members) {
        const Name path(owner.str() + "." + member.str());
        const MemoryPlace pointer = m->isArray() || m->isStructure() ? containerPlace(in, path) : MemoryPlace();
        if (!pointer.valid())
            continue;
        Variable v;
        v.name = in.fn->names.declare(Name(owner.str() + "_" + member.str()));
        v.type = variableType(*m);
        v.kind = m->isStructure() ? VarKind::Value : VarKind::Buffer;
        v.count = m->isStructure() ? sym::Expr(0) : printable(in, inVariables(in, m->totalSize));
        v.comment = "member " + path.str();
        const VarId id = in.function().vars.add(std::move(v));
        out.add<Declare>(id);
        out.add<SetPointer>(pointer.var, addressAt(in, placeFor(in, id, *m), 0));
        if (m->isStructure())
            allocateMembers(in, path, *m, out);
    }
}

/// A single stream, or an array of streams.
void declareStream(Instance &in, Name name, const DataDesc &d, Block &out) {
    Variable v;
    v.type = d.dtype;
    v.kind = VarKind::Stream;
    v.count = printable(in, inVariables(in, d.numElements()));
    v.comment = "stream " + name.str();
    v.name = in.fn->names.declare(name);
    VarId id = in.function().vars.add(std::move(v));
    out.add<Declare>(id);
    in.places[name] = placeFor(in, id, d);
}

/// One container, in the memory that place-in-memory chose.
void declareContainer(Instance &in, Name name, Block &out) {
    const DataDesc &d = *in.g->arrays.find(name);
    if (d.isStream())
        return declareStream(in, name, d, out);
    const sym::Expr size = printable(in, inVariables(in, d.totalSize));
    if (analysis::isInArena(d) && in.fn->device.inside) {
        in.places[name] = d.memory == MemoryKind::Grid ? gridArray(in, name, d, size) : slice(in, name, d, size, out);
        return;
    }
    const bool reserved = in.declarations.reserved.count(name) != 0;
    const bool isArena = analysis::isInArena(d); // sized when the kernel is launched
    const bool ofDevice =
        isArena || d.memory == MemoryKind::Device || d.memory == MemoryKind::Pinned || d.memory == MemoryKind::Pool;
    const bool structure = d.isStructure() && !d.isReference();
    Variable v;
    v.kind = variableKind(in, d, name);
    v.type = variableType(d);
    v.alignment = d.alignment > 0 ? d.alignment : 0;
    v.startOffset = inVariables(in, d.startOffset);
    v.comment = "transient " + name.str();
    v.zeroed = in.isZeroed(name);
    v.countKnown = !reserved && !isArena && d.memory != MemoryKind::Pool;
    v.count = d.memory == MemoryKind::PerThread ? size * sym::call(number::teamSize, {}) : size;
    if (v.kind == VarKind::Shared && !size.asInt())
        in.error(diag::Id::KernelArray, analysis::placeOf(*in.g, d, name), name.str(), size.str());
    if (ofDevice)
        in.usesStream(0);
    const bool ofFunction = d.lifetime == ir::Lifetime::Global && in.parent;
    v.name = ofFunction ? in.fn->names.declareOutermost(name) : in.fn->names.declare(name);
    const VarId id = in.function().vars.add(std::move(v));
    if (!reserved && !ofFunction)
        checkSize(in, name, d, out);
    if (ofFunction)
        declareInFunction(in, id);
    else
        out.add<Declare>(id);
    MemoryPlace p = placeFor(in, id, d);
    if (d.memory == MemoryKind::PerThread)
        p.offset = size * sym::call(number::thread, {});
    in.places[name] = p;
    if (structure && d.transient && !in.fn->device.inside)
        allocateMembers(in, name, d, out);
}

/// A field of the program's state. All instances of an SDFG share it.
MemoryPlace fieldPlace(Instance &in, Name name, const DataDesc &d) {
    StateField f;
    f.name = Name("__" + std::to_string(in.g->cfgId) + "_" + name.str());
    f.type = d.dtype;
    f.lifetime = d.lifetime;
    f.storage = in.options().gpu() ? d.storage : ir::Storage::CPU_Heap; // to the CPU, page-locked memory is ordinary memory
    f.count = printable(in, inVariables(in, d.totalSize));
    f.startOffset = inVariables(in, d.startOffset);
    f.alignment = d.alignment;
    f.isScalar = d.isScalar() && d.storage != ir::Storage::GPU_Global;
    f.isStream = d.isStream();
    f.zeroed = in.isZeroed(name);
    f.comment = ir::elementName(*in.g) + ": " + name.str();
    const std::vector<Param> &init = in.module().init;
    for (Name s : f.count.freeSymbols())
        if (std::none_of(init.begin(), init.end(), [&](const Param &p) { return p.cName == s; })) {
            in.error(diag::Id::PersistentSize, analysis::placeOf(*in.g, d, name), name.str(), f.count.str());
            return {};
        }
    Variable v;
    v.name = f.name;
    v.type = d.dtype;
    v.kind = VarKind::StateField;
    v.count = f.isScalar ? sym::Expr(0) : f.count;
    if (in.program().fields.insert(f.name).second)
        in.module().fields.push_back(std::move(f));
    in.function().needsState = true;
    return placeFor(in, in.function().vars.add(std::move(v)), d);
}

} // namespace

void declareTop(Instance &in, Block &out) {
    for (Name n : in.declarations.program)
        in.places[n] = fieldPlace(in, n, *in.g->arrays.find(n));
    declareAt(in, in.declarations.call, out);
    declareAt(in, in.declarations.top, out);
}

void declareAt(Instance &in, const std::vector<Name> &names, Block &out) {
    // A stream that only feeds an array is a view of that array, which must be declared first.
    for (bool streams : {false, true})
        for (Name n : names)
            if (in.g->arrays.find(n)->isStream() == streams)
                declareContainer(in, n, out);
}

void declareInScope(Instance &in, const ir::Node *entry, Block &out) {
    if (auto at = in.declarations.local.find(in.state); at != in.declarations.local.end())
        if (auto names = at->second.find(entry); names != at->second.end())
            declareAt(in, names->second, out);
}

} // namespace sdfgc::tree::lowering
