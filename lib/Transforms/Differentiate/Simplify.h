// Simplifies an SDFG before it is differentiated: replaces operations with others whose derivatives are known.
//
//     Axpy, Ger, Stencil, ... (kind Expanded)     their expansions without a library
//     copy and fill nodes                         copies, and maps over the elements
//     y[i] *= f(x)                                old = y[i]; y[i] = old * f(x)     where no other iteration of a map updates y[i]
//     map i { y *= f(x[i]) }                      map i { t[i] = f(x[i]) }; p = product of t; y = y * p
//     y = max(y, all of x)  (Reduce)              m = max(all of x); y = max(y, m)
//     y += A @ B            (a library node)      t = A @ B; y += t
//
// Maxima and minima are treated in the same way, and so are updates with any function if no iterations access the same
// element. Everything else is left unchanged.
#pragma once

#include "Transforms/Differentiate/Items.h"

namespace sdfgc::transforms::gradient {

/// Rewrites the operations that matter for the gradient. `declared`: containers that always have gradients (tangents).
/// Returns false after an error.
bool simplify(ir::SDFG &g, const std::vector<Name> &of, const std::vector<Name> &wrt, const std::vector<Name> &declared,
              pass::Context &context);

} // namespace sdfgc::transforms::gradient
