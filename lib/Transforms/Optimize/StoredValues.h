// What tasklets store, as control flow after their state may write it.
#pragma once

#include "sdfgc/IR/Sdfg.h"

#include <functional>
#include <optional>
#include <string>

namespace sdfgc::transforms {

/// Returns the value that a tasklet stores at an access node, if it copies or compares signed integers and truth values, which are
/// elements of containers of the host, symbols or constants: `o = a == i` with `a <- idx[k]` is `idx[k] == i`. `stays`: does a
/// container have the same value after the state?
std::optional<std::string> storedValue(const ir::AccessNode &to, const std::function<bool(Name)> &stays);

} // namespace sdfgc::transforms
