// Calls `kinds` through its C++ header; prints the same lines as use.c.
#include "kinds.hpp"

#include <array>
#include <cstdio>
#include <type_traits>
#include <vector>

constexpr int N = 4, M = 3, K = 2;

extern "C" double blend(double element, double const *all) { return 1000 * element + all[N - 1]; }

static_assert(!std::is_copy_constructible_v<kindsProgram> && std::is_nothrow_move_constructible_v<kindsProgram>);

using Doubles = sdfgc_program::Array<double>;
using Constants = sdfgc_program::Array<const double>;
static_assert(std::is_convertible_v<std::vector<double> &, Doubles> && std::is_convertible_v<double (&)[4], Doubles>);
static_assert(std::is_convertible_v<const std::vector<double> &, Constants> &&
              std::is_convertible_v<std::array<double, 4> &, Constants>);
static_assert(!std::is_convertible_v<const std::vector<double> &, Doubles> &&
              !std::is_convertible_v<std::vector<float> &, Constants>);
static_assert(!std::is_convertible_v<double, Doubles> && !std::is_convertible_v<const double *, Doubles>);

static int run() {
    std::vector<double> A(N * M), W(N, 0.5), result(N - 1), val(K), none;
    std::vector<float> F(N * M), V(4 * K);
    std::vector<uint16_t> H(N, 0x3c00);
    bool flags[N];
    std::vector<Point> P(K);
    std::vector<std::complex<double>> Z(N);
    int32_t ptr[3] = {5, 6, 7};
    for (int i = 0; i < N; ++i) {
        for (int j = 0; j < M; ++j)
            A[i * M + j] = 10 * i + j;
        flags[i] = i % 2 == 0;
        Z[i] = i + 1.0;
    }
    for (int q = 0; q < 4 * K; ++q)
        V[q] = float(q);
    for (int q = 0; q < K; ++q)
        P[q] = {double(q), q};
    Csr S{ptr, K, val.data()};
    kindsProgram first(K, M, N, blend);
    kindsProgram program = std::move(first);
    if (first.handle() != nullptr)
        return 1;
    std::vector<char> memory(program.externalMemorySize_CPU_Heap(K, M, N, blend));
    program.setExternalMemory_CPU_Heap(memory.data(), K, M, N, blend);
    auto call = [&](std::vector<double> &optional) {
        program({A.data(), A.size()}, F, H, flags, P, S, V, optional, Z, result, K, M, N, blend, {0, 1}, {2, 0}, true, 0x4000, 3,
                2.0);
    };
    call(W);
    std::printf("external %d\n", int(memory.size()));
    std::printf("F %g %g\n", F[1 * N + 0], F[2 * N + 3]);
    std::printf("H %d\n", H[0]);
    std::printf("L %d %d\n", flags[0], flags[1]);
    std::printf("P %g %d\n", P[1].x, int(P[1].n));
    std::printf("V %g\n", V[7]);
    std::printf("Z %g %g\n", Z[1].real(), Z[1].imag());
    std::printf("S %g %g\n", val[0], val[1]);
    std::printf("result %g %g %g\n", result[0], result[1], result[2]);
    call(none);
    std::printf("without %g\n", result[0]);
    result.resize(N - 2);
    try {
        call(W);
        return 1;
    } catch (const sdfgc_program::Error &e) {
        if (e.code() != 4 || std::string(e.what()) != "__return has 2 elements, but the program needs 3")
            return 1;
    }
    program.close();
    return program.handle() == nullptr ? 0 : 1;
}

int main() {
    try {
        return run();
    } catch (const sdfgc_program::Error &e) {
        std::printf("%d: %s\n", e.code(), e.what());
        return 1;
    }
}
