// gpu_tensor.h: contractions and permutations of every type, compared with plain loops; errors are reported.
#include "Fixture.h"

#include "sdfgc/rt/gpu_tensor.h"

namespace {

using gpu::tensor;
using sdfgc::rt::complex128;
using sdfgc::rt::complex64;

template <class T> std::vector<T> numbers(size_t count, int first) {
    std::vector<T> values(count);
    for (size_t i = 0; i < count; ++i) {
        values[i] = static_cast<T>(first + static_cast<int>(i % 7));
        if constexpr (!std::is_floating_point<T>::value)
            values[i] += T(0, static_cast<int>(i % 3));
    }
    return values;
}

} // namespace

TEMPLATE_TEST_CASE("a contraction sums over the letters that the result lacks", "", float, double, complex64, complex128) {
    const Fresh fresh(1);
    gpu::Tensors tensors;
    const StreamOf stream;
    using T = TestType;
    // C[d, a, e] = 2 * sum over b, c of A[a, b, c, e] B[c, d, b, e] + beta C, A with gaps, e in all three.
    const size_t a = 2, b = 3, c = 2, d = 4, e = 2;
    const std::vector<T> A = numbers<T>(a * 20, -3), B = numbers<T>(c * d * b * e, 1), C = numbers<T>(d * a * e, 2);
    for (const int beta : {0, 1}) {
        const Device<T> dA(A), dB(B), dC(C);
        REQUIRE(gpu::deviceSynchronize() == gpu::success);
        tensors.contract(stream, 2, tensor(static_cast<const T *>(dA.data), 'a', 2, 20, 'b', 3, 6, 'c', 2, 2, 'e', 2, 1),
                         tensor(static_cast<const T *>(dB.data), 'c', 2, 24, 'd', 4, 6, 'b', 3, 2, 'e', 2, 1), static_cast<T>(beta),
                         tensor(dC.data, 'd', 4, 4, 'a', 2, 2, 'e', 2, 1));
        std::vector<T> expected = C;
        for (size_t i = 0; i < d * a * e; ++i) {
            T sum = 0;
            for (size_t j = 0; j < b * c; ++j)
                sum += A[i / e % a * 20 + j / c * 6 + j % c * 2 + i % e] * B[j % c * 24 + i / (a * e) * 6 + j / c * 2 + i % e];
            expected[i] = T(2) * sum + static_cast<T>(beta) * C[i];
        }
        CHECK(dC.get() == expected);
    }
    CHECK(gpu::emulate::reportCount() == 0);
}

TEST_CASE("a contraction of empty tensors is 0 where it has elements") {
    const Fresh fresh(1);
    gpu::Tensors tensors;
    const double notANumber = std::numeric_limits<double>::quiet_NaN();
    const Device<double> A(1), B(1);
    for (const int beta : {0, 1, 2}) {
        const Device<double> C(std::vector<double>{beta == 0 ? notANumber : 7, 1, 7});
        tensors.contract(nullptr, 1, tensor(static_cast<const double *>(A.data), 'a', 2, 0, 'b', 0, 1),
                         tensor(static_cast<const double *>(B.data), 'b', 0, 1), beta, tensor(C.data, 'a', 2, 2));
        CHECK(C.get() == std::vector<double>{7.0 * beta, 1, 7.0 * beta});
    }
    const Device<double> none(std::vector<double>{3});
    tensors.contract(nullptr, 1, tensor(static_cast<const double *>(A.data), 'a', 0, 1, 'b', 1, 1),
                     tensor(static_cast<const double *>(B.data), 'b', 1, 1), 0, tensor(none.data, 'a', 0, 1));
    tensors.permute(nullptr, 2, tensor(static_cast<const double *>(A.data), 'a', 0, 1), tensor(none.data, 'a', 0, 1));
    CHECK(none.get() == std::vector<double>{3});
    CHECK(gpu::emulate::reportCount() == 0);
}

TEST_CASE("a permutation puts dimensions in the order of the result") {
    const Fresh fresh(2);
    gpu::Tensors tensors;
    const std::vector<double> A = numbers<double>(24, 0);
    const Device<double> dA(A), dC(24);
    tensors.permute(nullptr, 3, tensor(static_cast<const double *>(dA.data), 'x', 2, 12, 'y', 3, 4, 'z', 4, 1),
                    tensor(dC.data, 'z', 4, 6, 'x', 2, 3, 'y', 3, 1));
    std::vector<double> expected(24);
    for (size_t x = 0; x < 2; ++x)
        for (size_t y = 0; y < 3; ++y)
            for (size_t z = 0; z < 4; ++z)
                expected[z * 6 + x * 3 + y] = 3 * A[x * 12 + y * 4 + z];
    CHECK(dC.get() == expected);
    CHECK(gpu::emulate::reportCount() == 0);
}

TEST_CASE("wrong memory for a tensor is reported") {
    const Fresh fresh;
    gpu::Tensors tensors;
    const Device<double> a(numbers<double>(4, 0), "A"), c(4, "C");
    std::vector<double> host(4);
    SECTION("host memory") {
        CHECK_THROWS_AS(
            tensors.permute(nullptr, 1, tensor(host.data(), 'a', 2, 2, 'b', 2, 1), tensor(c.data, 'b', 2, 2, 'a', 2, 1)),
            sdfgc::rt::Error);
        reported("host memory in a library's function: permute uses 0x");
    }
    SECTION("out of bounds") {
        atCallOrLater(
            [&] { tensors.permute(nullptr, 1, tensor(a.data, 'a', 2, 3, 'b', 2, 1), tensor(c.data, 'b', 2, 2, 'a', 2, 1)); });
        reported("out of bounds: permute uses bytes 0 to 40 of 'A' (32 bytes)");
    }
}
