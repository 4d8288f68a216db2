#pragma omp parallel for
for (int32_t b = i_startblk - 1; b < i_endblk; ++b)
    for (int32_t c = start_idx[b] - 1; c < end_idx[b]; ++c) {
        double band[14] = {};
        for (int k = 0; k < 14; ++k)
            for (int a = 0; a < 2; ++a)
                if (weights[a + 2 * k] != 0)
                    band[k] += weights[a + 2 * k] * albedo[c + nproma * (a + 2 * b)];
        for (int g = 0; g < 112; ++g)
            albedo_g[g + 112 * (c + nproma * b)] = band[i_band_from_g[g] - 1];
    }
