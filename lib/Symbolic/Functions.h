// Names of functions and casts in symbolic strings.
#pragma once

#include "sdfgc/Support/Name.h"
#include "sdfgc/Types/Type.h"

#include <optional>
#include <string_view>

namespace sdfgc::sym {

/// The type that a cast such as `dace.float32(e)`, `int64_t(e)` or `float(e)` names (format reference 1.8); nothing for other
/// functions.
std::optional<Type> castTypeByName(std::string_view name);
/// Is it a function that expressions know (Min, int_ceil, ...), with that many arguments?
bool isFunction(Name name, std::size_t arguments);

} // namespace sdfgc::sym
