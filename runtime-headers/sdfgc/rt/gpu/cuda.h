// CUDA 11.2 or later: its names, and the functions that differ from HIP's. gpu.h lists what a vendor's header defines.
#pragma once

#include <cuda_runtime.h>

// The runtime
#define SDFGC_GPU_NAME(name) cuda##name
#define SDFGC_GPU_OUT_OF_MEMORY cudaErrorMemoryAllocation
#define SDFGC_GPU_PITCHED make_cudaPitchedPtr
#define SDFGC_GPU_MALLOC_HOST(pointer, bytes) cudaMallocHost(pointer, bytes)
#define SDFGC_GPU_FREE_HOST cudaFreeHost
#define SDFGC_GPU_ATTRIBUTE(name) cudaDevAttr##name
#define SDFGC_GPU_MULTIPROCESSORS cudaDevAttrMultiProcessorCount
#define SDFGC_GPU_SHARED_OPTIN cudaDevAttrMaxSharedMemoryPerBlockOptin
#define SDFGC_GPU_CONDITIONS (CUDART_VERSION >= 12040)

// Kernels
#ifdef __CUDACC__
#define SDFGC_GPU_KERNELS
#endif
#ifndef SDFGC_WARP_SIZE
#define SDFGC_WARP_SIZE 32
#endif
#define SDFGC_MAX_REGISTERS(n) __maxnreg__(n)
#define SDFGC_GRID_HEADER <cooperative_groups.h>
#define SDFGC_COMPLEXMATH_HEADER <cuda/std/complex>
#define SDFGC_COMPLEXMATH cuda::std

// cuBLAS. From release 12 on it counts with 64 bits.
#define SDFGC_BLAS_HEADER <cublas_v2.h>
#define SDFGC_BLAS_NAME(name) cublas##name
#define SDFGC_BLAS_CONSTANT(name) CUBLAS_##name
#define SDFGC_BLAS_COMPLEX64 cuComplex
#define SDFGC_BLAS_COMPLEX128 cuDoubleComplex
#define SDFGC_BLAS_WORKSPACE(...) cublasSetWorkspace(__VA_ARGS__)
#if CUDART_VERSION >= 12000
#define SDFGC_BLAS_INT int64_t
#define SDFGC_BLAS_FUNCTION(name) cublas##name##_64
#else
#define SDFGC_BLAS_INT int
#define SDFGC_BLAS_FUNCTION(name) cublas##name
#endif

// cuFFT
#define SDFGC_FFT_HEADER <cufft.h>
#define SDFGC_FFT_NAME(name) cufft##name
#define SDFGC_FFT_CONSTANT(name) CUFFT_##name
#define SDFGC_FFT_INVERSE CUFFT_INVERSE

// cuSOLVER
#define SDFGC_SOLVER_HEADER <cusolverDn.h>
#define SDFGC_SOLVER_NAME(name) cusolverDn##name
#define SDFGC_SOLVER_CONSTANT(name) CUBLAS_##name
#define SDFGC_SOLVER_COMPLEX64 cuComplex
#define SDFGC_SOLVER_COMPLEX128 cuDoubleComplex

// cuSPARSE. ALG3 is the only algorithm for CSR with bitwise identical results in every run.
#define SDFGC_SPARSE_HEADER <cusparse.h>
#define SDFGC_SPARSE_NAME(name) cusparse##name
#define SDFGC_SPARSE_CONSTANT(name) CUSPARSE_##name
#define SDFGC_SPARSE_VALUE(name) CUDA_##name
#define SDFGC_SPARSE_PRODUCT CUSPARSE_SPMM_CSR_ALG3
#define SDFGC_SPARSE_BY_COLUMNS CUSPARSE_ORDER_COL

// cuTENSOR 2
#define SDFGC_TENSOR_HEADER <cutensor.h>
#define SDFGC_TENSOR_NAME(name) cutensor##name
#define SDFGC_TENSOR_CONSTANT(name) CUTENSOR_##name
#define SDFGC_TENSOR_COMPLEX_SUMS(bits) CUTENSOR_COMPUTE_DESC_##bits##F
#define SDFGC_TENSOR_VERSION CUTENSOR_MAJOR

// CUB. It takes 64-bit row sizes from release 2.2 on, and a 64-bit number of rows from 2.8 on.
#define SDFGC_PRIMITIVES_HEADER <cub/device/device_reduce.cuh>
#define SDFGC_PRIMITIVES_ROWS_HEADER <cub/device/device_segmented_reduce.cuh>
#define SDFGC_PRIMITIVES_SIZE std::conditional_t<CUB_VERSION >= 200200, int64_t, int>
#define SDFGC_PRIMITIVES_COUNT std::conditional_t<CUB_VERSION >= 200800, int64_t, int>
#define SDFGC_PRIMITIVES_REDUCE(space, bytes, in, out, size, op, first, stream)                                                    \
    cub::DeviceReduce::Reduce(space, bytes, in, out, size, op, first, stream)
#define SDFGC_PRIMITIVES_REDUCE_ROWS(space, bytes, in, out, rows, begin, end, op, first, stream)                                   \
    cub::DeviceSegmentedReduce::Reduce(space, bytes, in, out, rows, begin, end, op, first, stream)

#include "sdfgc/rt/gpu/native/runtime.h"

namespace sdfgc::gpu {

// Graphs

inline Status graphSupport(GraphSupport &result) {
    int version = 0;
    const Status status = cudaDriverGetVersion(&version);
    result = version >= 12040 ? GraphSupport::Loops : version >= 11010 ? GraphSupport::Flat : GraphSupport::None;
    return status;
}
#if SDFGC_GPU_CONDITIONS
inline Status graphConditionalHandleCreate(GraphConditional &handle, GraphHandle graph, unsigned value, bool assign) {
    return cudaGraphConditionalHandleCreate(&handle, graph, value, assign ? cudaGraphCondAssignDefault : 0);
}
inline Status graphAddConditionalNode(GraphNode &node, GraphHandle &body, GraphHandle graph, const GraphNode *after, size_t count,
                                      ConditionalKind kind, GraphConditional condition) {
    cudaGraphNodeParams parameters = {};
    parameters.type = cudaGraphNodeTypeConditional;
    parameters.conditional.handle = condition;
    parameters.conditional.type = kind == ConditionalKind::If ? cudaGraphCondTypeIf : cudaGraphCondTypeWhile;
    parameters.conditional.size = 1;
#if CUDART_VERSION >= 13000
    const Status status = cudaGraphAddNode(&node, graph, after, nullptr, count, &parameters);
#else
    const Status status = cudaGraphAddNode(&node, graph, after, count, &parameters);
#endif
    body = status == success ? parameters.conditional.phGraph_out[0] : nullptr;
    return status;
}
#endif
inline Status graphAddDependencies(GraphHandle graph, const GraphNode *from, const GraphNode *to, size_t count) {
#if CUDART_VERSION >= 13000
    return cudaGraphAddDependencies(graph, from, to, nullptr, count);
#else
    return cudaGraphAddDependencies(graph, from, to, count);
#endif
}
inline Status graphInstantiate(GraphExec &exec, GraphHandle graph, GraphNode *failed = nullptr) {
#if CUDART_VERSION >= 12000
    cudaGraphInstantiateParams parameters = {};
    const Status status = cudaGraphInstantiateWithParams(&exec, graph, &parameters);
    return detail::instantiated(status, parameters.errNode_out, failed);
#else
    return detail::instantiateWithLog(exec, graph, failed);
#endif
}
inline Status graphUpload(GraphExec exec, Stream stream) { return cudaGraphUpload(exec, stream); }
inline Status graphNodeSetEnabled(GraphExec exec, GraphNode node, bool enabled) {
#if CUDART_VERSION >= 11060
    return cudaGraphNodeSetEnabled(exec, node, enabled);
#else
    return (void)exec, (void)node, (void)enabled, notSupported;
#endif
}
inline Status graphMemTrim() {
#if CUDART_VERSION >= 11040
    int device = 0;
    const Status status = getDevice(device);
    return status == success ? cudaDeviceGraphMemTrim(device) : status;
#else
    return success;
#endif
}

namespace detail {

/// How much memory recorded calls of cuBLAS need: NVIDIA recommends these sizes.
inline Status blasWorkspace(size_t &bytes) {
    int device = 0, major = 0;
    Status status = getDevice(device);
    if (status == success)
        status = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
    bytes = size_t(major >= 9 ? 32 : 4) << 20;
    return status;
}

#ifdef SDFGC_GPU_KERNELS
inline constexpr bool comparesSigned64 = true; // atomicMin and atomicMax take them

SDFGC_DEVICE inline unsigned shuffleWord(uint64_t lanes, unsigned word, int lane) {
    return __shfl_sync(static_cast<unsigned>(lanes), word, lane);
}
SDFGC_DEVICE inline uint64_t ballotOf(uint64_t lanes, bool predicate) {
    return __ballot_sync(static_cast<unsigned>(lanes), predicate);
}
SDFGC_DEVICE inline void syncLanes(uint64_t lanes) { __syncwarp(static_cast<unsigned>(lanes)); }
SDFGC_DEVICE inline void trap() { __trap(); }
#endif

} // namespace detail

#if SDFGC_GPU_CONDITIONS && defined(SDFGC_GPU_KERNELS)
SDFGC_DEVICE inline void graphSetConditional(GraphConditional condition, unsigned value) {
    cudaGraphSetConditional(condition, value);
}
#endif

} // namespace sdfgc::gpu
