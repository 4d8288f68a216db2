// gpu_fft.h's operation by cuFFT or hipFFT, which differ in the prefix of their names.
#pragma once

#include "sdfgc/rt/complex.h"
#include "sdfgc/rt/gpu.h"

#include <vector>

#ifdef SDFGC_GPU_CUDA
#include <cufft.h>
#else
#include <hipfft/hipfft.h>
#endif

namespace sdfgc::gpu::detail {

#ifdef SDFGC_GPU_CUDA
#define SDFGC_FFT_CONSTANT(name) CUFFT_##name
#define SDFGC_FFT_NAME(name) cufft##name
using FftPlan = cufftHandle;
using FftResult = cufftResult;
using FftComplex64 = cufftComplex;
using FftComplex128 = cufftDoubleComplex;
#else
#define SDFGC_FFT_CONSTANT(name) HIPFFT_##name
#define SDFGC_FFT_NAME(name) hipfft##name
using FftPlan = hipfftHandle;
using FftResult = hipfftResult;
using FftComplex64 = hipfftComplex;
using FftComplex128 = hipfftDoubleComplex;
#endif

template <class T> struct NativeFft;
template <> struct NativeFft<float> {
    static constexpr auto type = SDFGC_FFT_CONSTANT(C2C);
    static FftResult run(FftPlan plan, std::complex<float> *data, int direction) {
        auto *values = reinterpret_cast<FftComplex64 *>(data);
        return SDFGC_FFT_NAME(ExecC2C)(plan, values, values, direction);
    }
};
template <> struct NativeFft<double> {
    static constexpr auto type = SDFGC_FFT_CONSTANT(Z2Z);
    static FftResult run(FftPlan plan, std::complex<double> *data, int direction) {
        auto *values = reinterpret_cast<FftComplex128 *>(data);
        return SDFGC_FFT_NAME(ExecZ2Z)(plan, values, values, direction);
    }
};

class FftLibrary {
public:
    FftLibrary() noexcept = default;
    FftLibrary(const FftLibrary &) = delete;
    FftLibrary &operator=(const FftLibrary &) = delete;
    ~FftLibrary() {
        for (const Known &k : plans_)
            (void)SDFGC_FFT_NAME(Destroy)(k.plan);
    }

    template <class T> bool transform(Stream stream, Direction direction, std::complex<T> *data, const FftShape &shape) {
        FftPlan plan;
        return find(plan, stream, shape, static_cast<int>(NativeFft<T>::type)) &&
               ok(NativeFft<T>::run(plan, data, direction == Direction::Forward ? SDFGC_FFT_CONSTANT(FORWARD) : fftInverse));
    }

private:
#ifdef SDFGC_GPU_CUDA
    static constexpr int fftInverse = CUFFT_INVERSE;
#else
    static constexpr int fftInverse = HIPFFT_BACKWARD;
#endif
    static constexpr size_t mostPlans = 64;
    /// A plan works in memory of its own: one for each stream.
    struct Known {
        Stream stream;
        FftShape shape;
        int type;
        FftPlan plan;
    };

    static bool ok(FftResult result) { return result == SDFGC_FFT_CONSTANT(SUCCESS); }
    bool find(FftPlan &plan, Stream stream, const FftShape &shape, int type) {
        for (const Known &k : plans_)
            if (k.stream == stream && k.shape == shape && k.type == type) {
                plan = k.plan;
                return true;
            }
        FftShape copy = shape; // the libraries take the sizes without const
        using Type = decltype(SDFGC_FFT_CONSTANT(C2C));
        if (!ok(SDFGC_FFT_NAME(PlanMany)(&plan, copy.rank, copy.sizes, nullptr, 1, 0, nullptr, 1, 0, static_cast<Type>(type), 1)))
            return false;
        if (plans_.size() == mostPlans) { // programs whose sizes change; waits for what uses the plan's memory
            (void)SDFGC_FFT_NAME(Destroy)(plans_.front().plan);
            plans_.erase(plans_.begin());
        }
        plans_.push_back({stream, shape, type, plan});
        return ok(SDFGC_FFT_NAME(SetStream)(plan, stream));
    }

    std::vector<Known> plans_;
};

#undef SDFGC_FFT_CONSTANT
#undef SDFGC_FFT_NAME

} // namespace sdfgc::gpu::detail
