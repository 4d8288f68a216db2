// The functions of <cmath> that vector libraries also compute, declared so that GCC calls these in vectorised loops.
//
// Rule (docs/user/semantics.md): class V. A vector function has the name, the special values and the signs of zero of the scalar one,
// and is at most four units in the last place from the exact value. glibc's libmvec has them; its own headers declare them only for
// -ffast-math. The names follow the vector ABI: `_ZGVdN4v_exp` is exp of four doubles with AVX2. The compiler chooses by -march.
//
// Nothing is needed to link: libm.so and libm.a of glibc are linker scripts that name libmvec. Clang does not read such declarations;
// it gets -fveclib=libmvec (Package/Flags.h). If the C library or the architecture has no vector functions, nothing is declared and
// loops call the scalar ones.
//
// SDFGC_HAS_VECTOR_MATH is defined if there are vector functions. SDFGC_VECTOR_MATH_ALL declares them all whatever the C library has.
#pragma once

#include <cmath>

#if defined __GNUC__ && !defined __clang__ && defined __linux__
#define SDFGC_CAN_DECLARE_VECTORS 1
#else
#define SDFGC_CAN_DECLARE_VECTORS 0
#endif

// The release of glibc that has them, as a decimal number: 235 is 2.35.
#if defined SDFGC_VECTOR_MATH_ALL
#define SDFGC_VECTOR_MATH_OF 999
#elif defined __GLIBC__ && (defined __x86_64__ || defined __aarch64__)
#define SDFGC_VECTOR_MATH_OF (__GLIBC__ * 100 + __GLIBC_MINOR__)
#else
#define SDFGC_VECTOR_MATH_OF 0
#endif

// The releases that added the groups of functions below, for this architecture.
#if defined __aarch64__
#define SDFGC_VECTOR_MATH_FIRST 238
#define SDFGC_VECTOR_MATH_POW 240
#define SDFGC_VECTOR_MATH_BASES 239
#define SDFGC_VECTOR_MATH_OTHERS 240
#else
#define SDFGC_VECTOR_MATH_FIRST 222
#define SDFGC_VECTOR_MATH_POW 222
#define SDFGC_VECTOR_MATH_BASES 235
#define SDFGC_VECTOR_MATH_OTHERS 235
#endif

#if SDFGC_VECTOR_MATH_OF >= SDFGC_VECTOR_MATH_FIRST
#define SDFGC_HAS_VECTOR_MATH 1
#endif

#if defined SDFGC_HAS_VECTOR_MATH && SDFGC_CAN_DECLARE_VECTORS

#define SDFGC_VECTOR_FUNCTION(name)                                                                                                \
    double name(double) noexcept __attribute__((simd("notinbranch")));                                                             \
    float name##f(float) noexcept __attribute__((simd("notinbranch")));
#define SDFGC_VECTOR_FUNCTION2(name)                                                                                               \
    double name(double, double) noexcept __attribute__((simd("notinbranch")));                                                     \
    float name##f(float, float) noexcept __attribute__((simd("notinbranch")));

extern "C" {
SDFGC_VECTOR_FUNCTION(cos)
SDFGC_VECTOR_FUNCTION(exp)
SDFGC_VECTOR_FUNCTION(log)
SDFGC_VECTOR_FUNCTION(sin)
#if SDFGC_VECTOR_MATH_OF >= SDFGC_VECTOR_MATH_POW
SDFGC_VECTOR_FUNCTION2(pow)
#endif
#if SDFGC_VECTOR_MATH_OF >= SDFGC_VECTOR_MATH_BASES
SDFGC_VECTOR_FUNCTION(exp2)
SDFGC_VECTOR_FUNCTION(log10)
SDFGC_VECTOR_FUNCTION(log2)
SDFGC_VECTOR_FUNCTION(tan)
#endif
#if SDFGC_VECTOR_MATH_OF >= SDFGC_VECTOR_MATH_OTHERS
SDFGC_VECTOR_FUNCTION(acos)
SDFGC_VECTOR_FUNCTION(acosh)
SDFGC_VECTOR_FUNCTION(asin)
SDFGC_VECTOR_FUNCTION(asinh)
SDFGC_VECTOR_FUNCTION(atan)
SDFGC_VECTOR_FUNCTION2(atan2)
SDFGC_VECTOR_FUNCTION(atanh)
SDFGC_VECTOR_FUNCTION(cbrt)
SDFGC_VECTOR_FUNCTION(cosh)
SDFGC_VECTOR_FUNCTION(erf)
SDFGC_VECTOR_FUNCTION(erfc)
SDFGC_VECTOR_FUNCTION(expm1)
SDFGC_VECTOR_FUNCTION2(hypot)
SDFGC_VECTOR_FUNCTION(log1p)
SDFGC_VECTOR_FUNCTION(sinh)
SDFGC_VECTOR_FUNCTION(tanh)
#endif
}

#undef SDFGC_VECTOR_FUNCTION
#undef SDFGC_VECTOR_FUNCTION2
#endif

#undef SDFGC_CAN_DECLARE_VECTORS
#undef SDFGC_VECTOR_MATH_OF
#undef SDFGC_VECTOR_MATH_FIRST
#undef SDFGC_VECTOR_MATH_POW
#undef SDFGC_VECTOR_MATH_BASES
#undef SDFGC_VECTOR_MATH_OTHERS
