#include "Transforms/Differentiate/Matrices.h"

#include "Transforms/Differentiate/Values.h"

#include "sdfgc/Nest/Build.h"

namespace sdfgc::transforms::gradient {

using namespace ir;
using nest::Item;
using nest::Use;
using nest::UseKind;

std::vector<sym::Expr> Matrices::shapeOf(const Use &u) {
    std::vector<sym::Expr> out;
    for (const std::size_t d : subsetOf(u)->nonUnitDims())
        out.push_back(subsetOf(u)->dims[d].steps());
    return out;
}

namespace {

void replace(std::string &code, const std::string &word, const std::string &by) {
    for (std::size_t at = 0; (at = code.find(word, at)) != std::string::npos; at += by.size())
        code.replace(at, word.size(), by);
}

} // namespace

void Matrices::each(const std::string &label, const std::vector<sym::Expr> &shape, std::string code,
                    const std::vector<Operand> &operands, const Use &out, bool adds) {
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
    const auto placeOf = [&](const Operand &o) {
        const sym::Subset all = *subsetOf(o.use);
        return o.at == At::All ? all
                               : nest::elementOf(all, o.at == At::Row          ? std::vector{at[0]}
                                                      : o.at == At::Transposed ? turned
                                                                               : at);
    };
    for (const Operand &o : operands)
        uses.push_back(m_.part(o.use, UseKind::Read, placeOf(o), Name(o.connector)));
    const sym::Subset element = nest::elementOf(*subsetOf(out), at);
    uses.push_back(m_.part(out, adds ? UseKind::Update : UseKind::Write, element, Name("out")));
    for (std::size_t k = 0; k < params.size(); ++k)
        replace(code, k == 0 ? "ROW" : "COLUMN", params[k].str());
    std::vector<Item> body;
    body.push_back(m_.tasklet(label, code, std::move(uses)));
    out_.push_back(m_.map(label, params, ranges, std::move(body), inScope_));
}

Name Matrices::transposed(const Use &u) {
    const std::vector<sym::Expr> shape = shapeOf(u);
    const Name out = make(u.data.str() + "_transposed", u, {shape.rbegin(), shape.rend()});
    each("transpose", {shape.rbegin(), shape.rend()}, "out = a", {{"a", u, At::Transposed}}, whole(out), false);
    return out;
}

Name Matrices::copy(const Use &u) {
    const Name out = make(u.data.str() + "_copy", u, shapeOf(u));
    each("copy", shapeOf(u), "out = a", {{"a", u}}, whole(out), false);
    return out;
}

Use Matrices::block(const Use &u, sym::Expr row, sym::Expr rows, sym::Expr column, sym::Expr columns) const {
    sym::Subset s = *subsetOf(u);
    const std::vector<std::size_t> dims = s.nonUnitDims();
    const auto narrow = [](sym::Range &r, sym::Expr begin, sym::Expr size) {
        r.end = r.begin + (begin + size - 1) * r.step;
        r.begin = r.begin + begin * r.step;
    };
    narrow(s.dims[dims[0]], row, rows);
    narrow(s.dims[dims[1]], column, columns);
    return m_.part(u, UseKind::Read, std::move(s));
}

Name Matrices::solve(const Use &matrix, const Use &right) {
    const Name out = make("solved", right, shapeOf(right));
    add(library("dace.libraries.linalg.nodes.solve.Solve", "solve"), {{"_ain", matrix}, {"_bin", right}}, "_bout",
        m_.whole(UseKind::Write, out));
    return out;
}

Name Matrices::solve(const Use &matrix, const Use &right, const Triangle &t) {
    const Name out = make("solved", right, shapeOf(right));
    auto node = library("dace.libraries.blas.nodes.trsm.Trsm", "solve");
    const auto flag = [&](const char *property, bool value) { node->properties.set(property, json::Value(value)); };
    flag("lower", t.lower);
    flag("transA", t.transposed);
    flag("unit", t.unit);
    flag("left", t.left);
    add(std::move(node), {{"_a", matrix}, {"_b", right}}, "_c", m_.whole(UseKind::Write, out));
    return out;
}

// Each row is tracked through the exchanges, in their order or in reverse.
Name Matrices::places(const Use &pivots, sym::Expr rows, bool inverse) {
    const Name out = make("places", pivots, {rows});
    const std::string n = rows.str();
    each("places", {rows},
         "__at = ROW\nfor __q in range(" + n + "):\n    __k = " + (inverse ? "__q" : n + " - 1 - __q") +
             "\n    __other = pivots[__k] - 1\n    __at = __other if __at == __k else (__k if __at == __other else __at)\nout = "
             "__at",
         {{"pivots", pivots, At::All}}, whole(out), false);
    return out;
}

void Matrices::permute(Name matrix, Name places, const Use &out, bool adds) {
    const std::vector<sym::Expr> shape = shapeOf(out);
    each("permute", shape, shape.size() < 2 ? "out = a[place]" : "out = a[place, COLUMN]",
         {{"a", whole(matrix), At::All}, {"place", whole(places), At::Row}}, out, adds);
}

void Matrices::product(const std::string &letters, const Use &a, const Use &b, Use out, const char *alpha, bool adds) {
    auto node = library("dace.libraries.blas.nodes.einsum.Einsum", "product");
    node->properties.set("einsum_str", json::Value(letters));
    node->properties.set("alpha", json::Value(alpha));
    node->properties.set("beta", json::Value(adds ? "1" : "0"));
    out.kind = UseKind::Write;
    out.memlet.wcr.clear();
    out.certain = false;
    add(std::move(node), {{"_a", a}, {"_b", b}}, "_out", std::move(out));
}

std::shared_ptr<LibraryNode> Matrices::library(const std::string &classPath, const std::string &label) const {
    auto node = std::make_shared<LibraryNode>();
    node->classPath = classPath;
    node->name = node->label = label + "_for_" + node_.label;
    node->schedule = node_.schedule;
    node->debugInfo = node_.debugInfo;
    return node;
}

void Matrices::add(std::shared_ptr<LibraryNode> node, std::vector<std::pair<const char *, Use>> inputs, const char *result,
                   Use out) {
    std::vector<Use> uses;
    for (auto &[connector, u] : inputs) {
        u.connector = Name(connector);
        node->addIn(u.connector, Type::pointer(desc(u).dtype));
        uses.push_back(std::move(u));
    }
    out.connector = Name(result);
    node->addOut(out.connector, Type::pointer(desc(out).dtype));
    uses.push_back(std::move(out));
    out_.push_back(Maker::step(std::move(node), std::move(uses)));
}

} // namespace sdfgc::transforms::gradient
