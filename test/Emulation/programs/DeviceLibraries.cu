// gpu_blas.h for every type: compiled by nvcc, never run.
#include "sdfgc/rt/gpu_blas.h"

using namespace sdfgc;
using gpu::Op;

template <class T> void all(gpu::Blas &b, gpu::Stream s, T *A, decltype(std::abs(T())) *norm) {
    b.gemm(s, Op::None, Op::Transpose, 2, 3, 4, 1, A, 4, A, 4, 0, A, 4);
    b.gemmStridedBatched(s, Op::None, Op::ConjugateTranspose, 2, 3, 4, 1, A, 4, 1, A, 4, 1, 0, A, 4, 1, 2);
    b.gemv(s, Op::None, 2, 3, 1, A, 4, A, 1, 0, A, 1);
    b.ger(s, 2, 3, 1, A, 1, A, 1, A, 3);
    b.transpose(s, 2, 3, A, 3, A, 2);
    b.dot(s, 3, A, 1, A, 1, A);
    b.axpy(s, 3, 1, A, 1, A, 1);
    b.scal(s, 3, 2, A, 1);
    b.nrm2(s, 3, A, 1, norm);
}
template void all(gpu::Blas &, gpu::Stream, float *, float *);
template void all(gpu::Blas &, gpu::Stream, double *, double *);
template void all(gpu::Blas &, gpu::Stream, rt::complex64 *, float *);
template void all(gpu::Blas &, gpu::Stream, rt::complex128 *, double *);
