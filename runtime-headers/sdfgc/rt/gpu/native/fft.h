// gpu_fft.h's operation by cuFFT or hipFFT.
#pragma once

#include "sdfgc/rt/complex.h"
#include "sdfgc/rt/gpu/plans.h"

#include SDFGC_FFT_HEADER

namespace sdfgc::gpu::detail {

using FftPlan = SDFGC_FFT_NAME(Handle);
using FftResult = SDFGC_FFT_NAME(Result);

template <class T> struct NativeFft;
template <> struct NativeFft<float> {
    static constexpr auto type = SDFGC_FFT_CONSTANT(C2C);
    static FftResult run(FftPlan plan, std::complex<float> *data, int direction) {
        auto *values = reinterpret_cast<SDFGC_FFT_NAME(Complex) *>(data);
        return SDFGC_FFT_NAME(ExecC2C)(plan, values, values, direction);
    }
};
template <> struct NativeFft<double> {
    static constexpr auto type = SDFGC_FFT_CONSTANT(Z2Z);
    static FftResult run(FftPlan plan, std::complex<double> *data, int direction) {
        auto *values = reinterpret_cast<SDFGC_FFT_NAME(DoubleComplex) *>(data);
        return SDFGC_FFT_NAME(ExecZ2Z)(plan, values, values, direction);
    }
};

class FftLibrary {
public:
    template <class T> bool transform(Stream stream, Direction direction, std::complex<T> *data, const FftShape &shape) {
        const FftPlan *plan = find({stream, shape, static_cast<int>(NativeFft<T>::type)});
        return plan && ok(NativeFft<T>::run(*plan, data,
                                            direction == Direction::Forward ? SDFGC_FFT_CONSTANT(FORWARD) : SDFGC_FFT_INVERSE));
    }

private:
    /// A plan has its own workspace, so there is one per stream.
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

} // namespace sdfgc::gpu::detail
