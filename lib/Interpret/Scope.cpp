// The meaning of names at a point of a graph.
#include "Plan.h"

#include "sdfgc/Tasklet/Types.h"

namespace sdfgc::interpret {

Operand Scope::read(Builder &b, Name name) {
    if (const auto p = parameters.find(name); p != parameters.end())
        return p->second;
    if (outer_)
        return outer_->read(b, name);
    if (const auto s = graph.symbols.find(name); s != graph.symbols.end())
        return s->second;
    if (name.view().find('.') != std::string_view::npos || graph.container(name)) { // a scalar, or a single element
        py::Expr subscript;
        subscript.kind = py::ExprKind::Subscript;
        subscript.args.push_back(py::name(name));
        return element(b, subscript);
    }
    return {};
}

namespace {

/// `A.b.c` as one name; nothing for other expressions.
std::optional<std::string> dotted(const py::Expr &e) {
    if (e.kind == py::ExprKind::Name)
        return e.name.str();
    if (e.kind == py::ExprKind::Subscript && e.args.size() == 2 && e.args[1]->kind == py::ExprKind::Int && e.args[1]->text == "0")
        return dotted(*e.args[0]); // of the Fortran front end: `s[0].x`
    if (e.kind != py::ExprKind::Attribute)
        return std::nullopt;
    const auto base = dotted(*e.args[0]);
    return base ? std::optional(*base + "." + e.name.str()) : std::nullopt;
}

} // namespace

Operand Scope::element(Builder &b, const py::Expr &e) {
    const auto path = dotted(e.kind == py::ExprKind::Subscript ? *e.args[0] : e);
    Container *c = path ? graph.container(Name(*path)) : nullptr;
    if (!c)
        return {};
    if (c->desc->isContainerArray())
        return b.refuse("elements of the container array `" + *path + "` as values");
    const std::vector<py::ExprRef> indices = indicesOf(e);
    if (!indices.empty() && indices.size() != c->desc->rank())
        return b.refuse("a subscript of `" + *path + "` with " + std::to_string(indices.size()) + " indices for " +
                        std::to_string(c->desc->isScalar() ? 0 : c->desc->rank()) + " dimensions");
    Access *x = b.machine.access(*c, b.site());
    for (std::size_t d = 0; d < indices.size(); ++d)
        x->index[d] = b.integer(*indices[d]);
    return b.load(x, c->type);
}

bool Scope::knows(Name name) const {
    if (parameters.count(name))
        return true;
    return outer_ ? outer_->knows(name) : graph.symbols.count(name) || graph.container(name);
}

Operand Scope::address(Builder &b, Name name) {
    Container *c = parameters.count(name) ? nullptr : graph.container(name);
    return c ? b.addressOf(b.machine.access(*c, nullptr), c->type) : Operand();
}

std::optional<Type> Scope::typeOf(Name name) const {
    if (const auto p = parameters.find(name); p != parameters.end())
        return p->second.type;
    if (outer_)
        return outer_->typeOf(name);
    if (const auto s = graph.symbols.find(name); s != graph.symbols.end())
        return s->second.type;
    const Container *c = graph.container(name);
    return c ? std::optional(c->type) : std::nullopt;
}

py::Env Scope::env() const {
    py::Env env;
    env.typeOf = [this](Name n) { return typeOf(n); };
    env.structByName = [this](Name n) { return structure(n); };
    return env;
}

py::ExprRef Scope::parse(Builder &b, const ir::Code &code) const {
    if (const py::ExprRef parsed = code.expression())
        return py::resolveModules(parsed, env());
    b.refuse("code that is not Python: `" + code.text() + "`");
    return nullptr;
}

std::optional<Type> Scope::structure(Name name) const {
    const auto within = [&](Type t) { return t.isStruct() && t.name() == name; };
    for (const Graph *g = &graph; g; g = g->outer)
        for (const auto &[container, d] : g->sdfg.arrays) {
            const Type t = d.dtype.isPointer() ? d.dtype.element() : d.dtype;
            if (within(t))
                return t;
        }
    return std::nullopt;
}

} // namespace sdfgc::interpret
