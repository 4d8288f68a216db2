const auto at = [&](int64_t c, int64_t k, int64_t b) { return c + nproma * (k + nlevp1 * b); };
const auto full = [&](int64_t c, int64_t k, int64_t b) { return c + nproma * (k + nlev * b); };
#pragma omp parallel
{
    std::vector<double> con(nproma * nlevp1);
    std::vector<int32_t> clipped(nproma * nlevp1), levels(nlev);
#pragma omp for
    for (int32_t b = i_startblk - 1; b < i_endblk; ++b) {
        const int32_t begin = b == i_startblk - 1 ? i_startidx_in - 1 : 0, end = b == i_endblk - 1 ? i_endidx_in : nproma;
        const double *const w = p_prog_w, *const ddqz = p_metrics_ddqz_z_half;
        for (int64_t k = 0; k < nlev; ++k)
            for (int32_t c = begin; c < end; ++c)
                con[c + nproma * k] = w[at(c, k, b)] - p_diag_w_concorr_c[at(c, k, b)];
        for (int32_t c = begin; c < end; ++c)
            con[c + nproma * nlev] = 0;
        double fastest = 0;
        for (int64_t k = 2; k < nlev - 3; ++k) {
            int32_t count = 0;
            for (int32_t c = begin; c < end; ++c) {
                clipped[c + nproma * k] = std::abs(con[c + nproma * k]) > cfl_w_limit * ddqz[at(c, k, b)];
                count += clipped[c + nproma * k];
            }
            levels[k] = count > 0;
            if (count == 0)
                continue;
            for (int32_t c = begin; c < end; ++c)
                if (clipped[c + nproma * k]) {
                    const double courant = con[c + nproma * k] * dtime / ddqz[at(c, k, b)];
                    fastest = std::max(fastest, std::abs(courant));
                    if (courant < -0.85)
                        con[c + nproma * k] = -0.85 * ddqz[at(c, k, b)] / dtime;
                    else if (courant > 0.85)
                        con[c + nproma * k] = 0.85 * ddqz[at(c, k, b)] / dtime;
                }
        }
        for (int64_t k = 0; k < nlev; ++k)
            for (int32_t c = begin; c < end; ++c)
                z_w_con_c_full[full(c, k, b)] = 0.5 * (con[c + nproma * k] + con[c + nproma * (k + 1)]);
        vcflmax[b] = fastest;
        for (int64_t k = 1; k < nlev; ++k)
            for (int32_t c = begin; c < end; ++c) {
                const double one = p_metrics_coeff1_dwdz[full(c, k, b)], two = p_metrics_coeff2_dwdz[full(c, k, b)];
                double sum =
                    -con[c + nproma * k] * (w[at(c, k - 1, b)] * one - w[at(c, k + 1, b)] * two + w[at(c, k, b)] * (two - one));
                for (int e = 0; e < 3; ++e) {
                    const int64_t edge = c + nproma * (b + nblks * e);
                    sum += p_int_e_bln_c_s[c + nproma * (e + 3 * b)] *
                           z_v_grad_w[full(p_patch_edge_idx[edge] - 1, k, p_patch_edge_blk[edge] - 1)];
                }
                p_diag_ddt_w_adv[at(c, k, b)] = sum;
            }
        if (lextra_diffu == 1)
            for (int64_t k = 2; k < nlev - 3; ++k)
                if (levels[k])
                    for (int32_t c = begin; c < end; ++c)
                        if (clipped[c + nproma * k] && p_patch_owner_mask[c + nproma * b] == 1) {
                            const double excess = std::abs(con[c + nproma * k]) * dtime / ddqz[at(c, k, b)] - cfl_w_limit * dtime;
                            const double factor = scalfac_exdiff * std::min(0.85 - cfl_w_limit * dtime, excess);
                            double sum = w[at(c, k, b)] * p_int_geofac_n2s[c + nproma * 4 * b];
                            for (int e = 0; e < 3; ++e) {
                                const int64_t cell = c + nproma * (b + nblks * e);
                                sum += w[at(p_patch_neighbour_idx[cell] - 1, k, p_patch_neighbour_blk[cell] - 1)] *
                                       p_int_geofac_n2s[c + nproma * (e + 1 + 4 * b)];
                            }
                            p_diag_ddt_w_adv[at(c, k, b)] += factor * p_patch_area[c + nproma * b] * sum;
                        }
    }
}
double fastest = 0;
for (int32_t b = i_startblk - 1; b < i_endblk; ++b)
    fastest = std::max(fastest, vcflmax[b]);
*max_vcfl_dyn = fastest;
