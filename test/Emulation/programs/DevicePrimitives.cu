// gpu_primitives.h for every kind of type and each operation: compiled by nvcc and hipcc, never run.
#include "sdfgc/rt/complex.h"
#include "sdfgc/rt/gpu_primitives.h"

using namespace sdfgc;

template <class... Ops, class T> void each(gpu::Stream s, const T *A, T *B) { (gpu::reduce(s, Ops(), A, 3, 4, B), ...); }

void all(gpu::Stream s, void *A, void *B) {
    each<gpu::Sum, gpu::Product, gpu::Min, gpu::Max>(s, static_cast<const double *>(A), static_cast<double *>(B));
    each<gpu::And, gpu::Or, gpu::Xor, gpu::LogicalXor>(s, static_cast<const int32_t *>(A), static_cast<int32_t *>(B));
    each<gpu::LogicalAnd, gpu::LogicalOr>(s, static_cast<const bool *>(A), static_cast<bool *>(B));
    each<gpu::Sum>(s, static_cast<const int8_t *>(A), static_cast<int8_t *>(B));
    each<gpu::Sum>(s, static_cast<const rt::complex64 *>(A), static_cast<rt::complex64 *>(B));
    each<gpu::Product>(s, static_cast<const rt::complex128 *>(A), static_cast<rt::complex128 *>(B));
}
