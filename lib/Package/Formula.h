// Integer formulas (shapes, strides, sizes) in the callers' languages.
#pragma once

#include "sdfgc/Symbolic/Expr.h"

#include <optional>
#include <string>
#include <vector>

namespace sdfgc::package {

enum class Language {
    Python,  // functions `ceil_div`, `min`, `max`, `abs`
    Cpp,     // functions `floorDiv`, `ceilDiv`, `mod`, `min`, `max`, `abs` of int64_t; names are int64_t
    Fortran, // sums, products and differences only
};

/// Those of the functions above that a C++ formula calls.
std::vector<std::string> formulaFunctions(const std::string &text);

/// Exact text, with symbols named by `spell`. Nothing if the language cannot express it, if a symbol has no name (an empty one), or
/// if the formula is nested too deeply. `functions` prefixes the names of functions: a namespace.
std::optional<std::string> formula(sym::Expr e, Language language, const std::function<std::string(Name)> &spell,
                                   const std::string &functions = "");

} // namespace sdfgc::package
