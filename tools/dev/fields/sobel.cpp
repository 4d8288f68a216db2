#pragma omp parallel for
for (int64_t i = 1; i < N - 1; ++i)
#pragma omp simd
    for (int64_t j = 1; j < M - 1; ++j) {
        double gx = 0, gy = 0;
        for (int dy = 0; dy < 3; ++dy)
            for (int dx = 0; dx < 3; ++dx) {
                const double pixel = image[(i + dy - 1) * M + j + dx - 1];
                gx += wx[dy * 3 + dx] * pixel;
                gy += wy[dy * 3 + dx] * pixel;
            }
        out[i * M + j] = std::sqrt(gx * gx + gy * gy);
    }
