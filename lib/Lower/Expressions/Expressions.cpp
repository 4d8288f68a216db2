// Python text of the graph, in terms of variables and references.
#include "Expressions.h"

#include "Lower/Memory/Elements.h"
#include "Lower/Memory/Places.h"
#include "SymbolicToPython.h"
#include "Symbols.h"

#include <algorithm>

namespace sdfgc::tree::lowering {

using py::ExprKind;
using py::ExprRef;

namespace {

/// Replaces names of symbols, containers and constants with their values.
ExprRef bindNames(Instance &in, const ExprRef &e, const diag::Location &where, py::Semantics meaning);

/// A bare name: the value of a symbol or of a container with one element, otherwise the address of the container.
ExprRef bindName(Instance &in, const py::Expr &e) {
    if (auto it = in.symbols.find(e.name); it != in.symbols.end())
        return pythonOf(in, it->second);
    if (in.g->arrays.contains(e.name) && !in.g->constant(e.name)) {
        MemoryPlace p = containerPlace(in, e.name);
        if (!p.valid())
            return std::make_shared<py::Expr>(e);
        bool single = p.desc && (p.desc->isScalar() || p.desc->numElements().isOne());
        if (single)
            return read(in, p, p.offset);
        return memRef(addressAt(in, p, p.offset), Type::pointer(p.type));
    }
    auto copy = std::make_shared<py::Expr>(e);
    if (const ir::Constant *c = in.g->constant(e.name))
        copy->type = c->desc.isScalar() ? c->desc.dtype : Type::pointer(c->desc.dtype);
    return copy;
}

/// `A.b.c` as one name, if it is a chain of attributes on a name.
std::optional<std::string> dotted(const py::Expr &e) {
    if (e.kind == ExprKind::Name)
        return e.name.str();
    // Files of the Fortran front end write `s[0].x` for a member of a structure.
    bool firstElement =
        e.kind == ExprKind::Subscript && e.args.size() == 2 && e.args[1]->kind == ExprKind::Int && e.args[1]->text == "0";
    if (firstElement)
        return dotted(*e.args[0]);
    if (e.kind != ExprKind::Attribute)
        return std::nullopt;
    auto base = dotted(*e.args[0]);
    return base ? std::optional(*base + "." + e.name.str()) : std::nullopt;
}

/// The indices of a subscript, bound; a tuple is split into its elements.
std::vector<ExprRef> boundIndices(Instance &in, const py::Expr &e, const diag::Location &where, py::Semantics meaning) {
    std::vector<ExprRef> indices;
    for (std::size_t i = 1; i < e.args.size(); ++i) {
        ExprRef index = bindNames(in, e.args[i], where, meaning);
        if (index && index->kind == ExprKind::Tuple)
            indices.insert(indices.end(), index->args.begin(), index->args.end());
        else
            indices.push_back(index);
    }
    return indices;
}

/// In a comparison with None, a container means its address.
ExprRef bindNames(Instance &in, const ExprRef &e, const diag::Location &where, py::Semantics meaning) {
    if (!e)
        return e;
    if (e->kind == ExprKind::Name)
        return bindName(in, *e);
    if (e->kind == ExprKind::Subscript || e->kind == ExprKind::Attribute)
        if (ExprRef bound = boundSubscript(in, *e, where, meaning))
            return bound;
    auto copy = std::make_shared<py::Expr>(*e);
    bool againstNone = e->kind == ExprKind::Compare &&
                       std::any_of(e->args.begin(), e->args.end(), [](const ExprRef &a) { return a->kind == ExprKind::None; });
    for (std::size_t i = 0; i < copy->args.size(); ++i) {
        // The callee of a call is a function name, not data.
        if (e->kind == ExprKind::Call && i == 0 && copy->args[0]->kind == ExprKind::Name && !in.symbols.count(copy->args[0]->name))
            continue;
        copy->args[i] = bindNames(in, copy->args[i], where, meaning);
        if (againstNone && copy->args[i] && copy->args[i]->kind == ExprKind::MemRef && copy->args[i]->args.empty()) {
            MemRef address = in.function().refs[refOf(*copy->args[i])];
            address.address = true;
            copy->args[i] = memRef(in.function().refs.add(address), Type::pointer(copy->args[i]->type));
        }
    }
    for (py::Keyword &k : copy->keywords)
        k.value = bindNames(in, k.value, where, meaning);
    return copy;
}

} // namespace

// ---------------------------------------------------------------------------------------------------- names

ExprRef boundSubscript(Instance &in, const py::Expr &e, const diag::Location &where, py::Semantics meaning) {
    const py::Expr &base = e.kind == ExprKind::Subscript ? *e.args[0] : e;
    auto path = dotted(base);
    if (!path)
        return nullptr;
    Name data(*path);
    const ir::DataDesc *d = in.g->desc(data);
    const ir::Constant *constant = in.g->constant(data);
    if (!d && !constant)
        return nullptr;
    MemoryPlace p = containerPlace(in, data);
    if (!p.valid())
        return nullptr;
    if (e.kind == ExprKind::Attribute)
        return d && (d->isScalar() || d->numElements().isOne()) && !d->isArray()
                   ? read(in, p, p.offset)
                   : memRef(addressAt(in, p, p.offset), Type::pointer(p.type));
    const auto isFixed = [](const py::Expr &) { return true; };
    auto element = std::make_shared<py::Expr>(*elementOf(in, data, boundIndices(in, e, where, meaning), isFixed, where, meaning));
    for (ExprRef &index : element->args)
        index = py::lowerOperators(index, meaning, nonNegativeOracle(in));
    return element;
}

ExprRef elementOf(Instance &in, Name data, const std::vector<ExprRef> &indices,
                  const std::function<bool(const py::Expr &)> &isFixed, const diag::Location &where, py::Semantics meaning) {
    const MemoryPlace p = containerPlace(in, data);
    if (indices.size() != p.strides.size()) {
        in.error(diag::Id::SubscriptRank, where, data.str(), indices.size(), p.strides.size());
        return py::intLit(0);
    }
    sym::Expr start = p.offset;
    for (std::size_t d = 0; d < p.offsets.size(); ++d)
        start += p.offsets[d] * p.strides[d];
    Counted from;
    for (std::size_t d = 0; d < indices.size(); ++d) {
        from.subset.dims.push_back({0, 0, 1, 1});
        from.dimensions.push_back(d);
    }
    return elementOf(in, p, start, indices, p.strides, isFixed, meaning, from);
}

ExprRef elementOf(Instance &in, const MemoryPlace &p, sym::Expr start, const std::vector<ExprRef> &indices,
                  const std::vector<sym::Expr> &strides, const std::function<bool(const py::Expr &)> &isFixed,
                  py::Semantics meaning, const Counted &from) {
    const py::Env env = environment(in);
    MemRef ref;
    ref.var = p.var;
    ref.offset = start;
    std::vector<ExprRef> counted;
    Counted rest{from.subset, {}};
    bool isKnown = from.dimensions.size() == indices.size();
    for (std::size_t d = 0; d < indices.size(); ++d) {
        const ExprRef index = py::inferTypes(indices[d], env, meaning);
        if (const auto s = isFixed(*index) ? symbolicOf(*index) : std::nullopt) {
            ref.offset += *s * strides[d];
            if (isKnown) {
                sym::Range &r = rest.subset.dims[from.dimensions[d]];
                r.begin += *s * r.step;
            }
        } else {
            counted.push_back(index);
            isKnown = isKnown && from.subset.dims[from.dimensions[d]].step.isOne();
            if (isKnown)
                rest.dimensions.push_back(from.dimensions[d]);
            ref.strides.push_back(printable(in, strides[d]));
        }
    }
    ref.offset = printable(in, ref.offset);
    const RefId slot = in.function().refs.add(ref);
    if (isKnown) {
        for (sym::Range &r : rest.subset.dims)
            r.end = r.begin;
        recordElement(in, slot, p, rest.subset, rest.dimensions);
    }
    auto element = std::make_shared<py::Expr>(*memRef(slot, p.type));
    element->args = std::move(counted);
    return element;
}

py::Semantics semantics(const Instance &in) { return in.options().hasDaceMeaning() ? py::Semantics::Dace : py::Semantics::Python; }

py::Semantics symbolicSemantics(const Instance &in) {
    return in.options().hasDaceMeaning() ? py::Semantics::Dace : py::Semantics::Symbolic;
}

py::Env environment(const Instance &in) {
    py::Env env;
    env.typeOf = [&in](Name n) -> std::optional<Type> {
        if (auto it = in.fn->facts.find(n); it != in.fn->facts.end() && it->second.type)
            return it->second.type;
        if (const ir::Constant *c = in.g->constant(n))
            return c->desc.dtype;
        return std::nullopt;
    };
    env.isCallback = [&in](Name n) {
        for (const ir::SDFG *g = in.g; g; g = g->parentSDFG())
            if (const Type *t = g->symbols.find(n))
                return t->isCallback();
        return false;
    };
    env.structByName = [&in](Name n) -> std::optional<Type> {
        for (Type t : in.module().structs)
            if (t.name() == n)
                return t;
        return std::nullopt;
    };
    return env;
}

// ---------------------------------------------------------------------------------------------------- whole expressions

ExprRef expression(Instance &in, const ir::Code &code, const diag::Location &where) {
    const ExprRef e = code.expression();
    return e ? expression(in, e, where, symbolicSemantics(in)) : py::raw(code.text());
}

ExprRef expression(Instance &in, const ExprRef &parsed, const diag::Location &where, py::Semantics meaning) {
    const py::Env env = environment(in);
    const ExprRef bound = bindNames(in, py::resolveModules(parsed, env), where, meaning);
    if (!bound)
        return nullptr;
    const ExprRef typed = py::inferTypes(bound, env, meaning);
    for (const py::TypeError &error : py::unsupported(*typed))
        in.error(diag::Id::BadCode, where, error.message);
    return py::lowerOperators(typed, meaning, nonNegativeOracle(in));
}

ExprRef lowered(Instance &in, const ExprRef &e) {
    const py::Semantics meaning = symbolicSemantics(in);
    return py::lowerOperators(py::inferTypes(e, environment(in), meaning), meaning);
}

ExprRef mappedValue(Instance &in, sym::Expr e, const diag::Location &where) {
    return lowered(in, bindNames(in, pythonOf(in, sym::exact(e)), where, symbolicSemantics(in)));
}

namespace {

/// The lambda with parameter names that are valid in C++.
ExprRef withCppParameters(const ExprRef &lambda) {
    auto copy = std::make_shared<py::Expr>(*lambda);
    std::map<Name, ExprRef> renamed;
    for (Name &p : copy->params) {
        Name fresh = p;
        while (!isFunctionName(fresh.view()) || (fresh != p && std::count(copy->params.begin(), copy->params.end(), fresh) > 0))
            fresh = Name(fresh.str() + "_");
        renamed[p] = py::name(fresh);
        p = fresh;
    }
    copy->args[0] = py::substitute(copy->args[0], renamed);
    return copy;
}

} // namespace

ExprRef resolution(Instance &in, const ExprRef &lambda, Type element) {
    if (!lambda)
        return lambda;
    const py::Env env = environment(in);
    const ExprRef readable = py::resolveModules(withCppParameters(lambda), env);
    const ExprRef typed = py::inferLambda(readable, {element, element}, env, semantics(in));
    return py::lowerOperators(typed, semantics(in));
}

} // namespace sdfgc::tree::lowering
