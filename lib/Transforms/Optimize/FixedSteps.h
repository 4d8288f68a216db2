// Steps of a loop's body that compute the same values in every iteration:
//
//     for j = 1; j < N; j = j + 1 {                    s = -c
//         s = -c                                       for j = 1; j < N; j = j + 1 {
//         map[i = 0:N] { y[i, j] = s * y[i, j - 1] }   ->   map[i = 0:N] { y[i, j] = s * y[i, j - 1] }
//     }                                                }
//
// A step is fixed if
//   - it is a tasklet in Python, or a copy, that only uses containers of one element, and its code does not mention the loop
//     variable;
//   - nothing else in the body writes what it reads, except earlier fixed steps;
//   - it always writes its results, which are transients that only the body uses, and it is its first step that uses
//     them, and the only one that writes them;
//   - its code divides no integers: the loop may never run, but the step will.
#pragma once

#include "sdfgc/Nest/Conflicts.h"
#include "sdfgc/Nest/ContainerUsers.h"

namespace sdfgc::transforms {

/// Moves the fixed steps of a body, in order, out of its items. They may run before the loop.
std::vector<nest::Item> takeFixedSteps(std::vector<nest::Item> &body, const ir::LoopRegion &l, const nest::ContainerUsers &users,
                                       const nest::Conflicts &items);

} // namespace sdfgc::transforms
