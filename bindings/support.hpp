#ifndef SDFGC_PROGRAM_SUPPORT_1
#define SDFGC_PROGRAM_SUPPORT_1

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#if __cplusplus >= 202002L
#include <span>
#else
#include <iterator>
#include <type_traits>
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

/// An array argument: a std::vector or another container of contiguous elements, or a pointer and the number of elements in braces.
/// Its size is checked before each call. Before C++20 a pointer alone will do; its size is unknown and not checked.
#if __cplusplus >= 202002L
template <class T> using Array = std::span<T>;
template <class T> T *address(std::span<T> a) { return a.data(); }
template <class T> std::int64_t sizeOf(std::span<T> a) { return static_cast<std::int64_t>(a.size()); }
#else
template <class T> class Array {
    /// May elements of the type E be passed? Those of a derived class may not, although a pointer to them converts.
    template <class E> static constexpr bool takes = std::is_convertible_v<E (*)[], T (*)[]>;

public:
    Array() = default;
    Array(T *data, std::size_t size) : data_(data), size_(static_cast<std::int64_t>(size)) {}
    template <class Pointer,
              std::enable_if_t<!std::is_array_v<std::remove_reference_t<Pointer>> && std::is_convertible_v<Pointer, T *>, int> = 0>
    Array(Pointer &&data) : data_(data), size_(INT64_MAX) {}
    template <class Container,
              std::enable_if_t<takes<std::remove_pointer_t<decltype(std::data(std::declval<Container &>()))>>, int> = 0>
    Array(Container &&all) : data_(std::data(all)), size_(static_cast<std::int64_t>(std::size(all))) {}

    T *data() const { return data_; }
    std::int64_t size() const { return size_; }

private:
    T *data_ = nullptr;
    std::int64_t size_ = 0;
};
template <class T> T *address(const Array<T> &a) { return a.data(); }
template <class T> std::int64_t sizeOf(const Array<T> &a) { return a.size(); }
#endif

inline void checkSize(const char *name, std::int64_t has, std::int64_t needs) {
    if (has < needs)
        throw Error(4, std::string(name) + " has " + std::to_string(has) + " elements, but the program needs " +
                           std::to_string(needs));
}

/// A size that follows from arrays: the largest one for which all of them have enough elements.
class Extent {
public:
    /// An array that needs `fixed + factor * size` elements. One of unknown size tells nothing.
    void limit(std::int64_t has, std::int64_t fixed, std::int64_t factor) {
        if (factor > 0 && has != INT64_MAX)
            value_ = std::min(value_, has < fixed ? 0 : (has - fixed) / factor);
    }
    /// An array that the caller leaves out needs no size.
    void leaveOut() { isLeftOut_ = true; }
    bool known() const { return value_ != INT64_MAX || isLeftOut_; }
    std::int64_t value() const { return value_ != INT64_MAX ? value_ : 0; }

private:
    std::int64_t value_ = INT64_MAX;
    bool isLeftOut_ = false;
};

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
