#include "sdfgc/IR/Data.h"

namespace sdfgc::ir {

DataDesc::DataDesc(const DataDesc &o)
    : kind(o.kind), alias(o.alias), className(o.className), dtype(o.dtype), shape(o.shape), strides(o.strides), offset(o.offset),
      totalSize(o.totalSize), cancelled(o.cancelled), startOffset(o.startOffset), bufferSize(o.bufferSize), transient(o.transient),
      mayAlias(o.mayAlias), allowConflicts(o.allowConflicts), pool(o.pool), optional(o.optional), storage(o.storage),
      lifetime(o.lifetime), memory(o.memory), arena(o.arena), alignment(o.alignment),
      elementDesc(o.elementDesc ? std::make_unique<DataDesc>(*o.elementDesc) : nullptr), structName(o.structName),
      debugInfo(o.debugInfo), extra(o.extra) {
    for (const auto &[n, d] : o.members)
        members.emplace_back(n, std::make_unique<DataDesc>(*d));
}

DataDesc &DataDesc::operator=(const DataDesc &o) {
    if (this != &o)
        *this = DataDesc(o);
    return *this;
}

const DataDesc *DataDesc::member(Name n) const {
    for (const auto &[name, d] : members)
        if (name == n)
            return d.get();
    return nullptr;
}

sym::Expr DataDesc::numElements() const {
    sym::Expr n = 1;
    for (sym::Expr s : shape)
        n *= s;
    return n;
}

sym::Subset DataDesc::fullSubset() const {
    sym::Subset s = sym::Subset::full(shape);
    for (std::size_t d = 0; d < s.dims.size() && d < offset.size(); ++d) {
        s.dims[d].begin -= offset[d];
        s.dims[d].end -= offset[d];
    }
    return s;
}

bool DataDesc::isPackedC() const {
    sym::Expr expected = 1;
    for (std::size_t d = shape.size(); d-- > 0;) {
        if (shape[d].isOne())
            continue;
        if (strides[d] != expected)
            return false;
        expected *= shape[d];
    }
    return true;
}

namespace {

void addFreeSymbols(const DataDesc &d, std::set<Name> &names) {
    auto add = [&](sym::Expr e) { names.insert(e.freeSymbols().begin(), e.freeSymbols().end()); };
    for (const auto *list : {&d.shape, &d.strides, &d.offset})
        for (sym::Expr e : *list)
            add(e);
    add(d.totalSize);
    add(d.startOffset);
    add(d.bufferSize);
    for (const auto &[n, member] : d.members)
        addFreeSymbols(*member, names);
    if (d.elementDesc)
        addFreeSymbols(*d.elementDesc, names);
}

} // namespace

std::set<Name> DataDesc::freeSymbols() const {
    std::set<Name> names;
    addFreeSymbols(*this, names);
    return names;
}

DataDesc DataDesc::scalar(Type t, bool transient) {
    DataDesc d;
    d.kind = DataKind::Scalar;
    d.dtype = t;
    d.shape = {1};
    d.strides = {1};
    d.offset = {0};
    d.totalSize = 1;
    d.transient = transient;
    return d;
}

DataDesc DataDesc::array(Type t, std::vector<sym::Expr> shape, bool transient) {
    DataDesc d;
    d.dtype = t;
    d.transient = transient;
    d.strides.resize(shape.size());
    d.offset.assign(shape.size(), 0);
    sym::Expr stride = 1;
    for (std::size_t i = shape.size(); i-- > 0;) {
        d.strides[i] = stride;
        stride *= shape[i];
    }
    d.totalSize = stride;
    d.shape = std::move(shape);
    return d;
}

} // namespace sdfgc::ir
