// Python code of a tasklet, in terms of memory references.
#include "TaskletBinding.h"

#include "Lower/Expressions/Expressions.h"
#include "Lower/Expressions/SymbolicToPython.h"
#include "Lower/Expressions/Symbols.h"
#include "Lower/Memory/Elements.h"
#include "Lower/Memory/Places.h"
#include "TaskletNames.h"

#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/Analysis/Verify.h"

namespace sdfgc::tree::lowering {

using py::ExprKind;
using py::ExprRef;
using py::StmtRef;

TaskletBinding::TaskletBinding(Instance &in, const ir::Tasklet &t, const TaskletConnections &connections,
                               const std::map<Name, VarId> &olds)
    : in_(in), t_(t), connections_(connections), olds_(olds), isCallback_(environment(in).isCallback) {}

std::vector<StmtRef> TaskletBinding::bind(const std::vector<StmtRef> &code) {
    auto isSymbol = [&](Name n) { // not one that the outer SDFG passed in
        const auto symbol = in_.symbols.find(n);
        return symbol != in_.symbols.end() && symbol->second.isSymbol() && analysis::changedSymbols(t_).count(n);
    };
    const py::BlockNames names = py::blockNames(code);
    for (Name n : names.written)
        if (!connections_.output(n) && !connections_.input(n) && !(names.read.count(n) && isSymbol(n)))
            locals_[n] = in_.fn->names.declare(n);
    return py::replace(code, [this](const ExprRef &e) { return bound(e); });
}

ExprRef TaskletBinding::bound(const ExprRef &e) {
    switch (e->kind) {
    case ExprKind::Name:
        return bindBareName(e);
    case ExprKind::Subscript:
        return bindSubscript(e);
    case ExprKind::Call:
        return e->args[0]->kind == ExprKind::Name && isCallback_(e->args[0]->name) ? bindCallback(e) : nullptr;
    default:
        return nullptr;
    }
}

ExprRef TaskletBinding::bindAll(const ExprRef &e) {
    return py::replace(e, [this](const ExprRef &x) { return bound(x); });
}

const Connection *TaskletBinding::connectionOf(RefId slot) const {
    const auto it = slots_.find(slot);
    return it != slots_.end() ? it->second : nullptr;
}

// ---------------------------------------------------------------------------------------------------- subscripts

namespace {

/// The dimensions that this number of subscripts counts: all, or those that are not squeezed; none if tiles follow them.
std::vector<std::size_t> countedDimensions(const Connection &c, std::size_t rank) {
    std::vector<std::size_t> all, squeezed;
    for (std::size_t d = 0; d < c.subset.rank(); ++d) {
        all.push_back(d);
        if (!c.subset.dims[d].steps().isOne())
            squeezed.push_back(d);
    }
    return squeezed.size() == rank ? squeezed : all.size() == rank ? all : std::vector<std::size_t>();
}

/// Strides for a subscript of this rank: of the squeezed dimensions, of all dimensions, or of those followed by tiles.
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
    for (ExprRef &a : call->args) {
        const Connection *c = &a != &call->args.front() ? pointerConnection(*a) : nullptr;
        a = c && c->pointer && c->single ? memRef(addressAt(in_, c->place, c->start), Type::pointer(c->place.type)) : bindAll(a);
    }
    for (py::Keyword &k : call->keywords)
        k.value = bindAll(k.value);
    return call;
}

ExprRef TaskletBinding::bindSubscript(const ExprRef &e) {
    const py::Expr &base = *e->args[0];
    const Connection *c = pointerConnection(base);
    const bool constant = !c && base.kind == ExprKind::Name && in_.g->constant(base.name) && !locals_.count(base.name) &&
                          containerPlace(in_, base.name).valid();
    if (!constant && (!c || !c->place.var))
        return nullptr;
    std::vector<ExprRef> indices;
    for (std::size_t i = 1; i < e->args.size(); ++i)
        indices.push_back(bindAll(e->args[i]));
    if (indices.size() == 1 && indices[0]->kind == ExprKind::Tuple)
        indices = std::vector<ExprRef>(indices[0]->args);
    if (constant)
        return elementOf(
            in_, base.name, indices, [this](const py::Expr &index) { return isFixed(index); }, analysis::placeOf(t_),
            semantics(in_));
    const std::optional<std::vector<sym::Expr>> strides = stridesFor(*c, indices.size());
    if (!strides) {
        in_.error(diag::Id::SubscriptRank, analysis::placeOf(t_), c->conn.str(), indices.size(), c->strides.size());
        return py::intLit(0);
    }
    return element(*c, indices, *strides);
}

ExprRef TaskletBinding::element(const Connection &c, const std::vector<ExprRef> &indices, const std::vector<sym::Expr> &strides) {
    ExprRef out;
    if (in_.function().vars[c.place.var].kind == VarKind::Value) { // there is one element, whatever the index
        out = read(in_, c.place, 0);
    } else {
        out = elementOf(in_, c.place, c.start, indices, strides, [this](const py::Expr &index) { return isFixed(index); },
                        semantics(in_), {c.subset, countedDimensions(c, indices.size())});
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

ExprRef TaskletBinding::bindBareName(const ExprRef &e) {
    if (auto it = locals_.find(e->name); it != locals_.end())
        return py::name(it->second, e->type);
    if (auto it = olds_.find(e->name); it != olds_.end())
        return py::name(in_.varName(it->second), in_.function().vars[it->second].type);
    if (const Connection *c = connections_.output(e->name))
        return bindConnector(*c, e);
    if (const Connection *c = connections_.input(e->name))
        return bindConnector(*c, e);
    if (auto it = in_.symbols.find(e->name); it != in_.symbols.end())
        return pythonOf(in_, it->second);
    return e;
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
