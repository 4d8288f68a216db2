// The pool of types, and their properties. Spellings are in Spelling.cpp.
#include "sdfgc/Types/Type.h"

#include "Types/TypeData.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <deque>
#include <mutex>
#include <unordered_map>

namespace sdfgc {
namespace {

constexpr std::size_t scalarCount = static_cast<std::size_t>(ScalarKind::PyObject) + 1;

const std::array<Type::Data, scalarCount> &scalars() {
    static const auto *table = [] {
        auto *t = new std::array<Type::Data, scalarCount>; // lives as long as the process, as every type
        for (std::size_t i = 0; i < scalarCount; ++i)
            (*t)[i].scalar = static_cast<ScalarKind>(i);
        return t;
    }();
    return *table;
}

struct Pool {
    std::mutex lock;
    std::deque<Type::Data> types; // stable addresses
    std::unordered_map<std::string, const Type::Data *> index;
};

/// A text that differs for different types. Component types are interned, so their address identifies them; it is only used for the
/// lookup.
class Key {
public:
    explicit Key(TypeKind kind) : text_(1, static_cast<char>('0' + static_cast<int>(kind))) {}
    Key &add(int64_t v) {
        text_ += std::to_string(v);
        text_ += ',';
        return *this;
    }
    Key &add(Type t) { return add(static_cast<int64_t>(t.hash())); }
    Key &add(std::string_view s) {
        add(static_cast<int64_t>(s.size()));
        text_ += s;
        return *this;
    }
    template <class List, class AddItem> Key &addList(const List &list, AddItem addItem) {
        add(static_cast<int64_t>(list.size()));
        for (const auto &item : list)
            addItem(item);
        return *this;
    }
    std::string text_;
};

const Type::Data *intern(const Key &key, Type::Data data) {
    static Pool *pool = new Pool;
    std::lock_guard guard(pool->lock);
    auto [at, isNew] = pool->index.try_emplace(key.text_, nullptr);
    if (isNew)
        at->second = &pool->types.emplace_back(std::move(data));
    return at->second;
}

bool between(ScalarKind k, ScalarKind first, ScalarKind last) { return first <= k && k <= last; }

std::optional<int64_t> scalarBytes(ScalarKind kind) {
    switch (kind) {
    case ScalarKind::Void:
        return std::nullopt;
    case ScalarKind::Bool:
    case ScalarKind::Int8:
    case ScalarKind::UInt8:
    case ScalarKind::Float8E4M3FN:
    case ScalarKind::Float8E5M2:
        return 1;
    case ScalarKind::Int16:
    case ScalarKind::UInt16:
    case ScalarKind::Float16:
    case ScalarKind::BFloat16:
        return 2;
    case ScalarKind::Int32:
    case ScalarKind::UInt32:
    case ScalarKind::Float32:
        return 4;
    case ScalarKind::Int64:
    case ScalarKind::UInt64:
    case ScalarKind::Float64:
    case ScalarKind::Complex64:
    case ScalarKind::String:
    case ScalarKind::PyObject:
        return 8;
    case ScalarKind::Complex128:
        return 16;
    }
    return std::nullopt;
}

} // namespace

Type::Type() : data_(&scalars()[0]) {}
Type::Type(ScalarKind kind) : data_(&scalars()[static_cast<std::size_t>(kind)]) {}

Type Type::vector(Type element, int64_t lanes) {
    Data d;
    d.kind = TypeKind::Vector;
    d.element = element;
    d.lanes = lanes;
    return Type(intern(Key(d.kind).add(element).add(lanes), std::move(d)));
}

Type Type::pointer(Type pointee) {
    Data d;
    d.kind = TypeKind::Pointer;
    d.element = pointee;
    return Type(intern(Key(d.kind).add(pointee), std::move(d)));
}

Type Type::opaque(Name ctype) {
    Data d;
    d.kind = TypeKind::Opaque;
    d.name = ctype;
    return Type(intern(Key(d.kind).add(ctype.view()), std::move(d)));
}

Type Type::structure(Name name, std::vector<std::pair<Name, Type>> fields, std::vector<std::pair<Name, std::string>> lengths) {
    Data d;
    d.kind = TypeKind::Struct;
    d.name = name;
    d.fields = std::move(fields);
    d.lengths = std::move(lengths);
    Key key(d.kind);
    key.add(name.view());
    key.addList(d.fields, [&](const auto &f) { key.add(f.first.view()).add(f.second); });
    key.addList(d.lengths, [&](const auto &l) { key.add(l.first.view()).add(l.second); });
    return Type(intern(key, std::move(d)));
}

Type Type::callback(std::vector<Type> arguments, std::vector<Type> returns, std::vector<std::string> argumentJson,
                    std::vector<std::string> returnJson) {
    Data d;
    d.kind = TypeKind::Callback;
    d.arguments = std::move(arguments);
    d.returns = std::move(returns);
    d.argumentJson = std::move(argumentJson);
    d.returnJson = std::move(returnJson);
    Key key(d.kind);
    auto addType = [&](Type t) { key.add(t); };
    auto addText = [&](const std::string &s) { key.add(s); };
    key.addList(d.arguments, addType).addList(d.returns, addType).addList(d.argumentJson, addText).addList(d.returnJson, addText);
    return Type(intern(key, std::move(d)));
}

TypeKind Type::kind() const { return data_->kind; }
ScalarKind Type::scalar() const { return data_->scalar; }

bool Type::isBool() const { return scalar() == ScalarKind::Bool; }
bool Type::isInteger() const { return between(scalar(), ScalarKind::Int8, ScalarKind::UInt64); }
bool Type::isSigned() const { return between(scalar(), ScalarKind::Int8, ScalarKind::Int64); }
bool Type::isUnsigned() const { return between(scalar(), ScalarKind::UInt8, ScalarKind::UInt64); }
bool Type::isFloat() const { return between(scalar(), ScalarKind::Float16, ScalarKind::Float64); }
bool Type::isComplex() const { return between(scalar(), ScalarKind::Complex64, ScalarKind::Complex128); }

Type Type::element() const { return data_->element.value_or(Type()); }
int64_t Type::lanes() const { return data_->lanes; }
Type Type::ofLane() const {
    if (isPointer())
        return pointer(element().ofLane());
    return isScalableVector() ? element() : *this;
}

std::string Type::lanesText() const { return isScalableVector() ? std::string(scalableLanesName) : std::to_string(lanes()); }
Name Type::name() const { return data_->name; }
const std::vector<std::pair<Name, Type>> &Type::fields() const { return data_->fields; }
const std::vector<std::pair<Name, std::string>> &Type::fieldLengths() const { return data_->lengths; }

std::optional<Type> Type::field(Name name) const {
    for (const auto &[fieldName, type] : fields())
        if (fieldName == name)
            return type;
    return std::nullopt;
}

const std::vector<Type> &Type::arguments() const { return data_->arguments; }
const std::vector<Type> &Type::returns() const { return data_->returns; }
const std::vector<std::string> &Type::argumentJson() const { return data_->argumentJson; }
const std::vector<std::string> &Type::returnJson() const { return data_->returnJson; }

std::optional<int64_t> Type::bytes() const {
    switch (kind()) {
    case TypeKind::Scalar:
        return scalarBytes(scalar());
    case TypeKind::Pointer:
    case TypeKind::Callback:
        return 8;
    case TypeKind::Struct:
    case TypeKind::Opaque:
        return std::nullopt;
    case TypeKind::Vector:
        break;
    }
    std::optional<int64_t> one = element().bytes();
    int64_t all = 0;
    if (!one || lanes() < 0 || __builtin_mul_overflow(*one, lanes(), &all))
        return std::nullopt;
    return all;
}

namespace {

int rank(Type t) { return t.isBool() ? 1 : t.isInteger() ? 2 : t.isFloat() ? 3 : t.isComplex() ? 4 : 0; }

Type commonFloat(Type a, Type b) {
    if (*a.bytes() != *b.bytes())
        return *a.bytes() > *b.bytes() ? a : b;
    return a == b ? a : Type(ScalarKind::Float32); // two formats of the same size: neither contains the other
}

Type commonInteger(Type a, Type b) {
    if (*a.bytes() != *b.bytes())
        return *a.bytes() > *b.bytes() ? a : b;
    return a.isUnsigned() ? a : b;
}

/// A complex type that can hold the components of both; an integer does not widen a complex type.
Type commonComplex(Type a, Type b) {
    auto wide = [](Type t) { return t == Type(ScalarKind::Complex128) || t == Type(ScalarKind::Float64); };
    return wide(a) || wide(b) ? Type(ScalarKind::Complex128) : Type(ScalarKind::Complex64);
}

} // namespace

// Vector with vector recurses once per nesting of vector types.
Type commonType(Type a, Type b) {
    if (a == b || b.isVoid())
        return a;
    if (a.isVoid())
        return b;
    if (a.isVector() || b.isVector()) {
        Type element = commonType(a.isVector() ? a.element() : a, b.isVector() ? b.element() : b);
        const bool isScalable = a.isScalableVector() || b.isScalableVector();
        return element ? Type::vector(element, isScalable ? Type::scalableLanes : std::max(a.lanes(), b.lanes())) : Type();
    }
    if (a.isPointer() && b.isInteger())
        return a;
    if (b.isPointer() && a.isInteger())
        return b;
    int ra = rank(a), rb = rank(b);
    if (ra == 0 || rb == 0)
        return Type();
    if (ra == 4 || rb == 4)
        return commonComplex(a, b);
    if (ra != rb)
        return ra > rb ? a : b;
    return ra == 3 ? commonFloat(a, b) : ra == 2 ? commonInteger(a, b) : a;
}

} // namespace sdfgc
