/* Calls `kinds` through its C header: an argument of every kind. Prints the same lines as use.cpp, use.f90 and use.py. */
#include "kinds.h"

#include <stdio.h>
#include <stdlib.h>

enum { N = 4, M = 3, K = 2 };

static double blend(double element, double const *all) { return 1000 * element + all[N - 1]; }

int main(void) {
    double A[N][M], W[N], result[N - 1], val[K];
    float F[M][N], V[K][4];
    uint16_t H[N];
    bool L[N];
    struct Point P[K];
    sdfgc_complex128 Z[N];
    int32_t ptr[3] = {5, 6, 7};
    struct Csr S;
    for (int i = 0; i < N; ++i) {
        for (int j = 0; j < M; ++j)
            A[i][j] = 10 * i + j;
        W[i] = 0.5;
        H[i] = 0x3c00; /* 1.0 */
        L[i] = i % 2 == 0;
        Z[i] = i + 1.0;
    }
    for (int q = 0; q < K; ++q) {
        P[q].x = q;
        P[q].n = q;
        for (int l = 0; l < 4; ++l)
            V[q][l] = (float)(4 * q + l);
    }
    S.ptr = ptr;
    S.rows = K;
    S.val = val;
    const sdfgc_complex128 imaginary = (sdfgc_complex128)(__extension__ 1.0i);
    kindsHandle_t handle = kinds_initialize(K, M, N, blend);
    if (!handle)
        return 1;
    const size_t bytes = __dace_get_external_memory_size_CPU_Heap(handle, K, M, N, blend);
    char *memory = malloc(bytes);
    __dace_set_external_memory_CPU_Heap(handle, memory, K, M, N, blend);
    kinds_program(handle, &A[0][0], &F[0][0], H, L, P, &S, &V[0][0], W, Z, result, K, M, N, blend, imaginary, 2.0f, true, 0x4000, 3, 2.0);
    if (kinds_error(handle)) {
        printf("%s\n", kinds_error_message(handle));
        return 1;
    }
    printf("external %d\n", (int)bytes);
    printf("F %g %g\n", F[1][0], F[2][3]);
    printf("H %d\n", H[0]);
    printf("L %d %d\n", L[0], L[1]);
    printf("P %g %d\n", P[1].x, (int)P[1].n);
    printf("V %g\n", V[1][3]);
    double *z = (double *)&Z[1];
    printf("Z %g %g\n", z[0], z[1]);
    printf("S %g %g\n", val[0], val[1]);
    printf("result %g %g %g\n", result[0], result[1], result[2]);
    kinds_program(handle, &A[0][0], &F[0][0], H, L, P, &S, &V[0][0], NULL, Z, result, K, M, N, blend, imaginary, 2.0f, true, 0x4000, 3, 2.0);
    printf("without %g\n", result[0]);
    const int status = kinds_finalize(handle);
    free(memory);
    return status;
}
