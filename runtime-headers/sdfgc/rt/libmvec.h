// vectormath.h for programs that are built with --vector-math libmvec.
//
// Rule (docs/user/optimiser.md): libmvec that is asked for by name must be there.
#pragma once

#include "sdfgc/rt/vectormath.h"

#ifndef SDFGC_HAS_VECTOR_MATH
#error "no libmvec for this architecture in this C library: build with --vector-math auto"
#endif
