// Nodes that move elements and compute little or nothing (format reference 6.14, 7.4, 7.5).
//
//   CopyLibraryNode             element k of one subset becomes element k of the other
//   FillLibraryNode             a constant, or one element, for all of a subset
//   MemsetLibraryNode           zero for all of a subset
//   Transpose, TensorTranspose  out[i_axes[0], i_axes[1], ...] = alpha in[i_0, i_1, ...] + beta out
//
// All elements are read before the first is written.
#include "Nodes.h"

#include <numeric>

namespace sdfgc::interpret {

namespace {

class Copy final : public LibraryStep {
public:
    explicit Copy(NodeReader &r)
        : in_(keep(r.input("_cpy_in"))), out_(keep(r.output("_cpy_out"))), convert_(r, in_.type, out_.type) {}

private:
    void compute(Machine &m) override {
        if (in_.count() != out_.count()) {
            mismatch(m, out_);
            return;
        }
        const std::vector<std::byte> values = in_.readAll(m);
        for (int64_t k = 0; k < out_.count(); ++k)
            out_.write(m, k, convert_(m, values.data() + k * sizeOf(in_.type)));
    }
    Elements &in_, &out_;
    Conversion convert_;
};

class Fill final : public LibraryStep {
public:
    Fill(NodeReader &r, Name out, const std::string &value)
        : in_(inputIfAny(r, "_fill_val")), out_(keep(r.output(out))), value_(r, value, out_.type),
          convert_(r, in_ ? in_->type : out_.type, out_.type) {}

private:
    void compute(Machine &m) override {
        value_.evaluate(m);
        const std::byte *value = convert_(m, in_ ? in_->read(m, 0) : value_.value.at);
        for (int64_t k = 0; k < out_.count(); ++k)
            out_.write(m, k, value);
    }
    Elements *in_;
    Elements &out_;
    Coefficient value_;
    Conversion convert_;
};

class Transpose final : public ScaledStep {
public:
    /// `axes`: nothing if all dimensions are reversed.
    Transpose(NodeReader &r, Name in, Name out, const std::optional<std::vector<int64_t>> &axes)
        : ScaledStep(r, r.output(out), Name(), r.text("alpha", "1"), r.text("beta", "0")), in_(keep(r.input(in))),
          element_(r, sum_, {in_.type}, alpha_), convert_(r, in_.type, out_.type) {
        std::vector<std::size_t> dimensions(in_.alwaysOne.size());
        std::iota(dimensions.begin(), dimensions.end(), 0);
        if (axes)
            axes_.assign(axes->begin(), axes->end());
        else
            axes_.assign(dimensions.rbegin(), dimensions.rend());
        if (!std::is_permutation(axes_.begin(), axes_.end(), dimensions.begin(), dimensions.end()))
            r.refuse("axes that are not a permutation of the dimensions");
    }

private:
    void compute(Machine &m) override {
        std::vector<int64_t> sizes, strides;
        for (const std::size_t a : axes_) {
            sizes.push_back(in_.shape[a]);
            strides.push_back(rowMajorStrides(in_.shape)[a]);
        }
        if (withoutOnes(sizes) != withoutOnes(out_.shape)) {
            mismatch(m, out_);
            return;
        }
        evaluate(m);
        std::vector<int64_t> index(sizes.size());
        for (int64_t o = 0; o < out_.count() && m.goesOn(); ++o, nextIndex(index, sizes)) {
            const std::byte *value = in_.read(m, std::inner_product(index.begin(), index.end(), strides.begin(), int64_t(0)));
            if (alpha_.isOne() && beta_.isZero()) {
                end(convert_(m, value));
                continue;
            }
            begin(m, o);
            element_.add(m, {value});
            end();
        }
        writeResults(m);
    }

    Elements &in_;
    Term element_;
    Conversion convert_;
    std::vector<std::size_t> axes_;
};

} // namespace

std::unique_ptr<NodeStep> makeCopy(NodeReader &r) { return std::make_unique<Copy>(r); }
std::unique_ptr<NodeStep> makeFill(NodeReader &r) { return std::make_unique<Fill>(r, "_fill_out", r.text("value", "0")); }
std::unique_ptr<NodeStep> makeMemset(NodeReader &r) { return std::make_unique<Fill>(r, "_mset_out", "0"); }
std::unique_ptr<NodeStep> makeTranspose(NodeReader &r) { return std::make_unique<Transpose>(r, "_inp", "_out", std::nullopt); }
std::unique_ptr<NodeStep> makeTensorTranspose(NodeReader &r) {
    return std::make_unique<Transpose>(r, "_inp_tensor", "_out_tensor", r.integers("axes").value_or(std::vector<int64_t>()));
}

} // namespace sdfgc::interpret
