const int64_t plane = N * M;
#pragma omp parallel for
for (int64_t i = 0; i < N; ++i) {
    std::vector<double> rho(M), ux(M), uy(M);
    for (int q = 0; q < 9; ++q) {
        const double *__restrict from = f + q * plane + i * M;
        for (int64_t j = 0; j < M; ++j) {
            rho[j] += from[j];
            ux[j] += cx[q] * from[j];
            uy[j] += cy[q] * from[j];
        }
    }
    for (int64_t j = 0; j < M; ++j) {
        ux[j] /= rho[j];
        uy[j] /= rho[j];
    }
    for (int q = 0; q < 9; ++q) {
        const double *__restrict from = f + q * plane + i * M;
        double *__restrict to = g + q * plane + (i + cy[q] + N) % N * M;
        const auto collide = [&](int64_t j) {
            const double cu = 3 * (cx[q] * ux[j] + cy[q] * uy[j]);
            const double feq = w[q] * rho[j] * (1 + cu + 0.5 * cu * cu - 1.5 * (ux[j] * ux[j] + uy[j] * uy[j]));
            return from[j] + omega * (feq - from[j]);
        };
        const int64_t shift = cx[q], first = std::max<int64_t>(0, -shift), last = std::min(M, M - shift);
        for (int64_t j = 0; j < first; ++j)
            to[j + shift + M] = collide(j);
        for (int64_t j = first; j < last; ++j)
            to[j + shift] = collide(j);
        for (int64_t j = last; j < M; ++j)
            to[j + shift - M] = collide(j);
    }
}
