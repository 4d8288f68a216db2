// Tensors: Einsum and TensorDot (format reference 7.3, 7.4), Transpose, TensorTranspose, and Reduce (7.6).
//
//   Einsum `ij,jk->ik`            letters are labels; operands in the order of their connectors
//   TensorDot left_axes [1], right_axes [0]
//                                 paired axes share a label; the result has the free axes of the left operand, then those of the
//                                 right one, reordered by `permutation`
//   TensorTranspose axes [2, 0, 1]
//                                 dimension k of the result is dimension axes[k] of the input
//   Reduce axes [0, -1]           the result has the other dimensions; without axes, none
#include "Analysis/Indexing/Labelling.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace sdfgc::analysis {

namespace {

struct Notation {
    std::vector<std::string> inputs;
    std::string output;
};

/// `ij,jk->ik`, blanks ignored. Without an arrow the result has the letters that occur once, in alphabetical order.
std::optional<Notation> parseNotation(std::string text) {
    std::erase(text, ' ');
    Notation n;
    std::size_t arrow = text.find("->");
    std::string left = text.substr(0, arrow);
    n.inputs.emplace_back();
    for (char c : left) {
        if (c == ',')
            n.inputs.emplace_back();
        else if (std::isalpha(static_cast<unsigned char>(c)))
            n.inputs.back() += c;
        else
            return std::nullopt;
    }
    if (arrow != std::string::npos) {
        n.output = text.substr(arrow + 2);
        bool letters = std::all_of(n.output.begin(), n.output.end(), [](unsigned char c) { return std::isalpha(c); });
        return letters ? std::optional(n) : std::nullopt;
    }
    std::string sorted = left;
    std::erase(sorted, ',');
    std::sort(sorted.begin(), sorted.end());
    for (char c : sorted)
        if (std::count(sorted.begin(), sorted.end(), c) == 1)
            n.output += c;
    return n;
}

/// One letter per dimension of the operand, or per dimension of several elements.
bool assignLetters(Labelling &l, std::map<char, int> &known, IndexedOperand &o, const std::string &letters) {
    const std::vector<std::size_t> loops = o.subset.nonUnitDims();
    const bool full = letters.size() == o.labels.size();
    if (!full && letters.size() != loops.size())
        return false;
    for (std::size_t i = 0; i < letters.size(); ++i) {
        const std::size_t dim = full ? i : loops[i];
        if (o.isUnit(dim))
            continue;
        if (!known.contains(letters[i]))
            known[letters[i]] = l.label(o.size(dim), letters[i]);
        o.labels[dim] = known[letters[i]];
    }
    return true;
}

/// Paired axes share a label. False if axes are out of range or of different sizes.
bool labelPairs(Labelling &l, IndexedOperand &left, IndexedOperand &right, const std::vector<int64_t> &leftAxes,
                const std::vector<int64_t> &rightAxes) {
    const auto inRange = [](const std::vector<int64_t> &axes, const IndexedOperand &o) {
        return std::all_of(axes.begin(), axes.end(),
                           [&](int64_t a) { return a >= 0 && a < static_cast<int64_t>(o.labels.size()); });
    };
    if (leftAxes.size() != rightAxes.size() || !inRange(leftAxes, left) || !inRange(rightAxes, right))
        return false;
    for (std::size_t i = 0; i < leftAxes.size(); ++i) {
        const auto a = static_cast<std::size_t>(leftAxes[i]), b = static_cast<std::size_t>(rightAxes[i]);
        if (left.isUnit(a) != right.isUnit(b) || sym::isEqual(left.size(a), right.size(b)) == sym::Truth::False)
            return false;
        left.labels[a] = right.labels[b] = l.label(left.size(a));
    }
    return true;
}

/// New labels for the axes that are not paired.
void labelFree(Labelling &l, IndexedOperand &o, std::vector<int> &result) {
    for (std::size_t d = 0; d < o.labels.size(); ++d)
        if (o.labels[d] == Indexing::none)
            result.push_back(o.labels[d] = l.label(o.size(d)));
}

bool permute(Labelling &l, Name in, Name out, const std::vector<int64_t> &axes) {
    IndexedOperand *from = l.input(in), *to = l.output(out);
    if (!from || !to)
        return l.refuse("an operand is missing");
    const std::size_t rank = from->labels.size();
    std::vector<int64_t> sorted = axes, identity(rank);
    std::sort(sorted.begin(), sorted.end());
    std::iota(identity.begin(), identity.end(), 0);
    if (sorted != identity)
        return l.refuse("its axes are not a permutation of the " + std::to_string(rank) + " dimensions of its input");
    std::vector<int> result;
    labelFree(l, *from, result);
    for (std::size_t k = 0; k < rank; ++k)
        result[k] = from->labels[static_cast<std::size_t>(axes[k])];
    if (!l.setAll(*to, result))
        return l.refuse("its input and its output have a different number of dimensions");
    l.factors = {from};
    l.result = to;
    return true;
}

} // namespace

bool labelEinsum(Labelling &l) {
    const std::string text = l.text("einsum_str");
    const auto notation = parseNotation(text);
    if (!notation)
        return l.refuse("`" + text + "` is not einsum notation made of letters", "write out an ellipsis as letters");
    const std::vector<IndexedOperand *> inputs = l.inputs();
    IndexedOperand *out = l.only(true);
    if (inputs.size() != notation->inputs.size() || !out)
        return l.refuse("`" + text + "` has " + std::to_string(notation->inputs.size()) + " operands, the node " +
                        std::to_string(inputs.size()));
    std::map<char, int> known;
    for (std::size_t i = 0; i < inputs.size(); ++i)
        if (!assignLetters(l, known, *inputs[i], notation->inputs[i]))
            return l.refuse("operand `" + inputs[i]->connector.str() + "` does not have the dimensions `" + notation->inputs[i] +
                            "`");
    if (!assignLetters(l, known, *out, notation->output))
        return l.refuse("the result does not have the dimensions `" + notation->output + "`");
    l.factors = inputs;
    l.result = out;
    l.hasOwnNames = true;
    return true;
}

bool labelTensorDot(Labelling &l) {
    IndexedOperand *left = l.input("_left_tensor"), *right = l.input("_right_tensor"), *out = l.output("_out_tensor");
    if (!left || !right || !out)
        return l.refuse("an operand is missing");
    if (!labelPairs(l, *left, *right, l.integers("left_axes"), l.integers("right_axes")))
        return l.refuse("its paired axes do not match its operands");
    std::vector<int> modes, result;
    labelFree(l, *left, modes);
    labelFree(l, *right, modes);
    bool isPermuted = false;
    for (const int64_t p : l.integers("permutation", &isPermuted)) {
        if (p < 0 || p >= static_cast<int64_t>(modes.size()))
            return l.refuse("its permutation does not match the result");
        result.push_back(modes[static_cast<std::size_t>(p)]);
    }
    if (!isPermuted)
        result = modes;
    if (!l.setAll(*out, result))
        return l.refuse("its result has " + std::to_string(out->subset.nonUnitDims().size()) + " dimensions, not " +
                        std::to_string(result.size()));
    l.factors = {left, right};
    l.result = out;
    return true;
}

bool labelTranspose(Labelling &l) {
    const IndexedOperand *in = l.input("_inp");
    std::vector<int64_t> axes(in ? in->labels.size() : 0);
    std::iota(axes.rbegin(), axes.rend(), 0);
    return permute(l, "_inp", "_out", axes);
}

bool labelTensorTranspose(Labelling &l) { return permute(l, "_inp_tensor", "_out_tensor", l.integers("axes")); }

bool labelReduce(Labelling &l) {
    IndexedOperand *in = l.only(false), *out = l.only(true);
    if (!in || !out)
        return l.refuse("it needs one input and one output");
    bool someAxes = false;
    const std::vector<int64_t> axes = l.integers("axes", &someAxes);
    const auto rank = static_cast<int64_t>(in->labels.size());
    std::vector<int> inPlace, kept; // with the reduced dimensions, as dimensions of one element, and without
    for (int64_t d = 0; d < rank; ++d) {
        const int label = l.label(in->size(static_cast<std::size_t>(d)));
        in->labels[static_cast<std::size_t>(d)] = label;
        const bool isReduced =
            !someAxes || std::any_of(axes.begin(), axes.end(), [&](int64_t a) { return a == d || a + rank == d; });
        inPlace.push_back(isReduced ? Indexing::none : label);
        if (!isReduced)
            kept.push_back(label);
    }
    if (!l.setAll(*out, out->labels.size() == inPlace.size() ? inPlace : kept)) {
        const auto isLoop = [&l](int label) { return !l.isUnit(label); };
        return l.refuse("its output has " + std::to_string(out->subset.nonUnitDims().size()) + " dimensions, its input keeps " +
                        std::to_string(std::count_if(kept.begin(), kept.end(), isLoop)));
    }
    l.factors = {in};
    l.result = out;
    return true;
}

} // namespace sdfgc::analysis
