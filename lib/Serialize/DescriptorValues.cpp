// Data descriptors and constants (format reference 2.3 and section 3).
#include "DescriptorClass.h"
#include "FieldReader.h"
#include "Fields.h"

#include "sdfgc/IR/Identifier.h"

#include <algorithm>
#include <cctype>
#include <set>

namespace sdfgc::serialize {

using diag::Id;
using ir::AliasKind;
using ir::DataKind;

namespace {

/// The first row for each kind and alias has the name that is written.
constexpr DescriptorClass kClasses[] = {
    {"Scalar", DataKind::Scalar},
    {"Array", DataKind::Array},
    {"Stream", DataKind::Stream},
    {"Structure", DataKind::Structure},
    {"ContainerArray", DataKind::ContainerArray},
    {"ProcessGrid", DataKind::ProcessGrid},
    {"SubArray", DataKind::SubArray},
    {"RedistrArray", DataKind::RedistrArray},
    {"ArrayView", DataKind::Array, AliasKind::View},
    {"StreamView", DataKind::Stream, AliasKind::View},
    {"StructureView", DataKind::Structure, AliasKind::View},
    {"ContainerView", DataKind::ContainerArray, AliasKind::View},
    {"ArrayReference", DataKind::Array, AliasKind::Reference},
    {"StructureReference", DataKind::Structure, AliasKind::Reference},
    {"ContainerArrayReference", DataKind::ContainerArray, AliasKind::Reference},
    {"ParameterArray", DataKind::Array, AliasKind::None, true},
    {"Tensor", DataKind::Structure, AliasKind::None, true},
    // names up to 0.15
    {"View", DataKind::Array, AliasKind::View},
    {"Reference", DataKind::Array, AliasKind::Reference},
    {"StructArray", DataKind::ContainerArray},
    {"StructView", DataKind::Structure, AliasKind::View},
};

/// Fills in strides, offsets and sizes that the file omits: row-major, zero, the product of the shape.
void fillLayout(ir::DataDesc &d) {
    if (d.shape.empty() && (d.isScalar() || d.isStructure()))
        d.shape = {1};
    ir::DataDesc dense = ir::DataDesc::array(d.dtype, d.shape);
    if (d.strides.empty())
        d.strides = std::move(dense.strides);
    if (d.offset.empty())
        d.offset = std::move(dense.offset);
    if (d.totalSize.isZero())
        d.totalSize = dense.totalSize;
}

/// Symbols in a text whose value does not depend on them. DaCe still considers them used, and so they are arguments of the program.
std::vector<Name> cancelledIn(std::string_view text, sym::Expr value) {
    auto isWord = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
    std::set<Name> known(value.freeSymbols().begin(), value.freeSymbols().end());
    std::vector<Name> out;
    for (std::size_t at = text.find('$'); at != std::string_view::npos; at = text.find('$', at)) {
        const std::size_t begin = ++at;
        while (at < text.size() && isWord(text[at]))
            ++at;
        // `$?` is undefined rather than a symbol.
        if (const Name name(text.substr(begin, at - begin)); !name.empty() && known.insert(name).second)
            out.push_back(name);
    }
    return out;
}

/// DaCe's GPU transformations leave offsets of removed dimensions behind. If all are zero, they have no effect.
void dropSurplusOffsets(ValueReader &values, Json at, ir::DataDesc &d) {
    const bool allZero = std::all_of(d.offset.begin(), d.offset.end(), [](sym::Expr e) { return e.isZero(); });
    if (d.offset.size() <= d.shape.size() || !allZero)
        return;
    values.report(Id::SurplusOffsets, at, d.offset.size(), d.shape.size());
    d.offset.resize(d.shape.size());
}

} // namespace

std::optional<DescriptorClass> descriptorClass(std::string_view name) {
    for (const DescriptorClass &c : kClasses)
        if (c.name == name)
            return c;
    return std::nullopt;
}

std::string_view descriptorClassName(const ir::DataDesc &d) {
    if (!d.className.empty())
        return d.className.view();
    for (const DescriptorClass &c : kClasses)
        if (c.kind == d.kind && c.alias == d.alias)
            return c.name;
    return "Array"; // a view of a scalar or the like, which the format does not support
}

void completeHandle(ir::DataDesc &d) {
    if (d.kind != DataKind::ProcessGrid && d.kind != DataKind::SubArray && d.kind != DataKind::RedistrArray)
        return;
    if (d.kind == DataKind::ProcessGrid)
        d.dtype = Type::opaque("MPI_Comm");
    else if (d.kind == DataKind::RedistrArray)
        d.dtype = Type::opaque("dace::comm::RedistrArray");
    d.transient = true;
    d.lifetime = ir::Lifetime::Persistent;
}

bool layoutOverflows(const ir::DataDesc &d) {
    auto overflows = [](sym::Expr e) { return e.overflowed(); };
    return std::any_of(d.strides.begin(), d.strides.end(), overflows) || overflows(d.totalSize);
}

std::optional<ir::DataDesc> ValueReader::readDescriptor(std::string_view key, Json v) {
    if (!expect(key, v, JsonKind::Object))
        return std::nullopt;
    Json type = v.find("type"), attributes = v.find("attributes");
    if (!type) {
        report(Id::MissingKey, v, "a container", "type");
        return std::nullopt;
    }
    if (!expect("type", type, JsonKind::String))
        return std::nullopt;
    auto known = descriptorClass(type.text());
    if (!known) {
        // Users derive their own classes from Array.
        if (!attributes || !attributes.find("strides")) {
            report(Id::UnknownElement, type, "container", type.text(), "");
            return std::nullopt;
        }
        reportOnce(Id::UnknownDescriptor, type, type.text());
        known = {type.text(), DataKind::Array, AliasKind::None, true};
    }
    ir::DataDesc d;
    d.kind = known->kind;
    d.alias = known->alias;
    if (known->keepsName)
        d.className = Name(type.text());
    FieldReader r(*this, attributes);
    descriptorFields(r, d);
    // The sizes of arguments are the caller's responsibility: their symbols do not become arguments, not even through copies that
    // passes make.
    Json size = attributes && d.transient ? attributes.find("total_size") : Json();
    if (size && size.kind() == JsonKind::String && d.cancelled.empty())
        d.cancelled = cancelledIn(size.text(), d.totalSize);
    if (Json toplevel = r.take("toplevel"); toplevel && toplevel.kind() == JsonKind::True && d.lifetime == ir::Lifetime::Scope)
        d.lifetime = ir::Lifetime::SDFG; // up to 0.9
    completeHandle(d);
    dropSurplusOffsets(*this, v, d);
    r.rest(known->keepsName ? known->name : descriptorClassName(d), d.extra);
    fillLayout(d);
    if (layoutOverflows(d))
        report(Id::BadExpression, v, "shape", "the size that follows from it is beyond 64 bits");
    for (auto [name, list] : {std::pair("strides", &d.strides), std::pair("offset", &d.offset)})
        if (list->size() != d.shape.size())
            report(Id::RankMismatch, v, name, list->size(), d.shape.size());
    return d;
}

void ValueReader::read(std::string_view key, Json v, std::unique_ptr<ir::DataDesc> &out) {
    out.reset();
    if (!v.isNull())
        if (auto d = readDescriptor(key, v))
            out = std::make_unique<ir::DataDesc>(std::move(*d));
}

void ValueReader::read(std::string_view key, Json v, std::vector<std::pair<Name, std::unique_ptr<ir::DataDesc>>> &out) {
    auto pairs = readPairs(key, v);
    if (!pairs)
        return;
    out.clear();
    for (const auto &[name, value] : *pairs) {
        const bool symbolic = value.kind() == JsonKind::String || value.kind() == JsonKind::Number;
        if (auto d = symbolic ? readSymbolicMember(name.view(), value) : readDescriptor(name.view(), value))
            out.emplace_back(name, std::make_unique<ir::DataDesc>(std::move(*d)));
    }
}

std::optional<ir::DataDesc> ValueReader::readSymbolicMember(std::string_view key, Json v) {
    const std::optional<sym::Expr> value = readExpr(key, v);
    if (!value)
        return std::nullopt;
    ir::DataDesc d = ir::DataDesc::scalar(ScalarKind::Int32);
    d.className = Name(symbolicMember);
    d.totalSize = *value;
    return d;
}

void ValueReader::read(std::string_view key, Json v, OrderedMap<Name, ir::DataDesc> &out) {
    if (!expect(key, v, JsonKind::Object))
        return;
    for (auto [name, value] : v.members()) {
        auto id = readIdentifier("container", name);
        auto d = readDescriptor(name.text(), value);
        if (id && d)
            out.set(*id, std::move(*d));
    }
}

void ValueReader::read(std::string_view key, Json v, OrderedMap<Name, Type> &out) {
    if (!expect(key, v, JsonKind::Object))
        return;
    for (auto [name, value] : v.members()) {
        auto id = name.text() == ir::undefinedSize ? std::optional(Name(name.text())) : readIdentifier("symbol", name);
        auto t = readType(name.text(), value);
        if (id && t)
            out.set(*id, *t);
    }
}

void ValueReader::read(std::string_view key, Json v, OrderedMap<Name, ir::Constant> &out) {
    if (!expect(key, v, JsonKind::Object))
        return;
    for (auto [name, value] : v.members()) {
        auto id = readIdentifier("constant", name);
        if (!value.isArray() || value.size() != 2) {
            wrongKind(name.text(), value, "a pair of container and value");
            continue;
        }
        auto pair = value.items().begin();
        auto d = readDescriptor(name.text(), *pair);
        ++pair;
        if (id && d)
            out.set(*id, {std::move(*d), (*pair).value()});
    }
}

} // namespace sdfgc::serialize
