// Compiled with the flags of generated programs, once for each level: -DLEVEL=v3 -march=x86-64-v3.
#include "Loops.h"

#include "sdfgc/rt/vectormath.h"

#define DEFINE_LOOP_OF(T, name)                                                                                                    \
    void name(std::size_t n, const T *__restrict a, T *__restrict out) {                                                           \
        for (std::size_t i = 0; i < n; ++i)                                                                                        \
            out[i] = std::name(a[i]);                                                                                              \
    }
#define DEFINE_LOOP2_OF(T, name)                                                                                                   \
    void name(std::size_t n, const T *__restrict a, const T *__restrict b, T *__restrict out) {                                    \
        for (std::size_t i = 0; i < n; ++i)                                                                                        \
            out[i] = std::name(a[i], b[i]);                                                                                        \
    }
#define DEFINE_LOOP(name) DEFINE_LOOP_OF(double, name) DEFINE_LOOP_OF(float, name)
#define DEFINE_LOOP2(name) DEFINE_LOOP2_OF(double, name) DEFINE_LOOP2_OF(float, name)

namespace loops::LEVEL {
UNARY_FUNCTIONS(DEFINE_LOOP)
BINARY_FUNCTIONS(DEFINE_LOOP2)
} // namespace loops::LEVEL
