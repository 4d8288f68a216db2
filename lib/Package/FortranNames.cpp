#include "FortranNames.h"

#include <algorithm>
#include <cctype>

namespace sdfgc::package {
namespace {

constexpr std::size_t maxName = 63;

std::string lower(std::string s) {
    std::transform(s.begin(), s.end(), s.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return s;
}

} // namespace

std::string FortranNames::declare(std::string wanted) {
    wanted.erase(0, wanted.find_first_not_of('_'));
    if (wanted.empty() || !std::isalpha(static_cast<unsigned char>(wanted[0])))
        wanted = "x" + wanted;
    wanted.resize(std::min(wanted.size(), maxName - 4));
    std::string name = wanted;
    for (int k = 1; !taken_.insert(lower(name)).second; ++k)
        name = wanted + "_" + std::to_string(k);
    return name;
}

std::string fortranScalar(Type t) {
    switch (t.scalar()) {
    case ScalarKind::Bool:
        return "logical(c_bool)";
    case ScalarKind::Int8:
    case ScalarKind::UInt8:
    case ScalarKind::Float8E4M3FN:
    case ScalarKind::Float8E5M2:
        return "integer(c_int8_t)";
    case ScalarKind::Int16:
    case ScalarKind::UInt16:
    case ScalarKind::Float16:
    case ScalarKind::BFloat16:
        return "integer(c_int16_t)";
    case ScalarKind::Int32:
    case ScalarKind::UInt32:
        return "integer(c_int32_t)";
    case ScalarKind::Int64:
    case ScalarKind::UInt64:
        return "integer(c_int64_t)";
    case ScalarKind::Float32:
        return "real(c_float)";
    case ScalarKind::Float64:
        return "real(c_double)";
    case ScalarKind::Complex64:
        return "complex(c_float_complex)";
    case ScalarKind::Complex128:
        return "complex(c_double_complex)";
    case ScalarKind::Void:
    case ScalarKind::String:
    case ScalarKind::PyObject:
        break;
    }
    return "type(c_ptr)";
}

} // namespace sdfgc::package
