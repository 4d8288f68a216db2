// Names of types: in files, for people, and in C++.
#include "sdfgc/Types/CppTypeName.h"
#include "sdfgc/Types/Type.h"

#include <utility>

namespace sdfgc {
namespace {

struct ScalarNames {
    ScalarKind kind;
    std::string_view file; // format reference 3.1
    std::string_view cpp;
};

// One row per ScalarKind, in its order.
constexpr ScalarNames scalarNames[] = {
    {ScalarKind::Void, "void", "void"},
    {ScalarKind::Bool, "bool", "bool"},
    {ScalarKind::Int8, "int8", "int8_t"},
    {ScalarKind::Int16, "int16", "int16_t"},
    {ScalarKind::Int32, "int32", "int32_t"},
    {ScalarKind::Int64, "int64", "int64_t"},
    {ScalarKind::UInt8, "uint8", "uint8_t"},
    {ScalarKind::UInt16, "uint16", "uint16_t"},
    {ScalarKind::UInt32, "uint32", "uint32_t"},
    {ScalarKind::UInt64, "uint64", "uint64_t"},
    {ScalarKind::Float16, "float16", "sdfgc::rt::float16"},
    {ScalarKind::BFloat16, "bfloat16", "sdfgc::rt::bfloat16"},
    {ScalarKind::Float8E4M3FN, "float8_e4m3fn", "sdfgc::rt::float8_e4m3fn"},
    {ScalarKind::Float8E5M2, "float8_e5m2", "sdfgc::rt::float8_e5m2"},
    {ScalarKind::Float32, "float32", "float"},
    {ScalarKind::Float64, "float64", "double"},
    {ScalarKind::Complex64, "complex64", "std::complex<float>"},
    {ScalarKind::Complex128, "complex128", "std::complex<double>"},
    {ScalarKind::String, "string", "char *"},
    {ScalarKind::PyObject, "pyobject", "void *"},
};

const ScalarNames &names(ScalarKind kind) { return scalarNames[static_cast<std::size_t>(kind)]; }

std::string joined(const std::vector<Type> &types) {
    std::string text;
    for (Type t : types) {
        if (!text.empty())
            text += ", ";
        text += t.str();
    }
    return text;
}

} // namespace

std::string_view scalarTypeName(ScalarKind kind) { return names(kind).file; }

std::optional<Type> scalarTypeByName(std::string_view name) {
    if (name == "bool_")
        return Type(ScalarKind::Bool);
    for (const ScalarNames &row : scalarNames)
        if (row.file == name && row.kind != ScalarKind::Void)
            return Type(row.kind);
    return std::nullopt;
}

bool isCppTypeName(std::string_view text) {
    int depth = 0; // of angle brackets
    bool hasWord = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_', digit = c >= '0' && c <= '9';
        if (c == ':' && text.substr(i, 2) == "::")
            ++i;
        else if (!letter && !digit && std::string_view("<>,*& ").find(c) == std::string_view::npos)
            return false;
        hasWord = hasWord || letter;
        depth += c == '<' ? 1 : c == '>' ? -1 : 0;
        if (depth < 0 || (c == ',' && depth == 0))
            return false;
    }
    return hasWord && depth == 0;
}

std::string Type::str() const {
    switch (kind()) {
    case TypeKind::Scalar:
        return std::string(names(scalar()).file);
    case TypeKind::Vector:
        return "vector(" + element().str() + ", " + lanesText() + ")";
    case TypeKind::Pointer:
        return "pointer(" + element().str() + ")";
    case TypeKind::Struct:
    case TypeKind::Opaque:
        return name().str();
    case TypeKind::Callback:
        return "callback(" + joined(arguments()) + (returns().empty() ? "" : " -> " + joined(returns())) + ")";
    }
    return {};
}

std::string Type::cppName() const {
    switch (kind()) {
    case TypeKind::Scalar:
        return std::string(names(scalar()).cpp);
    case TypeKind::Struct:
    case TypeKind::Opaque:
        return name().str();
    case TypeKind::Callback:
        return {};
    case TypeKind::Vector:
    case TypeKind::Pointer:
        break;
    }
    std::string inner = element().cppName();
    if (inner.empty())
        return {};
    if (isVector())
        return "sdfgc::rt::vec<" + inner + ", " + std::to_string(lanes()) + ">";
    return inner + (inner.back() == '*' ? "*" : " *");
}

std::string Type::kernelName() const {
    std::string text = cppName();
    constexpr std::string_view host = "std::complex<", device = "sdfgc::gpu::complex<";
    for (std::size_t at = text.find(host); at != std::string::npos; at = text.find(host, at + device.size()))
        text.replace(at, host.size(), device);
    return text;
}

std::string Type::openClName() const {
    if (isPointer())
        return element().openClName() + (element().isPointer() ? "*" : " *");
    if (isVector()) {
        const bool isPlain =
            element().isInteger() || element() == Type(ScalarKind::Float32) || element() == Type(ScalarKind::Float64);
        if (lanes() == 1) // is its element
            return element().openClName();
        return isPlain && !isScalableVector() ? "sdfgc_" + element().str() + "x" + std::to_string(lanes()) : "";
    }
    if (isStruct()) {
        bool hasValues = !fields().empty();
        for (const auto &[field, type] : fields())
            hasValues = hasValues && !type.isPointer() && !type.openClName().empty();
        return hasValues ? "sdfgc_struct_" + name().str() : "";
    }
    if (!isScalar())
        return "";
    switch (scalar()) {
    case ScalarKind::Bool:
        return "bool";
    case ScalarKind::Int8:
        return "char";
    case ScalarKind::Int16:
        return "short";
    case ScalarKind::Int32:
        return "int";
    case ScalarKind::Int64:
        return "long";
    case ScalarKind::UInt8:
        return "uchar";
    case ScalarKind::UInt16:
        return "ushort";
    case ScalarKind::UInt32:
        return "uint";
    case ScalarKind::UInt64:
        return "ulong";
    case ScalarKind::Float32:
        return "float";
    case ScalarKind::Float64:
        return "double";
    case ScalarKind::Float16:
    case ScalarKind::BFloat16:
    case ScalarKind::Float8E4M3FN:
    case ScalarKind::Float8E5M2:
    case ScalarKind::Complex64:
    case ScalarKind::Complex128:
        return "sdfgc_" + str(); // structures
    default:
        return "";
    }
}

} // namespace sdfgc
