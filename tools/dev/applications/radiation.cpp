#pragma omp parallel for
for (int32_t c = istartcol - 1; c < iendcol; ++c) {
    double diffuse[14] = {}, direct[14] = {};
    for (int b = 0; b < 14; ++b)
        for (int a = 0; a < 2; ++a) {
            const double w = config_sw_albedo_weights[a + 2 * b];
            if (w != 0) {
                diffuse[b] += w * single_level_sw_albedo[c + n * a];
                direct[b] += w * single_level_sw_albedo_direct[c + n * a];
            }
        }
    const int64_t at = c - (istartcol - 1);
    for (int g = 0; g < 112; ++g) {
        sw_albedo_diffuse[g + 112 * at] = diffuse[config_i_band_from_reordered_g_sw[g] - 1];
        sw_albedo_direct[g + 112 * at] = direct[config_i_band_from_reordered_g_sw[g] - 1];
    }
    for (int g = 0; g < 140; ++g) {
        const int band = config_i_emiss_from_band_lw[config_i_band_from_reordered_g_lw[g] - 1] - 1;
        lw_albedo[g + 140 * at] = 1.0 - single_level_lw_emissivity[c + n * band];
    }
}
