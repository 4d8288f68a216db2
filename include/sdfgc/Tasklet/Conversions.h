// Values of one type where another is wanted: at connectors, edges and conflict resolutions.
#pragma once

#include "sdfgc/Tasklet/Types.h"

namespace sdfgc::py {

/// A lowered value, of a known type, as one of type `t`. A complex number becomes a real one by its real part.
ExprRef inType(Type t, const ExprRef &value);

/// The same where it is assigned to a target of type `t`: without a cast where C++ converts by itself.
ExprRef asStored(Type t, const ExprRef &value);

/// A lowered value as it is combined with an element of type `t`: in that type, as in DaCe. Without a cast where C++'s operator computes
/// the same from the value as it is.
ExprRef operandOf(Reduction r, Type t, const ExprRef &value);

} // namespace sdfgc::py
