// What memory holds before anything has written it.
#pragma once

#include "Machine.h"

namespace sdfgc::interpret {

/// Every byte of new memory for elements of a type (Options::unwritten). Of truth values, and of structures that may have some, it is 0 or 1.
inline std::byte unwrittenIn(const Type &t, const Options &options) {
    const bool isTruth = t.isBool() || t.isStruct() || (t.isVector() && t.element().isBool());
    return std::byte(isTruth ? options.unwritten & 1 : options.unwritten);
}

} // namespace sdfgc::interpret
