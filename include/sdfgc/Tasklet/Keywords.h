// Words that cannot be names in Python code.
#pragma once

#include <string_view>

namespace sdfgc::py {

/// Is it one of the 35 keywords of Python 3? Soft keywords (`match`) are names.
bool isKeyword(std::string_view word);

} // namespace sdfgc::py
