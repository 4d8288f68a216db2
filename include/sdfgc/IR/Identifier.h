// Valid names in a graph.
#pragma once

#include "sdfgc/Support/Name.h"

#include <string_view>

namespace sdfgc::ir {

/// DaCe's placeholder for an unknown size; files declare it like a symbol (UndefinedSymbol in symbolic.py).
inline constexpr std::string_view undefinedSize = "?";

/// Is the text made of letters, digits and underscores, without a leading digit, and not one of Python's constants?
/// `dotted` allows several of these joined by dots (members of structures).
bool isIdentifier(std::string_view text, bool dotted = false);

/// Returns the container that owns the memory of a name: `A` for its member `A.indptr`.
Name ownerOf(Name data);

} // namespace sdfgc::ir
