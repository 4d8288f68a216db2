// Where the fields of structures lie in memory: as in C.
#pragma once

#include "sdfgc/Types/Type.h"

#include <optional>

namespace sdfgc {

/// Returns the size of one value in memory, in bytes: all lanes of a vector, the fields of a structure with padding. 0 for types
/// without a size.
int64_t sizeOf(Type t);

/// Returns the offset of a structure's field in bytes; nothing if there is no such field.
std::optional<int64_t> offsetOf(Type structure, Name field);

} // namespace sdfgc
