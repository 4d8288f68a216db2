#ifdef __cplusplus
R"sdfgc(
#endif
// The functions of kernels in OpenCL C 1.2. They compute what the functions of the same names in math.h, ufunc.h and gpu_atomic.h do;
// the end of a name is the type that they compute in. C++ reads this file as one string (gpu_opencl.cpp).
#define SDFGC_OPENCL_DEVICE
#pragma OPENCL FP_CONTRACT OFF
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define SDFGC_DOUBLE(text) text
#else
#define SDFGC_DOUBLE(text)
#endif
#ifdef cl_khr_int64_base_atomics
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#define SDFGC_WIDE(text) text
#else
#define SDFGC_WIDE(text)
#endif
#ifdef cl_khr_byte_addressable_store
#pragma OPENCL EXTENSION cl_khr_byte_addressable_store : enable
#endif

typedef char int8_t;
typedef uchar uint8_t;
typedef short int16_t;
typedef ushort uint16_t;
typedef int int32_t;
typedef uint uint32_t;
typedef long int64_t;
typedef ulong uint64_t;

// ---- numbers of threads

static inline long sdfgc_thread_in_block(void) {
    return ((long)get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + get_local_id(0);
}
static inline long sdfgc_threads_in_block(void) { return (long)get_local_size(0) * get_local_size(1) * get_local_size(2); }
static inline long sdfgc_block_in_grid(void) {
    return ((long)get_group_id(2) * get_num_groups(1) + get_group_id(1)) * get_num_groups(0) + get_group_id(0);
}
static inline long sdfgc_thread_in_grid(void) { return sdfgc_block_in_grid() * sdfgc_threads_in_block() + sdfgc_thread_in_block(); }
static inline long sdfgc_threads_in_grid(void) {
    return (long)get_num_groups(0) * get_num_groups(1) * get_num_groups(2) * sdfgc_threads_in_block();
}

// ---- integers

#define SDFGC_ANY(T, name)                                                                                                         \
    typedef T sdfgc_number_##name;                                                                                                 \
    static inline T sdfgc_min_##name(T a, T b) { return a < b ? a : b; }                                                           \
    static inline T sdfgc_max_##name(T a, T b) { return a > b ? a : b; }                                                           \
    static inline int sdfgc_sgn_##name(T a) { return ((T)0 < a) - (a < (T)0); }                                                    \
    static inline T sdfgc_sign_##name(T a) { return a != a ? a : (T)(((T)0 < a) - (a < (T)0)); }                                   \
    static inline T sdfgc_sign_numpy_2_##name(T a) { return sdfgc_sign_##name(a); }                                                \
    static inline T sdfgc_heaviside_##name(T a, T at) { return a != a ? a : a < (T)0 ? (T)0 : a > (T)0 ? (T)1 : at; }

#define SDFGC_INTEGER(T, name)                                                                                                     \
    static inline T sdfgc_gcd_##name(T a, T b) {                                                                                   \
        ulong x = a < (T)0 ? (ulong)0 - (ulong)(long)a : (ulong)a, y = b < (T)0 ? (ulong)0 - (ulong)(long)b : (ulong)b;            \
        while (y != 0) {                                                                                                           \
            const ulong r = x % y;                                                                                                 \
            x = y;                                                                                                                 \
            y = r;                                                                                                                 \
        }                                                                                                                          \
        return (T)x;                                                                                                               \
    }                                                                                                                              \
    static inline T sdfgc_lcm_##name(T a, T b) {                                                                                   \
        const ulong x = a < (T)0 ? (ulong)0 - (ulong)(long)a : (ulong)a, y = b < (T)0 ? (ulong)0 - (ulong)(long)b : (ulong)b;      \
        const ulong divisor = (ulong)sdfgc_gcd_##name(a, b);                                                                       \
        return divisor == 0 ? (T)0 : (T)(x / divisor * y);                                                                         \
    }                                                                                                                              \
    static inline T sdfgc_ipow_##name(T base, long exponent) {                                                                     \
        if (exponent < 0)                                                                                                          \
            return base == (T)1 ? (T)1 : base == (T)-1 && (T)-1 < (T)0 ? (exponent % 2 != 0 ? (T)-1 : (T)1) : (T)0;                \
        ulong result = 1, power = (ulong)base;                                                                                     \
        for (ulong e = (ulong)exponent; e != 0; e >>= 1) {                                                                         \
            if (e & 1)                                                                                                             \
                result *= power;                                                                                                   \
            power *= power;                                                                                                        \
        }                                                                                                                          \
        return (T)result;                                                                                                          \
    }                                                                                                                              \
    static inline T sdfgc_reciprocal_##name(T a) { return sdfgc_ipow_##name(a, -1); }                                              \
    static inline T sdfgc_ceiling_##name(T a) { return a; }                                                                        \
    static inline T sdfgc_int_ceil_##name(T a, T b) { return (T)(sdfgc_floordiv_##name(a, b) + (sdfgc_floormod_##name(a, b) != 0)); } \
    static inline T sdfgc_py_floor_##name(T a, T b) { return sdfgc_floordiv_##name(a, b); }                                        \
    static inline T sdfgc_py_mod_##name(T a, T b) { return sdfgc_floormod_##name(a, b); }                                          \
    static inline int sdfgc_iround_##name(T a) { return (int)a; }

#define SDFGC_SIGNED(T, U, name)                                                                                                   \
    SDFGC_ANY(T, name)                                                                                                             \
    static inline T sdfgc_abs_##name(T a) { return a < 0 ? (T)((U)0 - (U)a) : a; }                                                 \
    static inline T sdfgc_cpp_mod_##name(T a, T b) { return b == 0 || b == -1 ? (T)0 : (T)(a % b); }                               \
    static inline T sdfgc_floordiv_##name(T a, T b) {                                                                              \
        if (b == 0)                                                                                                                \
            return 0;                                                                                                              \
        if (b == -1)                                                                                                               \
            return (T)((U)0 - (U)a);                                                                                               \
        return (T)(a / b - (a % b != 0 && (a < 0) != (b < 0)));                                                                    \
    }                                                                                                                              \
    static inline T sdfgc_floormod_##name(T a, T b) {                                                                              \
        const T r = sdfgc_cpp_mod_##name(a, b);                                                                                    \
        return (b > 0 ? r < 0 : r > 0) ? (T)(r + b) : r;                                                                           \
    }                                                                                                                              \
    SDFGC_INTEGER(T, name)

#define SDFGC_UNSIGNED(T, name)                                                                                                    \
    SDFGC_ANY(T, name)                                                                                                             \
    static inline T sdfgc_abs_##name(T a) { return a; }                                                                            \
    static inline T sdfgc_cpp_mod_##name(T a, T b) { return b == 0 ? (T)0 : (T)(a % b); }                                          \
    static inline T sdfgc_floordiv_##name(T a, T b) { return b == 0 ? (T)0 : (T)(a / b); }                                         \
    static inline T sdfgc_floormod_##name(T a, T b) { return sdfgc_cpp_mod_##name(a, b); }                                         \
    SDFGC_INTEGER(T, name)

SDFGC_SIGNED(char, uchar, int8)
SDFGC_SIGNED(short, ushort, int16)
SDFGC_SIGNED(int, uint, int32)
SDFGC_SIGNED(long, ulong, int64)
SDFGC_UNSIGNED(uchar, uint8)
SDFGC_UNSIGNED(ushort, uint16)
SDFGC_UNSIGNED(uint, uint32)
SDFGC_UNSIGNED(ulong, uint64)

// ---- floats

#define SDFGC_ONE(T, name, f, of)                                                                                                  \
    static inline T sdfgc_##f##_##name(T a) { return of(a); }
#define SDFGC_TWO(T, name, f, of)                                                                                                  \
    static inline T sdfgc_##f##_##name(T a, T b) { return of(a, b); }
#define SDFGC_TEST(T, name, f)                                                                                                     \
    static inline bool sdfgc_##f##_##name(T a) { return f(a) != 0; }
#define SDFGC_WHOLE(T, name, f, of)                                                                                                \
    static inline long sdfgc_##f##_##name(T a) { return (long)of(a); }

#define SDFGC_FLOAT(T, name)                                                                                                       \
    SDFGC_ANY(T, name)                                                                                                             \
    SDFGC_ONE(T, name, abs, fabs) SDFGC_ONE(T, name, acos, acos) SDFGC_ONE(T, name, acosh, acosh)                                  \
    SDFGC_ONE(T, name, asin, asin) SDFGC_ONE(T, name, asinh, asinh) SDFGC_ONE(T, name, atan, atan)                                 \
    SDFGC_ONE(T, name, atanh, atanh) SDFGC_ONE(T, name, cbrt, cbrt) SDFGC_ONE(T, name, ceil, ceil)                                 \
    SDFGC_ONE(T, name, ceiling, ceil) SDFGC_ONE(T, name, cos, cos) SDFGC_ONE(T, name, cosh, cosh)                                  \
    SDFGC_ONE(T, name, erf, erf) SDFGC_ONE(T, name, erfc, erfc) SDFGC_ONE(T, name, exp, exp)                                       \
    SDFGC_ONE(T, name, exp2, exp2) SDFGC_ONE(T, name, expm1, expm1) SDFGC_ONE(T, name, fabs, fabs)                                 \
    SDFGC_ONE(T, name, floor, floor) SDFGC_ONE(T, name, lgamma, lgamma) SDFGC_ONE(T, name, log, log)                               \
    SDFGC_ONE(T, name, log10, log10) SDFGC_ONE(T, name, log1p, log1p) SDFGC_ONE(T, name, log2, log2)                               \
    SDFGC_ONE(T, name, logb, logb) SDFGC_ONE(T, name, rint, rint) SDFGC_ONE(T, name, round, round)                                 \
    SDFGC_ONE(T, name, sin, sin) SDFGC_ONE(T, name, sinh, sinh) SDFGC_ONE(T, name, sqrt, sqrt)                                     \
    SDFGC_ONE(T, name, tan, tan) SDFGC_ONE(T, name, tanh, tanh) SDFGC_ONE(T, name, tgamma, tgamma)                                 \
    SDFGC_ONE(T, name, trunc, trunc)                                                                                               \
    SDFGC_TWO(T, name, atan2, atan2) SDFGC_TWO(T, name, copysign, copysign) SDFGC_TWO(T, name, fdim, fdim)                         \
    SDFGC_TWO(T, name, fmax, fmax) SDFGC_TWO(T, name, fmin, fmin) SDFGC_TWO(T, name, fmod, fmod)                                   \
    SDFGC_TWO(T, name, cpp_mod, fmod) SDFGC_TWO(T, name, hypot, hypot) SDFGC_TWO(T, name, nextafter, nextafter)                    \
    SDFGC_TWO(T, name, pow, pow) SDFGC_TWO(T, name, remainder, remainder)                                                          \
    SDFGC_TEST(T, name, isnan) SDFGC_TEST(T, name, isinf) SDFGC_TEST(T, name, isfinite) SDFGC_TEST(T, name, signbit)               \
    SDFGC_WHOLE(T, name, llrint, rint) SDFGC_WHOLE(T, name, lrint, rint) SDFGC_WHOLE(T, name, llround, round)                      \
    SDFGC_WHOLE(T, name, lround, round) SDFGC_WHOLE(T, name, iround, (int)round)                                                   \
    static inline int sdfgc_frexp_##name(T a) {                                                                                    \
        int power = 0;                                                                                                             \
        (void)frexp(a, &power);                                                                                                    \
        return power;                                                                                                              \
    }                                                                                                                              \
    static inline int sdfgc_ilogb_##name(T a) { return ilogb(a); }                                                                 \
    static inline T sdfgc_fma_##name(T a, T b, T c) { return fma(a, b, c); }                                                       \
    static inline T sdfgc_ldexp_##name(T a, int e) { return ldexp(a, e); }                                                         \
    static inline T sdfgc_scalbn_##name(T a, int e) { return ldexp(a, e); }                                                        \
    static inline T sdfgc_reciprocal_##name(T a) { return (T)1 / a; }                                                              \
    static inline T sdfgc_int_ceil_##name(T a, T b) { return ceil(a / b); }                                                        \
    static inline T sdfgc_floormod_##name(T a, T b) {                                                                              \
        const T r = fmod(a, b);                                                                                                    \
        if (r == 0)                                                                                                                \
            return copysign((T)0, b);                                                                                              \
        return (r < 0) != (b < 0) ? r + b : r;                                                                                     \
    }                                                                                                                              \
    static inline T sdfgc_floordiv_##name(T a, T b) {                                                                              \
        if (b == 0)                                                                                                                \
            return a / b;                                                                                                          \
        const T r = fmod(a, b);                                                                                                    \
        T quotient = (a - r) / b;                                                                                                  \
        if (r != 0 && (r < 0) != (b < 0))                                                                                          \
            quotient -= (T)1;                                                                                                      \
        if (quotient == 0)                                                                                                         \
            return copysign((T)0, a / b);                                                                                          \
        const T whole = floor(quotient);                                                                                           \
        return quotient - whole > (T)0.5f ? whole + (T)1 : whole;                                                                  \
    }                                                                                                                              \
    static inline T sdfgc_py_floor_##name(T a, T b) { return sdfgc_floordiv_##name(a, b); }                                        \
    static inline T sdfgc_py_mod_##name(T a, T b) { return sdfgc_floormod_##name(a, b); }                                          \
    static inline T sdfgc_ipow_##name(T base, long exponent) {                                                                     \
        T result = (T)1;                                                                                                           \
        for (ulong e = exponent < 0 ? (ulong)0 - (ulong)exponent : (ulong)exponent; e != 0; e >>= 1) {                             \
            if (e & 1)                                                                                                             \
                result = result * base;                                                                                            \
            if (e > 1)                                                                                                             \
                base = base * base;                                                                                                \
        }                                                                                                                          \
        return exponent < 0 ? (T)1 / result : result;                                                                              \
    }

SDFGC_FLOAT(float, float32)
SDFGC_DOUBLE(SDFGC_FLOAT(double, float64))
#ifdef cl_khr_fp64
static inline float sdfgc_deg2rad_float32(float a) { return (float)((double)a * (3.14159265358979323846 / 180)); }
static inline float sdfgc_rad2deg_float32(float a) { return (float)((double)a * (180 / 3.14159265358979323846)); }
static inline double sdfgc_deg2rad_float64(double a) { return a * (3.14159265358979323846 / 180); }
static inline double sdfgc_rad2deg_float64(double a) { return a * (180 / 3.14159265358979323846); }
static inline double sdfgc_np_float_pow_float64(double a, double b) { return pow(a, b); }
#endif

// ---- functions with several results, which macros assign: they may be in memory of any space

#define SDFGC_NP_MODF(name, a, integral, fraction)                                                                                 \
    do {                                                                                                                           \
        const double sdfgc_a = (double)(a), sdfgc_whole = trunc(sdfgc_a);                                                          \
        integral = sdfgc_whole;                                                                                                    \
        fraction = copysign(sdfgc_a == sdfgc_whole ? 0.0 : sdfgc_a - sdfgc_whole, sdfgc_a);                                        \
    } while (0)
#define SDFGC_NP_FREXP(name, a, mantissa, exponent)                                                                                \
    do {                                                                                                                           \
        int sdfgc_power = 0;                                                                                                       \
        mantissa = frexp((double)(a), &sdfgc_power);                                                                               \
        exponent = sdfgc_power;                                                                                                    \
    } while (0)
#define SDFGC_PY_DIVMOD(name, a, b, quotient, remainder)                                                                           \
    do {                                                                                                                           \
        const sdfgc_number_##name sdfgc_a = a, sdfgc_b = b;                                                                        \
        quotient = sdfgc_floordiv_##name(sdfgc_a, sdfgc_b);                                                                        \
        remainder = sdfgc_floormod_##name(sdfgc_a, sdfgc_b);                                                                       \
    } while (0)
#define SDFGC_CPP_DIVMOD(name, a, b, quotient, remainder)                                                                          \
    do {                                                                                                                           \
        const sdfgc_number_##name sdfgc_a = a, sdfgc_b = b;                                                                        \
        const bool sdfgc_up = sdfgc_floormod_##name(sdfgc_a, sdfgc_b) != 0 && (sdfgc_a < 0) != (sdfgc_b < 0);                      \
        quotient = sdfgc_floordiv_##name(sdfgc_a, sdfgc_b) + (sdfgc_up ? 1 : 0);                                                   \
        remainder = sdfgc_cpp_mod_##name(sdfgc_a, sdfgc_b);                                                                        \
    } while (0)

// ---- the threads of a block combine their values (gpu_reduce.h)

// In the order of warps of 32 threads, so results are those of CUDA and of its emulation. All threads get the result. `values` has room
// for one value of each thread. Barriers are in loops with a constant number of iterations: PoCL 3.1 gave wrong results with others.
#define SDFGC_BLOCK(T, name, what, OP)                                                                                             \
    static inline T sdfgc_block_##what##_##name(T value, __local T *values) {                                                      \
        const int thread = (int)sdfgc_thread_in_block();                                                                           \
        values[thread] = value;                                                                                                    \
        barrier(CLK_LOCAL_MEM_FENCE);                                                                                              \
        const int threads = (int)sdfgc_threads_in_block(), warps = (threads + 31) / 32;                                            \
        for (int d = 16; d > 0; d /= 2) {                                                                                          \
            const bool has = thread % 32 + d < 32 && thread + d < threads;                                                         \
            const T other = values[has ? thread + d : 0];                                                                          \
            barrier(CLK_LOCAL_MEM_FENCE);                                                                                          \
            if (has)                                                                                                               \
                values[thread] = OP(values[thread], other);                                                                        \
            barrier(CLK_LOCAL_MEM_FENCE);                                                                                          \
        }                                                                                                                          \
        const T ofWarp = values[thread < warps ? thread * 32 : 0];                                                                 \
        barrier(CLK_LOCAL_MEM_FENCE);                                                                                              \
        if (thread < warps)                                                                                                        \
            values[thread] = ofWarp;                                                                                               \
        barrier(CLK_LOCAL_MEM_FENCE);                                                                                              \
        for (int d = 16; d > 0; d /= 2) {                                                                                          \
            const bool has = thread + d < warps;                                                                                   \
            const T other = values[has ? thread + d : 0];                                                                          \
            barrier(CLK_LOCAL_MEM_FENCE);                                                                                          \
            if (has)                                                                                                               \
                values[thread] = OP(values[thread], other);                                                                        \
            barrier(CLK_LOCAL_MEM_FENCE);                                                                                          \
        }                                                                                                                          \
        const T result = values[0];                                                                                                \
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);                                                                       \
        return result;                                                                                                             \
    }                                                                                                                              \
    static inline T sdfgc_column_##what##_##name(T value, __local T *values, long columns) {                                       \
        const int thread = (int)sdfgc_thread_in_block(), width = (int)columns;                                                     \
        values[thread] = value;                                                                                                    \
        int rows = (int)sdfgc_threads_in_block() / width;                                                                          \
        for (int step = 0; step < 10; ++step) { /* of 1024 threads at most */                                                      \
            const int half_ = (rows + 1) / 2;                                                                                      \
            barrier(CLK_LOCAL_MEM_FENCE);                                                                                          \
            if (thread + half_ * width < rows * width)                                                                             \
                values[thread] = OP(values[thread], values[thread + half_ * width]);                                               \
            rows = half_;                                                                                                          \
        }                                                                                                                          \
        barrier(CLK_LOCAL_MEM_FENCE);                                                                                              \
        const T result = values[thread % width];                                                                                   \
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);                                                                       \
        return result;                                                                                                             \
    }
#define SDFGC_SUM(a, b) ((a) + (b))
#define SDFGC_PRODUCT(a, b) ((a) * (b))
#define SDFGC_MIN(a, b) ((a) < (b) ? (a) : (b))
#define SDFGC_MAX(a, b) ((a) > (b) ? (a) : (b))
#define SDFGC_AND(a, b) ((a) & (b))
#define SDFGC_OR(a, b) ((a) | (b))
#define SDFGC_XOR(a, b) ((a) ^ (b))
#define SDFGC_LOGICAL_AND(a, b) ((a) && (b))
#define SDFGC_LOGICAL_OR(a, b) ((a) || (b))
#define SDFGC_LOGICAL_XOR(a, b) (!(a) != !(b))
#define SDFGC_BLOCKS(T, name)                                                                                                      \
    SDFGC_BLOCK(T, name, Sum, SDFGC_SUM) SDFGC_BLOCK(T, name, Product, SDFGC_PRODUCT) SDFGC_BLOCK(T, name, Min, SDFGC_MIN)         \
    SDFGC_BLOCK(T, name, Max, SDFGC_MAX) SDFGC_BLOCK(T, name, LogicalAnd, SDFGC_LOGICAL_AND)                                       \
    SDFGC_BLOCK(T, name, LogicalOr, SDFGC_LOGICAL_OR) SDFGC_BLOCK(T, name, LogicalXor, SDFGC_LOGICAL_XOR)
#define SDFGC_BIT_BLOCKS(T, name)                                                                                                  \
    SDFGC_BLOCKS(T, name)                                                                                                          \
    SDFGC_BLOCK(T, name, And, SDFGC_AND) SDFGC_BLOCK(T, name, Or, SDFGC_OR) SDFGC_BLOCK(T, name, Xor, SDFGC_XOR)
SDFGC_BIT_BLOCKS(bool, bool)
SDFGC_BIT_BLOCKS(char, int8)
SDFGC_BIT_BLOCKS(uchar, uint8)
SDFGC_BIT_BLOCKS(short, int16)
SDFGC_BIT_BLOCKS(ushort, uint16)
SDFGC_BIT_BLOCKS(int, int32)
SDFGC_BIT_BLOCKS(uint, uint32)
SDFGC_BIT_BLOCKS(long, int64)
SDFGC_BIT_BLOCKS(ulong, uint64)
SDFGC_BLOCKS(float, float32)
SDFGC_DOUBLE(SDFGC_BLOCKS(double, float64))

// ---- atomic updates

// What is updated is read by an atomic function, too: a plain read would race with the others' updates. Types of 4 and 8 bytes are
// replaced by their word, if they still have the value that was read; smaller ones by the word around them.
#define SDFGC_REPLACE(T, name, W, swap, asWord, asValue, S, space)                                                                 \
    static inline T sdfgc_load_##name##_##space(S T *p) { return asValue(swap((volatile S W *)p, 0, 0)); }                         \
    static inline bool sdfgc_replace_##name##_##space(S T *p, T old, T next) {                                                     \
        return swap((volatile S W *)p, asWord(old), asWord(next)) == asWord(old);                                                  \
    }
#define SDFGC_REPLACE_PART(T, name, asBits, ofBits, S, space)                                                                      \
    static inline T sdfgc_load_##name##_##space(S T *p) {                                                                          \
        const size_t address = (size_t)p;                                                                                          \
        const uint word = atomic_or((volatile S uint *)(address & ~(size_t)3), 0u) >> 8 * (uint)(address & 3);                     \
        return ofBits(word & (sizeof(T) == 1 ? 0xffu : 0xffffu));                                                                  \
    }                                                                                                                              \
    static inline bool sdfgc_replace_##name##_##space(S T *p, T old, T next) {                                                     \
        const size_t address = (size_t)p;                                                                                          \
        volatile S uint *const word = (volatile S uint *)(address & ~(size_t)3);                                                   \
        const uint shift = 8 * (uint)(address & 3), mask = (sizeof(T) == 1 ? 0xffu : 0xffffu) << shift;                            \
        const uint seen = atomic_or(word, 0u);                                                                                     \
        if ((seen & mask) != (uint)asBits(old) << shift)                                                                           \
            return false;                                                                                                          \
        return atomic_cmpxchg(word, seen, (seen & ~mask) | (uint)asBits(next) << shift) == seen;                                   \
    }

#define SDFGC_NATIVE(T, name, S, space, what, function)                                                                            \
    static inline T sdfgc_atomic_##what##_##name##_##space(S T *p, T value) { return function((volatile S T *)p, value); }
#define SDFGC_UPDATE(T, name, S, space, what, expression)                                                                          \
    static inline T sdfgc_atomic_##what##_##name##_##space(S T *p, T value) {                                                      \
        T old;                                                                                                                     \
        do                                                                                                                         \
            old = sdfgc_load_##name##_##space(p);                                                                                  \
        while (!sdfgc_replace_##name##_##space(p, old, (T)(expression)));                                                          \
        return old;                                                                                                                \
    }
#define SDFGC_SUMS(T, name, S, space)                                                                                              \
    SDFGC_UPDATE(T, name, S, space, add, old + value)                                                                              \
    SDFGC_UPDATE(T, name, S, space, sub, old - value)                                                                              \
    SDFGC_UPDATE(T, name, S, space, exchange, value)
#define SDFGC_ORDERS(T, name, S, space)                                                                                            \
    SDFGC_UPDATE(T, name, S, space, min, old < value ? old : value)                                                                \
    SDFGC_UPDATE(T, name, S, space, max, old > value ? old : value)
#define SDFGC_OTHERS(T, name, S, space)                                                                                            \
    SDFGC_UPDATE(T, name, S, space, mul, old * value)                                                                              \
    SDFGC_UPDATE(T, name, S, space, div, old / value)                                                                              \
    SDFGC_UPDATE(T, name, S, space, logical_and, old && value)                                                                     \
    SDFGC_UPDATE(T, name, S, space, logical_or, old || value)                                                                      \
    SDFGC_UPDATE(T, name, S, space, logical_xor, !old != !value)
#define SDFGC_BIT_UPDATES(T, name, S, space)                                                                                       \
    SDFGC_UPDATE(T, name, S, space, and, old & value)                                                                              \
    SDFGC_UPDATE(T, name, S, space, or, old | value)                                                                               \
    SDFGC_UPDATE(T, name, S, space, xor, old ^ value)

// Floats; integers of 4 and 8 bytes, with the device's instructions; and smaller ones (U: unsigned, of their size).
#define SDFGC_FLOATS(T, name, W, swap, asWord, asValue, S, space)                                                                  \
    SDFGC_REPLACE(T, name, W, swap, asWord, asValue, S, space)                                                                     \
    SDFGC_SUMS(T, name, S, space)                                                                                                  \
    SDFGC_ORDERS(T, name, S, space)                                                                                                \
    SDFGC_OTHERS(T, name, S, space)
#define SDFGC_WORD_INSTRUCTIONS(T, name, prefix, S, space)                                                                         \
    SDFGC_REPLACE(T, name, T, prefix##cmpxchg, , , S, space)                                                                       \
    SDFGC_NATIVE(T, name, S, space, add, prefix##add)                                                                              \
    SDFGC_NATIVE(T, name, S, space, sub, prefix##sub)                                                                              \
    SDFGC_NATIVE(T, name, S, space, exchange, prefix##xchg)                                                                        \
    SDFGC_OTHERS(T, name, S, space)
#define SDFGC_WORDS(T, name, S, space)                                                                                             \
    SDFGC_WORD_INSTRUCTIONS(T, name, atomic_, S, space)                                                                            \
    SDFGC_NATIVE(T, name, S, space, min, atomic_min)                                                                               \
    SDFGC_NATIVE(T, name, S, space, max, atomic_max)                                                                               \
    SDFGC_NATIVE(T, name, S, space, and, atomic_and)                                                                               \
    SDFGC_NATIVE(T, name, S, space, or, atomic_or)                                                                                 \
    SDFGC_NATIVE(T, name, S, space, xor, atomic_xor)
#define SDFGC_WIDE_WORDS(T, name, S, space)                                                                                        \
    SDFGC_WORD_INSTRUCTIONS(T, name, atom_, S, space)                                                                              \
    SDFGC_ORDERS(T, name, S, space)                                                                                                \
    SDFGC_BIT_UPDATES(T, name, S, space)
#define SDFGC_PARTS(T, name, U, S, space)                                                                                          \
    SDFGC_REPLACE_PART(T, name, (U), (T), S, space)                                                                                \
    SDFGC_SUMS(T, name, S, space)                                                                                                  \
    SDFGC_ORDERS(T, name, S, space)                                                                                                \
    SDFGC_BIT_UPDATES(T, name, S, space)                                                                                           \
    SDFGC_OTHERS(T, name, S, space)

#define SDFGC_ATOMICS(S, space)                                                                                                    \
    SDFGC_WORDS(int, int32, S, space)                                                                                              \
    SDFGC_WORDS(uint, uint32, S, space)                                                                                            \
    SDFGC_FLOATS(float, float32, int, atomic_cmpxchg, as_int, as_float, S, space)                                                  \
    SDFGC_PARTS(bool, bool, uchar, S, space)                                                                                       \
    SDFGC_PARTS(char, int8, uchar, S, space)                                                                                       \
    SDFGC_PARTS(uchar, uint8, uchar, S, space)                                                                                     \
    SDFGC_PARTS(short, int16, ushort, S, space)                                                                                    \
    SDFGC_PARTS(ushort, uint16, ushort, S, space)
#define SDFGC_WIDE_ATOMICS(S, space)                                                                                               \
    SDFGC_WIDE_WORDS(long, int64, S, space)                                                                                        \
    SDFGC_WIDE_WORDS(ulong, uint64, S, space)                                                                                      \
    SDFGC_DOUBLE(SDFGC_FLOATS(double, float64, long, atom_cmpxchg, as_long, as_double, S, space))

SDFGC_ATOMICS(__global, global)
SDFGC_ATOMICS(__local, local)
SDFGC_WIDE(SDFGC_WIDE_ATOMICS(__global, global))
SDFGC_WIDE(SDFGC_WIDE_ATOMICS(__local, local))
#ifdef __cplusplus
)sdfgc"
#endif
