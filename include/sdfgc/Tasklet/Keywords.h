// Words that code in Python cannot have as names.
#pragma once

#include <string_view>

namespace sdfgc::py {

/// Is it one of the 35 keywords of Python 3? Words that are keywords in some places only (`match`) are names.
bool isKeyword(std::string_view word);

} // namespace sdfgc::py
