#include "Transforms/Differentiate/Correspondence.h"

#include "Transforms/Differentiate/Values.h"

#include "sdfgc/Nest/Build.h"

namespace sdfgc::transforms::gradient {

using namespace ir;
using nest::Use;

Correspondence correspond(const Maker &m, const Use &operand, const Use &result, const std::vector<int> &dims) {
    Correspondence out{m.walkOver(*subsetOf(operand)), {}, *subsetOf(result)};
    out.operand = out.walk.elementOf(*subsetOf(operand));
    for (std::size_t k = 0; k < dims.size(); ++k)
        if (dims[k] >= 0) {
            sym::Range &dim = out.result.dims[static_cast<std::size_t>(dims[k])];
            dim.begin = dim.end = dim.begin + out.walk.positions[k] * dim.step;
            dim.step = 1;
        }
    for (sym::Range &dim : out.result.dims)
        if (!dim.isPoint())
            dim.end = dim.begin;
    return out;
}

std::vector<int> dimsIn(const sym::Subset &as, const sym::Subset &result, const std::vector<int> &dims) {
    const std::vector<std::size_t> here = result.nonUnitDims(), there = as.nonUnitDims();
    std::vector<int> out = dims;
    for (int &d : out)
        for (std::size_t k = 0; d >= 0 && k < here.size() && k < there.size(); ++k)
            if (here[k] == static_cast<std::size_t>(d)) {
                d = static_cast<int>(there[k]);
                break;
            }
    return out;
}

SingleInput::SingleInput(const RuleNode &n) : how(n.how()) {
    const std::vector<const Use *> inputs = n.uses(false), outputs = n.uses(true);
    if (const auto wcr = py::parseWcr(how.function).value)
        kind = wcr->kind;
    if (inputs.size() != 1 || outputs.size() != 1 || !subsetOf(*inputs[0]) || !subsetOf(*outputs[0])) {
        why = "it needs one input and one output";
        return;
    }
    if (how.isReduction && how.keepsOld() && kind != py::Reduction::Sum)
        why = "it is not a sum, and it combines with previous contents";
    in = inputs[0];
    out = outputs[0];
    if (const auto x = analysis::indexingOf(n.node, nest::operandsOf(n.step.uses)))
        dims = x->dimsInResult(x->factors.front());
}

} // namespace sdfgc::transforms::gradient
