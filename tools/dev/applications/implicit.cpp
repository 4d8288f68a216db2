#pragma omp parallel
{
    std::vector<double> c(klev), d(klev);
#pragma omp for
    for (int64_t l = kidia - 1; l < kfdia; ++l) {
        const double *const pkl = pk + klev * l, *const dp = pdp + klev * l;
        double *const x = px + klev * l;
        const double first = dtime * pkl[1] / dp[0];
        c[0] = first / (1.0 + first);
        d[0] = x[0] / (1.0 + first);
        for (int64_t k = 1; k < klev; ++k) {
            const double above = dtime * pkl[k] / dp[k];
            double below;
            if (k < klev - 1) {
                below = dtime * pkl[k + 1] / dp[k];
            } else if (ldland[l] == 1) {
                below = 0;
                x[k] += dtime * pflux[l] / dp[k];
            } else {
                below = 0.5 * above;
            }
            const double factor = 1.0 / (1.0 + above + below - above * c[k - 1]);
            c[k] = below * factor;
            d[k] = (x[k] + above * d[k - 1]) * factor;
        }
        x[klev - 1] = d[klev - 1];
        for (int64_t k = klev - 2; k >= 0; --k)
            x[k] = d[k] + c[k] * x[k + 1];
    }
}
