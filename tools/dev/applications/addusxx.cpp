using complex = std::complex<double>;
std::vector<complex> eigqts(nat);
for (int64_t a = 0; a < nat; ++a) {
    double arg = 0;
    for (int i = 0; i < 3; ++i)
        arg += (xk[i] - xkq[i]) * tau[i + 3 * a];
    arg *= 6.283185307179586;
    eigqts[a] = complex(std::cos(arg), -std::sin(arg));
}
const int32_t blocks = (ngms + 255) / 256;
#pragma omp parallel for
for (int32_t block = 0; block < blocks; ++block)
    for (int64_t t = 0; t < nsp; ++t) {
        if (tvanp[t] != 1)
            continue;
        const int32_t offset = 256 * block, size = std::min(256, ngms - offset);
        for (int64_t a = 0; a < nat; ++a) {
            if (ityp[a] != t + 1)
                continue;
            complex aux1[256], aux2[256] = {};
            for (int32_t ih = 0; ih < nh[t]; ++ih) {
                std::fill(aux1, aux1 + size, complex(0));
                for (int32_t jh = 0; jh < nh[t]; ++jh) {
                    const complex *const q = qgm + offset + ng * (ijtoh[ih + nhm * (jh + nhm * t)] + nij_type[t] - 1);
                    const complex psi = add_complex == 1 ? becpsi_c[jh + ofsbeta[a]] : complex(becpsi_r[jh + ofsbeta[a]]);
                    for (int32_t g = 0; g < size; ++g)
                        aux1[g] += q[g] * psi;
                }
                const complex phi = add_complex == 1 ? std::conj(becphi_c[ih + ofsbeta[a]]) : complex(becphi_r[ih + ofsbeta[a]]);
                for (int32_t g = 0; g < size; ++g)
                    aux2[g] += aux1[g] * phi;
            }
            for (int32_t g = 0; g < size; ++g) {
                const int32_t *const m = mill + 3 * (g + offset);
                aux2[g] = aux2[g] * eigqts[a] * eigts1[m[0] - 1 + 21 * a] * eigts2[m[1] - 1 + 21 * a] * eigts3[m[2] - 1 + 21 * a];
            }
            if (add_complex == 0 && gstart == 2 && block == 0)
                aux2[0] = 0;
            for (int32_t g = 0; g < size; ++g)
                rhoc[nl[g + offset] - 1] += aux2[g];
        }
    }
