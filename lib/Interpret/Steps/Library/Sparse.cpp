// Products with a matrix in compressed rows: CSRMM and CSRMV (format reference 7.8).
//
//   c[i, :] = alpha * sum over p in rows[i] .. rows[i + 1] - 1 of vals[p] * b[cols[p], :] + beta * cin[i, :]
//
// Only elements of `b` that a column index selects are read.
#include "Matrix.h"
#include "Nodes.h"

namespace sdfgc::interpret {

namespace {

class Sparse final : public ScaledStep {
public:
    explicit Sparse(NodeReader &r)
        : ScaledStep(r, r.output("_c"), "_cin", r.text("alpha", "1"), r.text("beta", "0")), rows_(keep(r.input("_a_rows"))),
          columns_(keep(r.input("_a_cols"))), values_(keep(r.input("_a_vals"))), b_(keep(r.input("_b"))),
          term_(r, sum_, {values_.type, b_.type}, alpha_), transposed_(r.boolean("transB", false)) {}

private:
    void compute(Machine &m) override {
        Grid b(b_);
        const Grid c(out_);
        if (transposed_)
            b.transpose();
        if (!b.isMatrix || !c.isMatrix || b.columns != c.columns || rows_.count() != c.rows + 1) {
            mismatch(m, out_);
            return;
        }
        evaluate(m);
        for (int64_t i = 0; i < c.rows && m.goesOn(); ++i) {
            const auto first = rows_.get<int64_t>(m, i), end = rows_.get<int64_t>(m, i + 1);
            for (int64_t j = 0; j < c.columns; ++j) {
                begin(m, c.at(i, j));
                for (int64_t p = first; p < end; ++p)
                    term_.add(m, {values_.read(m, p), b_.read(m, b.at(columns_.get<int64_t>(m, p), j))});
                ScaledStep::end();
            }
        }
        writeResults(m);
    }

    Elements &rows_, &columns_, &values_, &b_;
    Term term_;
    const bool transposed_;
};

} // namespace

std::unique_ptr<NodeStep> makeSparse(NodeReader &r) { return std::make_unique<Sparse>(r); }

} // namespace sdfgc::interpret
