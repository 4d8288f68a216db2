#include "Transforms/Differentiate/Correspondence.h"

#include "Transforms/Differentiate/Values.h"

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

std::optional<std::vector<int>> keptDims(const LibraryNode &n, const sym::Subset &in, const sym::Subset &out) {
    std::set<std::size_t> reduced;
    const json::Value *axes = n.properties.find("axes");
    for (std::size_t d = 0; d < in.rank(); ++d)
        if (!axes || axes->isNull())
            reduced.insert(d);
    if (axes && axes->isArray())
        for (const json::Value &a : axes->items()) {
            const int64_t axis = std::stoll(a.text());
            reduced.insert(static_cast<std::size_t>(axis < 0 ? axis + static_cast<int64_t>(in.rank()) : axis));
        }
    const std::vector<std::size_t> outDims = out.nonUnitDims();
    std::vector<int> kept;
    std::size_t next = 0;
    for (const std::size_t d : in.nonUnitDims()) {
        if (reduced.count(d)) {
            kept.push_back(-1);
        } else {
            if (next == outDims.size())
                return std::nullopt;
            kept.push_back(static_cast<int>(outDims[next++]));
        }
    }
    return next == outDims.size() ? std::optional(kept) : std::nullopt;
}

} // namespace sdfgc::transforms::gradient
