// Run-time checks of programs that are built with `--checks` (docs/user/build.md). The pass insert-checks inserts calls of these
// functions:
//
//     A[i + check_element("A", "f: state main, tasklet t (prog.py:12)", i, N)] = ...       0, or it throws
//     quotient = a / check_divisor("f: state main, tasklet t (prog.py:12)", b)             b, or it throws
//
// The exception becomes the error of the call (abi.h): guard() records it, and DeferredError (parallel.h) does inside parallel
// regions.
//
// New memory is filled with a pattern, and values read from it must not have the pattern. A NaN keeps its pattern when copied. A
// program is unlikely to compute exactly this pattern: the chance is 1 in 2^64 for integers, and floating-point arithmetic never
// produces this NaN by itself.
#pragma once

#include "sdfgc/rt/arguments.h"

#include <cstdint>

namespace sdfgc::rt {

/// The size of a dimension if it is unknown: indices are then only checked against 0.
inline constexpr int64_t check_unknown_size() { return INT64_MAX; }

namespace detail {

/// `3, 12` of every second, third, ... of the numbers.
inline void list(Message &text, const int64_t *numbers, int rank, int stride) {
    for (int d = 0; d < rank; ++d)
        text << (d ? ", " : "") << numbers[d * stride];
}

/// The same for sizes: `?` for an unknown one.
inline void listSizes(Message &text, const int64_t *sizes, int rank, int stride) {
    for (int d = 0; d < rank; ++d)
        if (sizes[d * stride] == check_unknown_size())
            text << (d ? ", ?" : "?");
        else
            text << (d ? ", " : "") << sizes[d * stride];
}

[[noreturn]] inline void fail(Message &text, const char *where) { throw Error(ProgramError, (text << ": " << where).text()); }

/// `numbers`: index and size of each dimension.
[[noreturn]] __attribute__((cold, noinline)) inline void refuseElement(const char *array, const char *where, const int64_t *numbers,
                                                                       int rank) {
    Message text;
    text << "`" << array << "[";
    list(text, numbers, rank, 2);
    text << "]` of `" << array << "` with shape [";
    listSizes(text, numbers + 1, rank, 2);
    fail(text << "] is out of bounds", where);
}

/// `numbers`: first index, extent and size of each dimension.
[[noreturn]] __attribute__((cold, noinline)) inline void refuseRegion(const char *array, const char *where, const int64_t *numbers,
                                                                      int rank) {
    Message text;
    text << "`" << array << "[";
    for (int d = 0; d < rank; ++d)
        text << (d ? ", " : "") << numbers[3 * d] << ":" << numbers[3 * d] + numbers[3 * d + 1];
    text << "]` of `" << array << "` with shape [";
    listSizes(text, numbers + 2, rank, 3);
    fail(text << "] is out of bounds", where);
}

[[noreturn]] __attribute__((cold, noinline)) inline void refuseMemory(const char *array, const char *where, int64_t element,
                                                                      int64_t count) {
    Message text;
    fail(text << "`" << array << "` is part of memory of " << count << " elements, and element " << element
              << " of that memory is out of bounds",
         where);
}

[[noreturn]] __attribute__((cold, noinline)) inline void refuseShape(const char *array, const char *where, const int64_t *sizes,
                                                                     int rank, const char *why) {
    Message text;
    text << "`" << array << "` has the shape [";
    list(text, sizes, rank, 1);
    fail(text << "], " << why, where);
}

[[noreturn]] __attribute__((cold, noinline)) inline void refuse(const char *what, const char *problem, const char *where) {
    Message text;
    fail(text << "`" << what << "` " << problem, where);
}

[[noreturn]] __attribute__((cold, noinline)) inline void refuseDivisor(const char *where) {
    Message text;
    fail(text << "an integer is divided by zero", where);
}

[[noreturn]] __attribute__((cold, noinline)) inline void refuseUnwritten(const char *array, const char *where, const int64_t *index,
                                                                         int rank) {
    Message text;
    text << "`" << array;
    if (rank) {
        text << "[";
        list(text, index, rank, 1);
        text << "]";
    }
    fail(text << "` is read, but nothing has written it", where);
}

/// The pattern of new memory of a type.
template <class T> struct Unset;
template <> struct Unset<double> {
    using Bits = uint64_t;
    static constexpr Bits bits = 0x7ff85df9c0de5df9;
};
template <> struct Unset<float> {
    using Bits = uint32_t;
    static constexpr Bits bits = 0x7fe5df9c;
};
template <> struct Unset<int64_t> {
    using Bits = uint64_t;
    static constexpr Bits bits = 0x5df9c0de7ab1e5f2;
};

} // namespace detail

/// Checks that an element exists, from the index and size of each dimension.
template <class... Numbers> inline int64_t check_element(const char *array, const char *where, Numbers... numbers) {
    const int64_t all[] = {static_cast<int64_t>(numbers)...};
    constexpr int rank = sizeof...(Numbers) / 2;
    bool holds = true;
    for (int d = 0; d < rank; ++d)
        holds = holds && all[2 * d] >= 0 && all[2 * d] < all[2 * d + 1];
    if (!holds)
        detail::refuseElement(array, where, all, rank);
    return 0;
}

/// Checks that a region exists or is empty, from the first index, extent and size of each dimension.
template <class... Numbers> inline int64_t check_region(const char *array, const char *where, Numbers... numbers) {
    const int64_t all[] = {static_cast<int64_t>(numbers)...};
    constexpr int rank = sizeof...(Numbers) / 3;
    bool holds = true, isEmpty = false;
    for (int d = 0; d < rank; ++d) {
        isEmpty = isEmpty || all[3 * d + 1] <= 0;
        holds = holds && all[3 * d] >= 0 && !isEmpty && all[3 * d] <= all[3 * d + 2] - all[3 * d + 1];
    }
    if (!holds && !isEmpty)
        detail::refuseRegion(array, where, all, rank);
    return 0;
}

/// Checks an element of the memory that a container is a part of.
inline int64_t check_inside(const char *array, const char *where, int64_t element, int64_t count) {
    if (element < 0 || element >= count)
        detail::refuseMemory(array, where, element, count);
    return 0;
}

/// Checks that memory is not null.
inline int64_t check_memory(const char *array, const char *where, const volatile void *memory) {
    if (!memory)
        detail::refuse(array, "is null", where);
    return 0;
}

/// Checks a shape: no size is negative, and the number of elements fits into 64 bits.
template <class... Sizes> inline int64_t check_size(const char *array, const char *where, Sizes... sizes) {
    const int64_t all[] = {static_cast<int64_t>(sizes)...};
    int64_t count = 1;
    bool isNegative = false, isLarge = false;
    for (const int64_t size : all) {
        isNegative = isNegative || size < 0;
        isLarge = __builtin_mul_overflow(count, size, &count) || isLarge;
    }
    if (isNegative)
        detail::refuseShape(array, where, all, sizeof...(Sizes), "with a negative size");
    if (isLarge && count != 0)
        detail::refuseShape(array, where, all, sizeof...(Sizes), "with more elements than 64 bits can count");
    return 0;
}

/// Checks an integer divisor.
template <class T> inline T check_divisor(const char *where, T divisor) {
    if (divisor == 0)
        detail::refuseDivisor(where);
    return divisor;
}

/// The initial value of new memory.
inline double check_unset_float64() { return __builtin_bit_cast(double, detail::Unset<double>::bits); }
inline float check_unset_float32() { return __builtin_bit_cast(float, detail::Unset<float>::bits); }
inline int64_t check_unset_int64() { return static_cast<int64_t>(detail::Unset<int64_t>::bits); }

/// Checks a value read from memory that was new, at this index.
template <class T, class... Indices> inline T check_written(const char *array, const char *where, T value, Indices... indices) {
    using Unset = detail::Unset<T>;
    if (__builtin_bit_cast(typename Unset::Bits, value) == Unset::bits) {
        const int64_t all[] = {static_cast<int64_t>(indices)..., 0};
        detail::refuseUnwritten(array, where, all, sizeof...(Indices));
    }
    return value;
}

} // namespace sdfgc::rt
