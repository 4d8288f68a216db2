#ifdef __cplusplus
R"sdfgc(
#endif
// Complex numbers, vectors, and floats of 16 and 8 bits, for kernels in OpenCL C 1.2 that use them; follows opencl_device.h. They are
// structures of the size and alignment of the host's. Complex numbers are computed as in gpu_complex.h and gpu_complexmath.h, without
// rescuing infinities; small floats are converted as in lowp.h. C++ reads this file as one string (gpu_opencl.cpp).
#define SDFGC_OPENCL_STRUCTS

// ---- complex numbers (T: real numbers of type `real`)

#define SDFGC_COMPLEX_ARITHMETIC(T, name)                                                                                          \
    typedef struct { T re, im; } sdfgc_##name;                                                                                     \
    static inline sdfgc_##name sdfgc_parts_##name(T re, T im) {                                                                    \
        sdfgc_##name z;                                                                                                            \
        z.re = re;                                                                                                                 \
        z.im = im;                                                                                                                 \
        return z;                                                                                                                  \
    }                                                                                                                              \
    static inline sdfgc_##name sdfgc_##name##_of(T a) { return sdfgc_parts_##name(a, 0); }                                         \
    static inline T sdfgc_real_##name(sdfgc_##name a) { return a.re; }                                                             \
    static inline T sdfgc_imag_##name(sdfgc_##name a) { return a.im; }                                                             \
    static inline sdfgc_##name sdfgc_conj_##name(sdfgc_##name a) { return sdfgc_parts_##name(a.re, -a.im); }                       \
    static inline sdfgc_##name sdfgc_neg_##name(sdfgc_##name a) { return sdfgc_parts_##name(-a.re, -a.im); }                       \
    static inline bool sdfgc_equal_##name(sdfgc_##name a, sdfgc_##name b) { return a.re == b.re && a.im == b.im; }                 \
    static inline sdfgc_##name sdfgc_add_##name(sdfgc_##name a, sdfgc_##name b) {                                                  \
        return sdfgc_parts_##name(a.re + b.re, a.im + b.im);                                                                       \
    }                                                                                                                              \
    static inline sdfgc_##name sdfgc_sub_##name(sdfgc_##name a, sdfgc_##name b) {                                                  \
        return sdfgc_parts_##name(a.re - b.re, a.im - b.im);                                                                       \
    }                                                                                                                              \
    static inline sdfgc_##name sdfgc_mul_##name(sdfgc_##name a, sdfgc_##name b) {                                                  \
        return sdfgc_parts_##name(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re);                                           \
    }                                                                                                                              \
    static inline sdfgc_##name sdfgc_div_##name(sdfgc_##name a, sdfgc_##name b) {                                                  \
        if (!(fabs(b.re) < fabs(b.im))) {                                                                                          \
            const T ratio = b.re == 0 && b.im == 0 ? (T)0 : b.im / b.re, divisor = b.re + b.im * ratio;                            \
            return sdfgc_parts_##name((a.re + a.im * ratio) / divisor, (a.im - a.re * ratio) / divisor);                           \
        }                                                                                                                          \
        const T ratio = b.re / b.im, divisor = b.re * ratio + b.im;                                                                \
        return sdfgc_parts_##name((a.re * ratio + a.im) / divisor, (a.im * ratio - a.re) / divisor);                               \
    }                                                                                                                              \
    static inline sdfgc_##name sdfgc_add_right_##name(sdfgc_##name a, T b) { return sdfgc_parts_##name(a.re + b, a.im); }          \
    static inline sdfgc_##name sdfgc_add_left_##name(T a, sdfgc_##name b) { return sdfgc_parts_##name(a + b.re, b.im); }           \
    static inline sdfgc_##name sdfgc_sub_right_##name(sdfgc_##name a, T b) { return sdfgc_parts_##name(a.re - b, a.im); }          \
    static inline sdfgc_##name sdfgc_sub_left_##name(T a, sdfgc_##name b) { return sdfgc_parts_##name(a - b.re, -b.im); }          \
    static inline sdfgc_##name sdfgc_mul_right_##name(sdfgc_##name a, T b) { return sdfgc_parts_##name(a.re * b, a.im * b); }      \
    static inline sdfgc_##name sdfgc_mul_left_##name(T a, sdfgc_##name b) { return sdfgc_parts_##name(a * b.re, a * b.im); }       \
    static inline sdfgc_##name sdfgc_div_right_##name(sdfgc_##name a, T b) { return sdfgc_parts_##name(a.re / b, a.im / b); }      \
    static inline sdfgc_##name sdfgc_div_left_##name(T a, sdfgc_##name b) {                                                        \
        return sdfgc_div_##name(sdfgc_##name##_of(a), b);                                                                          \
    }

#define SDFGC_COMPLEX_POWERS(T, name)                                                                                              \
    static inline T sdfgc_abs_##name(sdfgc_##name a) { return hypot(a.re, a.im); }                                                 \
    static inline T sdfgc_arg_##name(sdfgc_##name a) { return atan2(a.im, a.re); }                                                 \
    static inline sdfgc_##name sdfgc_polar_##name(T modulus, T angle) {                                                            \
        return sdfgc_parts_##name(modulus * cos(angle), modulus * sin(angle));                                                     \
    }                                                                                                                              \
    static inline sdfgc_##name sdfgc_exp_##name(sdfgc_##name a) {                                                                  \
        return a.im == 0 ? sdfgc_parts_##name(exp(a.re), a.im) : sdfgc_polar_##name(exp(a.re), a.im);                              \
    }                                                                                                                              \
    static inline sdfgc_##name sdfgc_log_##name(sdfgc_##name a) {                                                                  \
        return sdfgc_parts_##name(log(sdfgc_abs_##name(a)), sdfgc_arg_##name(a));                                                  \
    }                                                                                                                              \
    static inline sdfgc_##name sdfgc_log10_##name(sdfgc_##name a) {                                                                \
        return sdfgc_div_right_##name(sdfgc_log_##name(a), log((T)10));                                                            \
    }                                                                                                                              \
    static inline sdfgc_##name sdfgc_log2_##name(sdfgc_##name a) {                                                                 \
        return sdfgc_div_right_##name(sdfgc_log_##name(a), log((T)2));                                                             \
    }                                                                                                                              \
    static inline sdfgc_##name sdfgc_exp2_##name(sdfgc_##name a) {                                                                 \
        return sdfgc_exp_##name(sdfgc_mul_right_##name(a, log((T)2)));                                                             \
    }                                                                                                                              \
    static inline sdfgc_##name sdfgc_expm1_##name(sdfgc_##name a) {                                                                \
        const T halfSine = sin(a.im / 2);                                                                                          \
        return sdfgc_parts_##name(expm1(a.re) * cos(a.im) - 2 * halfSine * halfSine, exp(a.re) * sin(a.im));                       \
    }                                                                                                                              \
    static inline sdfgc_##name sdfgc_log1p_##name(sdfgc_##name a) {                                                                \
        const T modulus = hypot(1 + a.re, a.im);                                                                                   \
        const bool isNearOne = modulus > (T)0.5f && modulus < (T)2;                                                                \
        return sdfgc_parts_##name(isNearOne ? log1p(a.re * (2 + a.re) + a.im * a.im) / 2 : log(modulus), atan2(a.im, 1 + a.re));   \
    }                                                                                                                              \
    static inline sdfgc_##name sdfgc_sqrt_##name(sdfgc_##name a) {                                                                 \
        if (a.re == 0 && a.im == 0)                                                                                                \
            return sdfgc_parts_##name(0, a.im);                                                                                    \
        const T t = sqrt(2 * (sdfgc_abs_##name(a) + fabs(a.re))), u = t / 2;                                                       \
        return a.re > 0 ? sdfgc_parts_##name(u, a.im / t) : sdfgc_parts_##name(fabs(a.im) / t, copysign(u, a.im));                 \
    }                                                                                                                              \
    static inline sdfgc_##name sdfgc_pow_##name(sdfgc_##name a, sdfgc_##name b) {                                                  \
        if (a.re == 0 && a.im == 0)                                                                                                \
            return sdfgc_parts_##name(b.re == 0 && b.im == 0 ? (T)1 : (T)0, 0);                                                    \
        return sdfgc_exp_##name(sdfgc_mul_##name(b, sdfgc_log_##name(a)));                                                         \
    }                                                                                                                              \
    static inline sdfgc_##name sdfgc_pow_right_##name(sdfgc_##name a, T b) {                                                       \
        if (a.re == 0 && a.im == 0)                                                                                                \
            return sdfgc_parts_##name(b == 0 ? (T)1 : (T)0, 0);                                                                    \
        if (a.im == 0 && a.re > 0)                                                                                                 \
            return sdfgc_##name##_of(pow(a.re, b));                                                                                \
        return sdfgc_polar_##name(pow(sdfgc_abs_##name(a), b), b * sdfgc_arg_##name(a));                                           \
    }                                                                                                                              \
    static inline sdfgc_##name sdfgc_pow_left_##name(T a, sdfgc_##name b) {                                                        \
        return a > 0 ? sdfgc_polar_##name(pow(a, b.re), b.im * log(a)) : sdfgc_pow_##name(sdfgc_##name##_of(a), b);                \
    }                                                                                                                              \
    static inline sdfgc_##name sdfgc_ipow_##name(sdfgc_##name base, long exponent) {                                               \
        sdfgc_##name result = sdfgc_##name##_of(1);                                                                                \
        for (ulong e = exponent < 0 ? (ulong)0 - (ulong)exponent : (ulong)exponent; e != 0; e >>= 1) {                             \
            if (e & 1)                                                                                                             \
                result = sdfgc_mul_##name(result, base);                                                                           \
            base = sdfgc_mul_##name(base, base);                                                                                   \
        }                                                                                                                          \
        return exponent < 0 ? sdfgc_div_left_##name(1, result) : result;                                                           \
    }                                                                                                                              \
    static inline sdfgc_##name sdfgc_reciprocal_##name(sdfgc_##name a) { return sdfgc_div_left_##name(1, a); }                     \
    static inline sdfgc_##name sdfgc_round_##name(sdfgc_##name a) { return sdfgc_parts_##name(round(a.re), round(a.im)); }         \
    static inline sdfgc_##name sdfgc_sign_##name(sdfgc_##name a) {                                                                 \
        const T part = a.re != 0 ? a.re : a.im;                                                                                    \
        return sdfgc_##name##_of(part != part ? part : (T)((part > 0) - (part < 0)));                                              \
    }                                                                                                                              \
    static inline sdfgc_##name sdfgc_sign_numpy_2_##name(sdfgc_##name a) {                                                         \
        return a.re == 0 && a.im == 0 ? sdfgc_##name##_of(0) : sdfgc_div_right_##name(a, sdfgc_abs_##name(a));                     \
    }                                                                                                                              \
    static inline bool sdfgc_isnan_##name(sdfgc_##name a) { return isnan(a.re) || isnan(a.im); }                                   \
    static inline bool sdfgc_isinf_##name(sdfgc_##name a) { return isinf(a.re) || isinf(a.im); }                                   \
    static inline bool sdfgc_isfinite_##name(sdfgc_##name a) { return isfinite(a.re) && isfinite(a.im); }

// The formulas of inverse functions, and of tanh, are Kahan's ("Branch cuts for complex elementary functions", 1987).
#define SDFGC_COMPLEX_CIRCLE(T, name)                                                                                              \
    static inline sdfgc_##name sdfgc_times_i_##name(sdfgc_##name a) { return sdfgc_parts_##name(-a.im, a.re); }                    \
    static inline sdfgc_##name sdfgc_over_i_##name(sdfgc_##name a) { return sdfgc_parts_##name(a.im, -a.re); }                     \
    static inline sdfgc_##name sdfgc_sinh_##name(sdfgc_##name a) {                                                                 \
        return sdfgc_parts_##name(sinh(a.re) * cos(a.im), cosh(a.re) * sin(a.im));                                                 \
    }                                                                                                                              \
    static inline sdfgc_##name sdfgc_cosh_##name(sdfgc_##name a) {                                                                 \
        return sdfgc_parts_##name(cosh(a.re) * cos(a.im), sinh(a.re) * sin(a.im));                                                 \
    }                                                                                                                              \
    static inline sdfgc_##name sdfgc_tanh_##name(sdfgc_##name a) {                                                                 \
        if (fabs(a.re) > 20)                                                                                                       \
            return sdfgc_parts_##name(copysign((T)1, a.re), 4 * sin(a.im) * cos(a.im) * exp(-2 * fabs(a.re)));                     \
        const T t = tan(a.im), beta = 1 + t * t, s = sinh(a.re), rho = sqrt(1 + s * s), divisor = 1 + beta * s * s;                \
        return sdfgc_parts_##name(beta * rho * s / divisor, t / divisor);                                                          \
    }                                                                                                                              \
    static inline sdfgc_##name sdfgc_sin_##name(sdfgc_##name a) {                                                                  \
        return sdfgc_parts_##name(sin(a.re) * cosh(a.im), cos(a.re) * sinh(a.im));                                                 \
    }                                                                                                                              \
    static inline sdfgc_##name sdfgc_cos_##name(sdfgc_##name a) {                                                                  \
        return sdfgc_parts_##name(cos(a.re) * cosh(a.im), -(sin(a.re) * sinh(a.im)));                                              \
    }                                                                                                                              \
    static inline sdfgc_##name sdfgc_tan_##name(sdfgc_##name a) {                                                                  \
        return sdfgc_over_i_##name(sdfgc_tanh_##name(sdfgc_times_i_##name(a)));                                                    \
    }                                                                                                                              \
    static inline sdfgc_##name sdfgc_asin_##name(sdfgc_##name a) {                                                                 \
        const sdfgc_##name minus = sdfgc_sqrt_##name(sdfgc_parts_##name(1 - a.re, -a.im));                                         \
        const sdfgc_##name plus = sdfgc_sqrt_##name(sdfgc_parts_##name(1 + a.re, a.im));                                           \
        return sdfgc_parts_##name(atan2(a.re, minus.re * plus.re - minus.im * plus.im),                                            \
                                  asinh(minus.re * plus.im - minus.im * plus.re));                                                 \
    }                                                                                                                              \
    static inline sdfgc_##name sdfgc_acos_##name(sdfgc_##name a) {                                                                 \
        const sdfgc_##name minus = sdfgc_sqrt_##name(sdfgc_parts_##name(1 - a.re, -a.im));                                         \
        const sdfgc_##name plus = sdfgc_sqrt_##name(sdfgc_parts_##name(1 + a.re, a.im));                                           \
        return sdfgc_parts_##name(2 * atan2(minus.re, plus.re), asinh(plus.re * minus.im - plus.im * minus.re));                   \
    }                                                                                                                              \
    static inline sdfgc_##name sdfgc_acosh_##name(sdfgc_##name a) {                                                                \
        const sdfgc_##name minus = sdfgc_sqrt_##name(sdfgc_parts_##name(a.re - 1, a.im));                                          \
        const sdfgc_##name plus = sdfgc_sqrt_##name(sdfgc_parts_##name(a.re + 1, a.im));                                           \
        return sdfgc_parts_##name(asinh(minus.re * plus.re + minus.im * plus.im), 2 * atan2(minus.im, plus.re));                   \
    }                                                                                                                              \
    static inline sdfgc_##name sdfgc_atanh_##name(sdfgc_##name a) {                                                                \
        const T below = 1 - a.re, square = a.im * a.im;                                                                            \
        return sdfgc_parts_##name(log1p(4 * a.re / (below * below + square)) / 4,                                                  \
                                  atan2(2 * a.im, below * (1 + a.re) - square) / 2);                                               \
    }                                                                                                                              \
    static inline sdfgc_##name sdfgc_asinh_##name(sdfgc_##name a) {                                                                \
        return sdfgc_over_i_##name(sdfgc_asin_##name(sdfgc_times_i_##name(a)));                                                    \
    }                                                                                                                              \
    static inline sdfgc_##name sdfgc_atan_##name(sdfgc_##name a) {                                                                 \
        return sdfgc_over_i_##name(sdfgc_atanh_##name(sdfgc_times_i_##name(a)));                                                   \
    }

// Both parts are updated atomically, the number as a whole is not (gpu_atomic.h).
#define SDFGC_COMPLEX_UPDATE(T, name, real, S, space, what)                                                                        \
    static inline sdfgc_##name sdfgc_atomic_##what##_##name##_##space(S sdfgc_##name *p, sdfgc_##name value) {                     \
        const T re = sdfgc_atomic_##what##_##real##_##space(&p->re, value.re);                                                     \
        return sdfgc_parts_##name(re, sdfgc_atomic_##what##_##real##_##space(&p->im, value.im));                                   \
    }
#define SDFGC_COMPLEX_UPDATES(T, name, real, S, space)                                                                             \
    SDFGC_COMPLEX_UPDATE(T, name, real, S, space, add)                                                                             \
    SDFGC_COMPLEX_UPDATE(T, name, real, S, space, sub)                                                                             \
    SDFGC_COMPLEX_UPDATE(T, name, real, S, space, exchange)
#define SDFGC_COMPLEX(T, name)                                                                                                     \
    SDFGC_COMPLEX_ARITHMETIC(T, name)                                                                                              \
    SDFGC_COMPLEX_POWERS(T, name)                                                                                                  \
    SDFGC_COMPLEX_CIRCLE(T, name)                                                                                                  \
    SDFGC_BLOCK(sdfgc_##name, name, Sum, sdfgc_add_##name)

SDFGC_COMPLEX(float, complex64)
SDFGC_COMPLEX_UPDATES(float, complex64, float32, __global, global)
SDFGC_COMPLEX_UPDATES(float, complex64, float32, __local, local)
#ifdef cl_khr_fp64
SDFGC_COMPLEX(double, complex128)
SDFGC_WIDE(SDFGC_COMPLEX_UPDATES(double, complex128, float64, __global, global))
SDFGC_WIDE(SDFGC_COMPLEX_UPDATES(double, complex128, float64, __local, local))
static inline sdfgc_complex128 sdfgc_complex128_of_complex64(sdfgc_complex64 a) { return sdfgc_parts_complex128(a.re, a.im); }
static inline sdfgc_complex64 sdfgc_complex64_of_complex128(sdfgc_complex128 a) {
    return sdfgc_parts_complex64((float)a.re, (float)a.im);
}
#endif

// ---- small floats: a sign, X bits of exponent, M of mantissa; without infinity, the topmost exponent has numbers, too

static inline uint sdfgc_shift_rounding(uint value, int shift) {
    return (value + ((1u << (shift - 1)) - 1) + ((value >> shift) & 1)) >> shift;
}
static inline uint sdfgc_to_small(float value, int X, int M, bool hasInfinity) {
    const int bias = (1 << (X - 1)) - 1;
    const uint word = as_uint(value), sign = (word >> 31) << (X + M), magnitude = word & 0x7fffffffu;
    const uint top = ((1u << X) - 1) << M, nan_ = hasInfinity ? top | 1u << (M - 1) : (1u << (X + M)) - 1;
    const uint overflow = hasInfinity ? top : nan_;
    uint rounded = 0;
    if (magnitude > 0x7f800000u)
        return sign | nan_;
    if (magnitude == 0x7f800000u)
        return sign | overflow;
    if (magnitude >= (uint)(128 - bias) << 23) {
        rounded = sdfgc_shift_rounding(magnitude - ((uint)(127 - bias) << 23), 23 - M);
    } else {
        const int exponent = (int)(magnitude >> 23);
        const uint mantissa = exponent > 0 ? (magnitude & 0x7fffffu) | 0x800000u : magnitude;
        const int shift = 23 - M + 128 - bias - (exponent > 0 ? exponent : 1);
        rounded = shift > 25 ? 0 : sdfgc_shift_rounding(mantissa, shift);
    }
    return sign | (rounded >= overflow ? overflow : rounded);
}
static inline float sdfgc_from_small(uint bits, int X, int M, bool hasInfinity) {
    const int bias = (1 << (X - 1)) - 1;
    const uint top = ((1u << X) - 1) << M, signBit = 1u << (X + M), sign = (bits & signBit) << (31 - X - M);
    const uint magnitude = bits & (signBit - 1);
    if (X == 8)
        return as_float(sign | magnitude << (23 - M));
    if (magnitude >= top && (hasInfinity || magnitude == signBit - 1))
        return as_float(sign | 0x7f800000u | (magnitude & (top ^ (signBit - 1))) << (23 - M));
    if (magnitude >> M == 0)
        return as_float(sign | as_uint((float)magnitude * as_float((uint)(128 - bias - M) << 23)));
    return as_float(sign | ((magnitude << (23 - M)) + ((uint)(127 - bias) << 23)));
}

#define SDFGC_SMALL_TWO(name, what, expression)                                                                                    \
    static inline sdfgc_##name sdfgc_##what##_##name(sdfgc_##name left, sdfgc_##name right) {                                      \
        const float a = sdfgc_float_of_##name(left), b = sdfgc_float_of_##name(right);                                             \
        return sdfgc_##name##_of(expression);                                                                                      \
    }
#define SDFGC_SMALL_UPDATE(name, S, space, what)                                                                                   \
    static inline sdfgc_##name sdfgc_atomic_##what##_##name##_##space(S sdfgc_##name *p, sdfgc_##name value) {                     \
        sdfgc_##name old;                                                                                                          \
        do                                                                                                                         \
            old = sdfgc_load_##name##_##space(p);                                                                                  \
        while (!sdfgc_replace_##name##_##space(p, old, sdfgc_##what##_##name(old, value)));                                        \
        return old;                                                                                                                \
    }
#define SDFGC_SMALL_BITS(a) ((a).bits)
#define SDFGC_SMALL_ATOMICS(name, S, space)                                                                                        \
    SDFGC_REPLACE_PART(sdfgc_##name, name, SDFGC_SMALL_BITS, sdfgc_bits_##name, S, space)                                          \
    SDFGC_SMALL_UPDATE(name, S, space, add)                                                                                        \
    SDFGC_SMALL_UPDATE(name, S, space, sub)                                                                                        \
    SDFGC_SMALL_UPDATE(name, S, space, mul)                                                                                        \
    SDFGC_SMALL_UPDATE(name, S, space, div)                                                                                        \
    SDFGC_SMALL_UPDATE(name, S, space, min)                                                                                        \
    SDFGC_SMALL_UPDATE(name, S, space, max)                                                                                        \
    SDFGC_SMALL_UPDATE(name, S, space, exchange)
#define SDFGC_SMALL(name, B, X, M, hasInfinity)                                                                                    \
    typedef struct { B bits; } sdfgc_##name;                                                                                       \
    static inline sdfgc_##name sdfgc_bits_##name(uint bits) {                                                                      \
        sdfgc_##name a;                                                                                                            \
        a.bits = (B)bits;                                                                                                          \
        return a;                                                                                                                  \
    }                                                                                                                              \
    static inline sdfgc_##name sdfgc_##name##_of(float value) {                                                                    \
        sdfgc_##name a;                                                                                                            \
        a.bits = (B)sdfgc_to_small(value, X, M, hasInfinity);                                                                      \
        return a;                                                                                                                  \
    }                                                                                                                              \
    static inline float sdfgc_float_of_##name(sdfgc_##name a) { return sdfgc_from_small(a.bits, X, M, hasInfinity); }              \
    SDFGC_SMALL_TWO(name, add, a + b)                                                                                              \
    SDFGC_SMALL_TWO(name, sub, a - b)                                                                                              \
    SDFGC_SMALL_TWO(name, mul, a * b)                                                                                              \
    SDFGC_SMALL_TWO(name, div, a / b)                                                                                              \
    SDFGC_SMALL_TWO(name, min, a < b ? a : b)                                                                                      \
    SDFGC_SMALL_TWO(name, max, a > b ? a : b)                                                                                      \
    static inline sdfgc_##name sdfgc_exchange_##name(sdfgc_##name old, sdfgc_##name value) { return value; }                       \
    SDFGC_BLOCK(sdfgc_##name, name, Sum, sdfgc_add_##name)                                                                         \
    SDFGC_BLOCK(sdfgc_##name, name, Product, sdfgc_mul_##name)                                                                     \
    SDFGC_BLOCK(sdfgc_##name, name, Min, sdfgc_min_##name)                                                                         \
    SDFGC_BLOCK(sdfgc_##name, name, Max, sdfgc_max_##name)                                                                         \
    SDFGC_SMALL_ATOMICS(name, __global, global)                                                                                    \
    SDFGC_SMALL_ATOMICS(name, __local, local)

SDFGC_SMALL(float16, ushort, 5, 10, true)
SDFGC_SMALL(bfloat16, ushort, 8, 7, true)
SDFGC_SMALL(float8_e4m3fn, uchar, 4, 3, false)
SDFGC_SMALL(float8_e5m2, uchar, 5, 2, true)

// ---- structures of programs

// Replaces one of 8 bytes if it is still the one that was read.
#define SDFGC_REPLACE_STRUCT(T, name, S, space)                                                                                    \
    static inline T sdfgc_load_##name##_##space(S T *p) {                                                                          \
        union {                                                                                                                    \
            T value;                                                                                                               \
            ulong word;                                                                                                            \
        } now;                                                                                                                     \
        now.word = atom_cmpxchg((volatile S ulong *)p, (ulong)0, (ulong)0);                                                        \
        return now.value;                                                                                                          \
    }                                                                                                                              \
    static inline bool sdfgc_replace_##name##_##space(S T *p, T old, T next) {                                                     \
        union {                                                                                                                    \
            T value;                                                                                                               \
            ulong word;                                                                                                            \
        } before, after;                                                                                                           \
        before.value = old;                                                                                                        \
        after.value = next;                                                                                                        \
        return atom_cmpxchg((volatile S ulong *)p, before.word, after.word) == before.word;                                        \
    }

// ---- vectors of N elements, which are computed with one by one

#define SDFGC_VECTOR_ONE(name, element, N, what)                                                                                   \
    static inline sdfgc_##name sdfgc_##what##_##name(sdfgc_##name a) {                                                             \
        for (int i = 0; i < N; ++i)                                                                                                \
            a.lane[i] = sdfgc_##what##_##element(a.lane[i]);                                                                       \
        return a;                                                                                                                  \
    }
#define SDFGC_VECTOR_TWO(name, element, N, what)                                                                                   \
    static inline sdfgc_##name sdfgc_##what##_##name(sdfgc_##name a, sdfgc_##name b) {                                             \
        for (int i = 0; i < N; ++i)                                                                                                \
            a.lane[i] = sdfgc_##what##_##element(a.lane[i], b.lane[i]);                                                            \
        return a;                                                                                                                  \
    }
#define SDFGC_VECTOR_OPERATOR(name, N, what, op)                                                                                   \
    static inline sdfgc_##name sdfgc_##what##_##name(sdfgc_##name a, sdfgc_##name b) {                                             \
        for (int i = 0; i < N; ++i)                                                                                                \
            a.lane[i] = a.lane[i] op b.lane[i];                                                                                    \
        return a;                                                                                                                  \
    }
#define SDFGC_VECTOR(T, name, element, N)                                                                                          \
    typedef struct { T lane[N]; } sdfgc_##name;                                                                                    \
    static inline sdfgc_##name sdfgc_##name##_of(T value) {                                                                        \
        sdfgc_##name a;                                                                                                            \
        for (int i = 0; i < N; ++i)                                                                                                \
            a.lane[i] = value;                                                                                                     \
        return a;                                                                                                                  \
    }                                                                                                                              \
    static inline sdfgc_##name sdfgc_neg_##name(sdfgc_##name a) {                                                                  \
        for (int i = 0; i < N; ++i)                                                                                                \
            a.lane[i] = -a.lane[i];                                                                                                \
        return a;                                                                                                                  \
    }                                                                                                                              \
    SDFGC_VECTOR_OPERATOR(name, N, add, +)                                                                                         \
    SDFGC_VECTOR_OPERATOR(name, N, sub, -)                                                                                         \
    SDFGC_VECTOR_OPERATOR(name, N, mul, *)                                                                                         \
    SDFGC_VECTOR_OPERATOR(name, N, div, /)                                                                                         \
    SDFGC_VECTOR_ONE(name, element, N, abs)                                                                                        \
    SDFGC_VECTOR_TWO(name, element, N, min)                                                                                        \
    SDFGC_VECTOR_TWO(name, element, N, max)
#define SDFGC_INTEGER_VECTOR(T, element, N) SDFGC_VECTOR(T, element##x##N, element, N)
#define SDFGC_FLOAT_VECTOR(T, element, N)                                                                                          \
    SDFGC_VECTOR(T, element##x##N, element, N)                                                                                     \
    SDFGC_VECTOR_ONE(element##x##N, element, N, ceil)                                                                              \
    SDFGC_VECTOR_ONE(element##x##N, element, N, cos)                                                                               \
    SDFGC_VECTOR_ONE(element##x##N, element, N, exp)                                                                               \
    SDFGC_VECTOR_ONE(element##x##N, element, N, fabs)                                                                              \
    SDFGC_VECTOR_ONE(element##x##N, element, N, floor)                                                                             \
    SDFGC_VECTOR_ONE(element##x##N, element, N, log)                                                                               \
    SDFGC_VECTOR_ONE(element##x##N, element, N, sin)                                                                               \
    SDFGC_VECTOR_ONE(element##x##N, element, N, sqrt)                                                                              \
    SDFGC_VECTOR_ONE(element##x##N, element, N, tanh)                                                                              \
    SDFGC_VECTOR_TWO(element##x##N, element, N, fmax)                                                                              \
    SDFGC_VECTOR_TWO(element##x##N, element, N, fmin)                                                                              \
    SDFGC_VECTOR_TWO(element##x##N, element, N, pow)
#ifdef __cplusplus
)sdfgc"
#endif
