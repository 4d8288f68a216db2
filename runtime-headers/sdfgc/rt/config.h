// What every runtime header needs; it includes nothing.
//
// SDFGC_HD marks functions that a device compiler may also call from kernels. SDFGC_LIBM(f) names the C library's f without a
// header: the compiler's builtin on the host (no <cmath>, which costs 0.15 s to parse), the device library's function under nvcc
// and hipcc.
#pragma once

// Compilers of devices, and their pass over kernels.
#ifdef __CUDACC__
#define SDFGC_DEVICE_COMPILER
#define SDFGC_OWN_COMPLEX // it does not compile std::complex for kernels (gpu_complex.h)
#endif
#ifdef __HIPCC__
#define SDFGC_DEVICE_COMPILER
#endif
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
#define SDFGC_DEVICE_PASS
#endif

#ifdef SDFGC_DEVICE_COMPILER
#define SDFGC_HD __host__ __device__
#define SDFGC_LIBM(function) ::function
#else
#define SDFGC_HD
#define SDFGC_LIBM(function) __builtin_##function
#endif

namespace sdfgc::rt {

/// Types that are `count` values of type `Part` one after the other and that combine part by part. vec.h and complex.h specialise
/// it, so that atomic.h can update such values without locks and without including those headers.
template <class T> struct Parts {
    static constexpr int count = 0;               // not such a type
    static constexpr bool everyOperation = false; // true: all operations work by parts; false: only sums and differences do
};

template <class T, int N> struct Vec; // vec.h

namespace detail {
template <class T> struct Identity { using type = T; };
} // namespace detail

/// T as a parameter type from which T is not deduced: `atomic_add(float *, 1)` converts the 1.
template <class T> using Plain = typename detail::Identity<T>::type;

} // namespace sdfgc::rt
