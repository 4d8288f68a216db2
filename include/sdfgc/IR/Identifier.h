// What may be a name in a graph.
#pragma once

#include "sdfgc/Support/Name.h"

#include <string_view>

namespace sdfgc::ir {

/// What DaCe writes for a size that is not known; the file declares it as if it were a symbol (UndefinedSymbol in symbolic.py).
inline constexpr std::string_view undefinedSize = "?";

/// Letters, digits and underscores, not starting with a digit, none of Python's constants; `dotted` allows several joined by dots
/// (members of structures).
bool isIdentifier(std::string_view text, bool dotted = false);

/// The container that owns the memory behind a name: `A` for its member `A.indptr`.
Name ownerOf(Name data);

} // namespace sdfgc::ir
