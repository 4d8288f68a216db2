// Turns labels of states and regions, which are arbitrary text, into names.
#pragma once

#include <string>
#include <string_view>

namespace sdfgc::ir {

/// Returns a label as an identifier: other characters than letters, digits and underscores become `_`, and `prefix` is
/// prepended if the result would not be an identifier. Different labels may give the same name.
std::string identifierOf(std::string_view label, std::string_view prefix);

} // namespace sdfgc::ir
