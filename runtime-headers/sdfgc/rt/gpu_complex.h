// Complex numbers in kernels: gpu::complex<T>, of the size and alignment of std::complex<T>, so that arrays of one are arrays of
// the other.
//
// hipcc compiles std::complex for the device, and the emulation runs on the host: there both are one type. nvcc accepts
// std::complex in kernels, but silently drops everything that libstdc++ computes with the compiler's built-in complex type: + - *
// /, their assignments, the assignment of a real number and the conversion from another type (seen with nvcc 13.0 and libstdc++
// 12). So nvcc gets a separate class. Both types convert to each other, and launches convert pointers. Products and quotients are
// those of libstdc++ except on overflow: infinities that a textbook formula turns into NaN stay NaN.
//
// gpu_complexmath.h has exp, sqrt and the like.
#pragma once

#include "sdfgc/rt/complex.h"
#include "sdfgc/rt/gpu.h"

namespace sdfgc::gpu {

#ifndef SDFGC_OWN_COMPLEX

template <class T> using complex = std::complex<T>;

#else

template <class T> struct complex {
    using value_type = T;

    constexpr complex() = default;
    SDFGC_HD constexpr complex(T real, T imag = T()) : real_(real), imag_(imag) {}
    template <class U>
    SDFGC_HD explicit(sizeof(U) > sizeof(T)) constexpr complex(const std::complex<U> &a) : real_(T(a.real())), imag_(T(a.imag())) {}
    template <class U>
    SDFGC_HD explicit(sizeof(U) > sizeof(T)) constexpr complex(const complex<U> &a) : real_(T(a.real())), imag_(T(a.imag())) {}
    template <class U> SDFGC_HD constexpr complex &operator=(const complex<U> &a) { return *this = complex(a); }
    SDFGC_HD constexpr operator std::complex<T>() const { return {real_, imag_}; }

    SDFGC_HD constexpr T real() const { return real_; }
    SDFGC_HD constexpr T imag() const { return imag_; }
    SDFGC_HD constexpr void real(T value) { real_ = value; }
    SDFGC_HD constexpr void imag(T value) { imag_ = value; }

    SDFGC_HD constexpr complex &operator+=(const complex &b) { return *this = *this + b; }
    SDFGC_HD constexpr complex &operator-=(const complex &b) { return *this = *this - b; }
    SDFGC_HD constexpr complex &operator*=(const complex &b) { return *this = *this * b; }
    SDFGC_HD constexpr complex &operator/=(const complex &b) { return *this = *this / b; }
    SDFGC_HD constexpr complex &operator*=(T b) { return *this = *this * b; }
    SDFGC_HD constexpr complex &operator/=(T b) { return *this = *this / b; }

    // Friends, so that either side may be a std::complex<T>; those with T take every real number that converts to it.
    friend SDFGC_HD constexpr complex operator+(const complex &a) { return a; }
    friend SDFGC_HD constexpr complex operator-(const complex &a) { return {-a.real_, -a.imag_}; }
    friend SDFGC_HD constexpr complex operator+(const complex &a, const complex &b) {
        return {a.real_ + b.real_, a.imag_ + b.imag_};
    }
    friend SDFGC_HD constexpr complex operator-(const complex &a, const complex &b) {
        return {a.real_ - b.real_, a.imag_ - b.imag_};
    }
    friend SDFGC_HD constexpr complex operator*(const complex &a, const complex &b) {
        return {a.real_ * b.real_ - a.imag_ * b.imag_, a.real_ * b.imag_ + a.imag_ * b.real_};
    }
    /// Smith's method: intermediate results overflow only if the quotient does.
    friend SDFGC_HD constexpr complex operator/(const complex &a, const complex &b) {
        const T x = b.real_ < 0 ? -b.real_ : b.real_, y = b.imag_ < 0 ? -b.imag_ : b.imag_;
        if (!(x < y)) {
            const T ratio = y == T() && x == T() ? T() : b.imag_ / b.real_, divisor = b.real_ + b.imag_ * ratio;
            return {(a.real_ + a.imag_ * ratio) / divisor, (a.imag_ - a.real_ * ratio) / divisor};
        }
        const T ratio = b.real_ / b.imag_, divisor = b.real_ * ratio + b.imag_;
        return {(a.real_ * ratio + a.imag_) / divisor, (a.imag_ * ratio - a.real_) / divisor};
    }
    friend SDFGC_HD constexpr complex operator+(const complex &a, T b) { return {a.real_ + b, a.imag_}; }
    friend SDFGC_HD constexpr complex operator+(T a, const complex &b) { return {a + b.real_, b.imag_}; }
    friend SDFGC_HD constexpr complex operator-(const complex &a, T b) { return {a.real_ - b, a.imag_}; }
    friend SDFGC_HD constexpr complex operator-(T a, const complex &b) { return {a - b.real_, -b.imag_}; }
    friend SDFGC_HD constexpr complex operator*(const complex &a, T b) { return {a.real_ * b, a.imag_ * b}; }
    friend SDFGC_HD constexpr complex operator*(T a, const complex &b) { return {a * b.real_, a * b.imag_}; }
    friend SDFGC_HD constexpr complex operator/(const complex &a, T b) { return {a.real_ / b, a.imag_ / b}; }
    friend SDFGC_HD constexpr complex operator/(T a, const complex &b) { return complex(a) / b; }
    friend SDFGC_HD constexpr bool operator==(const complex &a, const complex &b) {
        return a.real_ == b.real_ && a.imag_ == b.imag_;
    }
    friend SDFGC_HD constexpr bool operator!=(const complex &a, const complex &b) { return !(a == b); }

private:
    T real_{}, imag_{};
};

#endif

} // namespace sdfgc::gpu

#ifdef SDFGC_OWN_COMPLEX
template <class T> struct sdfgc::rt::Parts<sdfgc::gpu::complex<T>> {
    using Part = T;
    static constexpr int count = 2;
    static constexpr bool everyOperation = false;
};

namespace sdfgc::gpu::detail {
template <class T> struct KernelPointer<std::complex<T>> { using type = complex<T> *; };
template <class T> struct KernelPointer<const std::complex<T>> { using type = const complex<T> *; };
} // namespace sdfgc::gpu::detail
#endif
