// Elements that a loop reads, combines with something and writes back, as updates with conflict resolution.
#pragma once

#include "Transforms/Optimize/NestItems.h"

#include <functional>

namespace sdfgc::transforms {

/// May iterations update an element in any order, with the same bits in the end? Minima, maxima, sums, products and operations on bits, of
/// integers.
bool isFreeOfOrder(const nest::Use &update, const ir::SDFG &g);

/// Is it a sum of numbers of any kind?
bool isSumOfNumbers(const nest::Use &update, const ir::SDFG &g);

/// In the body of a loop, `s = s + x`, with s an element of a container that is the same in all iterations, becomes the update `s (+) x`, if
/// nothing else in the body uses the container. The value may come by way of a scalar, `t = s` and `s = t + x`, which is left out then;
/// `isPrivate` says that nothing outside of the loop uses it. Only functions whose order does not count (isFreeOfOrder). Returns whether the
/// body changed.
bool raiseReduction(std::vector<nest::Item> &body, Name container, Name loopVariable, const NestItems &items, const ir::SDFG &g,
                    const std::function<bool(Name)> &isPrivate);

} // namespace sdfgc::transforms
