// Fourier transforms on the device: one dialect for cuFFT, hipFFT and, in the emulation, FFTW.
//
// Rules: data is in device memory (or page-locked host memory), row-major and without gaps, and is transformed in place:
//
//   data[k] = sum over j of data[j] * exp(-+ 2 pi i (j_0 k_0 / n_0 + j_1 k_1 / n_1 + ...)),   the inverse with + and no division
//
// Every operation is queued in the stream that it is given and returns at once. Types: complex64, complex128; one to three
// dimensions. A failed call throws rt::Error, as the operations of gpu_program.h do. One Fft is a member of a program's state; it
// keeps the library's plan for each kind of transform and stream (plans are expensive, and own a workspace), and one thread at a
// time may use it. Link the library "gpufft" (docs/user/build.md), which is cufft, hipfft or fftw3 and fftw3f.
//
//   struct state_t { gpu::Program gpu; gpu::Fft fft; ... };
//   __state->fft.transform(__state->gpu.stream(0), Direction::Forward, data, rows, columns);
#pragma once

#include "sdfgc/rt/complex.h"
#include "sdfgc/rt/gpu/operation.h"
#include "sdfgc/rt/gpu_program.h"

namespace sdfgc::gpu {

enum class Direction { Forward, Inverse };

namespace detail {

/// Sizes of a transform, slowest dimension first.
struct FftShape {
    int rank = 0;
    int sizes[3] = {};
    friend bool operator==(const FftShape &a, const FftShape &b) {
        return a.rank == b.rank && a.sizes[0] == b.sizes[0] && a.sizes[1] == b.sizes[1] && a.sizes[2] == b.sizes[2];
    }
};

} // namespace detail

} // namespace sdfgc::gpu

#include SDFGC_GPU_HEADER(fft)

namespace sdfgc::gpu {

/// All back ends define detail::FftLibrary with this operation for sizes above zero; it returns false on failure.
class Fft {
public:
    Fft() noexcept = default;
    Fft(const Fft &) = delete;
    Fft &operator=(const Fft &) = delete;

    template <class T, class... Size> void transform(Stream stream, Direction direction, std::complex<T> *data, Size... sizes) {
        static_assert(sizeof...(sizes) >= 1 && sizeof...(sizes) <= 3, "one to three dimensions");
        detail::FftShape shape;
        bool fits = true, empty = false;
        for (const int64_t size : {static_cast<int64_t>(sizes)...}) {
            fits = fits && size <= 0x7fffffff;
            empty = empty || size <= 0;
            shape.sizes[shape.rank++] = static_cast<int>(size);
        }
        if (!empty)
            detail::requireSuccess(fits && library_.transform(stream, direction, data, shape),
                                   "the device's library for Fourier transforms failed in ", "transform");
    }

private:
    detail::FftLibrary library_;
};

} // namespace sdfgc::gpu
