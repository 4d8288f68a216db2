/* Calls the library that sdfgc made from vadd.sdfg: C = A + B. */
#include "vadd.h"

#include <stdint.h>
#include <stdio.h>

int main(void) {
    enum { N = 5 };
    double A[N], B[N], C[N];
    for (int i = 0; i < N; ++i) {
        A[i] = i;
        B[i] = 10 * i;
    }
    vaddHandle_t handle = __dace_init_vadd(N);
    if (!handle) {
        fprintf(stderr, "vadd could not be initialised\n");
        return 1;
    }
    __program_vadd(handle, A, B, C, N);
    printf("vadd:");
    for (int i = 0; i < N; ++i)
        printf(" %g", C[i]);
    printf("\n");
    return __dace_exit_vadd(handle);
}
