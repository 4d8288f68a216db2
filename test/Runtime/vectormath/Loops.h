// Loops over each function of sdfgc/rt/vectormath.h, compiled for several levels of processors: namespaces v2, v3, v4, any.
#pragma once

#include <cstddef>

// X(name) for each function of one argument, then of two.
#define UNARY_FUNCTIONS(X)                                                                                                         \
    X(acos)                                                                                                                        \
    X(acosh)                                                                                                                       \
    X(asin)                                                                                                                        \
    X(asinh)                                                                                                                       \
    X(atan)                                                                                                                        \
    X(atanh)                                                                                                                       \
    X(cbrt)                                                                                                                        \
    X(cos)                                                                                                                         \
    X(cosh)                                                                                                                        \
    X(erf)                                                                                                                         \
    X(erfc)                                                                                                                        \
    X(exp)                                                                                                                         \
    X(exp2)                                                                                                                        \
    X(expm1)                                                                                                                       \
    X(log)                                                                                                                         \
    X(log10)                                                                                                                       \
    X(log1p)                                                                                                                       \
    X(log2)                                                                                                                        \
    X(sin)                                                                                                                         \
    X(sinh)                                                                                                                        \
    X(tan)                                                                                                                         \
    X(tanh)
#define BINARY_FUNCTIONS(X)                                                                                                        \
    X(atan2)                                                                                                                       \
    X(hypot)                                                                                                                       \
    X(pow)

#define DECLARE_LOOP(name)                                                                                                         \
    void name(std::size_t n, const double *a, double *out);                                                                        \
    void name(std::size_t n, const float *a, float *out);
#define DECLARE_LOOP2(name)                                                                                                        \
    void name(std::size_t n, const double *a, const double *b, double *out);                                                       \
    void name(std::size_t n, const float *a, const float *b, float *out);
#define DECLARE_LOOPS                                                                                                              \
    UNARY_FUNCTIONS(DECLARE_LOOP)                                                                                                  \
    BINARY_FUNCTIONS(DECLARE_LOOP2)

namespace loops::v2 {
DECLARE_LOOPS
}
namespace loops::v3 {
DECLARE_LOOPS
}
namespace loops::v4 {
DECLARE_LOOPS
}
namespace loops::any {
DECLARE_LOOPS
}
