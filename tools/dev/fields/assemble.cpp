#pragma omp parallel for
for (int64_t e = 0; e < B; ++e) {
    const double *x = corners + 8 * e;
    double k[4][4] = {};
    for (int p = 0; p < 4; ++p) {
        double j00 = 0, j01 = 0, j10 = 0, j11 = 0, g[4][2];
        for (int a = 0; a < 4; ++a) {
            const double r = dn[p * 8 + a * 2], s = dn[p * 8 + a * 2 + 1];
            j00 += r * x[2 * a];
            j01 += r * x[2 * a + 1];
            j10 += s * x[2 * a];
            j11 += s * x[2 * a + 1];
        }
        const double det = j00 * j11 - j01 * j10, inverse = 1 / det;
        for (int a = 0; a < 4; ++a) {
            const double r = dn[p * 8 + a * 2], s = dn[p * 8 + a * 2 + 1];
            g[a][0] = (j11 * r - j01 * s) * inverse;
            g[a][1] = (j00 * s - j10 * r) * inverse;
        }
        for (int a = 0; a < 4; ++a)
            for (int b = 0; b < 4; ++b)
                k[a][b] += det * (g[a][0] * g[b][0] + g[a][1] * g[b][1]);
    }
    for (int a = 0; a < 4; ++a)
        for (int b = 0; b < 4; ++b)
            stiffness[16 * e + 4 * a + b] = k[a][b];
}
