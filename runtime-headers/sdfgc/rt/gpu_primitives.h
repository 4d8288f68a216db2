// Reductions of rows on the device: one dialect for CUB, rocPRIM and, in the emulation, loops.
//
// Rules: all data is in device memory (or page-locked host memory). A reduction is queued in the given stream and returns at once;
// its workspace comes from the stream's pool and returns to it. The operations are those of gpu_reduce.h. On one device and with
// one version of the library, results are bitwise identical in every run; other devices and versions may group the elements
// differently. A failed call throws rt::Error, as the operations of gpu_program.h do. Both libraries are headers; programs name
// them as the library "gpuprimitives" (docs/user/build.md), which is cub, rocprim or nothing.
//
//   gpu::reduce(__state->gpu.stream(0), gpu::Sum(), A, rows, columns, sums);
#pragma once

#include "sdfgc/rt/gpu/operation.h"
#include "sdfgc/rt/gpu_program.h"
#include "sdfgc/rt/gpu_reduce.h"

#include <limits>

#ifdef SDFGC_OWN_COMPLEX // sums of complex numbers run in kernels, too
#include "sdfgc/rt/gpu_complex.h"
#endif

#ifdef SDFGC_GPU_KERNELS

namespace sdfgc::gpu::detail {

/// The neutral value, which is the result for no elements.
template <class Op, class T> struct Neutral { // Sum, Or, Xor, LogicalOr, LogicalXor
    static T value() { return T(0); }
};
template <class T> struct Neutral<Product, T> {
    static T value() { return T(1); }
};
template <class T> struct Neutral<LogicalAnd, T> {
    static T value() { return T(1); }
};
template <class T> struct Neutral<And, T> {
    static T value() { return static_cast<T>(-1); }
};
template <class T> struct Neutral<Min, T> {
    using Limits = std::numeric_limits<T>;
    static T value() { return Limits::has_infinity ? Limits::infinity() : Limits::max(); }
};
template <class T> struct Neutral<Max, T> {
    using Limits = std::numeric_limits<T>;
    static T value() { return Limits::has_infinity ? -Limits::infinity() : Limits::lowest(); }
};

} // namespace sdfgc::gpu::detail

#include SDFGC_GPU_HEADER(primitives)

namespace sdfgc::gpu {

/// out[i] = in[i * size] op in[i * size + 1] op ... of `size` elements, for each of `rows` rows; the neutral value of the operation
/// for rows without elements. The operation is Sum, Product, Min, ... of gpu_reduce.h. All back ends define detail::reduceRows
/// for rows above zero; it returns false on failure.
template <class Op, class T> void reduce(Stream stream, Op, const T *in, int64_t rows, int64_t size, T *out) {
    if (rows > 0)
        detail::requireSuccess(
            size >= 0 && detail::reduceRows<Op>(stream, detail::kernelArgument(in), rows, size, detail::kernelArgument(out)),
            "the device's library of primitives failed in ", "reduce");
}

} // namespace sdfgc::gpu

#endif
