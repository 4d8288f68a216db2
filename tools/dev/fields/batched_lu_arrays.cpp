#pragma omp parallel for
for (int64_t b = 0; b < B; ++b) {
    double a[8][8];
    for (int i = 0; i < 8; ++i)
        for (int j = 0; j < 8; ++j)
            a[i][j] = A[b * 64 + i * 8 + j];
#pragma GCC unroll 8
    for (int k = 0; k < 8; ++k)
#pragma GCC unroll 8
        for (int i = k + 1; i < 8; ++i) {
            a[i][k] /= a[k][k];
#pragma GCC unroll 8
            for (int j = k + 1; j < 8; ++j)
                a[i][j] -= a[i][k] * a[k][j];
        }
    for (int i = 0; i < 8; ++i)
        for (int j = 0; j < 8; ++j)
            A[b * 64 + i * 8 + j] = a[i][j];
}
