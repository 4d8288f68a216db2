// What is made simpler before an SDFG is differentiated: operations whose derivatives are those of others.
//
//     Axpy, Ger, Stencil, ... (kind Expanded)     their expansions without a library
//     copy and fill nodes                         copies, and maps over the elements
//     y[i] *= f(x)                                old = y[i]; y[i] = old * f(x)     where no other iteration of a map updates y[i]
//     map i { y *= f(x[i]) }                      map i { t[i] = f(x[i]) }; p = product of t; y = y * p
//     y = max(y, all of x)  (Reduce)              m = max(all of x); y = max(y, m)
//     y += A @ B            (a library node)      t = A @ B; y += t
//
// The same goes for maxima, minima, and, where no iterations meet, for updates with any function. What fits nothing of this stays as it is.
#pragma once

#include "Transforms/Differentiate/Items.h"

namespace sdfgc::transforms::gradient {

/// Rewrites what takes part: `declared` are containers that have gradients (tangents) whatever the program does. False after an error.
bool simplify(ir::SDFG &g, const std::vector<Name> &of, const std::vector<Name> &wrt, const std::vector<Name> &declared,
              pass::Context &context);

} // namespace sdfgc::transforms::gradient
