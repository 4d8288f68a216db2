// Reductions (format reference 7.6).
//
//   Reduce             out[kept] = f(... f(f(start, in[kept, 0]), in[kept, 1]) ..., in[kept, n - 1])
//   AllNode, AnyNode   are all elements of a mask true; is any of them?
//
// The elements are combined in row-major order, in the output's type. Initial values:
//
//   identity          the identity
//   no identity       the output's old value, which makes the result an update; if it is unwritten, the first element
//   no identity, and the output has a conflict resolution
//                     the first element; the memlet combines the result with the old value
//
// If all axes have length one for all values of the symbols, there is nothing to reduce: this is a copy that ignores the identity.
#include "Nodes.h"

#include <cstring>

namespace sdfgc::interpret {

namespace {

class Reduce final : public LibraryStep {
public:
    explicit Reduce(NodeReader &r)
        : in_(keep(r.onlyInput())), out_(keep(r.onlyOutput())), convert_(r, in_.type, out_.type),
          function_(r.text("wcr", "lambda a, b: a")) {
        const auto axes = r.integers("axes");
        const auto rank = static_cast<int64_t>(in_.alwaysOne.size());
        for (int64_t d = 0; d < rank; ++d) {
            const bool listed =
                !axes || std::any_of(axes->begin(), axes->end(), [&](int64_t a) { return a == d || a + rank == d; });
            (listed && !in_.alwaysOne[static_cast<std::size_t>(d)] ? reduced_ : kept_).push_back(static_cast<std::size_t>(d));
        }
        Builder b = r.builder();
        sum_ = b.reserve(out_.type);
        element_ = b.reserve(out_.type);
        b.copy(sum_, b.convert(b.apply(*r.expression(function_), {sum_, element_}), out_.type));
        combine_ = r.finish(b);
        if (const std::string identity = r.text("identity", ""); !identity.empty())
            identity_.emplace(r, identity, out_.type);
    }

private:
    void compute(Machine &m) override {
        std::vector<int64_t> keptSizes, reducedSizes;
        for (const std::size_t d : kept_)
            keptSizes.push_back(in_.shape[d]);
        for (const std::size_t d : reduced_)
            reducedSizes.push_back(in_.shape[d]);
        if (product(keptSizes) != out_.count()) {
            mismatch(m, out_);
            return;
        }
        if (identity_)
            identity_->evaluate(m);
        std::vector<int64_t> index(kept_.size());
        for (int64_t o = 0; o < out_.count() && m.goesOn(); ++o, nextIndex(index, keptSizes)) {
            const std::vector<int64_t> elements = elementsOf(index, reducedSizes);
            reduced_.empty() ? out_.write(m, o, convert_(m, in_.read(m, elements.front()))) : reduceTo(m, o, elements);
        }
    }

    /// The elements with these indices along the kept dimensions.
    std::vector<int64_t> elementsOf(const std::vector<int64_t> &keptIndex, const std::vector<int64_t> &reducedSizes) const {
        const std::vector<int64_t> strides = rowMajorStrides(in_.shape);
        int64_t first = 0;
        for (std::size_t k = 0; k < kept_.size(); ++k)
            first += keptIndex[k] * strides[kept_[k]];
        std::vector<int64_t> out, index(reduced_.size());
        for (int64_t n = product(reducedSizes); n > 0; --n, nextIndex(index, reducedSizes)) {
            out.push_back(first);
            for (std::size_t k = 0; k < reduced_.size(); ++k)
                out.back() += index[k] * strides[reduced_[k]];
        }
        return out;
    }

    void reduceTo(Machine &m, int64_t o, const std::vector<int64_t> &elements) {
        const bool combinesItself = out_.hasConflictResolution() && out_.conflictResolution() != function_;
        const bool updates = !identity_ && !combinesItself && out_.hasValue(o);
        bool begun = identity_ || updates;
        if (begun)
            set(sum_, identity_ ? identity_->value.at : out_.old(o));
        for (const int64_t k : elements) {
            set(begun ? element_ : sum_, convert_(m, in_.read(m, k)));
            if (begun)
                combine_.run(m);
            begun = true;
        }
        if (!begun || (updates && elements.empty()))
            return; // nothing was combined
        updates ? out_.update(m, o, sum_.at) : out_.write(m, o, sum_.at);
    }
    static void set(Operand to, const std::byte *value) { std::memcpy(to.at, value, static_cast<std::size_t>(sizeOf(to.type))); }

    Elements &in_, &out_;
    Conversion convert_;
    const std::string function_;
    std::vector<std::size_t> kept_, reduced_;
    Operand sum_, element_;
    Code combine_;
    std::optional<Coefficient> identity_;
};

class Test final : public LibraryStep {
public:
    explicit Test(NodeReader &r)
        : mask_(keep(r.input("_mask"))), out_(keep(r.output("_out"))), all_(r.node.className() == "AllNode") {}

private:
    void compute(Machine &m) override {
        bool result = all_;
        for (int64_t k = 0; k < mask_.count(); ++k) {
            const bool element = mask_.get<bool>(m, k);
            result = all_ ? result && element : result || element;
        }
        out_.put(m, 0, result);
    }
    Elements &mask_, &out_;
    const bool all_;
};

} // namespace

std::unique_ptr<NodeStep> makeReduce(NodeReader &r) { return std::make_unique<Reduce>(r); }
std::unique_ptr<NodeStep> makeTest(NodeReader &r) { return std::make_unique<Test>(r); }

} // namespace sdfgc::interpret
