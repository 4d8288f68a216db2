#pragma omp parallel for
for (int64_t i = 1; i < N - 1; ++i)
    for (int64_t j = 1; j < N - 1; ++j) {
        double s[8] = {};
        for (int dy = 0; dy < 3; ++dy)
            for (int dx = 0; dx < 3; ++dx)
                for (int c = 0; c < 4; ++c) {
                    const double pixel = image[((i + dy - 1) * N + j + dx - 1) * 4 + c];
#pragma omp simd
                    for (int o = 0; o < 8; ++o)
                        s[o] += weights[((dy * 3 + dx) * 4 + c) * 8 + o] * pixel;
                }
        for (int o = 0; o < 8; ++o)
            out[(i * N + j) * 8 + o] = s[o];
    }
