// Names from labels of states and regions, which may be any text.
#pragma once

#include <string>
#include <string_view>

namespace sdfgc::ir {

/// A label as an identifier: other characters than letters, digits and underscores become `_`, and `prefix` comes first where the text
/// would be no identifier otherwise. Different labels may have one name.
std::string identifierOf(std::string_view label, std::string_view prefix);

} // namespace sdfgc::ir
