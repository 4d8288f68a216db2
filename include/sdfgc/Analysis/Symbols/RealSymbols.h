// Symbols that are declared as real numbers, but hold integers.
#pragma once

#include "sdfgc/IR/Sdfg.h"

#include <set>

namespace sdfgc::analysis {

/// Returns the symbols of `g`, excluding nested SDFGs, that have a floating-point type and are integers all the same:
/// only edges assign them, each time an expression of integers, no caller passes them, and no code divides by them or
/// divides them, which would have another result with integers. DaCe's Fortran front end declares bounds in this way:
/// `tmp = max(3, nlev - 2)`, a float64, then `for i = tmp`.
std::set<Name> integersDeclaredReal(const ir::SDFG &g);

} // namespace sdfgc::analysis
