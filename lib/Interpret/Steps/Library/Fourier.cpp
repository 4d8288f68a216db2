// Fourier transforms over all dimensions of the operand (format reference 7.8).
//
//   out[k] = factor * sum over j of in[j] * exp(-+ 2 pi i (j_0 k_0 / n_0 + j_1 k_1 / n_1 + ...))
//
// IFFT has the opposite sign and does not divide. The sum is computed along one dimension after another, directly from the
// definition, in double precision.
#include "Nodes.h"

#include <cmath>

namespace sdfgc::interpret {

namespace {

using Complex = std::complex<double>;

class Fourier final : public LibraryStep {
public:
    explicit Fourier(NodeReader &r)
        : in_(keep(r.input("_inp"))), out_(keep(r.output("_out"))), factor_(r, r.text("factor", "1"), ScalarKind::Complex128),
          sign_(r.node.className() == "IFFT" ? 1 : -1) {
        if (!r.refused() && !out_.type.isComplex())
            r.refuse("a Fourier transform to " + out_.type.str());
    }

private:
    void compute(Machine &m) override {
        if (withoutOnes(in_.shape) != withoutOnes(out_.shape)) {
            mismatch(m, out_);
            return;
        }
        factor_.evaluate(m);
        std::vector<Complex> values;
        for (int64_t k = 0; k < in_.count(); ++k)
            values.push_back(in_.get<Complex>(m, k));
        for (std::size_t d = 0; d < in_.shape.size(); ++d)
            transform(values, in_.shape[d], rowMajorStrides(in_.shape)[d]);
        for (int64_t k = 0; k < out_.count(); ++k)
            out_.put(m, k, values[static_cast<std::size_t>(k)] * as<Complex>(factor_.value.at));
    }

    /// Transforms each line of `n` elements with the given stride.
    void transform(std::vector<Complex> &values, int64_t n, int64_t stride) const {
        std::vector<Complex> roots, line(static_cast<std::size_t>(n));
        for (int64_t k = 0; k < n; ++k)
            roots.push_back(std::polar(1.0, sign_ * 2 * M_PI * static_cast<double>(k) / static_cast<double>(n)));
        for (int64_t first = 0; first < static_cast<int64_t>(values.size()); ++first) {
            if (first / stride % n != 0)
                continue; // not the first of its line
            for (int64_t k = 0; k < n; ++k) {
                Complex sum = 0;
                for (int64_t j = 0; j < n; ++j)
                    sum += values[static_cast<std::size_t>(first + j * stride)] * roots[static_cast<std::size_t>(j * k % n)];
                line[static_cast<std::size_t>(k)] = sum;
            }
            for (int64_t k = 0; k < n; ++k)
                values[static_cast<std::size_t>(first + k * stride)] = line[static_cast<std::size_t>(k)];
        }
    }

    Elements &in_, &out_;
    Coefficient factor_;
    const double sign_;
};

} // namespace

std::unique_ptr<NodeStep> makeFourier(NodeReader &r) { return std::make_unique<Fourier>(r); }

} // namespace sdfgc::interpret
