// Sums of products over tensors: Einsum and TensorDot (format reference 7.3, 7.4).
//
//   Einsum `ij,jk->ik`            letters are labels; operands in the order of their sorted connector names
//   TensorDot left_axes [1], right_axes [0]
//                                 paired axes share a label; the result has the free axes of the left operand, then those of the
//                                 right one, reordered by `permutation`
#include "Contraction.h"
#include "Expanders.h"

#include <algorithm>
#include <map>

namespace sdfgc::libnodes {

using namespace ir;

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

/// One letter per dimension of the operand, or per dimension that is not one long.
class Letters {
public:
    explicit Letters(Contraction &c) : c_(c) {}
    bool assign(Factor &f, const std::string &letters) {
        bool full = letters.size() == f.labels.size();
        if (!full && letters.size() != f.operand.rank())
            return false;
        for (std::size_t i = 0; i < letters.size(); ++i) {
            std::size_t dim = full ? i : f.operand.dims[i];
            if (!f.isUnit(dim))
                f.set(dim, labelOf(letters[i], f.size(dim)));
        }
        return true;
    }

private:
    int labelOf(char letter, sym::Expr size) {
        auto [at, isNew] = labels_.emplace(letter, 0);
        if (isNew)
            at->second = c_.label(size);
        return at->second;
    }
    Contraction &c_;
    std::map<char, int> labels_;
};

std::vector<Name> connectedInputs(const LibraryNode &n) {
    std::vector<Name> out;
    for (const Edge *e : n.inEdges())
        if (e->dstConn && !e->memlet.isEmpty())
            out.push_back(e->dstConn);
    std::sort(out.begin(), out.end(), [](Name a, Name b) { return a.str() < b.str(); });
    return out;
}

Edge *onlyOutput(const LibraryNode &n) {
    Edge *out = nullptr;
    for (Edge *e : n.outEdges())
        if (!e->memlet.isEmpty())
            out = e;
    return out;
}

/// Connectors of Einsum have any names; inside they get some that no connector, parameter or temporary of the expansion has.
Name operandName(Name connector) { return Name("_op_" + connector.str()); }

/// One label per dimension, labels of paired axes shared. False when the axes are out of range or of different sizes.
bool labelPairs(Contraction &c, Factor &left, Factor &right, const std::vector<int64_t> &leftAxes,
                const std::vector<int64_t> &rightAxes) {
    auto inRange = [](const std::vector<int64_t> &axes, const Factor &f) {
        return std::all_of(axes.begin(), axes.end(),
                           [&](int64_t a) { return a >= 0 && a < static_cast<int64_t>(f.labels.size()); });
    };
    if (leftAxes.size() != rightAxes.size() || !inRange(leftAxes, left) || !inRange(rightAxes, right))
        return false;
    for (std::size_t i = 0; i < leftAxes.size(); ++i) {
        auto l = static_cast<std::size_t>(leftAxes[i]), r = static_cast<std::size_t>(rightAxes[i]);
        if (left.isUnit(l) != right.isUnit(r) || sym::isEqual(left.size(l), right.size(r)) == sym::Truth::False)
            return false;
        left.labels[l] = right.labels[r] = c.label(left.size(l));
    }
    return true;
}

/// Labels of the axes that are not paired; new ones for each.
void labelFree(Contraction &c, Factor &f, const std::vector<int64_t> &paired, std::vector<int> &result) {
    for (std::size_t d = 0; d < f.labels.size(); ++d)
        if (std::find(paired.begin(), paired.end(), static_cast<int64_t>(d)) == paired.end()) {
            f.labels[d] = c.label(f.size(d));
            result.push_back(f.labels[d]);
        }
}

} // namespace

bool expandEinsum(State &s, LibraryNode &n, pass::Context &ctx) {
    Expansion x(s, n, ctx);
    std::string text = x.text("einsum_str");
    auto notation = parseNotation(text);
    if (!notation)
        return x.refuse("`" + text + "` is no einsum notation of letters", "write out an ellipsis as letters");
    std::vector<Name> names = connectedInputs(n);
    Edge *out = onlyOutput(n);
    if (names.size() != notation->inputs.size() || !out)
        return x.refuse("`" + text + "` has " + std::to_string(notation->inputs.size()) + " operands, the node " +
                        std::to_string(names.size()));
    Contraction c;
    c.alpha = coefficient(x, "alpha", "1");
    c.beta = coefficient(x, "beta", "0");
    Letters letters(c);
    for (std::size_t i = 0; i < names.size(); ++i) {
        const Name own = operandName(names[i]);
        x.renameInput(names[i], own);
        c.factors.emplace_back(own, x.input(own));
        if (!c.factors[i].operand || !letters.assign(c.factors[i], notation->inputs[i]))
            return x.refuse("operand `" + names[i].str() + "` does not have the dimensions `" + notation->inputs[i] + "`");
    }
    const Name result = operandName(out->srcConn);
    x.renameOutput(out->srcConn, result);
    c.result = Factor(result, x.output(result));
    if (!c.result.operand || !letters.assign(c.result, notation->output))
        return x.refuse("the result does not have the dimensions `" + notation->output + "`");
    return expandContraction(x, std::move(c));
}

bool expandTensorDot(State &s, LibraryNode &n, pass::Context &ctx) {
    Expansion x(s, n, ctx);
    Contraction c;
    Factor left("_left_tensor", x.input("_left_tensor")), right("_right_tensor", x.input("_right_tensor"));
    c.result = Factor("_out_tensor", x.output("_out_tensor"));
    if (!left.operand || !right.operand || !c.result.operand)
        return x.refuse("an operand is missing");
    auto leftAxes = x.integers("left_axes").value_or(std::vector<int64_t>()),
         rightAxes = x.integers("right_axes").value_or(std::vector<int64_t>());
    if (!labelPairs(c, left, right, leftAxes, rightAxes))
        return x.refuse("its paired axes do not fit its operands");
    std::vector<int> modes, result;
    labelFree(c, left, leftAxes, modes);
    labelFree(c, right, rightAxes, modes);
    if (auto permutation = x.integers("permutation")) {
        for (int64_t p : *permutation) {
            if (p < 0 || p >= static_cast<int64_t>(modes.size()))
                return x.refuse("its permutation does not fit the result");
            result.push_back(modes[static_cast<std::size_t>(p)]);
        }
    } else {
        result = modes;
    }
    if (!c.result.setNonUnit(result))
        return x.refuse("its result has " + std::to_string(c.result.operand.rank()) + " dimensions, not " +
                        std::to_string(result.size()));
    c.factors = {std::move(left), std::move(right)};
    return expandContraction(x, std::move(c));
}

} // namespace sdfgc::libnodes
