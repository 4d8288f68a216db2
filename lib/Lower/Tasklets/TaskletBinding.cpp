// Python code of a tasklet in terms of memory references.
#include "TaskletBinding.h"

#include "Lower/Expressions/Expressions.h"
#include "Lower/Expressions/SymbolicToPython.h"
#include "Lower/Expressions/Symbols.h"
#include "Lower/Memory/Elements.h"
#include "TaskletNames.h"

#include "sdfgc/Analysis/Symbols.h"
#include "sdfgc/Analysis/Verify.h"

namespace sdfgc::tree::lowering {

using py::ExprKind;
using py::ExprRef;
using py::StmtRef;

std::vector<StmtRef> TaskletBinding::bind(const std::vector<StmtRef> &code) {
    auto isSymbol = [&](Name n) { // not one that the outer SDFG handed in
        const auto symbol = in_.symbols.find(n);
        return symbol != in_.symbols.end() && symbol->second.isSymbol() && analysis::changedSymbols(t_).count(n);
    };
    const py::BlockNames names = py::blockNames(code);
    for (Name n : names.written)
        if (!connections_.output(n) && !connections_.input(n) && !(names.read.count(n) && isSymbol(n)))
            locals_[n] = in_.fn->names.declare(n);
    const auto isCallback = environment(in_).isCallback;
    auto subscripts = py::rewrite(code, [&](const ExprRef &e) {
        const bool callback = e->kind == ExprKind::Call && e->args[0]->kind == ExprKind::Name && isCallback(e->args[0]->name);
        return callback ? bindCallback(e) : bindSubscript(e);
    });
    return py::rewrite(subscripts, [this](const ExprRef &e) { return bindBareName(e); });
}

const Connection *TaskletBinding::connectionOf(RefId slot) const {
    const auto it = slots_.find(slot);
    return it != slots_.end() ? it->second : nullptr;
}

// ---------------------------------------------------------------------------------------------------- subscripts

namespace {

/// Strides of as many dimensions as a subscript counts: the squeezed ones, all, or those with tiles after them.
std::optional<std::vector<sym::Expr>> stridesFor(const Connection &c, std::size_t rank) {
    for (const auto *list : {&c.strides, &c.allStrides}) {
        if (list->size() == rank)
            return *list;
        std::vector<sym::Expr> tiled = *list;
        tiled.insert(tiled.end(), c.tileStrides.begin(), c.tileStrides.end());
        if (tiled.size() == rank)
            return tiled;
    }
    return rank == 1 && c.strides.empty() ? std::optional(std::vector<sym::Expr>{1}) : std::nullopt;
}

} // namespace

const Connection *TaskletBinding::pointerConnection(const py::Expr &base) const {
    if (base.kind != ExprKind::Name)
        return nullptr;
    for (auto *list : {&connections_.inputs, &connections_.outputs})
        for (const Connection &c : *list)
            if (c.conn == base.name && !c.local && !c.stream && (c.pointer || !c.type.isVector()))
                return &c;
    return nullptr;
}

ExprRef TaskletBinding::bindCallback(const ExprRef &e) {
    if (in_.fn->device.inside)
        in_.error(diag::Id::KernelVariable, analysis::placeOf(t_), t_.label, e->args[0]->name.str());
    auto call = std::make_shared<py::Expr>(*e);
    for (ExprRef &a : call->args)
        if (const Connection *c = pointerConnection(*a); c && c->pointer && c->single && &a != &call->args.front())
            a = memRef(addressAt(in_, c->place, c->start), Type::pointer(c->place.type));
    return call;
}

ExprRef TaskletBinding::bindSubscript(const ExprRef &e) {
    if (e->kind != ExprKind::Subscript)
        return e->kind == ExprKind::Name ? bindSymbol(e) : e;
    const Connection *c = pointerConnection(*e->args[0]);
    if (!c && e->args[0]->kind == ExprKind::Name && in_.g->constant(e->args[0]->name) && !locals_.count(e->args[0]->name))
        if (ExprRef element = boundSubscript(in_, *e, analysis::placeOf(t_), semantics(in_)))
            return element;
    if (!c || !c->place.var)
        return e;
    std::vector<ExprRef> indices(e->args.begin() + 1, e->args.end());
    if (indices.size() == 1 && indices[0]->kind == ExprKind::Tuple)
        indices = std::vector<ExprRef>(indices[0]->args);
    const std::optional<std::vector<sym::Expr>> strides = stridesFor(*c, indices.size());
    if (!strides) {
        in_.error(diag::Id::SubscriptRank, analysis::placeOf(t_), c->conn.str(), indices.size(), c->strides.size());
        return py::intLit(0);
    }
    return element(*c, indices, *strides);
}

ExprRef TaskletBinding::element(const Connection &c, const std::vector<ExprRef> &indices, const std::vector<sym::Expr> &strides) {
    ExprRef out;
    if (in_.function().vars[c.place.var].kind == VarKind::Value) { // whatever the index, there is one
        out = read(in_, c.place, 0);
    } else {
        std::vector<ExprRef> bound;
        for (const ExprRef &index : indices)
            bound.push_back(py::rewrite(index, [this](const ExprRef &x) { return bindBareName(x); }));
        out = elementOf(
            in_, c.place, c.start, bound, strides, [this](const py::Expr &index) { return isFixed(index); }, semantics(in_));
    }
    slots_[refOf(*out)] = &c;
    return out;
}

bool TaskletBinding::isFixed(const py::Expr &e) const {
    for (const auto &[original, renamed] : locals_)
        if (countMentions(e, renamed) || countMentions(e, original))
            return false;
    return true;
}

// ---------------------------------------------------------------------------------------------------- bare names

ExprRef TaskletBinding::bindSymbol(const ExprRef &e) {
    if (connections_.input(e->name) || connections_.output(e->name) || locals_.count(e->name))
        return e;
    if (auto it = in_.symbols.find(e->name); it != in_.symbols.end())
        return pythonOf(in_, it->second);
    return e;
}

ExprRef TaskletBinding::bindBareName(const ExprRef &e) {
    if (e->kind != ExprKind::Name)
        return e;
    if (auto it = locals_.find(e->name); it != locals_.end())
        return py::name(it->second, e->type);
    if (auto it = olds_.find(e->name); it != olds_.end())
        return py::name(in_.varName(it->second), in_.function().vars[it->second].type);
    if (const Connection *c = connections_.output(e->name))
        return bindConnector(*c, e);
    if (const Connection *c = connections_.input(e->name))
        return bindConnector(*c, e);
    return bindSymbol(e);
}

ExprRef TaskletBinding::bindConnector(const Connection &c, const ExprRef &e) {
    if (c.local)
        return py::name(in_.varName(c.local), c.type);
    if (c.setsReference)
        return e;
    if (c.pointer && !c.single) {
        RefId slot = addressAt(in_, c.place, c.start);
        return memRef(slot, Type::pointer(c.place.type));
    }
    ExprRef read = readOf(in_, c);
    const py::Expr *ref = read.get();
    while (ref->kind == ExprKind::Cast)
        ref = ref->args[0].get();
    slots_[refOf(*ref)] = &c;
    return read;
}

// ---------------------------------------------------------------------------------------------------- types

std::vector<StmtRef> TaskletBinding::typed(const std::vector<StmtRef> &code, py::Env env) {
    auto isNonLocal = [](Name) { return false; };
    auto outer = env.typeOf;
    env.typeOf = [this, outer](Name n) -> std::optional<Type> {
        for (const auto &[original, renamed] : locals_)
            if (renamed == n)
                return std::nullopt;
        return outer(n);
    };
    py::TypedBlock t = py::inferTypes(code, env, isNonLocal, semantics(in_));
    for (const py::TypeError &e : t.errors)
        in_.error(diag::Id::BadCode, analysis::placeOf(t_), e.message);
    for (const auto &[original, renamed] : locals_)
        if (auto it = t.locals.find(renamed); it != t.locals.end())
            localTypes_[renamed] = it->second;
    return py::lowerOperators(t.block, semantics(in_), nonNegativeOracle(in_));
}

} // namespace sdfgc::tree::lowering
