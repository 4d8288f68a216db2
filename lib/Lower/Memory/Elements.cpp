// References to elements of places.
#include "Elements.h"

#include "Lower/Expressions/Symbols.h"

#include "sdfgc/Analysis/Scopes.h"
#include "sdfgc/Symbolic/Rounding.h"

namespace sdfgc::tree::lowering {

using ir::DataDesc;

namespace {

/// The integer that an index, a stride or an offset is: a quotient is truncated before anything multiplies it.
sym::Expr integer(sym::Expr written) {
    const sym::Expr e = sym::inIntegers(written);
    const auto [above, below] = sym::asFraction(e);
    return below.isOne() ? e : sym::call(cDivision, {above, below});
}

} // namespace

Type variableType(const DataDesc &d) { return d.isStructure() && d.dtype.isPointer() ? d.dtype.element() : d.dtype; }

MemoryPlace placeFor(const Instance &in, VarId v, const DataDesc &d, sym::Expr offset) {
    MemoryPlace p;
    p.var = v;
    p.offset = offset;
    p.type = variableType(d);
    p.desc = &d;
    for (std::size_t i = 0; i < d.rank(); ++i) {
        p.shape.push_back(inVariables(in, d.shape[i]));
        p.strides.push_back(i < d.strides.size() ? integer(inVariables(in, d.strides[i])) : sym::Expr(1));
        p.offsets.push_back(i < d.offset.size() ? integer(inVariables(in, d.offset[i])) : sym::Expr(0));
    }
    return p;
}

sym::Expr startOffset(const MemoryPlace &p, const sym::Subset &s) {
    sym::Expr offset = p.offset;
    for (std::size_t d = 0; d < s.rank() && d < p.strides.size(); ++d)
        offset += (integer(s.dims[d].begin) + p.offsets[d]) * p.strides[d];
    return offset;
}

sym::Expr startAt(const Instance &in, const MemoryPlace &p, ir::Edge &e, bool source) {
    const std::optional<sym::Subset> subset = source ? analysis::sourceSubset(&e) : analysis::destinationSubset(&e);
    return subset && subset->rank() == p.strides.size() ? startOffset(p, inVariables(in, *subset)) : p.offset;
}

bool isBehindElement(const MemoryPlace &p, const DataDesc &d) {
    return p.type.isPointer() && (d.isStructure() || !d.dtype.isPointer() || p.type == Type::pointer(d.dtype));
}

RefId elementAt(const Instance &in, const MemoryPlace &p, sym::Expr offset) {
    MemRef r;
    r.var = p.var;
    // A single value has one valid element, whatever the index expression looks like.
    r.offset = in.function().vars[p.var].kind == VarKind::Value ? sym::Expr(0) : printable(in, offset);
    return in.function().refs.add(std::move(r));
}

RefId addressAt(const Instance &in, const MemoryPlace &p, sym::Expr offset) {
    RefId slot = elementAt(in, p, offset);
    in.function().refs[slot].address = true;
    return slot;
}

bool isOfThread(const Instance &in, const MemoryPlace &place) {
    const VarKind kind = in.function().vars[place.var].kind;
    return in.fn->device.inside && (kind == VarKind::Value || kind == VarKind::Stack);
}

bool needsAtomics(const Instance &in, const MemoryPlace &place, const ir::Memlet &m) {
    return m.wcrMode != ir::WcrMode::Plain && !isOfThread(in, place);
}

py::ExprRef read(const Instance &in, const MemoryPlace &p, sym::Expr offset) { return memRef(elementAt(in, p, offset), p.type); }

} // namespace sdfgc::tree::lowering
