// Splitting option values that hold several words.
#pragma once

#include "Driver/CommandLine.h"

#include <string>
#include <string_view>
#include <vector>

namespace sdfgc::driver {

/// The words of `-O3 "-DNAME=a b"` as a shell would split them: blanks separate, single and double quotes and a backslash keep. An
/// unclosed quote reaches to the end. Nothing is expanded.
std::vector<std::string> splitWords(std::string_view text);

/// Lets the command line report such a text in which a quote is open: `field` is the value of the option.
void requireClosed(CommandLine &line, const std::string &option, const std::string &field);

} // namespace sdfgc::driver
