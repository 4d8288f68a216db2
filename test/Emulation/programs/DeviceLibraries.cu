// gpu_blas.h, gpu_fft.h, gpu_solver.h and gpu_sparse.h for every type: compiled by nvcc, never run.
#include "sdfgc/rt/gpu_blas.h"
#include "sdfgc/rt/gpu_fft.h"
#include "sdfgc/rt/gpu_solver.h"
#include "sdfgc/rt/gpu_sparse.h"

using namespace sdfgc;
using gpu::Op;

struct Libraries {
    gpu::Blas blas;
    gpu::Fft fft;
    gpu::Solver solver;
    gpu::Sparse sparse;
};
void end(Libraries *l) { delete l; }

template <class T> void all(gpu::Blas &b, gpu::Stream s, T *A, decltype(std::abs(T())) *norm) {
    b.gemm(s, Op::None, Op::Transpose, 2, 3, 4, 1, A, 4, A, 4, 0, A, 4);
    b.gemmStridedBatched(s, Op::None, Op::ConjugateTranspose, 2, 3, 4, 1, A, 4, 1, A, 4, 1, 0, A, 4, 1, 2);
    b.gemv(s, Op::None, 2, 3, 1, A, 4, A, 1, 0, A, 1);
    b.ger(s, 2, 3, 1, A, 1, A, 1, A, 3);
    b.transpose(s, 2, 3, A, 3, A, 2);
    b.trsm(s, gpu::Side::Right, gpu::Triangle::Lower, Op::Transpose, gpu::Diagonal::One, 2, 3, 1, A, 3, A, 3);
    b.dot(s, 3, A, 1, A, 1, A);
    b.axpy(s, 3, 1, A, 1, A, 1);
    b.scal(s, 3, 2, A, 1);
    b.nrm2(s, 3, A, 1, norm);
}
template void all(gpu::Blas &, gpu::Stream, float *, float *);
template void all(gpu::Blas &, gpu::Stream, double *, double *);
template void all(gpu::Blas &, gpu::Stream, rt::complex64 *, float *);
template void all(gpu::Blas &, gpu::Stream, rt::complex128 *, double *);

template <class T> void factors(gpu::Solver &s, gpu::Stream stream, T *A, int *integers) {
    s.getrf(stream, 3, A, 3, integers, integers);
    s.getrs(stream, Op::ConjugateTranspose, 3, 1, A, 3, integers, A, 3);
    s.potrf(stream, gpu::Triangle::Upper, 3, A, 3);
}
template void factors(gpu::Solver &, gpu::Stream, float *, int *);
template void factors(gpu::Solver &, gpu::Stream, double *, int *);
template void factors(gpu::Solver &, gpu::Stream, rt::complex64 *, int *);
template void factors(gpu::Solver &, gpu::Stream, rt::complex128 *, int *);

template <class T, class Index> void products(gpu::Sparse &s, gpu::Stream stream, const Index *indices, T *A) {
    s.multiply(stream, 2, 3, 4, 5, 1, indices, indices, A, A, 3, 1, 0, A, 3, 1);
}
template void products(gpu::Sparse &, gpu::Stream, const int32_t *, float *);
template void products(gpu::Sparse &, gpu::Stream, const int64_t *, double *);
template void products(gpu::Sparse &, gpu::Stream, const int32_t *, rt::complex64 *);
template void products(gpu::Sparse &, gpu::Stream, const int64_t *, rt::complex128 *);

template <class T> void transforms(gpu::Fft &f, gpu::Stream stream, T *A) {
    f.transform(stream, gpu::Direction::Forward, A, 4);
    f.transform(stream, gpu::Direction::Inverse, A, int64_t(4), 5, 6);
}
template void transforms(gpu::Fft &, gpu::Stream, rt::complex64 *);
template void transforms(gpu::Fft &, gpu::Stream, rt::complex128 *);
