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

} // namespace

bool reverseReduction(Rule &r) {
    const SingleInput x(r);
    if (!x.why.empty())
        return r.refuse(x.why);
    if (!x.dims)
        return r.refuse("its axes do not match the shape of its result");
    bool done = true;
    if (r.reverser.isActive(*x.in))
        switch (x.kind) {
        case py::Reduction::Sum:
            spreadSum(r, *x.in, *x.out, *x.dims, "1");
            break;
        case py::Reduction::Product:
            done = spreadProduct(r, *x.in, *x.out, *x.dims);
            break;
        case py::Reduction::Max:
        case py::Reduction::Min:
            done = shareExtremum(r, *x.in, *x.out, *x.dims);
            break;
        default:
            return r.refuse("its function is not a sum, product, maximum or minimum");
        }
    if (!x.how.keepsOld())
        r.reverser.clear(*x.out, r.body, r.out);
    return done;
}

bool reverseTransposition(Rule &r) {
    const SingleInput x(r);
    if (!x.why.empty())
        return r.refuse(x.why);
    if (!x.dims)
        return r.refuse("its operands have the wrong number of dimensions");
    if (r.reverser.isActive(*x.in))
        spreadSum(r, *x.in, *x.out, *x.dims, x.how.alpha);
    return reverseAddend(r, nullptr, *x.out);
}

} // namespace sdfgc::transforms::gradient
