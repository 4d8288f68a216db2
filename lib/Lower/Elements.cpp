// References to elements of places.
#include "Elements.h"

#include "Symbols.h"

namespace sdfgc::tree::lowering {

using ir::DataDesc;

MemoryPlace placeFor(const Instance &in, VarId v, const DataDesc &d, sym::Expr offset) {
    MemoryPlace p;
    p.var = v;
    p.offset = offset;
    p.type = d.dtype;
    p.desc = &d;
    for (std::size_t i = 0; i < d.rank(); ++i) {
        p.shape.push_back(inVariables(in, d.shape[i]));
        p.strides.push_back(i < d.strides.size() ? inVariables(in, d.strides[i]) : sym::Expr(1));
        p.offsets.push_back(i < d.offset.size() ? inVariables(in, d.offset[i]) : sym::Expr(0));
    }
    return p;
}

sym::Expr startOffset(const MemoryPlace &p, const sym::Subset &s) {
    sym::Expr offset = p.offset;
    for (std::size_t d = 0; d < s.rank() && d < p.strides.size(); ++d)
        offset += (s.dims[d].begin + p.offsets[d]) * p.strides[d];
    return offset;
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

py::ExprRef read(const Instance &in, const MemoryPlace &p, sym::Expr offset) { return memRef(elementAt(in, p, offset), p.type); }

} // namespace sdfgc::tree::lowering
