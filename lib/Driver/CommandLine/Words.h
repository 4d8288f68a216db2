// Splitting option values that contain several words.
#pragma once

#include "Driver/CommandLine/CommandLine.h"

#include <string>
#include <string_view>
#include <vector>

namespace sdfgc::driver {

/// Splits `-O3 "-DNAME=a b"` into words as a shell would: blanks separate words; single and double quotes and a backslash protect
/// them. An unclosed quote extends to the end. Nothing is expanded.
std::vector<std::string> splitWords(std::string_view text);

/// Makes the command line report such a text with an unclosed quote: `field` is the value of the option.
void requireClosed(CommandLine &line, const std::string &option, const std::string &field);

} // namespace sdfgc::driver
