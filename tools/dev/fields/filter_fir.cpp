for (int64_t i = 0; i < std::min<int64_t>(15, N); ++i)
    y[i] = 0;
#pragma omp parallel for simd
for (int64_t i = 15; i < N; ++i) {
    double s = 0;
    for (int t = 0; t < 16; ++t)
        s += taps[t] * x[i - t];
    y[i] = s;
}
