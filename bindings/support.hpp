#ifndef SDFGC_PROGRAM_SUPPORT_1
#define SDFGC_PROGRAM_SUPPORT_1

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#if __cplusplus >= 202002L
#include <span>
#endif

namespace sdfgc_program {

/// A call of a program failed; code() is the program's own (1: out of memory, 2: error in the program, 3: error of the device,
/// 4: wrong argument).
class Error : public std::runtime_error {
public:
    Error(int code, const std::string &message) : std::runtime_error(message), code_(code) {}
    int code() const noexcept { return code_; }

private:
    int code_;
};

/// An array argument. From C++20 on it knows its size, which is checked before each call; before that it is a pointer.
#if __cplusplus >= 202002L
template <class T> using Array = std::span<T>;
template <class T> T *address(std::span<T> a) { return a.data(); }
template <class T> std::int64_t sizeOf(std::span<T> a) { return static_cast<std::int64_t>(a.size()); }
#else
template <class T> using Array = T *;
template <class T> T *address(T *a) { return a; }
template <class T> std::int64_t sizeOf(T *) { return INT64_MAX; }
#endif

inline void checkSize(const char *name, std::int64_t has, std::int64_t needs) {
    if (has < needs)
        throw Error(4, std::string(name) + " has " + std::to_string(has) + " elements, but the program needs " +
                           std::to_string(needs));
}

namespace formula {

inline std::int64_t floorDiv(std::int64_t a, std::int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0); }
inline std::int64_t ceilDiv(std::int64_t a, std::int64_t b) { return -floorDiv(-a, b); }
inline std::int64_t mod(std::int64_t a, std::int64_t b) { return a - floorDiv(a, b) * b; }
inline std::int64_t min(std::int64_t a, std::int64_t b) { return a < b ? a : b; }
inline std::int64_t max(std::int64_t a, std::int64_t b) { return a < b ? b : a; }
inline std::int64_t abs(std::int64_t a) { return a < 0 ? -a : a; }

} // namespace formula
} // namespace sdfgc_program

#endif
