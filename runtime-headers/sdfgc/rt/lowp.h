// Floating point in 16 and 8 bits: half (float16), bfloat16, float8_e4m3fn, float8_e5m2; in software, except for conversions that
// processors support.
//
// Rules (sdfg-format 3.1): a value is its raw 2 or 1 bytes, as the caller passes them. Arithmetic converts to float and gives
// float; storing the result rounds to nearest, ties to even. Overflow gives infinity, or NaN in e4m3fn, which lacks infinity; NaN
// keeps its sign and becomes quiet. Subnormals are kept. Conversions use integer operations only, so flush-to-zero and fast-math
// flags do not change them. The flags do not change hardware conversions either, whose NaN also keeps the upper bits of its
// payload.
#pragma once

#include "sdfgc/rt/config.h"

#include <cstdint>
#include <limits>
#include <type_traits>

// Can this compiler convert halves by an instruction of the processor? Clang has had the type since 15, GCC since 12, for AArch64
// since 13; nvcc and hipcc have their own.
#if (defined(__F16C__) || defined(__aarch64__)) && !defined(SDFGC_DEVICE_COMPILER)
#if defined(__clang__) ? __clang_major__ >= 15 : defined(__aarch64__) ? __GNUC__ >= 13 : defined(__GNUC__) && __GNUC__ >= 12
#define SDFGC_HALF_BY_PROCESSOR 1
#endif
#endif

namespace sdfgc::rt {

/// A sign bit, `ExponentBits`, `MantissaBits`, in that order from the top of Storage. With `HasInfinity` the topmost exponent means
/// infinity and NaN as in IEEE 754; without, it holds numbers and only the pattern with all bits set is NaN.
template <class Storage, int ExponentBits, int MantissaBits, bool HasInfinity> class SmallFloat {
    static_assert(1 + ExponentBits + MantissaBits == 8 * static_cast<int>(sizeof(Storage)), "the format fills its storage");

public:
    static constexpr int bias = (1 << (ExponentBits - 1)) - 1;
    static constexpr uint32_t signBit = uint32_t(1) << (ExponentBits + MantissaBits);
    static constexpr uint32_t topExponent = ((uint32_t(1) << ExponentBits) - 1) << MantissaBits;
    static constexpr uint32_t quietNan = HasInfinity ? topExponent | uint32_t(1) << (MantissaBits - 1) : signBit - 1;
    static constexpr uint32_t overflow = HasInfinity ? topExponent : quietNan; // the result of overflow
    static constexpr uint32_t maxFinite = overflow - 1;

    SDFGC_HD constexpr SmallFloat() : bits_(0) {}
    SDFGC_HD constexpr SmallFloat(float value) : bits_(encode(value)) {}

    /// The value with this bit pattern, and back.
    SDFGC_HD static constexpr SmallFloat fromBits(Storage bits) {
        SmallFloat result;
        result.bits_ = bits;
        return result;
    }
    SDFGC_HD constexpr Storage bits() const { return bits_; }

    // Every operator but assignment comes from this conversion. Members for them would compete with the built-in ones on `x
    // + 1.0f`.
    SDFGC_HD constexpr operator float() const { return decode(bits_); }

    SDFGC_HD constexpr SmallFloat &operator+=(float value) { return *this = SmallFloat(decode(bits_) + value); }
    SDFGC_HD constexpr SmallFloat &operator-=(float value) { return *this = SmallFloat(decode(bits_) - value); }
    SDFGC_HD constexpr SmallFloat &operator*=(float value) { return *this = SmallFloat(decode(bits_) * value); }
    SDFGC_HD constexpr SmallFloat &operator/=(float value) { return *this = SmallFloat(decode(bits_) / value); }
    SDFGC_HD constexpr SmallFloat &operator++() { return *this += 1.0f; }
    SDFGC_HD constexpr SmallFloat &operator--() { return *this -= 1.0f; }
    SDFGC_HD constexpr SmallFloat operator++(int) {
        const SmallFloat before = *this;
        *this += 1.0f;
        return before;
    }
    SDFGC_HD constexpr SmallFloat operator--(int) {
        const SmallFloat before = *this;
        *this -= 1.0f;
        return before;
    }

private:
    static constexpr int dropped = 23 - MantissaBits; // mantissa bits of a float that do not fit

    /// value / 2**shift, rounded to nearest, ties to even; 1 <= shift <= 31.
    SDFGC_HD static constexpr uint32_t shiftRounding(uint32_t value, int shift) {
        const uint32_t belowHalf = (uint32_t(1) << (shift - 1)) - 1, odd = (value >> shift) & 1;
        return (value + belowHalf + odd) >> shift;
    }

    static constexpr bool isHalf = ExponentBits == 5 && MantissaBits == 10 && HasInfinity;

    SDFGC_HD static constexpr Storage encode(float value) {
#ifdef SDFGC_HALF_BY_PROCESSOR
        if constexpr (isHalf)
            if (!__builtin_is_constant_evaluated())
                return __builtin_bit_cast(Storage, static_cast<_Float16>(value));
#endif
        const uint32_t word = __builtin_bit_cast(uint32_t, value);
        const uint32_t sign = (word >> 31) << (ExponentBits + MantissaBits), magnitude = word & 0x7fffffffu;
        constexpr uint32_t infinity = 0x7f800000u, firstNormal = uint32_t(128 - bias) << 23;
        if (magnitude > infinity)
            return static_cast<Storage>(sign | quietNan);
        if (magnitude == infinity)
            return static_cast<Storage>(sign | overflow);
        uint32_t rounded = 0;
        if (magnitude >= firstNormal) {
            // Rebase the exponent; a carry out of the rounded mantissa steps it, which is right.
            rounded = shiftRounding(magnitude - (uint32_t(127 - bias) << 23), dropped);
        } else {
            // Subnormal in the small format: shift the mantissa, with its leading one, by the missing exponent steps as well.
            const int exponent = static_cast<int>(magnitude >> 23);
            const uint32_t mantissa = exponent > 0 ? (magnitude & 0x7fffffu) | 0x800000u : magnitude;
            const int shift = dropped + (128 - bias) - (exponent > 0 ? exponent : 1);
            rounded = shift > 25 ? 0 : shiftRounding(mantissa, shift);
        }
        return static_cast<Storage>(sign | (rounded > maxFinite ? overflow : rounded));
    }

    SDFGC_HD static constexpr float decode(Storage bits) {
#ifdef SDFGC_HALF_BY_PROCESSOR
        if constexpr (isHalf)
            if (!__builtin_is_constant_evaluated())
                return static_cast<float>(__builtin_bit_cast(_Float16, bits));
#endif
        const uint32_t sign = (bits & signBit) << (31 - ExponentBits - MantissaBits), magnitude = bits & (signBit - 1);
        if constexpr (bias == 127) // bfloat16 is the upper half of a float
            return __builtin_bit_cast(float, sign | magnitude << dropped);
        uint32_t word = 0;
        if (magnitude >= topExponent && (HasInfinity || magnitude == quietNan))
            word = 0x7f800000u | (magnitude & (topExponent ^ (signBit - 1))) << dropped;
        else if (magnitude >> MantissaBits == 0) // zero or subnormal: a small integer times the smallest step, exact in float
            word = __builtin_bit_cast(uint32_t, static_cast<float>(magnitude) * smallestStep());
        else
            word = (magnitude << dropped) + (uint32_t(127 - bias) << 23);
        return __builtin_bit_cast(float, sign | word);
    }

    SDFGC_HD static constexpr float smallestStep() { return __builtin_bit_cast(float, uint32_t(128 - bias - MantissaBits) << 23); }

    Storage bits_;
};

using half = SmallFloat<uint16_t, 5, 10, true>;
using float16 = half;
using bfloat16 = SmallFloat<uint16_t, 8, 7, true>;
using float8_e4m3fn = SmallFloat<uint8_t, 4, 3, false>;
using float8_e5m2 = SmallFloat<uint8_t, 5, 2, true>;

static_assert(sizeof(half) == 2 && alignof(half) == 2 && std::is_trivially_copyable<half>::value, "raw 2 bytes");
static_assert(sizeof(float8_e5m2) == 1 && std::is_trivially_copyable<float8_e5m2>::value, "raw 1 byte");

} // namespace sdfgc::rt

namespace std {

template <class S, int E, int M, bool I> struct numeric_limits<sdfgc::rt::SmallFloat<S, E, M, I>> {
private:
    using F = sdfgc::rt::SmallFloat<S, E, M, I>;
    static constexpr F of(uint32_t bits) noexcept { return F::fromBits(static_cast<S>(bits)); }
    /// floor(n * log10(2)), also for negative n.
    static constexpr int decimal(int n) { return (n * 30103 - (n < 0 ? 99999 : 0)) / 100000; }

public:
    static constexpr bool is_specialized = true, is_signed = true, is_integer = false, is_exact = false;
    static constexpr bool has_infinity = I, has_quiet_NaN = true, has_signaling_NaN = false, is_bounded = true, is_modulo = false;
    static constexpr bool is_iec559 = I, traps = false, tinyness_before = false;
    static constexpr float_denorm_style has_denorm = denorm_present;
    static constexpr bool has_denorm_loss = false;
    static constexpr float_round_style round_style = round_to_nearest;
    static constexpr int radix = 2, digits = M + 1, digits10 = decimal(M), max_digits10 = decimal(M + 1) + 2;
    static constexpr int min_exponent = 2 - F::bias, max_exponent = I ? F::bias + 1 : F::bias + 2;
    static constexpr int min_exponent10 = decimal(min_exponent - 1) + 1, max_exponent10 = decimal(max_exponent);

    static constexpr F min() noexcept { return of(uint32_t(1) << M); }
    static constexpr F max() noexcept { return of(F::maxFinite); }
    static constexpr F lowest() noexcept { return of(F::signBit | F::maxFinite); }
    static constexpr F epsilon() noexcept { return F(1.0f / (1 << M)); }
    static constexpr F round_error() noexcept { return F(0.5f); }
    static constexpr F denorm_min() noexcept { return of(1); }
    static constexpr F infinity() noexcept { return I ? of(F::topExponent) : F(); } // no infinity: 0, as the standard has it
    static constexpr F quiet_NaN() noexcept { return of(F::quietNan); }
    static constexpr F signaling_NaN() noexcept { return of(F::quietNan); }
};

// Where small floats meet other types (min, max, floordiv): an integer becomes the small float, otherwise the other type wins; two
// different small floats meet in float. The conversions in both directions would make the conditional operator ambiguous.
template <class S, int E, int M, bool I, class U> struct common_type<sdfgc::rt::SmallFloat<S, E, M, I>, U> {
    using type = conditional_t<is_integral<U>::value, sdfgc::rt::SmallFloat<S, E, M, I>, U>;
};
template <class S, int E, int M, bool I, class U> struct common_type<U, sdfgc::rt::SmallFloat<S, E, M, I>> {
    using type = typename common_type<sdfgc::rt::SmallFloat<S, E, M, I>, U>::type;
};
template <class S, int E, int M, bool I, class S2, int E2, int M2, bool I2>
struct common_type<sdfgc::rt::SmallFloat<S, E, M, I>, sdfgc::rt::SmallFloat<S2, E2, M2, I2>> {
    using type = float;
};
template <class S, int E, int M, bool I> struct common_type<sdfgc::rt::SmallFloat<S, E, M, I>, sdfgc::rt::SmallFloat<S, E, M, I>> {
    using type = sdfgc::rt::SmallFloat<S, E, M, I>;
};

} // namespace std

#ifdef _OPENMP
namespace sdfgc::rt {
// OpenMP has no reductions over classes.
#define SDFGC_SMALL_FLOAT_REDUCTIONS(T)                                                                                            \
    _Pragma(SDFGC_TEXT(omp declare reduction(+ : T : omp_out += omp_in) initializer(omp_priv = T(0.0f))))                                  \
    _Pragma(SDFGC_TEXT(omp declare reduction(* : T : omp_out *= omp_in) initializer(omp_priv = T(1.0f))))                                  \
    _Pragma(SDFGC_TEXT(omp declare reduction(min : T : omp_out = omp_in < omp_out ? omp_in : omp_out) initializer(omp_priv = omp_orig)))   \
    _Pragma(SDFGC_TEXT(omp declare reduction(max : T : omp_out = omp_in > omp_out ? omp_in : omp_out) initializer(omp_priv = omp_orig)))
#define SDFGC_TEXT(...) #__VA_ARGS__
SDFGC_SMALL_FLOAT_REDUCTIONS(half)
SDFGC_SMALL_FLOAT_REDUCTIONS(bfloat16)
SDFGC_SMALL_FLOAT_REDUCTIONS(float8_e4m3fn)
SDFGC_SMALL_FLOAT_REDUCTIONS(float8_e5m2)
#undef SDFGC_TEXT
#undef SDFGC_SMALL_FLOAT_REDUCTIONS
} // namespace sdfgc::rt
#endif
