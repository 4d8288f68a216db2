// Types that differ along a path: those of a connector and its container, of the two sides of a copy, of a scalar inside and
// outside of a nested SDFG.
//
// Conversions are always defined in C++: a floating-point number that becomes an integer fits. Values computed by code are at most
// 1000 in magnitude, sums may be larger (Expressions.h).
#include "Maker.h"

namespace sdfgc::random {

namespace {

bool isUnsigned(std::string_view type) { return type.starts_with("uint"); }
bool isNarrow(std::string_view type) { return type == "uint8" || type == "int8" || type == "float16"; }
bool isReal(std::string_view type) { return kindOf(type) == ValueKind::Real || kindOf(type) == ValueKind::Complex; }

} // namespace

bool mayBecome(std::string_view from, std::string_view to, bool isLarge) {
    if (from == to)
        return true;
    if (to == "float16")
        return !isLarge && !isUnsigned(from); // 2 ** 32 - 1 would be infinite
    if (!isReal(from) || kindOf(to) != ValueKind::Integer)
        return true;
    return from == "float16" || !isLarge ? !isUnsigned(to) && !isNarrow(to) : to == "int64";
}

std::string GraphMaker::readAs(const Container &c) {
    static const char *const types[] = {"float64", "float32", "int64", "int32", "int16", "uint32", "uint8", "bool", "complex128"};
    const std::string type = shared_.mixed ? shared_.types.pick(types) : "";
    return shared_.mixed && shared_.types.oneIn(3) && mayBecome(c.type, type, c.accumulates) ? type : c.type;
}

std::string GraphMaker::writtenAs(const Container &c) {
    // Values that code stores to narrow or unsigned elements fit, and so do values of these types.
    static const char *const types[] = {"float64", "float32", "int64", "int32", "int16", "bool", "complex128"};
    const std::string type = shared_.mixed ? shared_.types.pick(types) : "";
    const bool isLarge = kindOf(c.type) == ValueKind::Complex && kindOf(type) == ValueKind::Integer;
    return shared_.mixed && shared_.types.oneIn(3) && !isLarge ? type : c.type;
}

std::string GraphMaker::handedAs(const Container &c) {
    static const char *const types[] = {"float64", "float32", "int64", "int32", "uint8", "bool", "complex128"};
    const std::string type = shared_.mixed ? shared_.types.pick(types) : "";
    return shared_.mixed && shared_.types.oneIn(2) && mayBecome(type, c.type, c.accumulates) ? type : c.type;
}

} // namespace sdfgc::random
