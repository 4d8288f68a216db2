// HIP 5.2 or later: its names, and the functions that differ from CUDA's. gpu.h lists what a vendor's header defines.
//
// HIP 5.2 cannot upload graphs, disable their nodes, or have loops in them. Its atomic minimum and maximum of 8-byte integers
// exist for unsigned ones only.
#pragma once

#include <hip/hip_runtime.h>

// The runtime
#define SDFGC_GPU_NAME(name) hip##name
#define SDFGC_GPU_OUT_OF_MEMORY hipErrorOutOfMemory
#define SDFGC_GPU_PITCHED make_hipPitchedPtr
#define SDFGC_GPU_MALLOC_HOST(pointer, bytes) hipHostMalloc(pointer, bytes, hipHostMallocDefault)
#define SDFGC_GPU_FREE_HOST hipHostFree
#define SDFGC_GPU_ATTRIBUTE(name) hipDeviceAttribute##name
#define SDFGC_GPU_MULTIPROCESSORS hipDeviceAttributeMultiprocessorCount
#define SDFGC_GPU_SHARED_OPTIN hipDeviceAttributeMaxSharedMemoryPerBlock // there is no larger limit
#define SDFGC_GPU_CONDITIONS 0

// Kernels
#ifdef __HIPCC__
#define SDFGC_GPU_KERNELS
#endif
#ifndef SDFGC_WARP_SIZE
#if defined(__GFX10__) || defined(__GFX11__) || defined(__GFX12__)
#define SDFGC_WARP_SIZE 32
#else
#define SDFGC_WARP_SIZE 64
#endif
#endif
#define SDFGC_MAX_REGISTERS(n)
#define SDFGC_GRID_HEADER <hip/hip_cooperative_groups.h>

// hipBLAS
#define SDFGC_BLAS_HEADER <hipblas/hipblas.h>
#define SDFGC_BLAS_NAME(name) hipblas##name
#define SDFGC_BLAS_CONSTANT(name) HIPBLAS_##name
#define SDFGC_BLAS_COMPLEX64 hipblasComplex
#define SDFGC_BLAS_COMPLEX128 hipblasDoubleComplex
#define SDFGC_BLAS_INT int
#define SDFGC_BLAS_FUNCTION(name) hipblas##name
#define SDFGC_BLAS_WORKSPACE(...) HIPBLAS_STATUS_SUCCESS // it uses its own workspace

// hipFFT
#define SDFGC_FFT_HEADER <hipfft/hipfft.h>
#define SDFGC_FFT_NAME(name) hipfft##name
#define SDFGC_FFT_CONSTANT(name) HIPFFT_##name
#define SDFGC_FFT_INVERSE HIPFFT_BACKWARD

// hipSOLVER, by the functions that are compatible with cuSOLVER
#define SDFGC_SOLVER_HEADER <hipsolver/hipsolver.h>
#define SDFGC_SOLVER_NAME(name) hipsolverDn##name
#define SDFGC_SOLVER_CONSTANT(name) HIPBLAS_##name
#define SDFGC_SOLVER_COMPLEX64 hipFloatComplex
#define SDFGC_SOLVER_COMPLEX128 hipDoubleComplex

// hipSPARSE. HIPSPARSE_ORDER_COLUMN was renamed to HIPSPARSE_ORDER_COL.
#define SDFGC_SPARSE_HEADER <hipsparse/hipsparse.h>
#define SDFGC_SPARSE_NAME(name) hipsparse##name
#define SDFGC_SPARSE_CONSTANT(name) HIPSPARSE_##name
#define SDFGC_SPARSE_VALUE(name) HIP_##name
#define SDFGC_SPARSE_PRODUCT HIPSPARSE_SPMM_CSR_ALG1
#define SDFGC_SPARSE_BY_COLUMNS static_cast<hipsparseOrder_t>(1)

// hipTensor 2
#define SDFGC_TENSOR_HEADER <hiptensor/hiptensor.h>
#define SDFGC_TENSOR_NAME(name) hiptensor##name
#define SDFGC_TENSOR_CONSTANT(name) HIPTENSOR_##name
#define SDFGC_TENSOR_COMPLEX_SUMS(bits) HIPTENSOR_COMPUTE_DESC_C##bits##F
#define SDFGC_TENSOR_VERSION 2

// rocPRIM
#define SDFGC_PRIMITIVES_HEADER <rocprim/device/device_reduce.hpp>
#define SDFGC_PRIMITIVES_ROWS_HEADER <rocprim/device/device_segmented_reduce.hpp>
#define SDFGC_PRIMITIVES_SIZE int64_t
#define SDFGC_PRIMITIVES_COUNT unsigned
#define SDFGC_PRIMITIVES_REDUCE(space, bytes, in, out, size, op, first, stream)                                                    \
    rocprim::reduce(space, bytes, in, out, first, static_cast<size_t>(size), op, stream)
#define SDFGC_PRIMITIVES_REDUCE_ROWS(space, bytes, in, out, rows, begin, end, op, first, stream)                                   \
    rocprim::segmented_reduce(space, bytes, in, out, rows, begin, end, op, first, stream)

#include "sdfgc/rt/gpu/native/runtime.h"

namespace sdfgc::gpu {

// Graphs

inline Status graphSupport(GraphSupport &result) {
    result = GraphSupport::Flat;
    return success;
}
inline Status graphAddDependencies(GraphHandle graph, const GraphNode *from, const GraphNode *to, size_t count) {
    return hipGraphAddDependencies(graph, from, to, count);
}
inline Status graphInstantiate(GraphExec &exec, GraphHandle graph, GraphNode *failed = nullptr) {
    return detail::instantiateWithLog(exec, graph, failed);
}
inline Status graphUpload(GraphExec, Stream) { return success; }
inline Status graphNodeSetEnabled(GraphExec, GraphNode, bool) { return notSupported; }
inline Status graphMemTrim() { return success; }

namespace detail {

inline Status blasWorkspace(size_t &bytes) {
    bytes = 0;
    return success;
}

#ifdef SDFGC_GPU_KERNELS
inline constexpr bool comparesSigned64 = false;

SDFGC_DEVICE inline unsigned shuffleWord(uint64_t, unsigned word, int lane) {
    return static_cast<unsigned>(__shfl(static_cast<int>(word), lane, SDFGC_WARP_SIZE));
}
SDFGC_DEVICE inline uint64_t ballotOf(uint64_t, bool predicate) { return __ballot(predicate); }
SDFGC_DEVICE inline void syncLanes(uint64_t) {
    __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront");
    __builtin_amdgcn_wave_barrier();
}
SDFGC_DEVICE inline void trap() { __builtin_trap(); }
#endif

} // namespace detail

} // namespace sdfgc::gpu
