double *from = u, *to = v;
for (int64_t t = 0; t < steps; ++t) {
    to[0] = from[0] - c * (from[0] - from[N - 1]);
#pragma omp parallel for simd
    for (int64_t i = 1; i < N; ++i)
        to[i] = from[i] - c * (from[i] - from[i - 1]);
    std::swap(from, to);
}
if (steps > 0) // both arrays hold the result
    std::copy(from, from + N, to);
