const auto step = [=](const double *__restrict from, double *__restrict to) {
#pragma omp parallel for
    for (int64_t i = 0; i < N; ++i) {
        const double *row = from + i * M, *up = from + (i ? i - 1 : N - 1) * M, *down = from + (i + 1 < N ? i + 1 : 0) * M;
        double *__restrict out = to + i * M;
        const auto at = [=](int64_t j, int64_t left, int64_t right) {
            return row[j] + 0.1 * (up[j] + down[j] + row[left] + row[right] - 4.0 * row[j]);
        };
        out[0] = at(0, M - 1, 1 % M);
        for (int64_t j = 1; j < M - 1; ++j)
            out[j] = at(j, j - 1, j + 1);
        if (M > 1)
            out[M - 1] = at(M - 1, M - 2, 0);
    }
};
for (int64_t t = 0; t < steps; ++t) {
    step(u, v);
    step(v, u);
}
