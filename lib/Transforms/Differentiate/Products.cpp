// Gradients of sums of products: MatMul, BatchedMatMul, Gemm, Gemv, Dot, Einsum, TensorDot.
//
//     C = alpha sum(A B)     ij,jk->ik       gradient_A += alpha sum(gradient_C B)     ik,jk->ij
//                                            gradient_B += alpha sum(gradient_C A)     ik,ij->jk
//
// All become Einsum nodes, which call the same libraries as the original nodes. Each dimension has the same letter in
// all operands; dimensions of size one have none (docs/user/library-nodes.md).
#include "Transforms/Differentiate/Rules.h"

#include "sdfgc/Nest/Build.h"

#include <algorithm>

namespace sdfgc::transforms::gradient {

using namespace ir;
using nest::Item;
using nest::Use;
using nest::UseKind;

namespace {

/// An operand and the letters of its dimensions, with 0 for dimensions of size one.
struct Operand {
    const Use *use = nullptr;
    std::vector<char> letters;
    std::string text() const {
        std::string out;
        for (const char c : letters)
            if (c)
                out += c;
        return out;
    }
};

struct Product {
    std::vector<Operand> factors;
    Operand result;
    std::string alpha = "1";
};

std::optional<Product> productOf(const Rule &r, const analysis::Indexed &x) {
    if (!x)
        return std::nullopt;
    const auto operand = [&](const analysis::IndexedOperand &o) {
        Operand out{r.use(o.connector, o.written), {}};
        for (const int label : o.labels)
            out.letters.push_back(x->isUnit(label) ? '\0' : x->labels[static_cast<std::size_t>(label)].letter);
        return out;
    };
    Product p;
    for (const analysis::IndexedOperand &f : x->factors)
        p.factors.push_back(operand(f));
    p.result = operand(x->result);
    p.alpha = x->how.alpha;
    return p;
}

bool hasRepeated(const std::string &letters) {
    return std::any_of(letters.begin(), letters.end(), [&](char c) { return std::count(letters.begin(), letters.end(), c) > 1; });
}

/// Does the gradient of a factor require no sum?
bool isByElement(const Product &p, std::size_t at) {
    const std::string target = p.factors[at].text();
    const auto within = [&](const Operand &o) { return o.text().find_first_not_of(target) == std::string::npos; };
    return within(p.result) && std::all_of(p.factors.begin(), p.factors.end(), within);
}

/// If so, adds it with a map, which can be fused with others.
///
///     s = sum(x y)   ->   map i { gradient_x[i] += gradient_s * y[i] }
bool addByElement(Rule &r, const Product &p, std::size_t at) {
    Maker &m = r.maker();
    const std::string target = p.factors[at].text();
    const Use sum = r.reverser.gradient(*p.factors[at].use, UseKind::Update, {}, r.body);
    const Maker::Walk walk = m.walkOver(*sum.subset);
    std::vector<Use> uses;
    std::string code = m.connector("__out").str() + " = " + (p.alpha == "1" ? "" : "(" + p.alpha + ") * ");
    const auto multiply = [&](const Use &u, const Operand &o) {
        std::vector<sym::Expr> positions;
        for (const char c : o.text())
            positions.push_back(walk.positions[target.find(c)]);
        code += (uses.empty() ? "" : " * ") + u.connector.str();
        uses.push_back(m.part(u, UseKind::Read, nest::elementOf(*subsetOf(u), positions), u.connector));
    };
    multiply(r.reverser.gradient(*p.result.use, UseKind::Read, m.connector("__g"), r.body), p.result);
    for (std::size_t k = 0; k < p.factors.size(); ++k) {
        if (k == at)
            continue;
        const std::optional<Use> v = r.reverser.value(*p.factors[k].use, m.connector("__in" + std::to_string(k)), r.body);
        if (!v)
            return false;
        multiply(*v, p.factors[k]);
    }
    uses.push_back(m.part(sum, UseKind::Update, walk.elementOf(*sum.subset), m.connector("__out")));
    const std::string label = "gradient_of_" + r.node.label;
    r.out.push_back(m.over(walk, label, m.tasklet(label, code, std::move(uses)), r.body.inScope()));
    return true;
}

/// Adds to the gradient of one factor the contribution of the result's gradient and the other factors.
bool reverseFactor(Rule &r, const Product &p, std::size_t at) {
    const std::string target = p.factors[at].text();
    if (!hasRepeated(target) && isByElement(p, at))
        return addByElement(r, p, at);
    auto node = std::make_shared<LibraryNode>();
    node->classPath = "dace.libraries.blas.nodes.einsum.Einsum";
    node->name = node->label = "gradient_of_" + r.node.label;
    node->schedule = r.node.schedule;
    node->debugInfo = r.node.debugInfo;
    std::string notation = p.result.text();
    std::vector<Use> uses{r.reverser.gradient(*p.result.use, UseKind::Read, Name("_a"), r.body)};
    for (std::size_t k = 0; k < p.factors.size(); ++k)
        if (k != at) {
            const Name connector("_" + std::string(1, static_cast<char>('b' + k)));
            const std::optional<Use> v = r.reverser.value(*p.factors[k].use, connector, r.body);
            if (!v)
                return false;
            uses.push_back(*v);
            notation += "," + p.factors[k].text();
        }
    if (hasRepeated(target) ||
        std::any_of(target.begin(), target.end(), [&](char c) { return notation.find(c) == std::string::npos; }))
        return r.refuse("an operand has a dimension that no other tensor has, or the same dimension twice");
    node->properties.set("einsum_str", json::Value(notation + "->" + target));
    node->properties.set("alpha", json::Value(p.alpha));
    node->properties.set("beta", json::Value("1"));
    for (const Use &u : uses)
        node->addIn(u.connector, Type::pointer(r.reverser.desc(u).dtype));
    Use out = r.reverser.gradient(*p.factors[at].use, UseKind::Write, Name("_out"), r.body);
    out.certain = false; // it is added to
    node->addOut(out.connector, Type::pointer(r.reverser.desc(out).dtype));
    uses.push_back(std::move(out));
    r.out.push_back(Maker::step(std::move(node), std::move(uses)));
    return true;
}

/// `to = factor * gradient`, or an update with it, element by element.
void scale(Rule &r, const Use &result, Use to, const std::string &factor) {
    Maker &m = r.maker();
    const Name in = m.connector("__g"), out = m.connector("__scaled");
    const Use from = r.reverser.gradient(result, UseKind::Read, in, r.body);
    const Maker::Walk walk = m.walkOver(*from.subset);
    Use target = m.part(to, to.kind, walk.elementOf(*to.subset), out);
    Item item = m.tasklet("scale", out.str() + " = " + (factor == "1" ? "" : "(" + factor + ") * ") + in.str(),
                          {m.part(from, UseKind::Read, walk.elementOf(*from.subset), in), std::move(target)});
    r.out.push_back(m.over(walk, "scale_gradient", std::move(item), r.body.inScope()));
}

} // namespace

/// Passes the rest of the result's gradient to the addend, or keeps it if the node adds to the result's old value.
bool reverseAddend(Rule &r, const Use *addend, const Use &result) {
    const analysis::Combination how = r.how();
    const bool isOne = how.isBeta(1);
    if (how.isBeta(0)) {
        r.reverser.clear(result, r.body, r.out);
        return true;
    }
    if (!addend || (addend->memory == result.memory && addend->data == result.data && subsetOf(*addend) == subsetOf(result))) {
        if (!isOne && r.reverser.mustClear(result, r.body))
            scale(r, result, r.reverser.gradient(result, UseKind::Write, {}, r.body), how.beta);
        return true;
    }
    if (r.reverser.isActive(*addend)) {
        if (addend->memory == result.memory || !haveSameShape(*subsetOf(*addend), *subsetOf(result)))
            return r.refuse("it adds an operand with a different shape, or one that its result overwrites");
        scale(r, result, r.reverser.gradient(*addend, UseKind::Update, {}, r.body), isOne ? "1" : how.beta);
    }
    r.reverser.clear(result, r.body, r.out);
    return true;
}

bool reverseProduct(Rule &r) {
    const analysis::Indexed x = analysis::indexingOf(r.node, nest::operandsOf(r.step.uses));
    const std::optional<Product> p = productOf(r, x);
    if (!p)
        return r.refuse("the shapes of its operands do not match");
    if (!x->others.empty())
        return r.refuse("it has an additional operand");
    for (std::size_t k = 0; k < p->factors.size(); ++k)
        if (r.reverser.isActive(*p->factors[k].use) && !reverseFactor(r, *p, k))
            return false;
    return reverseAddend(r, x->addend ? r.use(x->addend->connector, false) : nullptr, *p->result.use);
}

} // namespace sdfgc::transforms::gradient
