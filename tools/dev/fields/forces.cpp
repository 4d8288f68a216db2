#pragma omp parallel for
for (int64_t i = 0; i < N; ++i) {
    const double x = position[3 * i], y = position[3 * i + 1], z = position[3 * i + 2];
    double fx = 0, fy = 0, fz = 0;
#pragma omp simd reduction(+ : fx, fy, fz)
    for (int64_t j = 0; j < N; ++j) {
        const double dx = position[3 * j] - x, dy = position[3 * j + 1] - y, dz = position[3 * j + 2] - z;
        const double s = 1e-3 + dx * dx + dy * dy + dz * dz;
        const double w = mass[j] / (s * std::sqrt(s));
        fx += w * dx;
        fy += w * dy;
        fz += w * dz;
    }
    force[3 * i] = fx;
    force[3 * i + 1] = fy;
    force[3 * i + 2] = fz;
}
