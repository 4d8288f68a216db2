#pragma omp parallel for
for (int64_t k = 0; k < klev; ++k)
    for (int64_t l = kidia - 1; l < kfdia; ++l) {
        const int64_t e = l + klon * k;
        const double T = t[e], part = (T - 250.16) / 23.0, alfa = T >= 273.16 ? 1.0 : T <= 250.16 ? 0.0 : part * part;
        const double water = std::exp(17.502 * (T - 273.16) / (T - 32.19)), ice = std::exp(22.587 * (T - 273.16) / (T + 0.7));
        double qsat = std::min(0.5, 611.21 * 0.622 * (alfa * water + (1.0 - alfa) * ice) / pap[e]);
        const double cor = 1.0 / (1.0 - 0.608 * qsat);
        qsat *= cor;
        if (q[e] > qsat) {
            const double lat = alfa * 2488.0 + (1.0 - alfa) * 2820.0;
            const double dqs =
                qsat * cor * lat * (alfa * 4217.0 / ((T - 32.19) * (T - 32.19)) + (1.0 - alfa) * 6178.0 / ((T + 0.7) * (T + 0.7)));
            double cond = (q[e] - qsat) / (1.0 + dqs);
            if (cover[e] < 1.0)
                cond *= std::max(cover[e], 0.1);
            if (cond > 1e-12) {
                t[e] = T + lat * cond;
                q[e] -= cond;
                (t[e] > 250.16 ? ql : qi)[e] += cond;
            }
        }
    }
