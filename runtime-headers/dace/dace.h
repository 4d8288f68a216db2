// The names of DaCe's runtime, for C++ code inside SDFG files: `#include <dace/dace.h>` in global_code works, and programs with C++
// tasklets or global code include it. Everything else includes the small headers of sdfgc/rt.
//
// Rule: source compatibility with DaCe's header of the same name on the CPU. Namespace dace has the types, wcr_fixed and
// wcr_custom, Stream, dace::math; the global functions of sdfg-format 9.6 are in compat.h. The standard headers below are those
// that DaCe's header includes; other headers, such as <iostream>, must be included by global_code.
#pragma once

#include "sdfgc/rt/atomic.h"
#include "sdfgc/rt/buffer.h"
#include "sdfgc/rt/compat.h"
#include "sdfgc/rt/complex.h"
#ifdef SDFGC_OWN_COMPLEX
#include "sdfgc/rt/gpu_complex.h"
#endif
#include "sdfgc/rt/consume.h"
#include "sdfgc/rt/dacemath.h"
#include "sdfgc/rt/lowp.h"
#include "sdfgc/rt/reduction.h"
#include "sdfgc/rt/stream.h"
#include "sdfgc/rt/vecmath.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cassert>
#include <cfloat>
#include <chrono>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <map>
#include <mutex>
#include <new>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#define DACE_ALIGN(bytes) __attribute__((aligned(bytes)))
#define DACE_EXPORTED extern "C" __attribute__((visibility("default")))
#define DACE_PRAGMA(text) _Pragma(#text)
#define DACE_CONSTEXPR constexpr
#ifdef SDFGC_DEVICE_COMPILER
#define DACE_HDFI __host__ __device__ __forceinline__
#define DACE_HFI __host__ __forceinline__
#define DACE_DFI __device__ __forceinline__
#else
#define DACE_HDFI inline
#define DACE_HFI inline
#define DACE_DFI inline
#endif
#define __DACE_UNROLL

using pyobject = void *;

namespace dace {

using bool_ = bool;
using int8 = int8_t;
using int16 = int16_t;
using int32 = int32_t;
using int64 = int64_t;
using uint8 = uint8_t;
using uint16 = uint16_t;
using uint32 = uint32_t;
using uint64 = uint64_t;
using uint = unsigned int;
using float32 = float;
using float64 = double;
using pyobject = void *;

#ifdef SDFGC_OWN_COMPLEX
using complex64 = sdfgc::gpu::complex<float>;
using complex128 = sdfgc::gpu::complex<double>;
#else
using sdfgc::rt::complex128;
using sdfgc::rt::complex64;
#endif
using sdfgc::rt::bfloat16;
using sdfgc::rt::float16;
using sdfgc::rt::float8_e4m3fn;
using sdfgc::rt::float8_e5m2;
using sdfgc::rt::half;

template <class T, unsigned N> using vec = sdfgc::rt::vec<T, static_cast<int>(N)>;
/// Vectors at any address: vec itself needs no more alignment than its elements.
template <class T, unsigned N> using vecu = vec<T, N>;

/// Python's 1j in old files: complex when multiplied by a real number, an int when multiplied by itself.
struct complexJ {
    int val;
    explicit constexpr complexJ(int v = 1) : val(v) {}
};
constexpr int operator*(const complexJ &a, const complexJ &b) { return -a.val * b.val; }
constexpr complexJ operator*(int a, const complexJ &b) { return complexJ(a * b.val); }
constexpr complexJ operator*(const complexJ &a, int b) { return complexJ(a.val * b); }
constexpr complexJ operator-(const complexJ &a) { return complexJ(-a.val); }
template <class T> std::complex<T> operator*(const complexJ &a, const T &b) { return {T(0), static_cast<T>(a.val) * b}; }
template <class T> std::complex<T> operator*(const T &a, const complexJ &b) { return b * a; }
template <class T> std::complex<T> operator*(const complexJ &a, const std::complex<T> &b) {
    return std::complex<T>(T(0), static_cast<T>(a.val)) * b;
}
template <class T> std::complex<T> operator*(const std::complex<T> &a, const complexJ &b) { return b * a; }

} // namespace dace
