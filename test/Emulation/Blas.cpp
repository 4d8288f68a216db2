// gpu_blas.h: row-major products of every type and form, compared with plain loops, in stream order; errors are reported.
#include "Fixture.h"

#include "sdfgc/rt/gpu_blas.h"

#include <random>

namespace {

using gpu::Op;
using sdfgc::rt::complex128;
using sdfgc::rt::complex64;

const Op allOps[] = {Op::None, Op::Transpose, Op::ConjugateTranspose};

template <class T> T conjugate(const T &value) { return value; }
template <class T> std::complex<T> conjugate(const std::complex<T> &value) { return std::conj(value); }

/// Small integers, so that sums are exact in every order.
template <class T> std::vector<T> integers(size_t count, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<T> values(count);
    for (T &v : values) {
        v = static_cast<T>(static_cast<int>(random() % 9) - 4);
        if constexpr (!std::is_floating_point<T>::value)
            v += T(0, static_cast<int>(random() % 5) - 2);
    }
    return values;
}

/// Element (i, j) of op(M), M row-major.
template <class T> T at(const std::vector<T> &m, Op op, size_t ld, size_t i, size_t j, size_t begin = 0) {
    const T value = m[begin + (op == Op::None ? i * ld + j : j * ld + i)];
    return op == Op::ConjugateTranspose ? conjugate(value) : value;
}

} // namespace

TEMPLATE_TEST_CASE("gemm and its batched form are row-major products", "", float, double, complex64, complex128) {
    const Fresh fresh(1);
    gpu::Blas blas;
    const StreamOf stream;
    using T = TestType;
    const size_t m = 3, n = 4, k = 5, lda = 7, ldb = 6, ldc = 5, batch = 2, strideA = 60, strideB = 50, strideC = 20;
    for (const Op a : allOps)
        for (const Op b : allOps) {
            const std::vector<T> A = integers<T>(strideA * batch, 1), B = integers<T>(strideB * batch, 2),
                                 C = integers<T>(strideC * batch, 3);
            const Device<T> dA(A), dB(B), dC(C), dS(C);
            REQUIRE(gpu::deviceSynchronize() == gpu::success); // the stream does not wait for copies in the default stream
            blas.gemm(stream, a, b, m, n, k, 2, dA.data, lda, dB.data, ldb, -1, dC.data, ldc);
            blas.gemmStridedBatched(stream, a, b, m, n, k, 2, dA.data, lda, strideA, dB.data, ldb, 0, -1, dS.data, ldc, strideC,
                                    batch);
            std::vector<T> one = C, all = C;
            for (size_t s = 0; s < batch; ++s)
                for (size_t i = 0; i < m; ++i)
                    for (size_t j = 0; j < n; ++j) {
                        T sum = 0;
                        for (size_t l = 0; l < k; ++l)
                            sum += at(A, a, lda, i, l, s * strideA) * at(B, b, ldb, l, j);
                        all[s * strideC + i * ldc + j] = T(2) * sum - C[s * strideC + i * ldc + j];
                        if (s == 0)
                            one[i * ldc + j] = all[i * ldc + j];
                    }
            CHECK(dC.get() == one);
            CHECK(dS.get() == all);
        }
    CHECK(gpu::emulate::reportCount() == 0);
}

TEMPLATE_TEST_CASE("gemv, ger, geam and transpose are row-major", "", float, double, complex64, complex128) {
    const Fresh fresh(1);
    gpu::Blas blas;
    using T = TestType;
    const size_t m = 3, n = 4, ld = 5;
    const std::vector<T> A = integers<T>(m * ld, 1), x = integers<T>(10, 2), y = integers<T>(10, 3);
    for (const Op op : allOps) {
        const size_t rows = op == Op::None ? m : n, columns = op == Op::None ? n : m;
        const Device<T> dA(A), dx(x), dy(y);
        blas.gemv(nullptr, op, m, n, 3, dA.data, ld, dx.data, 2, 2, dy.data, 1);
        std::vector<T> expected = y;
        for (size_t i = 0; i < rows; ++i) {
            T sum = 0;
            for (size_t j = 0; j < columns; ++j)
                sum += at(A, op, ld, i, j) * x[2 * j];
            expected[i] = T(3) * sum + T(2) * y[i];
        }
        CHECK(dy.get() == expected);
    }
    const Device<T> dA(A), dx(x), dy(y), dT(n * m);
    blas.ger(nullptr, m, n, 2, dx.data, 2, dy.data, 1, dA.data, ld);
    std::vector<T> expected = A;
    for (size_t i = 0; i < m; ++i)
        for (size_t j = 0; j < n; ++j)
            expected[i * ld + j] += T(2) * x[2 * i] * y[j];
    CHECK(dA.get() == expected);
    blas.transpose(nullptr, m, n, dA.data, ld, dT.data, m);
    const std::vector<T> transposed = dT.get();
    for (size_t i = 0; i < m; ++i)
        for (size_t j = 0; j < n; ++j)
            CHECK(transposed[j * m + i] == expected[i * ld + j]);
    const Device<T> dG(m * n);
    blas.geam(nullptr, Op::ConjugateTranspose, Op::None, m, n, 2, dT.data, m, 1, dA.data, ld, dG.data, n);
    const std::vector<T> sum = dG.get();
    for (size_t i = 0; i < m; ++i)
        for (size_t j = 0; j < n; ++j)
            CHECK(sum[i * n + j] == T(2) * conjugate(transposed[j * m + i]) + expected[i * ld + j]);
    CHECK(gpu::emulate::reportCount() == 0);
}

TEMPLATE_TEST_CASE("dot, axpy, scal and nrm2", "", float, double, complex64, complex128) {
    const Fresh fresh(1);
    gpu::Blas blas;
    using T = TestType;
    using Real = decltype(std::abs(T()));
    const Device<T> x({T(3), T(100), T(4)}), y({T(1), T(2)}), result(1), none(std::vector<T>{T(7)});
    const Device<Real> norm(1);
    blas.dot(nullptr, 2, x.data, 2, y.data, 1, result.data);
    CHECK(result.get()[0] == T(11));
    blas.nrm2(nullptr, 2, x.data, 2, norm.data);
    CHECK(std::abs(norm.get()[0] - 5) < 1e-5);
    blas.axpy(nullptr, 2, 2, x.data, 2, y.data, 1);
    CHECK(y.get() == std::vector<T>{T(7), T(10)});
    blas.scal(nullptr, 2, 3, x.data, 2);
    CHECK(x.get() == std::vector<T>{T(9), T(100), T(12)});
    blas.dot(nullptr, 0, x.data, 1, y.data, 1, none.data); // an empty sum
    CHECK(none.get()[0] == T(0));
    blas.scal(nullptr, 0, 3, x.data, 2);
    blas.axpy(nullptr, -1, 2, x.data, 2, y.data, 1);
    CHECK(gpu::emulate::reportCount() == 0);
}

TEMPLATE_TEST_CASE("sums of nothing are 0, whatever the output held", "", float, double, complex64, complex128) {
    const Fresh fresh(1);
    gpu::Blas blas;
    using T = TestType;
    const std::vector<T> seven(6, T(7)), zero(6, T(0));
    for (const int beta : {0, 1, 2}) {
        const Device<T> A(1), x(1), y(std::vector<T>(3, T(7))), every(std::vector<T>{T(7), T(1), T(7)}), C(seven), batch(seven);
        blas.gemv(nullptr, Op::None, 3, 0, 1, A.data, 0, x.data, 1, beta, y.data, 1);
        CHECK(y.get() == std::vector<T>(3, T(7 * beta)));
        blas.gemv(nullptr, Op::Transpose, 0, 2, 1, A.data, 2, x.data, 1, beta, every.data, 2);
        CHECK(every.get() == std::vector<T>{T(7 * beta), T(1), T(7 * beta)});
        blas.gemm(nullptr, Op::None, Op::None, 2, 3, 0, 1, A.data, 0, x.data, 3, beta, C.data, 3);
        CHECK(C.get() == std::vector<T>(6, T(7 * beta)));
        blas.gemmStridedBatched(nullptr, Op::Transpose, Op::Transpose, 1, 3, 0, 1, A.data, 1, 0, x.data, 0, 0, beta, batch.data, 3,
                                3, 2);
        CHECK(batch.get() == std::vector<T>(6, T(7 * beta)));
    }
    CHECK(gpu::emulate::reportCount() == 0);
}

TEST_CASE("products wait for their turn in the stream") {
    const Fresh fresh(1);
    gpu::Blas blas;
    const StreamOf stream;
    const Device<double> a(std::vector<double>{2}), c(std::vector<double>{5});
    REQUIRE(gpu::deviceSynchronize() == gpu::success);
    blas.scal(stream, 1, 3, a.data, 1);
    double early = 0;
    REQUIRE(gpu::memcpySync(&early, a.data, 8, gpu::CopyKind::DeviceToHost) == gpu::success); // in the default stream: not ordered
    CHECK(early == 2);
    blas.gemm(stream, Op::None, Op::None, 1, 1, 1, 1, a.data, 1, a.data, 1, 0, c.data, 1);
    CHECK(c.get()[0] == 36);
}

TEST_CASE("a product with host memory, out of bounds or too large is an error") {
    const Fresh fresh(1);
    gpu::Blas blas;
    std::vector<double> host(4, 1.0);
    const Device<double> a(4, "A"), c(100, "C");
    SECTION("host memory") {
        CHECK_THROWS_AS(blas.gemm(nullptr, Op::None, Op::None, 2, 2, 2, 1.0, a.data, 2, host.data(), 2, 0, c.data, 2),
                        sdfgc::rt::Error);
        reported("host memory in a library's function: gemm uses 0x");
    }
    SECTION("too large") { CHECK_THROWS_AS(blas.scal(nullptr, int64_t(1) << 40, 1.0, a.data, 1), sdfgc::rt::Error); }
    SECTION("out of bounds") {
        a.set({1, 2, 3, 4});
        blas.axpy(nullptr, 5, 1.0, a.data, 1, c.data, 1);
        CHECK(gpu::deviceSynchronize() == gpu::illegalAddress);
        reported("out of bounds: axpy uses bytes 0 to 40 of 'A' (32 bytes)");
    }
    SECTION("of the last matrix") {
        blas.gemmStridedBatched(nullptr, Op::None, Op::None, 2, 2, 2, 1.0, c.data, 2, 4, c.data, 2, 4, 0.0, c.data, 2, 49, 3);
        CHECK(gpu::deviceSynchronize() == gpu::illegalAddress);
        reported("out of bounds: gemm uses bytes 0 to 816 of 'C' (800 bytes)");
    }
}

TEMPLATE_TEST_CASE("trsm solves with one triangle, on both sides", "", float, double, complex64, complex128) {
    const Fresh fresh(1);
    gpu::Blas blas;
    const StreamOf stream;
    using T = TestType;
    using gpu::Diagonal;
    using gpu::Side;
    using gpu::Triangle;
    const size_t n = 3, count = 2, lda = 4, ldb = 5;
    for (const Side side : {Side::Left, Side::Right})
        for (const Triangle triangle : {Triangle::Lower, Triangle::Upper})
            for (const Diagonal diagonal : {Diagonal::Stored, Diagonal::One})
                for (const Op op : allOps) {
                    std::vector<T> A = integers<T>(n * lda, 1);
                    for (size_t i = 0; i < n; ++i)
                        A[i * lda + i] = T(2); // exact quotients
                    const auto element = [&](size_t i, size_t j) {
                        const bool isLower = op == Op::None ? i > j : i < j;
                        if (i == j)
                            return diagonal == Diagonal::One ? T(1) : T(2);
                        return isLower == (triangle == Triangle::Lower) ? at(A, op, lda, i, j) : T(0);
                    };
                    const bool left = side == Side::Left;
                    const size_t rows = left ? n : count, columns = left ? count : n;
                    const std::vector<T> X = integers<T>(rows * ldb, 2);
                    std::vector<T> B = X;
                    for (size_t i = 0; i < rows; ++i)
                        for (size_t j = 0; j < columns; ++j) {
                            T sum = 0;
                            for (size_t k = 0; k < n; ++k)
                                sum += left ? element(i, k) * X[k * ldb + j] : X[i * ldb + k] * element(k, j);
                            B[i * ldb + j] = sum;
                        }
                    const Device<T> dA(A), dB(B);
                    REQUIRE(gpu::deviceSynchronize() == gpu::success);
                    blas.trsm(stream, side, triangle, op, diagonal, rows, columns, 1, dA.data, lda, dB.data, ldb);
                    CHECK(dB.get() == X);
                }
    CHECK(gpu::emulate::reportCount() == 0);
}
