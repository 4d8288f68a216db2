// Splitting option values that hold several words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sdfgc::driver {

/// The words of `-O3 "-DNAME=a b"` as a shell would split them: blanks separate, single and double quotes and a backslash keep. An
/// unclosed quote reaches to the end. Nothing is expanded.
std::vector<std::string> splitWords(std::string_view text);

} // namespace sdfgc::driver
