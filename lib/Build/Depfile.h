// Dependency files that compilers write with -MD: one make rule.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sdfgc::build {

/// The prerequisites of the rule, in order, each once. Blanks, `#` and `$` in names are escaped as make wants it (`\ `, `\#`,
/// `$$`).
std::vector<std::string> parseDepfile(std::string_view text);

} // namespace sdfgc::build
