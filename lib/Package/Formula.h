// Integer formulas (shapes, strides, sizes) in the languages of callers.
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

/// The functions that a formula in C++ calls, of those above.
std::vector<std::string> formulaFunctions(const std::string &text);

/// Exact text with the symbols under the names that `spell` gives them. Nothing when the language cannot say it, when a symbol has
/// no name there (an empty one), or when the formula is nested too deeply to be read.
/// `functions` comes before the names of functions: a namespace.
std::optional<std::string> formula(sym::Expr e, Language language, const std::function<std::string(Name)> &spell,
                                   const std::string &functions = "");

} // namespace sdfgc::package
