// gpu_fft.h's operation by the host's FFTW, queued in the emulated streams.
#pragma once

#include "sdfgc/rt/complex.h"
#include "sdfgc/rt/fftw.h"
#include "sdfgc/rt/gpu/emulated_call.h"

namespace sdfgc::gpu::detail {

class FftLibrary {
public:
    template <class T> bool transform(Stream stream, Direction direction, std::complex<T> *data, const FftShape &shape) {
        int64_t count = 1;
        for (int i = 0; i < shape.rank; ++i)
            count *= shape.sizes[i];
        return queueCall("transform", stream, {rangeOf(data, count)}, {}, [=] {
            rt::fftw::transform_shape(direction == Direction::Forward ? FFTW_FORWARD : FFTW_BACKWARD, data, shape.rank,
                                      shape.sizes);
        });
    }
};

} // namespace sdfgc::gpu::detail
