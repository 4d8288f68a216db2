// Checks for invalid arguments: negative sizes, null for an array that has elements, and sizes that callers have to set on the
// handle. A call runs them before anything else; guard() of abi.h turns the exceptions into the error of the call.
#pragma once

#include "sdfgc/rt/abi.h"

#include <cstdint>
#include <cstdio>
#include <limits>

namespace sdfgc::rt {

namespace detail {

/// Composes text in a buffer of fixed size; text that does not fit is truncated.
class Message {
public:
    Message &operator<<(const char *text) {
        for (; *text && length_ < ErrorState::messageSize - 1; ++text)
            text_[length_++] = *text;
        return *this;
    }
    Message &operator<<(int64_t number) {
        char digits[24];
        int at = sizeof digits - 1;
        digits[at] = '\0';
        for (uint64_t rest = number < 0 ? 0 - static_cast<uint64_t>(number) : static_cast<uint64_t>(number); at > 1; rest /= 10) {
            digits[--at] = static_cast<char>('0' + rest % 10);
            if (rest < 10)
                break;
        }
        if (number < 0)
            digits[--at] = '-';
        return *this << digits + at;
    }
    const char *text() const { return text_; }

private:
    char text_[ErrorState::messageSize] = "";
    int length_ = 0;
};

[[noreturn]] __attribute__((cold, noinline)) inline void refuseSize(const char *array, const char *formula, int64_t size) {
    throw Error(InvalidArgument, (Message() << "argument `" << array << "`: its size `" << formula << "` is " << size).text());
}
[[noreturn]] __attribute__((cold, noinline)) inline void refuseNull(const char *array) {
    throw Error(InvalidArgument, (Message() << "argument `" << array << "` is null").text());
}

/// Also printed, because callers that know only DaCe's interface do not ask for the error.
[[noreturn]] __attribute__((cold, noinline)) inline void refuseUnset(const char *size, const char *setter) {
    Message text;
    text << "the size `" << size << "` is not set: call " << setter << " before the program";
    std::fprintf(stderr, "error: %s\n", text.text());
    throw Error(InvalidArgument, text.text());
}

} // namespace detail

/// A size that is not a parameter of the program. Callers set it on the handle.
struct Size {
    int64_t value = 0;
    bool isSet = false;
};

/// Sets a size that the program has as a T.
template <class T> int setSize(Size &size, int64_t value) noexcept {
    using Limits = std::numeric_limits<T>;
    if (Limits::is_signed ? value < static_cast<int64_t>(Limits::min()) || value > static_cast<int64_t>(Limits::max())
                          : value < 0 || static_cast<uint64_t>(value) > static_cast<uint64_t>(Limits::max()))
        return InvalidArgument;
    size = {value, true};
    return NoError;
}

/// The value of a size in a call.
template <class T> T sizeOnHandle(const Size &size, const char *name, const char *setter) {
    if (!size.isSet)
        detail::refuseUnset(name, setter);
    return static_cast<T>(size.value);
}

/// A dimension of an array, whose size is written `formula`.
inline void requireSize(const char *array, const char *formula, int64_t size) {
    if (size < 0)
        detail::refuseSize(array, formula, size);
}

/// The memory of an array with this many elements; an array without elements needs none.
inline void requireMemory(const char *array, const void *memory, int64_t count) {
    if (!memory && count > 0)
        detail::refuseNull(array);
}

} // namespace sdfgc::rt
