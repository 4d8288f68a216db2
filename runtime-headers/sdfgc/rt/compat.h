// The global names that C++ code in SDFG files expects from DaCe's runtime (sdfg-format 9.6): tasklets in C++, global_code,
// conditions that are not Python. Code that sdfgc prints itself uses sdfgc::rt and includes only the header that it needs.
//
// Rule: each name is the function of sdfgc::rt with that name, with its corrections (see ufunc.h); the functions of <cmath> are the
// std overloads, extended to complex numbers.
#pragma once

#include "sdfgc/rt/complex.h"
#include "sdfgc/rt/lowp.h"
#include "sdfgc/rt/range.h"
#include "sdfgc/rt/ufunc.h"
#include "sdfgc/rt/vec.h"

#include <math.h> // not <cmath>: the overloads for float and long double have to be at global scope

using sdfgc::rt::bitwise_and;
using sdfgc::rt::bitwise_invert;
using sdfgc::rt::bitwise_or;
using sdfgc::rt::bitwise_xor;
using sdfgc::rt::ceiling;
using sdfgc::rt::cpp_divmod;
using sdfgc::rt::cpp_mod;
using sdfgc::rt::deg2rad;
using sdfgc::rt::exp2;
using sdfgc::rt::expm1;
using sdfgc::rt::frexp;
using sdfgc::rt::gcd;
using sdfgc::rt::heaviside;
using sdfgc::rt::IfExpr;
using sdfgc::rt::int_ceil;
using sdfgc::rt::int_floor;
using sdfgc::rt::int_floor_ni;
using sdfgc::rt::iround;
using sdfgc::rt::lcm;
using sdfgc::rt::left_shift;
using sdfgc::rt::log1p;
using sdfgc::rt::log2;
using sdfgc::rt::max;
using sdfgc::rt::min;
using sdfgc::rt::Mod;
using sdfgc::rt::Mod_float;
using sdfgc::rt::Modulo;
using sdfgc::rt::Modulo_float;
using sdfgc::rt::np_float_pow;
using sdfgc::rt::np_frexp;
using sdfgc::rt::np_modf;
using sdfgc::rt::py_divmod;
using sdfgc::rt::py_floor;
using sdfgc::rt::py_mod;
using sdfgc::rt::rad2deg;
using sdfgc::rt::reciprocal;
using sdfgc::rt::right_shift;
using sdfgc::rt::ROUND;
using sdfgc::rt::sgn;
using sdfgc::rt::sign;
using sdfgc::rt::sign_numpy_2;

using range = sdfgc::rt::Range;

#define AND(a, b) ((a) && (b))
#define OR(a, b) ((a) || (b))

/// min and max in the type of the first argument.
template <class T, class... Rest> constexpr T Min(T a, Rest... rest) { return static_cast<T>(sdfgc::rt::min(a, rest...)); }
template <class T, class... Rest> constexpr T Max(T a, Rest... rest) { return static_cast<T>(sdfgc::rt::max(a, rest...)); }
template <class T> inline auto Abs(T a) { return sdfgc::rt::abs(a); }

// std::complex brings its own abs, conj, real and imag, <math.h> an abs for the other numbers.
template <class T, std::enable_if_t<std::is_unsigned<T>::value, int> = 0> constexpr T abs(T a) { return a; }
template <class T> constexpr T conj(T a) { return a; }
template <class T> constexpr T real(T a) { return a; }
template <class T> constexpr T imag(T) { return T(0); }

// <math.h> has these for real numbers.
template <class T> inline std::complex<T> round(const std::complex<T> &a) { return sdfgc::rt::ROUND(a); }
template <class T> inline bool isfinite(const std::complex<T> &a) { return sdfgc::rt::isfinite(a); }
template <class T> inline bool isinf(const std::complex<T> &a) { return sdfgc::rt::isinf(a); }
template <class T> inline bool isnan(const std::complex<T> &a) { return sdfgc::rt::isnan(a); }
