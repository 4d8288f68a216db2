// gpu_sparse.h: products of every type and order, compared with plain loops; errors are reported.
#include "Fixture.h"

#include "sdfgc/rt/gpu_sparse.h"

namespace {

using sdfgc::rt::complex128;
using sdfgc::rt::complex64;

/// Three rows and four columns; the second row is empty.
template <class Index> struct Pattern { std::vector<Index> rows{0, 2, 2, 5}, columns{1, 3, 0, 2, 3}; };

template <class T> std::vector<T> numbers(size_t count, int first) {
    std::vector<T> values(count);
    for (size_t i = 0; i < count; ++i) {
        values[i] = static_cast<T>(first + static_cast<int>(i % 7));
        if constexpr (!std::is_floating_point<T>::value)
            values[i] += T(0, static_cast<int>(i % 3));
    }
    return values;
}

template <class T, class Index> void check(size_t n, size_t rowB, size_t columnB, size_t rowC, size_t columnC, int beta) {
    const Fresh fresh(1);
    gpu::Sparse sparse;
    const StreamOf stream;
    const Pattern<Index> a;
    const std::vector<T> values = numbers<T>(5, -2), B = numbers<T>(40, 1), C = numbers<T>(40, 3);
    const Device<Index> rows(a.rows), columns(a.columns);
    const Device<T> dV(values), dB(B), dC(C);
    REQUIRE(gpu::deviceSynchronize() == gpu::success);
    sparse.multiply(stream, 3, static_cast<int64_t>(n), 4, 5, 2, rows.data, columns.data, dV.data, dB.data,
                    static_cast<int64_t>(rowB), static_cast<int64_t>(columnB), static_cast<T>(beta), dC.data,
                    static_cast<int64_t>(rowC), static_cast<int64_t>(columnC));
    std::vector<T> expected = C;
    for (size_t i = 0; i < 3; ++i)
        for (size_t j = 0; j < n; ++j) {
            T sum = 0;
            for (auto p = static_cast<size_t>(a.rows[i]); p < static_cast<size_t>(a.rows[i + 1]); ++p)
                sum += values[p] * B[static_cast<size_t>(a.columns[p]) * rowB + j * columnB];
            expected[i * rowC + j * columnC] = T(2) * sum + static_cast<T>(beta) * C[i * rowC + j * columnC];
        }
    CHECK(dC.get() == expected);
    CHECK(gpu::emulate::reportCount() == 0);
}

} // namespace

TEMPLATE_TEST_CASE("a sparse matrix times a matrix of either order, and a vector", "", float, double, complex64, complex128) {
    for (const int beta : {0, 1, 3}) {
        check<TestType, int32_t>(2, 2, 1, 3, 1, beta); // row-major
        check<TestType, int64_t>(2, 1, 5, 1, 4, beta); // column-major
        check<TestType, int32_t>(2, 3, 1, 1, 3, beta);
        check<TestType, int64_t>(1, 1, 1, 1, 1, beta);
    }
}

TEST_CASE("a product that is not asked to add does not read what was there") {
    const Fresh fresh;
    gpu::Sparse sparse;
    const Pattern<int32_t> a;
    const Device<int32_t> rows(a.rows), columns(a.columns);
    const Device<double> values(std::vector<double>(5, 1.0)), x(std::vector<double>(4, 1.0)),
        y(std::vector<double>(3, std::nan("")));
    sparse.multiply(nullptr, 3, 1, 4, 5, 1, rows.data, columns.data, values.data, x.data, 1, 1, 0, y.data, 1, 1);
    CHECK(y.get() == std::vector<double>{2, 0, 3});
    sparse.multiply(nullptr, 0, 1, 4, 5, 1, rows.data, columns.data, values.data, x.data, 1, 1, 0, y.data, 1, 1); // no elements
    CHECK(gpu::emulate::reportCount() == 0);
}

TEST_CASE("wrong memory for a sparse product is reported") {
    const Fresh fresh;
    gpu::Sparse sparse;
    const Pattern<int32_t> a;
    const Device<int32_t> rows(a.rows), columns(a.columns);
    const Device<double> values(std::vector<double>(5, 1.0)), x(std::vector<double>(4, 1.0), "x"), y(2, "y");
    SECTION("host memory") {
        CHECK_THROWS_AS(
            sparse.multiply(nullptr, 3, 1, 4, 5, 1, a.rows.data(), columns.data, values.data, x.data, 1, 1, 0, y.data, 1, 1),
            sdfgc::rt::Error);
        reported("host memory in a library's function: multiply uses 0x");
    }
    SECTION("out of bounds") {
        atCallOrLater(
            [&] { sparse.multiply(nullptr, 3, 1, 4, 5, 1, rows.data, columns.data, values.data, x.data, 1, 1, 0, y.data, 1, 1); });
        reported("out of bounds: multiply uses bytes 0 to 24 of 'y' (16 bytes)");
    }
}
