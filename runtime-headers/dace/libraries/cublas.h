// DaCe's access to cuBLAS, for C++ tasklets written by DaCe's expansions: `__state->cublas_handle.Get()` and `.Constants()`.
//
// Rules: a handle is a member of a program's state, created at the first use. Scalars are read from device memory
// (CUBLAS_POINTER_MODE_DEVICE), as in DaCe; the constants are in page-locked memory, which both pointer modes can read.
#pragma once

#include "dace/device.h"

#include <cublas_v2.h>
#include <cuda_fp16.h>

namespace dace::blas {

inline void CheckCublasError(cublasStatus_t status) { checkLibrary(static_cast<int>(status), "cuBLAS"); }

/// Zero, one and two scratch values (alpha and beta) of each type.
class CublasConstants {
public:
    CublasConstants() {
        checkGpu(sdfgc::gpu::mallocHost(&values_, sizeof(Values), "constants for cuBLAS"), "cublas_handle.Constants()");
        *values_ = Values{};
        values_->half = __float2half(1.0f);
        values_->single = values_->complex64.x = 1.0f;
        values_->real = values_->complex128.x = 1.0;
    }
    CublasConstants(const CublasConstants &) = delete;
    CublasConstants &operator=(const CublasConstants &) = delete;
    ~CublasConstants() { (void)sdfgc::gpu::freeHost(values_); }

    const __half *HalfZero() const { return reinterpret_cast<const __half *>(&values_->zero); }
    const float *FloatZero() const { return reinterpret_cast<const float *>(&values_->zero); }
    const double *DoubleZero() const { return reinterpret_cast<const double *>(&values_->zero); }
    const cuComplex *Complex64Zero() const { return reinterpret_cast<const cuComplex *>(&values_->zero); }
    const cuDoubleComplex *Complex128Zero() const { return &values_->zero; }
    const __half *HalfPone() const { return &values_->half; }
    const float *FloatPone() const { return &values_->single; }
    const double *DoublePone() const { return &values_->real; }
    const cuComplex *Complex64Pone() const { return &values_->complex64; }
    const cuDoubleComplex *Complex128Pone() const { return &values_->complex128; }

    __half *HalfAlpha() const { return reinterpret_cast<__half *>(&values_->alpha); }
    float *FloatAlpha() const { return reinterpret_cast<float *>(&values_->alpha); }
    double *DoubleAlpha() const { return reinterpret_cast<double *>(&values_->alpha); }
    cuComplex *Complex64Alpha() const { return reinterpret_cast<cuComplex *>(&values_->alpha); }
    cuDoubleComplex *Complex128Alpha() const { return &values_->alpha; }
    __half *HalfBeta() const { return reinterpret_cast<__half *>(&values_->beta); }
    float *FloatBeta() const { return reinterpret_cast<float *>(&values_->beta); }
    double *DoubleBeta() const { return reinterpret_cast<double *>(&values_->beta); }
    cuComplex *Complex64Beta() const { return reinterpret_cast<cuComplex *>(&values_->beta); }
    cuDoubleComplex *Complex128Beta() const { return &values_->beta; }

private:
    struct Values {
        cuDoubleComplex zero{}, complex128{}, alpha{}, beta{};
        cuComplex complex64{};
        double real = 0;
        float single = 0;
        __half half{};
    };
    Values *values_ = nullptr;
};

class CublasHandle {
public:
    CublasHandle() = default;
    CublasHandle(const CublasHandle &) = delete;
    CublasHandle &operator=(const CublasHandle &) = delete;
    ~CublasHandle() {
        if (handle_)
            (void)cublasDestroy(handle_);
        delete constants_;
    }

    cublasHandle_t &Get() {
        if (!handle_) {
            CheckCublasError(cublasCreate(&handle_));
            CheckCublasError(cublasSetPointerMode(handle_, CUBLAS_POINTER_MODE_DEVICE));
        }
        return handle_;
    }
    CublasConstants &Constants() {
        if (!constants_)
            constants_ = new CublasConstants();
        return *constants_;
    }

private:
    cublasHandle_t handle_ = nullptr;
    CublasConstants *constants_ = nullptr;
};

} // namespace dace::blas
