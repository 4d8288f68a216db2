// Fourier transforms of the host, by FFTW.
#pragma once

#include "sdfgc/rt/complex.h"
#include "sdfgc/rt/threads.h"

#include <fftw3.h>

namespace sdfgc::rt::fftw {

namespace detail {

inline fftw_plan plan(int rank, const int *sizes, std::complex<double> *data, int direction) {
    auto *values = reinterpret_cast<fftw_complex *>(data);
    return fftw_plan_dft(rank, sizes, values, values, direction, FFTW_ESTIMATE);
}
inline fftwf_plan plan(int rank, const int *sizes, std::complex<float> *data, int direction) {
    auto *values = reinterpret_cast<fftwf_complex *>(data);
    return fftwf_plan_dft(rank, sizes, values, values, direction, FFTW_ESTIMATE);
}
inline void execute(fftw_plan p) { fftw_execute(p); }
inline void execute(fftwf_plan p) { fftwf_execute(p); }
inline void destroy(fftw_plan p) { fftw_destroy_plan(p); }
inline void destroy(fftwf_plan p) { fftwf_destroy_plan(p); }

/// FFTW makes and destroys plans for one thread at a time.
inline Mutex &planner() {
    static Mutex m;
    return m;
}

} // namespace detail

/// Transforms packed elements in place. `direction`: FFTW_FORWARD or FFTW_BACKWARD; the last dimension runs fastest. Does nothing
/// if a size is zero.
template <class T> void transform_shape(int direction, std::complex<T> *data, int rank, const int *sizes) {
    detail::planner().lock();
    const auto plan = detail::plan(rank, sizes, data, direction);
    detail::planner().unlock();
    if (!plan)
        return;
    detail::execute(plan);
    detail::planner().lock();
    detail::destroy(plan);
    detail::planner().unlock();
}

/// The same with the sizes one by one.
template <class T, class... Sizes> void transform(int direction, std::complex<T> *data, Sizes... sizes) {
    const int all[] = {static_cast<int>(sizes)...};
    transform_shape(direction, data, static_cast<int>(sizeof...(Sizes)), all);
}

} // namespace sdfgc::rt::fftw
