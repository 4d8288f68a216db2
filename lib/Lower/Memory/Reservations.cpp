// Memory for containers that are allocated while the program runs.
#include "Reservations.h"

#include "Elements.h"
#include "Lower/Expressions/Symbols.h"

#include "sdfgc/Analysis/Device/Async.h"

namespace sdfgc::tree::lowering {

using ir::DataDesc;

void reserve(Instance &in, Name name, diag::Location at, Block &out) {
    const DataDesc *d = in.g->arrays.find(name);
    const auto place = in.places.find(name);
    if (!d || place == in.places.end() || !place->second.valid()) {
        in.error(diag::Id::NoPlace, std::move(at), name.str());
        return;
    }
    place->second = placeFor(in, place->second.var, *d);
    const VarId v = place->second.var;
    checkSize(in, name, *d, out);
    auto *allocate = out.add<Allocate>(v, printable(in, inVariables(in, d->totalSize)));
    const VarKind kind = in.function().vars[v].kind;
    allocate->reserve = kind == VarKind::DeviceBuffer || kind == VarKind::PinnedBuffer; // waits for the device when it grows
    allocate->zero = in.isZeroed(name);
}

void poolMemory(Instance &in, const analysis::AsyncOp &op, diag::Location at, Block &out) {
    const DataDesc *d = in.g->arrays.find(op.data);
    auto place = in.places.find(op.data);
    const bool known = d && place != in.places.end() && place->second.valid();
    if (!known || in.function().vars[place->second.var].kind != VarKind::PoolBuffer) {
        in.error(diag::Id::NoPlace, std::move(at), op.data.str());
        return;
    }
    const VarId v = place->second.var;
    if (op.kind == analysis::AsyncOp::Free) {
        out.add<Release>(v, op.stream);
        return;
    }
    place->second = placeFor(in, v, *d);
    auto *allocate = out.add<Allocate>(v, printable(in, inVariables(in, d->totalSize)));
    allocate->stream = op.stream;
    allocate->zero = in.isZeroed(op.data);
}

} // namespace sdfgc::tree::lowering
