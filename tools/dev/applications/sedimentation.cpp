#pragma omp parallel
{
    std::vector<double> flux(nproma);
#pragma omp for
    for (int64_t b = 0; b < nblks; ++b) {
        const int32_t end = iend[b];
        std::fill(flux.begin(), flux.begin() + end, 0.0);
        for (int64_t k = 0; k < klev; ++k) {
            const int64_t row = nproma * (k + klev * b);
            bool falls = false;
            for (int32_t l = 0; l < end; ++l)
                falls |= pq[row + l] > 1e-8 || flux[l] > 1e-10;
            if (!falls)
                continue;
            for (int32_t l = 0; l < end; ++l) {
                const double fac = 9.81 * dtime / pdp[row + l], rho = prho[row + l], vel = 4.0 * rho * std::sqrt(1.2 / rho);
                double now = (pq[row + l] + flux[l] * fac) / (1.0 + vel * fac);
                if (pcover[row + l] < 0.5 && now > 1e-8)
                    now *= 0.95 + 0.1 * pcover[row + l];
                pq[row + l] = now;
                flux[l] = vel * now;
            }
        }
        for (int32_t l = 0; l < end; ++l)
            prain[l + nproma * b] = flux[l];
    }
}
