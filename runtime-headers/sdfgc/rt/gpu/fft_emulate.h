// gpu_fft.h's operation by the host's FFTW, queued in the emulated streams.
#pragma once

#include "sdfgc/rt/complex.h"
#include "sdfgc/rt/gpu/emulated_call.h"

#include <fftw3.h>
#include <pthread.h>

namespace sdfgc::gpu::detail {

inline fftw_plan planFft(const FftShape &shape, std::complex<double> *data, int sign) {
    auto *values = reinterpret_cast<fftw_complex *>(data);
    return fftw_plan_dft(shape.rank, shape.sizes, values, values, sign, FFTW_ESTIMATE);
}
inline fftwf_plan planFft(const FftShape &shape, std::complex<float> *data, int sign) {
    auto *values = reinterpret_cast<fftwf_complex *>(data);
    return fftwf_plan_dft(shape.rank, shape.sizes, values, values, sign, FFTW_ESTIMATE);
}
inline void runFft(fftw_plan plan) { fftw_execute(plan); }
inline void runFft(fftwf_plan plan) { fftwf_execute(plan); }
inline void destroyFft(fftw_plan plan) { fftw_destroy_plan(plan); }
inline void destroyFft(fftwf_plan plan) { fftwf_destroy_plan(plan); }

class FftLibrary {
public:
    template <class T> bool transform(Stream stream, Direction direction, std::complex<T> *data, const FftShape &shape) {
        int64_t count = 1;
        for (int i = 0; i < shape.rank; ++i)
            count *= shape.sizes[i];
        return queueCall("transform", stream, {rangeOf(data, count)}, {}, [=] {
            static pthread_mutex_t planner = PTHREAD_MUTEX_INITIALIZER; // FFTW makes and destroys one plan at a time
            (void)pthread_mutex_lock(&planner);
            const auto plan = planFft(shape, data, direction == Direction::Forward ? FFTW_FORWARD : FFTW_BACKWARD);
            (void)pthread_mutex_unlock(&planner);
            if (plan)
                runFft(plan);
            (void)pthread_mutex_lock(&planner);
            if (plan)
                destroyFft(plan);
            (void)pthread_mutex_unlock(&planner);
        });
    }
};

} // namespace sdfgc::gpu::detail
