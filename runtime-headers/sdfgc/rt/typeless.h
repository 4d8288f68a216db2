// dace::math::pi and dace::math::nan: constants that adopt the type of the other operand.
//
// Rules (sdfg-format 9.7): with a float, a double or a small float the constant becomes that type, with std::complex<T> it becomes
// T; with an integer it becomes double. (DaCe gives the integer's type, so that pi + 1 is 4 there.) Two constants meet in double.
#pragma once

#include "sdfgc/rt/complex.h"
#include "sdfgc/rt/lowp.h"

#include <type_traits>

namespace sdfgc::rt {

namespace detail {
/// The type that a constant takes next to a T; no type if T is not a number.
template <class T, class = void> struct TypelessBeside {};
template <class T> struct TypelessBeside<T, std::enable_if_t<std::is_arithmetic<T>::value>> {
    using type = std::conditional_t<std::is_floating_point<T>::value, T, double>;
};
template <class S, int E, int M, bool I> struct TypelessBeside<SmallFloat<S, E, M, I>> { using type = SmallFloat<S, E, M, I>; };
template <class T> struct TypelessBeside<std::complex<T>> { using type = T; };
} // namespace detail

struct PiValue {
    static constexpr double value = 3.14159265358979323846;
};
struct NanValue {
    static constexpr double value = __builtin_nan("");
};

template <class Value> struct Typeless {
    template <class T, std::enable_if_t<std::is_floating_point<T>::value, int> = 0> constexpr operator T() const {
        return static_cast<T>(Value::value);
    }
    template <class S, int E, int M, bool I> constexpr operator SmallFloat<S, E, M, I>() const {
        return SmallFloat<S, E, M, I>(static_cast<float>(Value::value));
    }
    constexpr double operator-() const { return -Value::value; }
    constexpr double operator+() const { return Value::value; }
};

#define SDFGC_TYPELESS_OPERATOR(op)                                                                                                \
    template <class V, class T, class B = typename detail::TypelessBeside<T>::type>                                                \
    constexpr auto operator op(Typeless<V>, const T &b) {                                                                          \
        return static_cast<B>(V::value) op b;                                                                                      \
    }                                                                                                                              \
    template <class V, class T, class B = typename detail::TypelessBeside<T>::type>                                                \
    constexpr auto operator op(const T &a, Typeless<V>) {                                                                          \
        return a op static_cast<B>(V::value);                                                                                      \
    }                                                                                                                              \
    template <class V, class W> constexpr auto operator op(Typeless<V>, Typeless<W>) { return V::value op W::value; }
SDFGC_TYPELESS_OPERATOR(+)
SDFGC_TYPELESS_OPERATOR(-)
SDFGC_TYPELESS_OPERATOR(*)
SDFGC_TYPELESS_OPERATOR(/)
SDFGC_TYPELESS_OPERATOR(<)
SDFGC_TYPELESS_OPERATOR(<=)
SDFGC_TYPELESS_OPERATOR(>)
SDFGC_TYPELESS_OPERATOR(>=)
SDFGC_TYPELESS_OPERATOR(==)
SDFGC_TYPELESS_OPERATOR(!=)
#undef SDFGC_TYPELESS_OPERATOR

} // namespace sdfgc::rt
