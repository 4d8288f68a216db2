// gpu_fft.h: transforms of every type and number of dimensions, compared with the sum that defines them; errors are reported.
#include "Fixture.h"

#include "sdfgc/rt/gpu_fft.h"

#include <cmath>

namespace {

using gpu::Direction;
using sdfgc::rt::complex128;
using sdfgc::rt::complex64;

/// Element (k0, k1, k2) of the transform, by definition.
template <class T>
std::complex<double> expected(const std::vector<T> &data, const size_t (&n)[3], const size_t (&k)[3], double sign) {
    std::complex<double> sum = 0;
    for (size_t a = 0; a < n[0]; ++a)
        for (size_t b = 0; b < n[1]; ++b)
            for (size_t c = 0; c < n[2]; ++c) {
                const double turns =
                    double(a * k[0]) / double(n[0]) + double(b * k[1]) / double(n[1]) + double(c * k[2]) / double(n[2]);
                sum += std::complex<double>(data[(a * n[1] + b) * n[2] + c]) * std::polar(1.0, sign * 2 * std::acos(-1.0) * turns);
            }
    return sum;
}

template <class T> std::vector<T> signal(size_t count) {
    std::vector<T> data(count);
    for (size_t i = 0; i < count; ++i)
        data[i] = T(static_cast<typename T::value_type>(i % 5), static_cast<typename T::value_type>(i % 3) - 1);
    return data;
}

} // namespace

TEMPLATE_TEST_CASE("transforms of one to three dimensions, both ways", "", complex64, complex128) {
    const Fresh fresh(1);
    gpu::Fft fft;
    const StreamOf stream;
    using T = TestType;
    for (const Direction direction : {Direction::Forward, Direction::Inverse})
        for (const int rank : {1, 2, 3}) {
            const size_t n[3] = {rank == 3 ? 3u : 1u, rank >= 2 ? 4u : 1u, 6};
            const std::vector<T> data = signal<T>(n[0] * n[1] * n[2]);
            const Device<T> d(data);
            REQUIRE(gpu::deviceSynchronize() == gpu::success);
            if (rank == 1)
                fft.transform(stream, direction, d.data, n[2]);
            else if (rank == 2)
                fft.transform(stream, direction, d.data, n[1], n[2]);
            else
                fft.transform(stream, direction, d.data, n[0], n[1], n[2]);
            const std::vector<T> result = d.get();
            for (size_t i = 0; i < result.size(); ++i) {
                const size_t k[3] = {i / (n[1] * n[2]), i / n[2] % n[1], i % n[2]};
                CHECK(std::abs(std::complex<double>(result[i]) - expected(data, n, k, direction == Direction::Forward ? -1 : 1)) <
                      1e-4);
            }
        }
    fft.transform(stream, Direction::Forward, static_cast<T *>(nullptr), 0); // no elements
    CHECK(gpu::emulate::reportCount() == 0);
}

TEST_CASE("wrong memory for a transform is reported") {
    const Fresh fresh;
    gpu::Fft fft;
    const Device<complex128> d(signal<complex128>(4), "signal");
    std::vector<complex128> host(4);
    SECTION("host memory") {
        CHECK_THROWS_AS(fft.transform(nullptr, Direction::Forward, host.data(), 4), sdfgc::rt::Error);
        reported("host memory in a library's function: transform uses 0x");
    }
    SECTION("out of bounds") {
        atCallOrLater([&] { fft.transform(nullptr, Direction::Forward, d.data, 5); });
        reported("out of bounds: transform uses bytes 0 to 80 of 'signal' (64 bytes)");
    }
    SECTION("too large") {
        CHECK_THROWS_AS(fft.transform(nullptr, Direction::Forward, d.data, int64_t(1) << 40), sdfgc::rt::Error);
    }
}
