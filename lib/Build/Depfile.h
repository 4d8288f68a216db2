// Dependency files that compilers write with -MD: a single make rule.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sdfgc::build {

/// The prerequisites of the rule, in order and without duplicates. Blanks, `#` and `$` in names are escaped as in make (`\ `, `\#`,
/// `$$`).
std::vector<std::string> parseDepfile(std::string_view text);

} // namespace sdfgc::build
