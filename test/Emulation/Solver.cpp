// gpu_solver.h: factors and solutions of every type, compared with the products from which they were made, in stream order; errors
// are reported.
#include "Fixture.h"

#include "sdfgc/rt/gpu_solver.h"

namespace {

using gpu::Op;
using gpu::Triangle;
using sdfgc::rt::complex128;
using sdfgc::rt::complex64;

template <class T> T conjugate(const T &value) { return value; }
template <class T> std::complex<T> conjugate(const std::complex<T> &value) { return std::conj(value); }

template <class T> T number(int real, int imaginary) {
    if constexpr (std::is_floating_point<T>::value)
        return static_cast<T>(real);
    else
        return T(static_cast<typename T::value_type>(real), static_cast<typename T::value_type>(imaginary));
}

/// Column-major, with a leading dimension `ld`; the last rows are not part of the matrix.
template <class T> struct Columns {
    size_t ld;
    std::vector<T> values;
    Columns(size_t ld, size_t columns) : ld(ld), values(ld * columns, number<T>(-7, -7)) {}
    T &operator()(size_t i, size_t j) { return values[i + j * ld]; }
};

/// Three rows, two of which must be exchanged.
template <class T> Columns<T> system() {
    Columns<T> a(4, 3);
    const int values[3][3] = {{1, 2, 1}, {4, 1, -2}, {2, -3, 3}};
    for (size_t i = 0; i < 3; ++i)
        for (size_t j = 0; j < 3; ++j)
            a(i, j) = number<T>(values[i][j], static_cast<int>(i) - static_cast<int>(j));
    return a;
}

template <class T> bool near(const T &a, const T &b) { return std::abs(a - b) < 1e-4; }

} // namespace

TEMPLATE_TEST_CASE("getrf and getrs solve with a matrix and its transposes", "", float, double, complex64, complex128) {
    const Fresh fresh(1);
    gpu::Solver solver;
    const StreamOf stream;
    using T = TestType;
    for (const Op op : {Op::None, Op::Transpose, Op::ConjugateTranspose}) {
        Columns<T> a = system<T>(), x(5, 2), b(5, 2);
        for (size_t j = 0; j < 2; ++j)
            for (size_t i = 0; i < 3; ++i) {
                x(i, j) = number<T>(static_cast<int>(i) + 1, static_cast<int>(j));
                b(i, j) = T(0);
            }
        for (size_t j = 0; j < 2; ++j)
            for (size_t i = 0; i < 3; ++i)
                for (size_t k = 0; k < 3; ++k)
                    b(i, j) += (op == Op::None ? a(i, k) : op == Op::Transpose ? a(k, i) : conjugate(a(k, i))) * x(k, j);
        const Device<T> dA(a.values), dB(b.values);
        const Device<int> pivots(3), info(std::vector<int>{5, 5});
        REQUIRE(gpu::deviceSynchronize() == gpu::success);
        solver.getrf(stream, 3, dA.data, 4, pivots.data, info.data);
        solver.getrs(stream, op, 3, 2, dA.data, 4, pivots.data, dB.data, 5, info.data + 1);
        const std::vector<T> result = dB.get();
        for (size_t i = 0; i < result.size(); ++i)
            CHECK(near(result[i], x.values[i])); // including the rows beyond the matrix
        CHECK(info.get() == std::vector<int>{0, 0});
        CHECK(pivots.get()[0] == 2); // the largest element of the first column
    }
    CHECK(gpu::emulate::reportCount() == 0);
}

TEMPLATE_TEST_CASE("the solver takes batches, whose matrices lie at equal distances", "", float, double, complex64, complex128) {
    const Fresh fresh(1);
    gpu::Solver solver;
    const StreamOf stream;
    using T = TestType;
    constexpr size_t batch = 3, strideA = 14, strideB = 11; // elements in between are not touched
    std::vector<T> a(batch * strideA, T(-7)), x(batch * strideB, T(-7)), b = x;
    for (size_t s = 0; s < batch; ++s) {
        Columns<T> one = system<T>();
        one(0, 2) += number<T>(static_cast<int>(s), 0);
        std::copy(one.values.begin(), one.values.end(), a.begin() + static_cast<std::ptrdiff_t>(s * strideA));
        for (size_t j = 0; j < 2; ++j)
            for (size_t i = 0; i < 3; ++i) {
                x[s * strideB + i + 5 * j] = number<T>(static_cast<int>(i + s) + 1, static_cast<int>(j));
                b[s * strideB + i + 5 * j] = T(0);
            }
        for (size_t j = 0; j < 2; ++j)
            for (size_t i = 0; i < 3; ++i)
                for (size_t k = 0; k < 3; ++k)
                    b[s * strideB + i + 5 * j] += one(k, i) * x[s * strideB + k + 5 * j];
    }
    const Device<T> dA(a), dB(b);
    const Device<int> pivots(3 * batch);
    REQUIRE(gpu::deviceSynchronize() == gpu::success);
    solver.getrfBatched(stream, 3, dA.data, 4, strideA, pivots.data, batch);
    solver.getrsBatched(stream, Op::Transpose, 3, 2, dA.data, 4, strideA, pivots.data, dB.data, 5, strideB, batch);
    solver.getrfBatched(stream, 0, dA.data, 1, strideA, pivots.data, batch);
    solver.getrsBatched(stream, Op::None, 3, 2, dA.data, 4, strideA, pivots.data, dB.data, 5, strideB, 0);
    const std::vector<T> result = dB.get();
    for (size_t i = 0; i < result.size(); ++i)
        CHECK(near(result[i], x[i]));
    CHECK(pivots.get()[6] == 2);
    CHECK(dA.get()[13] == T(-7));
    CHECK(gpu::emulate::reportCount() == 0);
}

TEMPLATE_TEST_CASE("potrf leaves a factor in one triangle", "", float, double, complex64, complex128) {
    const Fresh fresh(1);
    gpu::Solver solver;
    using T = TestType;
    for (const Triangle triangle : {Triangle::Lower, Triangle::Upper}) {
        // A = L L^H for a known L; the other triangle has other values.
        const T l[3][3] = {{number<T>(2, 0), T(0), T(0)},
                           {number<T>(1, 1), number<T>(3, 0), T(0)},
                           {number<T>(-1, 2), number<T>(2, -1), number<T>(1, 0)}};
        Columns<T> a(3, 3), expected(3, 3);
        for (size_t i = 0; i < 3; ++i)
            for (size_t j = 0; j <= i; ++j) {
                T sum = 0;
                for (size_t k = 0; k < 3; ++k)
                    sum += l[i][k] * conjugate(l[j][k]);
                const bool lower = triangle == Triangle::Lower;
                (lower ? a(i, j) : a(j, i)) = lower ? sum : conjugate(sum);
                (lower ? expected(i, j) : expected(j, i)) = lower ? l[i][j] : conjugate(l[i][j]);
            }
        const Device<T> dA(a.values);
        solver.potrf(nullptr, triangle, 3, dA.data, 3);
        const std::vector<T> result = dA.get();
        for (size_t i = 0; i < result.size(); ++i)
            CHECK(near(result[i], expected.values[i]));
    }
    CHECK(gpu::emulate::reportCount() == 0);
}

TEST_CASE("info says which pivot is missing") {
    const Fresh fresh;
    gpu::Solver solver;
    const Device<double> singular(std::vector<double>{1, 2, 2, 4}), indefinite(std::vector<double>{1, 0, 0, -1});
    const Device<int> pivots(2), info(std::vector<int>{9, 9, 9, 9, 9});
    solver.getrf(nullptr, 2, singular.data, 2, pivots.data, info.data);
    solver.potrf(nullptr, Triangle::Lower, 2, indefinite.data, 2, info.data + 1);
    solver.getrf(nullptr, 0, singular.data, 1, pivots.data, info.data + 2);
    solver.potrf(nullptr, Triangle::Lower, 0, singular.data, 1, info.data + 3);
    solver.getrs(nullptr, Op::None, 2, 0, singular.data, 2, pivots.data, singular.data, 2, info.data + 4);
    CHECK(info.get() == std::vector<int>{2, 2, 0, 0, 0});
    CHECK(gpu::emulate::reportCount() == 0);
}

TEST_CASE("wrong memory for the solver is reported") {
    const Fresh fresh;
    gpu::Solver solver;
    const Device<double> a(4, "A");
    const Device<int> pivots(2, "pivots");
    std::vector<double> host(4);
    SECTION("host memory") {
        CHECK_THROWS_AS(solver.getrf(nullptr, 2, host.data(), 2, pivots.data), sdfgc::rt::Error);
        reported("host memory in a library's function: getrf uses 0x");
    }
    SECTION("out of bounds") {
        a.set({1, 2, 3, 4});
        atCallOrLater([&] { solver.potrf(nullptr, Triangle::Upper, 3, a.data, 3); });
        reported("out of bounds: potrf uses bytes 0 to 72 of 'A' (32 bytes)");
    }
    SECTION("a batch out of bounds") {
        a.set({1, 2, 3, 4});
        const Device<int> more(4, "more");
        atCallOrLater([&] { solver.getrfBatched(nullptr, 2, a.data, 2, 4, more.data, 2); });
        reported("out of bounds: getrfBatched uses bytes 0 to 64 of 'A' (32 bytes)");
    }
    SECTION("too large") { CHECK_THROWS_AS(solver.getrf(nullptr, int64_t(1) << 40, a.data, 2, pivots.data), sdfgc::rt::Error); }
}
