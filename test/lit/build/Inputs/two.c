/* Two programs in one executable, called from C: `vadd` (C = A + B) and `matmul` (C = A @ B). */
#include "matmul.h"
#include "vadd.h"

#include <stdio.h>

int main(void) {
    enum { N = 1000, M = 3 };
    static double A[N], B[N], C[N];
    double P[M * M], Q[M * M], R[M * M];
    for (int i = 0; i < N; ++i) {
        A[i] = i;
        B[i] = 10 * i;
    }
    for (int i = 0; i < M * M; ++i) {
        P[i] = i;
        Q[i] = i % M == i / M ? 2 : 0;
    }
    vaddHandle_t vadd = vadd_initialize(N);
    if (!vadd)
        return puts(vadd_error_message(NULL)), 1;
    vadd_program(vadd, A, B, C, N);
    matmulHandle_t matmul = matmul_initialize(M);
    if (!matmul)
        return puts(matmul_error_message(NULL)), 1;
    matmul_program(matmul, P, Q, R, M);
    printf("%g %g, %g %g\n", C[1], C[N - 1], R[1], R[M * M - 1]);
    return vadd_finalize(vadd) | matmul_finalize(matmul);
}
