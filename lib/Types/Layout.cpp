#include "sdfgc/Types/Layout.h"

#include <algorithm>

namespace sdfgc {
namespace {

int64_t alignmentOf(Type t) {
    if (t.isVector())
        return sizeOf(t.element());
    if (t.isComplex())
        return sizeOf(t) / 2;
    if (!t.isStruct())
        return std::max<int64_t>(sizeOf(t), 1);
    int64_t most = 1;
    for (const auto &[name, field] : t.fields())
        most = std::max(most, alignmentOf(field));
    return most;
}

int64_t roundedUp(int64_t n, int64_t unit) { return (n + unit - 1) / unit * unit; }

} // namespace

int64_t sizeOf(Type t) {
    if (!t.isStruct())
        return t.isOpaque() ? 0 : t.bytes().value_or(0);
    int64_t at = 0;
    for (const auto &[name, type] : t.fields())
        at = roundedUp(at, alignmentOf(type)) + sizeOf(type);
    return roundedUp(at, alignmentOf(t));
}

std::optional<int64_t> offsetOf(Type structure, Name field) {
    int64_t at = 0;
    for (const auto &[name, type] : structure.fields()) {
        at = roundedUp(at, alignmentOf(type));
        if (name == field)
            return at;
        at += sizeOf(type);
    }
    return std::nullopt;
}

} // namespace sdfgc
