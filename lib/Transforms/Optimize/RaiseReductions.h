// Turns read-modify-write sequences of a loop into updates with conflict resolution.
#pragma once

#include "sdfgc/Nest/Conflicts.h"

#include <functional>

namespace sdfgc::transforms {

/// May iterations update an element at the same time, in any order, with a bitwise identical result? True for minima, maxima, sums,
/// products and bit operations on integers, unless the graph declares that they need not be atomic.
bool isFreeOfOrder(const nest::Use &update, const ir::SDFG &g);

/// Is it a sum of numbers, of any type?
bool isSumOfNumbers(const nest::Use &update, const ir::SDFG &g);

/// In the body of a loop, turns `s = s + x` into the update `s (+) x`, where s is a container element that is the same in all
/// iterations and the body does not use the container otherwise. The value may pass through a scalar, as in `t = s` and `s = t +
/// x`, which is then removed; `isPrivate` determines whether that scalar is used only in the loop. Applies only to functions whose
/// order does not matter (isFreeOfOrder). Returns whether the body changed.
bool raiseReduction(std::vector<nest::Item> &body, Name container, Name loopVariable, const nest::Conflicts &items,
                    const ir::SDFG &g, const std::function<bool(Name)> &isPrivate);

} // namespace sdfgc::transforms
