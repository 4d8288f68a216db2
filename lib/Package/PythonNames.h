// Names and formulas as the Python module of a program has them, for the module and its stub.
#pragma once

#include "sdfgc/Package/Interface.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sdfgc::package {

/// The names of arguments that may be given by position, in that order: that of the user's program, then that of C. Arrays that the
/// program returns are given by name only.
std::vector<std::string> pythonPositions(const Interface &i);
bool isPythonKeyword(std::string_view name);
/// A formula over symbols; nothing where Python cannot say it.
std::optional<std::string> pythonFormula(sym::Expr e);

} // namespace sdfgc::package
