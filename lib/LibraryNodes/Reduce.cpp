// Reduce: combines the elements of some dimensions of its input (format reference 7.6).
//
//   identity given      out[o] = identity; then f over the reduced dimensions
//   identity absent     the result is combined with what the output holds
//   no axis left        a plain copy
//
// A reduction to one element is one map over all dimensions with conflict resolution: lowering makes an OpenMP reduction of it. A partial
// reduction is a parallel map over the remaining dimensions with a sequential map inside that accumulates in a register. When the
// innermost memory dimension remains and an outer one is reduced, the accumulation runs over rows instead, so that memory is read in order.
#include "Expansion.h"
#include "Expanders.h"

#include "sdfgc/Analysis/Symbols.h"

#include <algorithm>

namespace sdfgc::libnodes {

using namespace ir;

namespace {

struct Plan {
    Operand in, out;
    std::vector<std::size_t> kept, reduced; // dimensions of the squeezed input
    std::string wcr;
    std::optional<std::string> identity;
};

Name parameter(const char *prefix, std::size_t i) { return Name(prefix + std::to_string(i)); }

std::vector<std::pair<Name, sym::Expr>> params(const char *prefix, const Plan &p, const std::vector<std::size_t> &dims) {
    std::vector<std::pair<Name, sym::Expr>> out;
    for (std::size_t i = 0; i < dims.size(); ++i)
        out.emplace_back(parameter(prefix, i), p.in.shape[dims[i]]);
    return out;
}

std::vector<sym::Expr> inputIndex(const Plan &p) {
    std::vector<sym::Expr> index(p.in.rank());
    for (std::size_t i = 0; i < p.kept.size(); ++i)
        index[p.kept[i]] = sym::Expr::symbol(parameter("_o", i));
    for (std::size_t i = 0; i < p.reduced.size(); ++i)
        index[p.reduced[i]] = sym::Expr::symbol(parameter("_r", i));
    if (index.empty())
        index.emplace_back(0);
    return index;
}

std::vector<sym::Expr> outputIndex(const Plan &p) {
    std::vector<sym::Expr> index;
    for (std::size_t i = 0; i < p.kept.size(); ++i)
        index.push_back(sym::Expr::symbol(parameter("_o", i)));
    if (index.empty())
        index.emplace_back(0);
    return index;
}

void initialise(Expansion &x, const Plan &p) {
    if (p.identity)
        x.mapped(x.addState("init"), "init", params("_o", p, p.kept), {}, {{"__y", "_out", outputIndex(p), ""}}, "__y = " + *p.identity);
}

/// Full reduction, or one whose function has no register form: conflict resolution on the output.
void direct(Expansion &x, const Plan &p) {
    initialise(x, p);
    auto all = params("_o", p, p.kept);
    for (auto &r : params("_r", p, p.reduced))
        all.push_back(r);
    x.mapped(x.addState("reduce"), "reduce", all, {{"__x", "_in", inputIndex(p), ""}}, {{"__y", "_out", outputIndex(p), p.wcr}}, "__y = __x");
}

/// Rows: a sequential map over the reduced dimensions around a parallel map over the remaining ones.
void byRows(Expansion &x, const Plan &p) {
    initialise(x, p);
    auto order = params("_r", p, p.reduced);
    State &s = x.addState("reduce");
    auto outer = params("_o", p, p.kept);
    std::vector<std::pair<Name, sym::Expr>> all = order;
    all.insert(all.end(), outer.begin(), outer.end());
    x.mapped(s, "reduce", all, {{"__x", "_in", inputIndex(p), ""}}, {{"__y", "_out", outputIndex(p), p.wcr}}, "__y = __x", Schedule::Sequential);
}

/// outer map { acc = identity; inner map { acc = f(acc, in) }; out = acc }
void inRegister(Expansion &x, const Plan &p, const std::string &start, bool combine) {
    Expansion::Accumulation a;
    a.outer = {{params("_o", p, p.kept)}};
    a.inner = params("_r", p, p.reduced);
    a.inputs = {{"i", "_in", inputIndex(p), ""}};
    a.output = {"o", "_out", outputIndex(p), combine ? p.wcr : ""};
    a.wcr = p.wcr;
    a.start = start;
    a.code = "o = i";
    x.accumulated(x.addState("reduce"), "reduce", a);
}

/// Does the dimension that is contiguous in memory remain while others are reduced?
bool readsAcrossRows(const Plan &p) {
    auto contiguous = [&](std::size_t d) { return p.in.strides[d].isOne(); };
    return std::any_of(p.kept.begin(), p.kept.end(), contiguous) && std::none_of(p.reduced.begin(), p.reduced.end(), contiguous);
}

} // namespace

bool expandReduce(State &s, LibraryNode &n, pass::Context &c) {
    Expansion x(s, n, c);
    Plan p;
    for (Edge *e : n.inEdges())
        if (!e->memlet.isEmpty())
            p.in = x.input(e->dstConn);
    for (Edge *e : n.outEdges())
        if (!e->memlet.isEmpty())
            p.out = x.output(e->srcConn);
    if (!p.in || !p.out)
        return x.refuse("it needs one input and one output");
    p.wcr = x.text("wcr", "lambda a, b: a");
    if (const json::Value *v = n.properties.find("identity"); v && !v->isNull())
        p.identity = v->text();
    for (Name used : p.identity ? analysis::namesInCode({*p.identity, Language::Python}, *s.sdfg()) : std::set<Name>())
        if (!analysis::symbolType(*s.sdfg(), used))
            return x.refuse("its identity `" + *p.identity + "` reads `" + used.str() + "`, which is no symbol");
    auto axes = x.integers("axes");
    for (std::size_t i = 0; i < p.in.rank(); ++i) {
        int64_t dim = static_cast<int64_t>(p.in.dims[i]), rank = static_cast<int64_t>(p.in.subset.rank());
        bool reduced = !axes || std::any_of(axes->begin(), axes->end(), [&](int64_t a) { return a == dim || a + rank == dim; });
        (reduced ? p.reduced : p.kept).push_back(i);
    }
    if (p.kept.size() != p.out.rank())
        return x.refuse("its output has " + std::to_string(p.out.rank()) + " dimensions, its input keeps " + std::to_string(p.kept.size()));
    x.bind("_in", p.in);
    x.bind("_out", p.out);
    auto wcr = py::parseWcr(p.wcr);
    bool outerWcr = !p.out.edge->memlet.wcr.empty();
    auto neutral = wcr.value ? py::reductionIdentity(wcr.value->kind, p.out.type) : std::nullopt;
    if (p.reduced.empty()) {
        x.mapped(x.addState("copy"), "copy", params("_o", p, p.kept), {{"__x", "_in", inputIndex(p), ""}},
                 {{"__y", "_out", outputIndex(p), p.out.edge->memlet.wcr}}, "__y = __x");
        x.took("pure", "no dimension is left to reduce, a copy");
    } else if (p.kept.empty() || (!p.identity && !neutral) || outerWcr) {
        if (outerWcr)
            p.identity.reset();
        direct(x, p);
        x.took("pure", "one map with conflict resolution");
    } else if (readsAcrossRows(p) && wcr.value && wcr.value->kind != py::Reduction::Custom) {
        byRows(x, p);
        x.took("pure", "accumulates row by row, in the order of memory");
    } else {
        std::string start = p.identity ? *p.identity : py::print(**neutral);
        inRegister(x, p, start, !p.identity);
        x.took("pure", "accumulates in a register");
    }
    // Name of the node's own schedule for the outermost map (7.5).
    if (n.schedule != Schedule::Default)
        for (State *st : allStates(x.inner()))
            for (const auto &node : st->nodes())
                if (auto *m = dyn_cast<MapEntry>(node.get()); m && m->schedule == Schedule::Default)
                    m->schedule = n.schedule;
    x.finish("_in", "_out");
    return true;
}

} // namespace sdfgc::libnodes
