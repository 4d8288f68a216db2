// The content of memory that has never been written.
#pragma once

#include "Machine.h"

namespace sdfgc::interpret {

/// The value of every byte of new memory for elements of a type (Options::unwritten). For truth values, and structures that may
/// contain some, it is 0 or 1.
inline std::byte unwrittenIn(const Type &t, const Options &options) {
    const bool isTruth = t.isBool() || t.isStruct() || (t.isVector() && t.element().isBool());
    return std::byte(isTruth ? options.unwritten & 1 : options.unwritten);
}

} // namespace sdfgc::interpret
