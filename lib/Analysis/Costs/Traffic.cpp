#include "sdfgc/Analysis/Costs/Traffic.h"

#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/Tasklet/Ast.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace sdfgc::analysis {
namespace {

using namespace ir;
using Count = std::optional<sym::Expr>;

/// Adds the bytes of a memlet. False if they are unknown.
bool addBytes(const Edge &e, std::set<std::tuple<Name, std::string>> &seen, sym::Expr &sum) {
    const Memlet &m = e.memlet;
    if (m.isEmpty())
        return true;
    const DataDesc *d = e.src->state()->sdfg()->desc(m.data);
    const auto bytes = d && !d->isStream() && !d->isStructure() ? d->dtype.bytes() : std::nullopt;
    if (!bytes || !m.subset)
        return false;
    if (!seen.emplace(m.data, m.subset->str()).second)
        return true;
    const sym::Expr elements = m.subset->numElements();
    if (elements.isUndefined())
        return false;
    sum = sum + elements * *bytes;
    return true;
}

/// Operations of an expression; nothing for what has no fixed number of them.
std::optional<int64_t> operationsOf(const py::Expr &e) {
    if (e.kind == py::ExprKind::IfExp || e.kind == py::ExprKind::BoolOp || e.kind == py::ExprKind::Lambda)
        return std::nullopt;
    const bool counts = e.kind == py::ExprKind::Binary || e.kind == py::ExprKind::Call;
    int64_t sum = counts ? 1 : 0;
    for (std::size_t i = e.kind == py::ExprKind::Subscript || e.kind == py::ExprKind::Call ? 1 : 0; i < e.args.size(); ++i) {
        if (e.kind == py::ExprKind::Subscript || !e.args[i])
            continue; // indices are integers
        const std::optional<int64_t> part = operationsOf(*e.args[i]);
        if (!part)
            return std::nullopt;
        sum += *part;
    }
    return sum;
}

/// Does the tasklet compute floating-point numbers alone?
bool isFloat(const Tasklet &t) {
    return std::all_of(t.outConnectors.begin(), t.outConnectors.end(), [](const Connector &c) {
        const Type type = c.type.isPointer() || c.type.isVector() ? c.type.element() : c.type;
        return type.isFloat();
    });
}

Count operationsOf(const Tasklet &t) {
    if (!t.code.isPython() || !isFloat(t))
        return std::nullopt;
    const Code::Block *parsed = t.code.block();
    if (!parsed)
        return std::nullopt;
    int64_t sum = 0;
    for (const py::StmtRef &s : *parsed) {
        const bool isUpdate = s->kind == py::StmtKind::AugAssign;
        if ((s->kind != py::StmtKind::Assign && !isUpdate) || !s->value)
            return std::nullopt;
        const std::optional<int64_t> part = operationsOf(*s->value);
        if (!part)
            return std::nullopt;
        sum += *part + (isUpdate ? 1 : 0);
    }
    for (const Edge *e : t.outEdges()) // a conflict resolution is an operation, too
        sum += e->memlet.wcr.empty() ? 0 : 1;
    return sym::Expr(sum);
}

Count operationsIn(const MapEntry &m, const ScopeTree &scopes, std::set<Name> &parameters) {
    sym::Expr iterations = 1;
    for (const sym::Range &r : m.ranges) {
        const sym::Expr steps = r.steps();
        if (std::any_of(parameters.begin(), parameters.end(), [&](Name p) { return steps.dependsOn(p); }))
            return std::nullopt;
        iterations = iterations * steps;
    }
    parameters.insert(m.params.begin(), m.params.end());
    sym::Expr sum = 0;
    for (const Node *n : scopes.children(&m)) {
        if (isa<AccessNode>(n) || n->isExit())
            continue;
        Count part;
        if (const auto *inner = dyn_cast<MapEntry>(n))
            part = operationsIn(*inner, scopes, parameters);
        else if (const auto *t = dyn_cast<Tasklet>(n))
            part = operationsOf(*t);
        if (!part)
            return std::nullopt;
        sum = sum + *part;
    }
    return iterations * sum;
}

} // namespace

std::optional<sym::Expr> bytesMoved(const Node &n) {
    std::set<std::tuple<Name, std::string>> reads, writes;
    sym::Expr sum = 0;
    const auto isKnown = [&](const std::vector<Edge *> &edges, auto &seen) {
        return std::all_of(edges.begin(), edges.end(), [&](const Edge *e) { return addBytes(*e, seen, sum); });
    };
    if (!isKnown(n.inEdges(), reads) || !isKnown(exitOf(&n)->outEdges(), writes))
        return std::nullopt;
    const std::vector<Name> &symbols = sum.freeSymbols();
    const SDFG &g = *n.state()->sdfg();
    if (sum.isZero() || std::any_of(symbols.begin(), symbols.end(), [&](Name s) { return g.arrays.contains(s); }))
        return std::nullopt;
    return sum;
}

std::optional<sym::Expr> floatOperations(const MapEntry &m, const ScopeTree &scopes) {
    if (hasDynamicRange(m))
        return std::nullopt;
    std::set<Name> parameters;
    Count all = operationsIn(m, scopes, parameters);
    return all && !all->isZero() ? all : std::nullopt;
}

} // namespace sdfgc::analysis
