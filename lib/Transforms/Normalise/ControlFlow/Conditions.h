// Conditions of interstate edges: which are always true, and which exclude each other.
#pragma once

#include "sdfgc/IR/Sdfg.h"

#include <functional>
#include <optional>
#include <set>

namespace sdfgc::transforms::flow {

/// Empty text, `1` or `True`.
bool isAlwaysTrue(const ir::Code &condition);

/// Is exactly one of two conditions true, whatever the values? Recognises `c` and `not c`, and opposite comparisons of operands
/// that cannot be NaN (`canBeNaN` determines which names can be NaN).
bool areComplementary(const ir::Code &a, const ir::Code &b, const std::function<bool(Name)> &canBeNaN);

/// Returns `not (c)`, or `c` for `not c`; nothing for text that is not Python.
std::optional<ir::Code> negated(const ir::Code &condition);

/// Returns the names that an expression reads; nothing for text that is not Python.
std::optional<std::set<Name>> namesRead(const std::string &expression);

} // namespace sdfgc::transforms::flow
