// Sums of products over tensors (format reference 7.3, 7.4).
//
//   Einsum     `ij,jk->ik`: each dimension of an operand has a letter; the result is the sum over all letters that it lacks.
//              Operands are ordered by connector name. Without an arrow, the result has the letters that occur once, in
//              alphabetical order.
//   TensorDot  a sum over pairs of axes. The result has the other axes of the left operand, followed by those of the right one;
//              if they are permuted, its axis d is number permutation[d] of these.
#include "Nodes.h"

#include <cctype>
#include <numeric>

namespace sdfgc::interpret {

namespace {

using Labels = std::vector<int>; // of the dimensions of an operand; an unlabelled dimension has one element

/// A sum of products of operands whose dimensions have labels.
class Contraction : public ScaledStep {
protected:
    Contraction(NodeReader &r, Elements out) : ScaledStep(r, std::move(out), Name(), r.text("alpha", "1"), r.text("beta", "0")) {}

    /// Completes the setup once all factors are known.
    void finish(NodeReader &r) {
        std::vector<Type> types;
        for (const Elements *f : factors_)
            types.push_back(f->type);
        term_.emplace(r, sum_, types, alpha_);
    }
    void compute(Machine &m) final {
        for (std::size_t k = 0; k < factors_.size(); ++k)
            count(*factors_[k], labels_[k]);
        count(out_, result_);
        Labels all = result_;
        for (const Labels &l : labels_)
            for (const int label : l)
                if (std::find(all.begin(), all.end(), label) == all.end())
                    all.push_back(label);
        const Labels summed(all.begin() + static_cast<std::ptrdiff_t>(result_.size()), all.end());
        if (!fits_ || product(sizesOf(result_)) != out_.count())
            mismatch(m, out_);
        else
            sums(m, summed);
        size_.clear();
        fits_ = true;
    }

    std::vector<Elements *> factors_;
    std::vector<Labels> labels_;
    Labels result_;

private:
    /// The dimensions that the labels refer to.
    static std::optional<std::vector<std::size_t>> dimensions(const Elements &e, const Labels &l) {
        const std::vector<std::size_t> out = e.dimensions(l.size());
        return out.size() == l.size() ? std::optional(out) : std::nullopt;
    }
    void count(const Elements &e, const Labels &l) {
        const std::vector<int64_t> &shape = e.shape;
        const auto dims = dimensions(e, l);
        fits_ = fits_ && dims;
        for (std::size_t k = 0; fits_ && k < l.size(); ++k) {
            int64_t &size = size_.emplace(l[k], 1).first->second;
            const int64_t here = shape[(*dims)[k]];
            fits_ = size == here || size == 1 || here == 1;
            size = size == 1 ? here : size;
        }
    }
    std::vector<int64_t> sizesOf(const Labels &l) const {
        std::vector<int64_t> out;
        for (const int label : l)
            out.push_back(size_.at(label));
        return out;
    }
    /// For each label, the stride of a step in an operand: along all dimensions with that label, except those of size one.
    static std::vector<int64_t> strides(const Elements &e, const Labels &own, const Labels &along) {
        const std::vector<int64_t> all = rowMajorStrides(e.shape);
        const auto dims = dimensions(e, own);
        std::vector<int64_t> out(along.size(), 0);
        for (std::size_t k = 0; k < along.size(); ++k)
            for (std::size_t j = 0; j < own.size(); ++j)
                if (own[j] == along[k] && e.shape[(*dims)[j]] != 1)
                    out[k] += all[(*dims)[j]];
        return out;
    }
    static int64_t distance(const std::vector<int64_t> &index, const std::vector<int64_t> &strides) {
        return std::inner_product(index.begin(), index.end(), strides.begin(), int64_t(0));
    }

    void sums(Machine &m, const Labels &summed) {
        evaluate(m);
        struct Factor {
            std::vector<std::byte> values;
            std::vector<int64_t> kept, summed; // strides
            int64_t bytes;
        };
        std::vector<Factor> factors;
        for (std::size_t k = 0; k < factors_.size(); ++k)
            factors.push_back({factors_[k]->readAll(m), strides(*factors_[k], labels_[k], result_),
                               strides(*factors_[k], labels_[k], summed), sizeOf(factors_[k]->type)});
        const std::vector<int64_t> sizes = sizesOf(result_), sumSizes = sizesOf(summed);
        std::vector<int64_t> index(sizes.size());
        std::vector<const std::byte *> values(factors.size());
        for (int64_t o = 0; o < out_.count() && m.goesOn(); ++o, nextIndex(index, sizes)) {
            begin(m, o);
            std::vector<int64_t> inner(sumSizes.size());
            for (int64_t n = product(sumSizes); n > 0; --n, nextIndex(inner, sumSizes)) {
                for (std::size_t k = 0; k < factors.size(); ++k) {
                    const Factor &f = factors[k];
                    values[k] = f.values.data() + (distance(index, f.kept) + distance(inner, f.summed)) * f.bytes;
                }
                term_->add(m, values.data());
            }
            end();
        }
        writeResults(m);
    }

    std::optional<Term> term_;
    std::map<int, int64_t> size_;
    bool fits_ = true;
};

class Einsum final : public Contraction {
public:
    explicit Einsum(NodeReader &r) : Contraction(r, r.onlyOutput()) {
        const std::string text = r.text("einsum_str", "");
        if (!read(text))
            r.refuse("`" + text + "` as a sum of products");
        std::set<std::string> names;
        for (const ir::Edge *e : r.node.inEdges())
            if (e->dstConn && !e->memlet.isEmpty())
                names.insert(e->dstConn.str());
        if (names.size() != labels_.size())
            r.refuse("`" + text + "` with " + std::to_string(names.size()) + " operands");
        for (const std::string &n : names)
            factors_.push_back(&keep(r.input(Name(n))));
        finish(r);
    }

private:
    bool read(std::string text) {
        std::erase(text, ' ');
        const std::size_t arrow = text.find("->");
        labels_.emplace_back();
        std::map<int, int> occurrences;
        for (const char c : text.substr(0, arrow)) {
            if (c == ',')
                labels_.emplace_back();
            else if (!std::isalpha(static_cast<unsigned char>(c)))
                return false;
            else
                labels_.back().push_back(c), ++occurrences[c];
        }
        if (arrow == std::string::npos) {
            for (const auto &[letter, times] : occurrences)
                if (times == 1)
                    result_.push_back(letter);
            return true;
        }
        for (const char c : text.substr(arrow + 2))
            result_.push_back(c);
        return std::all_of(result_.begin(), result_.end(), [&](int c) { return occurrences.count(c) != 0; });
    }
};

class TensorDot final : public Contraction {
public:
    explicit TensorDot(NodeReader &r) : Contraction(r, r.output("_out_tensor")) {
        factors_ = {&keep(r.input("_left_tensor")), &keep(r.input("_right_tensor"))};
        const auto axes = [&](const char *property) { return r.integers(property).value_or(std::vector<int64_t>()); };
        const std::vector<int64_t> left = axes("left_axes"), right = axes("right_axes");
        const auto leftRank = static_cast<int>(factors_[0]->alwaysOne.size());
        const auto rightRank = static_cast<int>(factors_[1]->alwaysOne.size());
        // Axes of the left operand are labelled by their index, those of the right one by the following numbers; paired axes get
        // the label of the left one.
        labels_.assign({Labels(static_cast<std::size_t>(leftRank)), Labels(static_cast<std::size_t>(rightRank))});
        std::iota(labels_[0].begin(), labels_[0].end(), 0);
        std::iota(labels_[1].begin(), labels_[1].end(), leftRank);
        bool fits = left.size() == right.size();
        for (std::size_t k = 0; fits && k < left.size(); ++k) {
            fits = left[k] >= 0 && left[k] < leftRank && right[k] >= 0 && right[k] < rightRank;
            if (fits)
                labels_[1][static_cast<std::size_t>(right[k])] = static_cast<int>(left[k]);
        }
        Labels modes;
        for (const int l : labels_[0])
            if (std::find(left.begin(), left.end(), l) == left.end())
                modes.push_back(l);
        std::copy_if(labels_[1].begin(), labels_[1].end(), std::back_inserter(modes), [&](int l) { return l >= leftRank; });
        result_ = modes;
        if (const auto permutation = r.integers("permutation")) {
            std::vector<int64_t> numbers(modes.size());
            std::iota(numbers.begin(), numbers.end(), 0);
            fits = fits && std::is_permutation(permutation->begin(), permutation->end(), numbers.begin(), numbers.end());
            for (std::size_t d = 0; fits && d < modes.size(); ++d)
                result_[d] = modes[static_cast<std::size_t>((*permutation)[d])];
        }
        if (!fits)
            r.refuse("axes that do not match the operands");
        finish(r);
    }
};

} // namespace

std::unique_ptr<NodeStep> makeEinsum(NodeReader &r) { return std::make_unique<Einsum>(r); }
std::unique_ptr<NodeStep> makeTensorDot(NodeReader &r) { return std::make_unique<TensorDot>(r); }

} // namespace sdfgc::interpret
