// gpu_fft.h's operation by cuFFT or hipFFT, which differ in the prefix of their names.
#pragma once

#include "sdfgc/rt/complex.h"
#include "sdfgc/rt/gpu/plans.h"

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
    template <class T> bool transform(Stream stream, Direction direction, std::complex<T> *data, const FftShape &shape) {
        const FftPlan *plan = find({stream, shape, static_cast<int>(NativeFft<T>::type)});
        return plan &&
               ok(NativeFft<T>::run(*plan, data, direction == Direction::Forward ? SDFGC_FFT_CONSTANT(FORWARD) : fftInverse));
    }

private:
#ifdef SDFGC_GPU_CUDA
    static constexpr int fftInverse = CUFFT_INVERSE;
#else
    static constexpr int fftInverse = HIPFFT_BACKWARD;
#endif
    /// A plan works in memory of its own: one for each stream.
    struct Key {
        Stream stream;
        FftShape shape;
        int type;
        friend bool operator==(const Key &a, const Key &b) {
            return a.stream == b.stream && a.shape == b.shape && a.type == b.type;
        }
    };
    struct Destroy {
        void operator()(FftPlan plan) const { (void)SDFGC_FFT_NAME(Destroy)(plan); }
    };

    static bool ok(FftResult result) { return result == SDFGC_FFT_CONSTANT(SUCCESS); }
    const FftPlan *find(const Key &key) {
        if (const FftPlan *known = plans_.find(key))
            return known;
        FftPlan plan;
        FftShape copy = key.shape; // the libraries take the sizes without const
        using Type = decltype(SDFGC_FFT_CONSTANT(C2C));
        if (!ok(SDFGC_FFT_NAME(PlanMany)(&plan, copy.rank, copy.sizes, nullptr, 1, 0, nullptr, 1, 0, static_cast<Type>(key.type),
                                         1)))
            return nullptr;
        const FftPlan *kept = plans_.add(key, plan);
        return ok(SDFGC_FFT_NAME(SetStream)(plan, key.stream)) ? kept : nullptr;
    }

    Plans<Key, FftPlan, Destroy> plans_;
};

#undef SDFGC_FFT_CONSTANT
#undef SDFGC_FFT_NAME

} // namespace sdfgc::gpu::detail
