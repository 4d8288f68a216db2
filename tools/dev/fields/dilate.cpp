std::copy(image, image + M, out);
std::copy(image + (N - 1) * M, image + N * M, out + (N - 1) * M);
#pragma omp parallel for
for (int64_t i = 1; i < N - 1; ++i) {
    out[i * M] = image[i * M];
    out[i * M + M - 1] = image[i * M + M - 1];
#pragma omp simd
    for (int64_t j = 1; j < M - 1; ++j) {
        double largest = image[i * M + j];
        for (int dy = 0; dy < 3; ++dy)
            for (int dx = 0; dx < 3; ++dx) {
                const double pixel = image[(i + dy - 1) * M + j + dx - 1];
                largest = largest > pixel ? largest : pixel;
            }
        out[i * M + j] = largest;
    }
}
