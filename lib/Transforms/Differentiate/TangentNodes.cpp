// Tangents of library nodes.
//
//     linear      C = A B         tangent_C = tangent_A B + A tangent_B    the node itself, once per operand with a tangent
//     maximum     y = max(x)      tangent_y = sum of tangent_x[i] / n over the n elements x[i] that equal y
//
// TangentFactorisations.cpp covers Cholesky, Solve and Inv.
#include "Transforms/Differentiate/Correspondence.h"
#include "Transforms/Differentiate/LibraryRules.h"
#include "Transforms/Differentiate/Others.h"
#include "Transforms/Differentiate/TangentRules.h"
#include "Transforms/Differentiate/Winners.h"

#include "sdfgc/Nest/Build.h"

#include <algorithm>

namespace sdfgc::transforms::gradient {

using namespace ir;
using nest::Item;
using nest::Use;
using nest::UseKind;

void TangentRule::refuse(const std::string &why) const {
    writer.fail({diag::Id::GradientOfNode, node.className() + ": " + why, "expand the node first: `expand-library-nodes`"}, node);
}

namespace {

/// A copy of the node with another label.
std::shared_ptr<LibraryNode> again(const LibraryNode &n) {
    std::shared_ptr<LibraryNode> out(cast<LibraryNode>(ir::clone(n).release()));
    out->label = n.label + "_tangent";
    return out;
}

/// Adds the elements of a container to those of a use.
Item addTo(const Use &sum, Name container, const TangentRule &r) {
    Maker &m = r.writer.maker();
    const sym::Subset all = m.sdfg().desc(container)->fullSubset();
    const Maker::Walk walk = m.walkOver(all);
    const Name in = m.connector("__in"), out = m.connector("__sum");
    Use to = nest::ofElement(sum, walk.elementOf(*subsetOf(sum)), out);
    to.kind = UseKind::Update;
    to.memlet.wcr = "lambda a, b: (a + b)";
    Item add = m.tasklet("add", out.str() + " = " + in.str(), {m.read(container, walk.elementOf(all), in), std::move(to)});
    return m.over(walk, "add_" + container.str(), std::move(add), r.site.inScope());
}

/// For a node that is linear in each operand: the sum of the node's results for the tangent of each operand and the values of the
/// others. `addend`: an operand that has been handled, so that the tangent of the result already has a value if it is active.
void sumOfTerms(const TangentRule &r, const Use *addend, bool begun) {
    const std::vector<const Use *> outputs = r.uses(true);
    if (outputs.size() != 1 || !subsetOf(*outputs[0]))
        return r.refuse("it needs one output");
    const Use &out = *outputs[0];
    std::vector<const Use *> inputs = r.uses(false);
    std::erase(inputs, addend);
    if (std::any_of(inputs.begin(), inputs.end(), [&](const Use *u) { return meet(*u, out, {}); }))
        return r.refuse("it overwrites its operand");
    bool first = !begun;
    for (const Use *active : inputs) {
        if (!r.writer.isActive(*active))
            continue;
        std::shared_ptr<LibraryNode> node = again(r.node);
        if (r.how().start)
            node->properties.set("identity", json::Value("0"));
        if (node->properties.find("beta"))
            node->properties.set("beta", json::Value("0"));
        if (addend)
            std::erase_if(node->inConnectors, [addend](const Connector &c) { return c.name == addend->connector; });
        std::vector<Use> uses;
        for (const Use *u : inputs)
            uses.push_back(u == active ? r.writer.tangent(*u, u->connector) : *u);
        const Use sum = r.writer.tangent(out, out.connector);
        const bool stores = first || out.kind == UseKind::Update;
        const Name term = stores ? Name() : r.writer.temporary("term", r.writer.desc(out), subsetOf(out)->sizes(), r.site);
        uses.push_back(stores ? sum : r.writer.maker().whole(UseKind::Write, term, out.connector));
        r.site.before.push_back(Maker::step(std::move(node), std::move(uses)));
        if (!stores)
            r.site.before.push_back(addTo(sum, term, r));
        first = false;
    }
}

} // namespace

void tangentOfLinear(const TangentRule &r) { sumOfTerms(r, nullptr, false); }

/// First, `beta` times the tangent of the addend.
void tangentOfProduct(const TangentRule &r) {
    const analysis::Combination how = r.how();
    const Use *addend = how.addend ? r.use(how.addend, false) : nullptr;
    if (how.isBeta(0))
        return sumOfTerms(r, addend, false);
    const std::vector<const Use *> outputs = r.uses(true);
    if (outputs.size() != 1 || !subsetOf(*outputs[0]))
        return r.refuse("it needs one output");
    const Use &out = *outputs[0], &from = addend ? *addend : out;
    if (!subsetOf(from) || !haveSameShape(*subsetOf(from), *subsetOf(out)) ||
        (from.memory == out.memory && !(from.data == out.data && subsetOf(from) == subsetOf(out))))
        return r.refuse("it adds an operand with a different shape, or one that its result overwrites");
    const bool begun = r.writer.isActive(from);
    if (begun) {
        Maker &m = r.writer.maker();
        const Maker::Walk walk = m.walkOver(*subsetOf(out));
        const Name in = m.connector("__in"), scaled = m.connector("__scaled");
        Use read = nest::ofElement(r.writer.tangent(from, in), walk.elementOf(*subsetOf(from)), in);
        read.kind = UseKind::Read;
        Use write = nest::ofElement(r.writer.tangent(out, scaled), walk.elementOf(*subsetOf(out)), scaled);
        write.kind = UseKind::Write;
        Item scale = m.tasklet("scale", scaled.str() + " = (" + how.beta + ") * " + in.str(), {std::move(read), std::move(write)});
        r.site.before.push_back(m.over(walk, "scale_tangent", std::move(scale), r.site.inScope()));
    }
    sumOfTerms(r, addend, begun);
}

namespace {

/// Maxima and minima. Each element of the result gets the mean of the tangents of the elements that it equals, or the tangent of
/// the first one.
class Extremum {
public:
    Extremum(const TangentRule &r, const Use &in, const Use &out, const std::vector<int> &kept)
        : r_(r), w_(r.writer), m_(w_.maker()), in_(in), out_(out), toResult_(correspond(m_, in, out, kept)),
          winners_(w_.ties(), toResult_.walk, w_.desc(in).dtype, w_.desc(out).dtype),
          count_(w_.temporary("winners", winners_.like(w_.desc(out)), subsetOf(out)->sizes(), r.site)),
          all_(m_.sdfg().desc(count_)->fullSubset()), toCount_(correspond(m_, in, m_.read(count_, all_), kept)) {}

    void add() {
        begin();
        count();
        addTangents();
    }

private:
    Use readOut() const {
        Use u = out_;
        u.kind = UseKind::Read;
        u.certain = false;
        return u;
    }
    void overOperand(Item item) { r_.site.after.push_back(m_.over(toResult_.walk, "winners", std::move(item), r_.site.inScope())); }

    void begin() {
        const Use t = w_.tangent(out_, {});
        r_.site.after.push_back(m_.fill(count_, all_, winners_.begin(), r_.site.inScope()));
        r_.site.after.push_back(m_.fill(t.data, *subsetOf(t), "0", r_.site.inScope()));
    }
    void count() {
        overOperand(m_.tasklet("count", "__n = " + winners_.entry(Name("__x"), Name("__y")),
                               {nest::ofElement(in_, toResult_.operand, Name("__x")),
                                nest::ofElement(readOut(), toResult_.result, Name("__y")),
                                m_.update(count_, toCount_.result, Name("__n"), winners_.wcr())}));
    }
    void addTangents() {
        overOperand(m_.tasklet(
            "add", "__s = " + winners_.part(Name("__t"), Name("__n"), Name("__x"), Name("__y")),
            {nest::ofElement(in_, toResult_.operand, Name("__x")), nest::ofElement(readOut(), toResult_.result, Name("__y")),
             m_.read(count_, toCount_.result, Name("__n")), nest::ofElement(w_.tangent(in_, {}), toResult_.operand, Name("__t")),
             m_.part(w_.tangent(out_, {}), UseKind::Update, toResult_.result, Name("__s"))}));
    }

    const TangentRule &r_;
    TangentWriter &w_;
    Maker &m_;
    const Use &in_, &out_;
    Correspondence toResult_;
    Winners winners_;
    Name count_;
    sym::Subset all_; // all of its elements
    Correspondence toCount_;
};

/// The sum over all factors of the factor's tangent times the product of the others.
void product(const TangentRule &r, const Use &in, const Use &out, const std::vector<int> &kept) {
    Maker &m = r.writer.maker();
    std::vector<Item> &before = r.site.before;
    const Name others = productsOfOthers(
        m, r.node, in, in, out, kept, r.site.inScope(),
        [&r](std::string_view name, const DataDesc &like, std::vector<sym::Expr> shape) {
            return r.writer.temporary(name, like, std::move(shape), r.site);
        },
        before);
    const Use t = r.writer.tangent(out, {});
    before.push_back(m.fill(t.data, *subsetOf(t), "0", r.site.inScope()));
    const Name o = m.connector("__o"), d = m.connector("__t"), to = m.connector("__sum");
    const Correspondence c = correspond(m, in, out, kept), ofOthers = correspond(m, m.whole(UseKind::Read, others), out, kept);
    Item add = m.tasklet("add", to.str() + " = " + d.str() + " * " + o.str(),
                         {m.read(others, ofOthers.operand, o), m.part(r.writer.tangent(in, {}), UseKind::Read, c.operand, d),
                          m.part(t, UseKind::Update, c.result, to)});
    before.push_back(m.over(c.walk, "add_" + out.data.str(), std::move(add), r.site.inScope()));
}

} // namespace

void tangentOfReduction(const TangentRule &r) {
    const SingleInput x(r);
    if (!x.why.empty())
        return r.refuse(x.why);
    const Use &in = *x.in, &out = *x.out;
    if (!r.writer.isActive(in))
        return x.how.keepsOld() ? void() : r.writer.clear(r.site); // what has no tangent is added
    if (x.kind == py::Reduction::Sum)
        return tangentOfLinear(r);
    if (!x.dims)
        return r.refuse("its axes do not match the shape of its result");
    if (meet(in, out, {}) || out.kind == UseKind::Update || r.writer.desc(out).isView())
        return r.refuse("it overwrites its operand, or updates its result");
    if (x.kind == py::Reduction::Product)
        return product(r, in, out, *x.dims);
    if (x.kind != py::Reduction::Max && x.kind != py::Reduction::Min)
        return r.refuse("its function is not a sum, product, maximum or minimum");
    Extremum(r, in, out, *x.dims).add();
}

void addTangentOfNode(TangentWriter &w, TangentSite &site, const LibraryNode &n) {
    const TangentRule r{{site.step, n}, w, site};
    const std::vector<const Use *> inputs = r.uses(false);
    const bool active = std::any_of(inputs.begin(), inputs.end(), [&](const Use *u) { return w.isActive(*u); });
    if (!active && !analysis::isReduction(n))
        return w.clear(site);
    for (const Use *u : r.uses(true))
        if (u->kind == UseKind::Update && w.isActive(*u) && !isSum(u->memlet.wcr))
            return r.refuse("its result is an update that is not a sum");
    if (const std::string why = obstacleOfMatrices(n, site.step); !why.empty())
        return r.refuse(why);
    if (const NodeRules rules = rulesOf(n); rules.tangent)
        rules.tangent(r);
    else
        r.refuse("there is no rule for it");
}

} // namespace sdfgc::transforms::gradient
