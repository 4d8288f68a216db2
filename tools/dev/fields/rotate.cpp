#pragma omp parallel for simd
for (int64_t n = 0; n < N; ++n) {
    const double x = points[3 * n], y = points[3 * n + 1], z = points[3 * n + 2];
    for (int r = 0; r < 3; ++r)
        out[3 * n + r] = matrix[3 * r] * x + matrix[3 * r + 1] * y + matrix[3 * r + 2] * z;
}
