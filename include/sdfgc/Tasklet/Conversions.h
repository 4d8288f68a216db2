// Converts values to required types: at connectors, edges and conflict resolutions.
#pragma once

#include "sdfgc/Tasklet/Types.h"

namespace sdfgc::py {

/// Converts a lowered value of a known type to type `t`. A complex number becomes its real part if `t` is real.
ExprRef inType(Type t, const ExprRef &value);

/// The same for an assignment to a target of type `t`: without a cast if C++ converts implicitly.
ExprRef asStored(Type t, const ExprRef &value);

/// Converts a lowered value to the type in which it is combined with an element of type `t`: that type, as in DaCe.
/// Without a cast if C++'s operator computes the same result from the unconverted value.
ExprRef operandOf(Reduction r, Type t, const ExprRef &value);

} // namespace sdfgc::py
