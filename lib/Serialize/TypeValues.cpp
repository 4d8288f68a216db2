// Types (format reference 3.1, 3.2) and connectors.
#include "ValueReader.h"

#include "sdfgc/Types/CppTypeName.h"

#include <algorithm>
#include <charconv>

namespace sdfgc::serialize {

using diag::Id;

/// Names with values: an object, or a list of pairs (since 0.10, this keeps the order of structs), or a list of one-member objects.
std::optional<std::vector<std::pair<Name, Json>>> ValueReader::readPairs(std::string_view key, Json v) {
    std::vector<std::pair<Name, Json>> out;
    auto add = [&](Json name, Json value) {
        if (auto id = readIdentifier(key, name))
            out.emplace_back(*id, value);
    };
    if (v.isObject()) {
        for (auto [name, value] : v.members())
            add(name, value);
        return out;
    }
    if (!expect(key, v, JsonKind::Array))
        return std::nullopt;
    for (Json item : v.items()) {
        if (item.isObject()) {
            for (auto [name, value] : item.members())
                add(name, value);
        } else if (item.isArray() && item.size() == 2) {
            auto pair = item.items().begin();
            Json name = *pair;
            add(name, *++pair);
        } else {
            wrongKind(key, item, "a pair of name and value");
        }
    }
    return out;
}

void ValueReader::read(std::string_view key, Json v, Type &out) {
    if (auto t = readType(key, v))
        out = *t;
}

std::optional<Type> ValueReader::readType(std::string_view key, Json v) {
    if (v.isNull())
        return Type();
    Json typeName = v.isString() ? v : v.find("type");
    if (!typeName || !typeName.isString()) {
        wrongKind(key, v, "a type");
        return std::nullopt;
    }
    const std::string_view name = typeName.text();
    auto member = [&](std::string_view k) {
        Json m = v.find(k);
        if (!m && v.isObject())
            report(Id::MissingKey, v, "the type `" + std::string(name) + "`", k);
        return m;
    };
    if (v.isObject() && name == "pointer") {
        Json pointee = member("dtype");
        auto t = pointee ? readType("dtype", pointee) : std::nullopt;
        return t ? std::optional(Type::pointer(*t)) : std::nullopt;
    }
    if (v.isObject() && name == "vector") {
        Json element = member("dtype"), lanes = member("elements");
        if (!element || !lanes)
            return std::nullopt;
        auto t = readType("dtype", element);
        if (lanes.text() == Type::scalableLanesName)
            return t ? std::optional(Type::vector(*t, Type::scalableLanes)) : std::nullopt;
        int64_t n = 0;
        auto [end, error] = std::from_chars(lanes.text().data(), lanes.text().data() + lanes.text().size(), n);
        if (error != std::errc() || end != lanes.text().data() + lanes.text().size() || n < 1) {
            report(Id::UnsupportedFeature, lanes, "a vector type with `" + std::string(lanes.text()) + "` elements",
                   "the number of elements must be known when the graph is compiled");
            return std::nullopt;
        }
        return t ? std::optional(Type::vector(*t, n)) : std::nullopt;
    }
    if (v.isObject() && name == "opaque") {
        Json ctype = member("ctype");
        if (!ctype || !expect("ctype", ctype, JsonKind::String))
            return std::nullopt;
        if (!isCppTypeName(ctype.text())) {
            report(Id::BadType, ctype, "`" + std::string(ctype.text()) + "`");
            return std::nullopt;
        }
        return ctype.text() == "pyobject" ? Type(ScalarKind::PyObject) : Type::opaque(Name(ctype.text()));
    }
    if (v.isObject() && name == "struct")
        return readStruct(v);
    if (v.isObject() && name == "callback")
        return readCallback(v);
    if (auto scalar = scalarTypeByName(name))
        return scalar;
    report(Id::BadType, v, "`" + std::string(name) + "`");
    return std::nullopt;
}

std::optional<Type> ValueReader::readStruct(Json v) {
    Json name = v.find("name"), data = v.find("data");
    if (!name || !data) {
        report(Id::MissingKey, v, "the type `struct`", name ? "data" : "name");
        return std::nullopt;
    }
    auto id = readIdentifier("struct", name);
    auto members = readPairs("data", data);
    if (!id || !members)
        return std::nullopt;
    std::vector<std::pair<Name, Type>> fields;
    for (const auto &[field, type] : *members) {
        auto t = readType(field.view(), type);
        if (!t)
            return std::nullopt;
        fields.emplace_back(field, *t);
    }
    std::vector<std::pair<Name, std::string>> lengths;
    if (Json length = v.find("length"))
        if (auto pairs = readPairs("length", length))
            for (const auto &[field, text] : *pairs)
                read(field.view(), text, lengths.emplace_back(field, "").second);
    return Type::structure(*id, std::move(fields), std::move(lengths));
}

std::optional<Type> ValueReader::readCallback(Json v) {
    // An argument is a type or a complete descriptor; for a descriptor, the JSON is kept along with the element type.
    auto list = [&](std::string_view key, std::vector<Type> &types, std::vector<std::string> &texts) {
        Json values = v.find(key);
        if (!values || values.isNull())
            return true;
        auto add = [&](Json item) {
            Json attributes = item.find("attributes");
            Json dtype = attributes ? attributes.find("dtype") : Json();
            auto t = attributes ? (dtype ? readType("dtype", dtype) : std::optional<Type>(ScalarKind::Int32)) : readType(key, item);
            types.push_back(t.value_or(Type()));
            texts.push_back(attributes ? item.value().dump() : "");
            return t.has_value();
        };
        if (!values.isArray()) // `returntype` of old versions
            return add(values);
        bool good = true;
        for (Json item : values.items())
            good &= add(item);
        return good;
    };
    std::vector<Type> arguments, returns;
    std::vector<std::string> argumentTexts, returnTexts;
    const bool good = list("arguments", arguments, argumentTexts) && list("returntypes", returns, returnTexts) &&
                      (v.find("returntypes") || list("returntype", returns, returnTexts));
    if (!good)
        return std::nullopt;
    for (std::vector<std::string> *texts : {&argumentTexts, &returnTexts})
        if (std::all_of(texts->begin(), texts->end(), [](const std::string &t) { return t.empty(); }))
            texts->clear();
    return Type::callback(std::move(arguments), std::move(returns), std::move(argumentTexts), std::move(returnTexts));
}

void ValueReader::read(std::string_view key, Json v, std::vector<ir::Connector> &out) {
    out.clear();
    out.reserve(v.size());
    if (v.isArray()) { // up to 0.9: a set of names
        std::unordered_set<Name> names;
        for (Json name : v.items())
            if (auto id = readIdentifier("connector", name, true); id && names.insert(*id).second)
                out.push_back({*id, Type()});
        return;
    }
    if (!expect(key, v, JsonKind::Object))
        return;
    for (auto [name, type] : v.members()) {
        auto id = readIdentifier("connector", name, true);
        auto t = readType(name.text(), type);
        if (id && t)
            out.push_back({*id, *t});
    }
}

} // namespace sdfgc::serialize
