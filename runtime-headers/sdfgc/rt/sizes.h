// Memory sizes, computed without wrapping around: an allocation either has the size of the formula, or fails.
//
//     tmp.allocate(sdfgc::rt::elements(N, sdfgc::rt::total(M, 1)));     N * (M + 1)
//
// Rules: results have 64 bits, whatever the types of the operands. Overflow throws std::bad_alloc on the host, like exhausted
// memory; on a device, which cannot throw, it gives the largest number, which no heap can allocate. If an operand is a real number,
// the computation uses real numbers and is not checked.
#pragma once

#include "sdfgc/rt/config.h"

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>

namespace sdfgc::rt {

namespace detail {

template <class... T> inline constexpr bool areWhole = (std::is_integral<T>::value && ...);

/// The result for a size beyond 64 bits, if the function returns.
SDFGC_HD inline int64_t tooLarge() {
#ifdef SDFGC_DEVICE_PASS
    return INT64_MAX;
#else
    throw std::bad_alloc();
#endif
}

/// A size in 64 bits.
template <class T> SDFGC_HD inline int64_t wholeSize(T size) {
    if constexpr (std::is_unsigned<T>::value && sizeof(T) == sizeof(int64_t))
        if (size > static_cast<T>(INT64_MAX))
            return tooLarge();
    return static_cast<int64_t>(size);
}

/// a * b. Compilers of devices have no built-in function for it; there a division detects overflow.
SDFGC_HD inline int64_t checkedProduct(int64_t a, int64_t b) {
#ifdef SDFGC_DEVICE_PASS
    const int64_t product = static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
    const bool isRight = a == -1 ? b != INT64_MIN : a == 0 || product / a == b;
    return isRight ? product : tooLarge();
#else
    int64_t product = 0;
    return __builtin_mul_overflow(a, b, &product) ? tooLarge() : product;
#endif
}

/// a + b.
SDFGC_HD inline int64_t checkedSum(int64_t a, int64_t b) {
    const int64_t sum = static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
    return (a < 0) == (b < 0) && (sum < 0) != (a < 0) ? tooLarge() : sum;
}

/// The bytes of `count` elements of type T; 0 if `count` is not positive.
template <class T> SDFGC_HD inline std::size_t bytesOf(int64_t count) {
    return count > 0 ? static_cast<std::size_t>(checkedProduct(count, static_cast<int64_t>(sizeof(T)))) : 0;
}

} // namespace detail

/// A product of sizes.
template <class... Sizes> SDFGC_HD inline auto elements(Sizes... sizes) {
    if constexpr (detail::areWhole<Sizes...>) {
        int64_t out = 1;
        ((out = detail::checkedProduct(out, detail::wholeSize(sizes))), ...);
        return out;
    } else {
        return (sizes * ...);
    }
}

/// A sum of sizes.
template <class... Sizes> SDFGC_HD inline auto total(Sizes... sizes) {
    if constexpr (detail::areWhole<Sizes...>) {
        int64_t out = 0;
        ((out = detail::checkedSum(out, detail::wholeSize(sizes))), ...);
        return out;
    } else {
        return (sizes + ...);
    }
}

/// A size to a power, with the meaning of rt::ipow: for integers, 1 / size^n is rounded towards zero.
template <class Size> SDFGC_HD inline auto power(Size size, int64_t exponent) {
    using Result = std::conditional_t<detail::areWhole<Size>, int64_t, Size>;
    Result out = 1, square = size;
    for (uint64_t n = exponent < 0 ? -static_cast<uint64_t>(exponent) : static_cast<uint64_t>(exponent); n > 0; n /= 2) {
        if (n % 2)
            out = static_cast<Result>(elements(out, square));
        if (n > 1)
            square = static_cast<Result>(elements(square, square));
    }
    return exponent < 0 ? static_cast<Result>(out == 0 ? Result(0) : Result(1) / out) : out;
}

} // namespace sdfgc::rt
