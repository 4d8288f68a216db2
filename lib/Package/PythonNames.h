// Names and formulas in a program's Python module, shared by the module and its stub.
#pragma once

#include "sdfgc/Package/Interface.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sdfgc::package {

/// The names of arguments that may be positional, in order: in the order of the user's program, and in that of C. Arrays that the
/// program returns are keyword-only.
std::vector<std::string> pythonPositions(const Interface &i);
bool isPythonKeyword(std::string_view name);
/// A formula over symbols; nothing if Python cannot express it.
std::optional<std::string> pythonFormula(sym::Expr e);

} // namespace sdfgc::package
