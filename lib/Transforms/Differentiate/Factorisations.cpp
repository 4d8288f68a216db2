// Gradients of Cholesky, Solve and Inv nodes. Bars are gradients.
//
//     A = L L^T      S = L^-T F(L^T Lbar) L^-1, where F keeps the lower triangle, with half of the diagonal
//                    Abar[i, j] += S[i, j] + S[j, i] below the diagonal, S[i, i] on it: only this triangle of A is read
//     A X = B        G = A^-T Xbar,  Bbar += G,  Abar -= G X^T
//     X = A^-1       Abar -= X^T Xbar X^T
#include "Transforms/Differentiate/Rules.h"

#include "Transforms/Optimize/NestParts.h"

namespace sdfgc::transforms::gradient {

using namespace ir;
using nest::Item;
using nest::Use;
using nest::UseKind;

namespace {

/// Adds operations on matrices to a rule's items.
class Matrices {
public:
    explicit Matrices(Rule &r) : r_(r), m_(r.maker()) {}

    /// A matrix with the type of an operand.
    Name make(std::string_view name, const Use &like, std::vector<sym::Expr> shape) {
        return r_.reverser.temporary(name, r_.reverser.desc(like), std::move(shape), r_.body);
    }
    /// As many rows as the operand has in its first dimension of more than one element, and so on.
    static std::vector<sym::Expr> shapeOf(const Use &u) {
        std::vector<sym::Expr> out;
        for (const std::size_t d : subsetOf(u)->nonUnitDims())
            out.push_back(subsetOf(u)->dims[d].steps());
        return out;
    }
    Use whole(Name matrix) { return m_.whole(UseKind::Read, matrix); }

    /// One tasklet for each element of a matrix: `code` sets `out` from the elements of the operands, or adds to it.
    struct Operand {
        const char *connector;
        Use use;
        bool transposed = false;
    };
    void each(const std::string &label, const std::vector<sym::Expr> &shape, std::string code, const std::vector<Operand> &operands,
              const Use &out, bool adds) {
        std::vector<Name> params;
        std::vector<sym::Range> ranges;
        std::vector<sym::Expr> at;
        for (std::size_t k = 0; k < shape.size(); ++k) {
            params.push_back(m_.connector("__g" + std::to_string(k)));
            ranges.push_back({0, shape[k] - 1, 1, 1});
            at.push_back(sym::Expr::symbol(params.back()));
        }
        std::vector<sym::Expr> turned(at.rbegin(), at.rend());
        std::vector<Use> uses;
        for (const Operand &o : operands)
            uses.push_back(m_.read(o.use.data, elementOf(*subsetOf(o.use), o.transposed ? turned : at), Name(o.connector)));
        const sym::Subset element = elementOf(*subsetOf(out), at);
        uses.push_back(adds ? m_.sum(out.data, element, Name("out")) : m_.write(out.data, element, Name("out")));
        for (std::size_t k = 0; k < params.size(); ++k)
            replace(code, k == 0 ? "ROW" : "COLUMN", params[k].str());
        std::vector<Item> body;
        body.push_back(m_.tasklet(label, code, std::move(uses)));
        r_.out.push_back(m_.map(label, params, ranges, std::move(body), r_.body.inScope()));
    }
    Name transposed(const Use &u) {
        const std::vector<sym::Expr> shape = shapeOf(u);
        const Name out = make(u.data.str() + "_transposed", u, {shape.rbegin(), shape.rend()});
        each("transpose", {shape.rbegin(), shape.rend()}, "out = a", {{"a", u, true}}, whole(out), false);
        return out;
    }
    /// Solves with a matrix.
    Name solve(Name matrix, const Use &right) {
        const Name out = make("solved", right, shapeOf(right));
        auto node = library("dace.libraries.linalg.nodes.solve.Solve", "solve");
        add(std::move(node), {{"_ain", whole(matrix)}, {"_bin", right}}, "_bout", m_.whole(UseKind::Write, out));
        return out;
    }
    /// out (+)= alpha times the product that the letters say.
    void product(const std::string &letters, const Use &a, const Use &b, Use out, const char *alpha, bool adds) {
        auto node = library("dace.libraries.blas.nodes.einsum.Einsum", "product");
        node->properties.set("einsum_str", json::Value(letters));
        node->properties.set("alpha", json::Value(alpha));
        node->properties.set("beta", json::Value(adds ? "1" : "0"));
        out.kind = UseKind::Write;
        out.memlet.wcr.clear();
        out.certain = false;
        add(std::move(node), {{"_a", a}, {"_b", b}}, "_out", std::move(out));
    }

private:
    static void replace(std::string &code, const std::string &word, const std::string &by) {
        for (std::size_t at = 0; (at = code.find(word, at)) != std::string::npos; at += by.size())
            code.replace(at, word.size(), by);
    }
    std::shared_ptr<LibraryNode> library(const std::string &classPath, const std::string &label) const {
        auto node = std::make_shared<LibraryNode>();
        node->classPath = classPath;
        node->name = node->label = label + "_for_" + r_.node.label;
        node->schedule = r_.node.schedule;
        node->debugInfo = r_.node.debugInfo;
        return node;
    }
    void add(std::shared_ptr<LibraryNode> node, std::vector<std::pair<const char *, Use>> inputs, const char *result, Use out) {
        std::vector<Use> uses;
        for (auto &[connector, u] : inputs) {
            u.connector = Name(connector);
            node->addIn(u.connector, Type::pointer(r_.reverser.desc(u).dtype));
            uses.push_back(std::move(u));
        }
        out.connector = Name(result);
        node->addOut(out.connector, Type::pointer(r_.reverser.desc(out).dtype));
        uses.push_back(std::move(out));
        r_.out.push_back(Maker::step(std::move(node), std::move(uses)));
    }

    Rule &r_;
    Maker &m_;
};

} // namespace

bool reverseCholesky(Rule &r) {
    const Use *a = r.use(Name("_a"), false), *l = r.use(Name("_b"), true);
    if (!a || !l || r.text("lower", "True") == "False" || r.text("lower", "true") == "false")
        return r.refuse("only that of the lower triangle has one");
    if (!r.reverser.isActive(*a)) {
        r.reverser.clear(*l, r.body, r.out);
        return true;
    }
    const std::optional<Use> v = r.reverser.resultValue(*l, {}, r.body);
    if (!v)
        return false;
    Matrices m(r);
    const std::vector<sym::Expr> shape = Matrices::shapeOf(*l);
    const Name p = m.make("weights", *l, shape), half = m.make("halved", *l, shape);
    const Use gradient = r.reverser.gradient(*l, UseKind::Read, {}, r.body);
    const Name lower = m.make("lower", *l, shape);
    m.each("lower", shape, "out = g if ROW >= COLUMN else 0", {{"g", gradient}}, m.whole(lower), false);
    m.product("ki,kj->ij", *v, m.whole(lower), m.whole(p), "1", false);
    m.each("halve", shape, "out = g if ROW > COLUMN else (g / 2 if ROW == COLUMN else 0)", {{"g", m.whole(p)}}, m.whole(half),
           false);
    const Name lt = m.transposed(*v);
    const Name x = m.solve(lt, m.whole(half)), st = m.solve(lt, m.whole(m.transposed(m.whole(x))));
    r.reverser.clear(*l, r.body, r.out);
    m.each("add", shape, "out = g + h if ROW > COLUMN else (g if ROW == COLUMN else 0)",
           {{"g", m.whole(st)}, {"h", m.whole(st), true}}, r.reverser.gradient(*a, UseKind::Update, {}, r.body), true);
    return true;
}

bool reverseSolution(Rule &r) {
    const Use *a = r.use(Name("_ain"), false), *b = r.use(Name("_bin"), false), *x = r.use(Name("_bout"), true);
    const std::optional<Use> va = a ? r.reverser.value(*a, {}, r.body) : std::nullopt;
    const std::optional<Use> vx = x ? r.reverser.resultValue(*x, {}, r.body) : std::nullopt;
    if (!a || !b || !x)
        return r.refuse("an operand is missing");
    if (!va || !vx)
        return false;
    Matrices m(r);
    const Name g = m.solve(m.transposed(*va), r.reverser.gradient(*x, UseKind::Read, {}, r.body));
    r.reverser.clear(*x, r.body, r.out);
    const bool vector = Matrices::shapeOf(*x).size() < 2;
    if (r.reverser.isActive(*a))
        m.product(vector ? "i,j->ij" : "ik,jk->ij", m.whole(g), *vx, r.reverser.gradient(*a, UseKind::Update, {}, r.body), "-1",
                  true);
    if (r.reverser.isActive(*b))
        m.each("add", Matrices::shapeOf(*x), "out = g", {{"g", m.whole(g)}}, r.reverser.gradient(*b, UseKind::Update, {}, r.body),
               true);
    return true;
}

bool reverseInversion(Rule &r) {
    const Use *a = r.use(Name("_ain"), false), *x = r.use(Name("_aout"), true);
    if (!a || !x)
        return r.refuse("it overwrites its operand");
    const std::optional<Use> v = r.reverser.resultValue(*x, {}, r.body);
    if (!v)
        return false;
    Matrices m(r);
    const Name p = m.make("weights", *x, Matrices::shapeOf(*x));
    m.product("ki,kj->ij", *v, r.reverser.gradient(*x, UseKind::Read, {}, r.body), m.whole(p), "1", false);
    r.reverser.clear(*x, r.body, r.out);
    if (r.reverser.isActive(*a))
        m.product("ik,jk->ij", m.whole(p), *v, r.reverser.gradient(*a, UseKind::Update, {}, r.body), "-1", true);
    return true;
}

} // namespace sdfgc::transforms::gradient
