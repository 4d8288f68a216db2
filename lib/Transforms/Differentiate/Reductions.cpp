// Gradients of Reduce, Transpose and TensorTranspose nodes.
//
//     sum        y = sum(x)      gradient_x[i] += gradient_y
//     maximum    y = max(x)      gradient_x[i] += gradient_y / n, where x[i] equals y, which n elements do
#include "Transforms/Differentiate/Correspondence.h"
#include "Transforms/Differentiate/Rules.h"

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

void spreadSum(Rule &r, const Use &in, const Use &out, const std::vector<int> &kept) {
    const Correspondence c = correspond(r.maker(), in, out, kept);
    Maker &m = r.maker();
    const Name from = m.connector("__in"), to = m.connector("__sum");
    const Use g = r.reverser.gradient(out, UseKind::Read, {}, r.body), x = r.reverser.gradient(in, UseKind::Update, {}, r.body);
    addMap(r, "spread_" + out.data.str(), c,
           m.tasklet("spread", to.str() + " = " + from.str(), {m.read(g.data, c.result, from), m.sum(x.data, c.operand, to)}));
}

/// Without identity the result may be what was there before: its gradient stays where no element equals the result.
void keepIfNoneWins(Rule &r, const Use &out, Name count) {
    if (!r.reverser.mustClear(out, r.body))
        return;
    Maker &m = r.maker();
    const Name n = m.connector("__n"), g = m.connector("__g"), kept = m.connector("__kept");
    const Maker::Walk walk = m.walkOver(*subsetOf(out));
    const sym::Subset element = walk.elementOf(*subsetOf(out)), counted = walk.elementOf(m.sdfg().desc(count)->fullSubset());
    const Use from = r.reverser.gradient(out, UseKind::Read, {}, r.body), to = r.reverser.gradient(out, UseKind::Write, {}, r.body);
    addMap(r, "keep_" + out.data.str(), {walk, {}, {}},
           m.tasklet("keep", kept.str() + " = " + g.str() + " if " + n.str() + " == 0 else 0",
                     {m.read(count, counted, n), m.read(from.data, element, g), m.write(to.data, element, kept)}));
}

/// Elements that equal the result share its gradient: they are counted first.
bool shareExtremum(Rule &r, const Use &in, const Use &out, const std::vector<int> &kept, bool combines) {
    Maker &m = r.maker();
    const Name x = m.connector("__x"), y = m.connector("__y"), n = m.connector("__n"), g = m.connector("__g"),
               to = m.connector("__sum");
    const std::optional<Use> vx = r.reverser.value(in, x, r.body), vy = r.reverser.resultValue(out, y, r.body);
    if (!vx || !vy)
        return false;
    const Correspondence c = correspond(r.maker(), in, out, kept), ofX = correspond(r.maker(), *vx, out, kept);
    const Correspondence ofY = correspond(r.maker(), in, *vy, kept);
    const Use gy = r.reverser.gradient(out, UseKind::Read, {}, r.body), gx = r.reverser.gradient(in, UseKind::Update, {}, r.body);
    const Name count = r.reverser.temporary("winners", r.reverser.desc(out), subsetOf(out)->sizes(), r.body);
    const sym::Subset all = m.sdfg().desc(count)->fullSubset();
    const Correspondence ofCount = correspond(r.maker(), in, m.read(count, all), kept);
    r.out.push_back(m.fill(count, all, "0", r.body.inScope()));
    addMap(r, "count_" + in.data.str(), c,
           m.tasklet("count", n.str() + " = 1 if " + x.str() + " == " + y.str() + " else 0",
                     {m.read(vx->data, ofX.operand, x), m.read(vy->data, ofY.result, y), m.sum(count, ofCount.result, n)}));
    addMap(r, "share_" + out.data.str(), c,
           m.tasklet("share", to.str() + " = " + g.str() + " / " + n.str() + " if " + x.str() + " == " + y.str() + " else 0",
                     {m.read(vx->data, ofX.operand, x), m.read(vy->data, ofY.result, y), m.read(count, ofCount.result, n),
                      m.read(gy.data, c.result, g), m.sum(gx.data, c.operand, to)}));
    if (combines)
        keepIfNoneWins(r, out, count);
    return true;
}

} // namespace

bool reverseReduction(Rule &r) {
    const std::vector<const Use *> inputs = r.uses(false), outputs = r.uses(true);
    if (inputs.size() != 1 || outputs.size() != 1 || !subsetOf(*inputs[0]) || !subsetOf(*outputs[0]))
        return r.refuse("it needs one input and one output");
    const Use &in = *inputs[0], &out = *outputs[0];
    const auto kept = keptDims(r.node, *subsetOf(in), *subsetOf(out));
    if (!kept)
        return r.refuse("its axes do not fit the shape of its result");
    const auto wcr = py::parseWcr(r.text("wcr")).value;
    const py::Reduction kind = wcr ? wcr->kind : py::Reduction::Custom;
    const bool isExtremum = kind == py::Reduction::Max || kind == py::Reduction::Min;
    if (kind != py::Reduction::Sum && !isExtremum)
        return r.refuse("its function is no sum, maximum or minimum");
    const json::Value *identity = r.node.properties.find("identity");
    const bool combines = !identity || identity->isNull(); // what was there before is part of the result
    if (isExtremum && combines && !r.reverser.isActive(in) && r.reverser.mustClear(out, r.body))
        return r.refuse("it compares numbers without a gradient with one that has one");
    if (r.reverser.isActive(in)) {
        if (!isExtremum)
            spreadSum(r, in, out, *kept);
        else if (!shareExtremum(r, in, out, *kept, combines))
            return false;
    }
    if (!combines)
        r.reverser.clear(out, r.body, r.out);
    return true;
}

bool reverseTransposition(Rule &r) {
    const std::vector<const Use *> inputs = r.uses(false), outputs = r.uses(true);
    if (inputs.size() != 1 || outputs.size() != 1 || !subsetOf(*inputs[0]) || !subsetOf(*outputs[0]))
        return r.refuse("it needs one input and one output");
    const Use &in = *inputs[0], &out = *outputs[0];
    const std::size_t rank = subsetOf(in)->rank();
    std::vector<int> to(rank);
    for (std::size_t d = 0; d < rank; ++d)
        to[d] = static_cast<int>(rank - 1 - d);
    if (const json::Value *axes = r.node.properties.find("axes"); axes && axes->isArray() && axes->items().size() == rank)
        for (std::size_t d = 0; d < rank; ++d) // dimension d of the result is dimension axes[d] of the operand
            to[static_cast<std::size_t>(std::stoll(axes->items()[d].text()))] = static_cast<int>(d);
    if (subsetOf(out)->rank() != rank)
        return r.refuse("its operands have other numbers of dimensions");
    std::vector<int> dims;
    for (const std::size_t d : subsetOf(in)->nonUnitDims())
        dims.push_back(to[d]);
    if (r.reverser.isActive(in))
        spreadSum(r, in, out, dims);
    r.reverser.clear(out, r.body, r.out);
    return true;
}

} // namespace sdfgc::transforms::gradient
