// gpu_primitives.h: reductions of rows, compared with plain loops; errors are reported.
#include "Fixture.h"

#include "sdfgc/rt/complex.h"
#include "sdfgc/rt/gpu_primitives.h"

#include <limits>

namespace {

using sdfgc::rt::complex128;

template <class Op, class T> std::vector<T> reduced(const std::vector<T> &values, int64_t rows) {
    const Fresh fresh(1);
    const StreamOf stream;
    const Device<T> in(values), out(std::vector<T>(static_cast<size_t>(rows)));
    REQUIRE(gpu::deviceSynchronize() == gpu::success);
    gpu::reduce(stream, Op(), in.data, rows, rows > 0 ? static_cast<int64_t>(values.size()) / rows : 0, out.data);
    const std::vector<T> result = out.get();
    CHECK(gpu::emulate::reportCount() == 0);
    return result;
}

/// The result for rows without elements.
template <class Op, class T> T neutral() {
    const Fresh fresh;
    const Device<T> in(std::vector<T>(1)), out(std::vector<T>(1));
    gpu::reduce(nullptr, Op(), in.data, 1, 0, out.data);
    return out.get()[0];
}

} // namespace

TEST_CASE("each operation reduces each row") {
    const std::vector<int32_t> values{3, -1, 6, 12, 5, 9};
    CHECK(reduced<gpu::Sum>(values, 2) == std::vector<int32_t>{8, 26});
    CHECK(reduced<gpu::Sum>(values, 1) == std::vector<int32_t>{34});
    CHECK(reduced<gpu::Sum>(values, 6) == values);
    CHECK(reduced<gpu::Product>(values, 2) == std::vector<int32_t>{-18, 540});
    CHECK(reduced<gpu::Min>(values, 2) == std::vector<int32_t>{-1, 5});
    CHECK(reduced<gpu::Max>(values, 3) == std::vector<int32_t>{3, 12, 9});
    CHECK(reduced<gpu::And>(values, 2) == std::vector<int32_t>{3 & -1 & 6, 12 & 5 & 9});
    CHECK(reduced<gpu::Or>(values, 2) == std::vector<int32_t>{3 | -1 | 6, 12 | 5 | 9});
    CHECK(reduced<gpu::Xor>(values, 2) == std::vector<int32_t>{3 ^ -1 ^ 6, 12 ^ 5 ^ 9});
    CHECK(reduced<gpu::LogicalAnd>(std::vector<int32_t>{2, 3, 0, 1}, 2) == std::vector<int32_t>{1, 0});
    CHECK(reduced<gpu::LogicalOr>(std::vector<int32_t>{0, 3, 0, 0}, 2) == std::vector<int32_t>{1, 0});
    CHECK(reduced<gpu::LogicalXor>(std::vector<int32_t>{2, 3, 0, 1}, 2) == std::vector<int32_t>{0, 1});
    CHECK(reduced<gpu::Sum>(std::vector<complex128>{{1, 2}, {3, -1}}, 1) == std::vector<complex128>{{4, 1}});
}

TEST_CASE("rows without elements give the operation's neutral value, and no rows nothing") {
    CHECK(neutral<gpu::Sum, double>() == 0);
    CHECK(neutral<gpu::Product, complex128>() == complex128(1));
    CHECK(neutral<gpu::Min, double>() == std::numeric_limits<double>::infinity());
    CHECK(neutral<gpu::Max, float>() == -std::numeric_limits<float>::infinity());
    CHECK(neutral<gpu::Min, int16_t>() == 32767);
    CHECK(neutral<gpu::Max, int64_t>() == std::numeric_limits<int64_t>::min());
    CHECK(neutral<gpu::Max, uint8_t>() == 0);
    CHECK(neutral<gpu::And, uint16_t>() == 65535);
    CHECK(neutral<gpu::Or, int32_t>() == 0);
    CHECK(neutral<gpu::LogicalAnd, int8_t>() == 1);
    const Fresh fresh;
    const Device<double> out(std::vector<double>{7});
    gpu::reduce(nullptr, gpu::Sum(), static_cast<const double *>(nullptr), 0, 5, out.data);
    CHECK(out.get()[0] == 7);
    CHECK(gpu::emulate::reportCount() == 0);
}

TEST_CASE("wrong memory for a reduction is reported") {
    const Fresh fresh;
    const Device<double> in(std::vector<double>(6, 1.0), "in"), out(std::vector<double>(2), "out");
    SECTION("host memory") {
        const std::vector<double> host(6, 1.0);
        CHECK_THROWS_AS(gpu::reduce(nullptr, gpu::Sum(), host.data(), 2, 3, out.data), sdfgc::rt::Error);
        reported("host memory in a library's function: reduce uses 0x");
    }
    SECTION("out of bounds") {
        atCallOrLater([&] { gpu::reduce(nullptr, gpu::Sum(), in.data, 3, 2, out.data); });
        reported("out of bounds: reduce uses bytes 0 to 24 of 'out' (16 bytes)");
    }
}
