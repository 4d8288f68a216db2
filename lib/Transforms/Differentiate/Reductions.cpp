// Gradients of Reduce, Transpose and TensorTranspose nodes.
//
//     sum        y = sum(x)          gradient_x[i] += gradient_y
//     product    y = product(x)      gradient_x[i] += gradient_y * product of the others
//     maximum    y = max(x)          gradient_x[i] += gradient_y / n for the n elements x[i] that equal y, or all of it for the
//                                    first of them
#include "Transforms/Differentiate/Correspondence.h"
#include "Transforms/Differentiate/Others.h"
#include "Transforms/Differentiate/Rules.h"
#include "Transforms/Differentiate/Winners.h"

#include <algorithm>

namespace sdfgc::transforms::gradient {

using namespace ir;
using nest::Item;
using nest::Use;
using nest::UseKind;

namespace {

void addMap(Rule &r, const std::string &label, const Correspondence &c, Item item) {
    r.out.push_back(r.maker().over(c.walk, label, std::move(item), r.body.inScope()));
}

void spreadSum(Rule &r, const Use &in, const Use &out, const std::vector<int> &kept, const std::string &factor) {
    const Correspondence c = correspond(r.maker(), in, out, kept);
    Maker &m = r.maker();
    const Name from = m.connector("__in"), to = m.connector("__sum");
    const Use g = r.reverser.gradient(out, UseKind::Read, {}, r.body), x = r.reverser.gradient(in, UseKind::Update, {}, r.body);
    addMap(r, "spread_" + out.data.str(), c,
           m.tasklet("spread", to.str() + " = " + (factor == "1" ? "" : "(" + factor + ") * ") + from.str(),
                     {m.part(g, UseKind::Read, c.result, from), m.part(x, UseKind::Update, c.operand, to)}));
}

/// Elements equal to the result share its gradient, or the first one gets it: they are first counted, or the first one is found.
bool shareExtremum(Rule &r, const Use &in, const Use &out, const std::vector<int> &kept) {
    Maker &m = r.maker();
    const Name x = m.connector("__x"), y = m.connector("__y"), n = m.connector("__n"), g = m.connector("__g"),
               to = m.connector("__sum");
    const std::optional<Use> vx = r.reverser.value(in, x, r.body), vy = r.reverser.resultValue(out, y, r.body);
    if (!vx || !vy)
        return false;
    const Correspondence c = correspond(r.maker(), in, out, kept), ofX = correspond(r.maker(), *vx, out, kept);
    const Correspondence ofY = correspond(r.maker(), in, *vy, dimsIn(*subsetOf(*vy), *subsetOf(out), kept));
    const Use gy = r.reverser.gradient(out, UseKind::Read, {}, r.body), gx = r.reverser.gradient(in, UseKind::Update, {}, r.body);
    const Winners winners(r.reverser.ties(), c.walk, r.reverser.desc(in).dtype, r.reverser.desc(out).dtype);
    const Name winner = r.reverser.temporary("winners", winners.like(r.reverser.desc(out)), subsetOf(out)->sizes(), r.body);
    const sym::Subset all = m.sdfg().desc(winner)->fullSubset();
    const Correspondence ofWinner = correspond(r.maker(), in, m.read(winner, all), kept);
    r.out.push_back(m.fill(winner, all, winners.begin(), r.body.inScope()));
    addMap(r, "count_" + in.data.str(), c,
           m.tasklet("count", n.str() + " = " + winners.entry(x, y),
                     {m.part(*vx, UseKind::Read, ofX.operand, x), m.part(*vy, UseKind::Read, ofY.result, y),
                      m.update(winner, ofWinner.result, n, winners.wcr())}));
    addMap(r, "share_" + out.data.str(), c,
           m.tasklet("share", to.str() + " = " + winners.part(g, n, x, y),
                     {m.part(*vx, UseKind::Read, ofX.operand, x), m.part(*vy, UseKind::Read, ofY.result, y),
                      m.read(winner, ofWinner.result, n), m.part(gy, UseKind::Read, c.result, g),
                      m.part(gx, UseKind::Update, c.operand, to)}));
    return true;
}

/// The gradient of each factor is the product of the others.
bool spreadProduct(Rule &r, const Use &in, const Use &out, const std::vector<int> &kept) {
    Maker &m = r.maker();
    const std::optional<Use> v = r.reverser.value(in, {}, r.body);
    if (!v)
        return false;
    const Name others = productsOfOthers(
        m, r.node, in, *v, out, kept, r.body.inScope(),
        [&r](std::string_view name, const DataDesc &like, std::vector<sym::Expr> shape) {
            return r.reverser.temporary(name, like, std::move(shape), r.body);
        },
        r.out);
    const Name o = m.connector("__o"), g = m.connector("__g"), to = m.connector("__sum");
    const Correspondence c = correspond(m, in, out, kept), ofOthers = correspond(m, m.whole(UseKind::Read, others), out, kept);
    const Use gy = r.reverser.gradient(out, UseKind::Read, {}, r.body), gx = r.reverser.gradient(in, UseKind::Update, {}, r.body);
    addMap(r, "spread_" + out.data.str(), c,
           m.tasklet("spread", to.str() + " = " + g.str() + " * " + o.str(),
                     {m.read(others, ofOthers.operand, o), m.part(gy, UseKind::Read, c.result, g),
                      m.part(gx, UseKind::Update, c.operand, to)}));
    return true;
}

/// For each dimension of the transposed operand with more than one element, returns the dimension of the result.
/// Without axes, the node counts only these dimensions.
std::optional<std::vector<int>> turnedDims(const LibraryNode &n, const sym::Subset &in, const sym::Subset &out) {
    std::vector<int> dims;
    const std::vector<std::size_t> from = in.nonUnitDims(), to = out.nonUnitDims();
    const json::Value *axes = n.properties.find("axes");
    if (!axes || !axes->isArray()) {
        for (std::size_t k = from.size(); k-- > 0 && from.size() == to.size();)
            dims.push_back(static_cast<int>(to[k]));
        return from.size() == to.size() ? std::optional(dims) : std::nullopt;
    }
    if (axes->items().size() != in.rank() || in.rank() != out.rank())
        return std::nullopt;
    for (const std::size_t d : from) // dimension d of the result is dimension axes[d] of the operand
        for (std::size_t k = 0; k < in.rank(); ++k)
            if (std::stoull(axes->items()[k].text()) == d)
                dims.push_back(static_cast<int>(k));
    return dims.size() == from.size() ? std::optional(dims) : std::nullopt;
}

} // namespace

bool reverseReduction(Rule &r) {
    const std::vector<const Use *> inputs = r.uses(false), outputs = r.uses(true);
    if (inputs.size() != 1 || outputs.size() != 1 || !subsetOf(*inputs[0]) || !subsetOf(*outputs[0]))
        return r.refuse("it needs one input and one output");
    const Use &in = *inputs[0], &out = *outputs[0];
    const auto kept = keptDims(r.node, *subsetOf(in), *subsetOf(out));
    if (!kept)
        return r.refuse("its axes do not match the shape of its result");
    const auto wcr = py::parseWcr(r.text("wcr")).value;
    const py::Reduction kind = wcr ? wcr->kind : py::Reduction::Custom;
    const json::Value *identity = r.node.properties.find("identity");
    const bool combines = !identity || identity->isNull(); // the old value is part of the result
    if (combines && kind != py::Reduction::Sum)
        return r.refuse("it is not a sum, and it combines with previous contents");
    bool done = true;
    if (r.reverser.isActive(in))
        switch (kind) {
        case py::Reduction::Sum:
            spreadSum(r, in, out, *kept, "1");
            break;
        case py::Reduction::Product:
            done = spreadProduct(r, in, out, *kept);
            break;
        case py::Reduction::Max:
        case py::Reduction::Min:
            done = shareExtremum(r, in, out, *kept);
            break;
        default:
            return r.refuse("its function is not a sum, product, maximum or minimum");
        }
    if (!combines)
        r.reverser.clear(out, r.body, r.out);
    return done;
}

bool reverseTransposition(Rule &r) {
    const std::vector<const Use *> inputs = r.uses(false), outputs = r.uses(true);
    if (inputs.size() != 1 || outputs.size() != 1 || !subsetOf(*inputs[0]) || !subsetOf(*outputs[0]))
        return r.refuse("it needs one input and one output");
    const Use &in = *inputs[0], &out = *outputs[0];
    const auto dims = turnedDims(r.node, *subsetOf(in), *subsetOf(out));
    if (!dims)
        return r.refuse("its operands have the wrong number of dimensions");
    if (r.reverser.isActive(in))
        spreadSum(r, in, out, *dims, r.text("alpha", "1"));
    return reverseAddend(r, nullptr, out);
}

} // namespace sdfgc::transforms::gradient
