// Transpositions: Transpose and TensorTranspose (format reference 7.4).
//
//   out[i_axes[0], i_axes[1], ...] = alpha * in[i_0, i_1, ...] + beta * out
//
// One parallel map in the order of the output, so that each thread writes its own part of memory.
#include "Contraction.h"
#include "Expanders.h"

#include <algorithm>
#include <numeric>

namespace sdfgc::libnodes {

using namespace ir;

namespace {

bool permute(Expansion &x, Name in, Name out, const std::vector<int64_t> &axes) {
    Contraction c;
    c.alpha = coefficient(x, "alpha", "1");
    c.beta = coefficient(x, "beta", "0");
    Factor from(in, x.input(in)), to(out, x.output(out));
    if (!from.operand || !to.operand)
        return x.refuse("an operand is missing");
    for (std::size_t d = 0; d < from.labels.size(); ++d)
        from.labels[d] = c.label(from.size(d));
    std::vector<int64_t> sorted = axes, identity(from.labels.size());
    std::sort(sorted.begin(), sorted.end());
    std::iota(identity.begin(), identity.end(), 0);
    if (sorted != identity)
        return x.refuse("its axes are no order of the " + std::to_string(identity.size()) + " dimensions of its input");
    std::vector<int> result;
    for (int64_t a : axes)
        result.push_back(from.labels[static_cast<std::size_t>(a)]);
    if (!to.setNonUnit(result))
        return x.refuse("its input and its output have a different number of dimensions");
    c.factors = {std::move(from)};
    c.result = std::move(to);
    return expandContraction(x, std::move(c));
}

} // namespace

bool expandTranspose(State &s, LibraryNode &n, pass::Context &c) {
    Expansion x(s, n, c);
    Operand in = x.input("_inp");
    std::vector<int64_t> axes(in ? in.subset.rank() : 0);
    std::iota(axes.rbegin(), axes.rend(), 0);
    return permute(x, "_inp", "_out", axes);
}

bool expandTensorTranspose(State &s, LibraryNode &n, pass::Context &c) {
    Expansion x(s, n, c);
    return permute(x, "_inp_tensor", "_out_tensor", x.integers("axes").value_or(std::vector<int64_t>()));
}

} // namespace sdfgc::libnodes
