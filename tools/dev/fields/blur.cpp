for (int64_t j = 0; j < M; ++j)
    out[j] = out[(N - 1) * M + j] = 0;
#pragma omp parallel for
for (int64_t i = 1; i < N - 1; ++i) {
    out[i * M] = out[i * M + M - 1] = 0;
#pragma omp simd
    for (int64_t j = 1; j < M - 1; ++j) {
        double s = 0;
        for (int dy = 0; dy < 3; ++dy)
            for (int dx = 0; dx < 3; ++dx)
                s += weights[dy * 3 + dx] * image[(i + dy - 1) * M + j + dx - 1];
        out[i * M + j] = s;
    }
}
