// Axpy: res = a x + y (format reference 7.3), one parallel map.
#include "Contraction.h"
#include "Expanders.h"

namespace sdfgc::libnodes {

bool expandAxpy(ir::State &s, ir::LibraryNode &n, pass::Context &ctx) {
    Expansion x(s, n, ctx);
    Factor v("_x", x.input("_x")), y("_y", x.input("_y")), result("_res", x.output("_res"));
    if (!v.operand || !y.operand || !result.operand)
        return x.refuse("an operand is missing");
    Contraction c;
    c.alpha = coefficient(x, "a", "a");
    c.beta = {"1", 1};
    std::vector<int> labels;
    for (std::size_t d : v.operand.dims) {
        labels.push_back(c.label(v.size(d)));
        v.labels[d] = labels.back();
    }
    if (!y.setNonUnit(labels) || !result.setNonUnit(labels))
        return x.refuse("its vectors have different shapes");
    c.factors = {std::move(v)};
    c.addend = std::move(y);
    c.result = std::move(result);
    return expandContraction(x, std::move(c));
}

} // namespace sdfgc::libnodes
