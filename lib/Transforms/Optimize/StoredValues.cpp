#include "Transforms/Optimize/StoredValues.h"

#include "sdfgc/Analysis/Memory/Access.h"
#include "sdfgc/IR/StateGraph.h"
#include "sdfgc/Tasklet/Ast.h"

#include <algorithm>
#include <map>

namespace sdfgc::transforms {

using namespace ir;

namespace {

bool isSignedWhole(Type t) { return t.isBool() || (t.isInteger() && !t.isUnsigned()); }

/// The element at an edge between an access node and a tasklet; null if it is not an integer that both take for the same.
py::ExprRef storedElement(const Edge &e, const AccessNode &a, Type connector) {
    const DataDesc *d = a.state()->sdfg()->desc(a.data);
    if (!d || !analysis::isPlain(d) || !analysis::isOnHost(d) || e.memlet.data != a.data || e.memlet.dynamic ||
        !e.memlet.wcr.empty() || e.memlet.otherSubset || !isSignedWhole(d->dtype) || (!connector.isVoid() && connector != d->dtype))
        return nullptr;
    if (d->isScalar())
        return py::name(a.data);
    if (!d->isArray() || !e.memlet.subset || !e.memlet.subset->isOneElement() || e.memlet.subset->rank() != d->rank())
        return nullptr;
    return py::parseExpr(a.data.str() + "[" + e.memlet.subset->str() + "]").value.value_or(nullptr);
}

Type connectorType(const std::vector<Connector> &connectors, Name name) {
    for (const Connector &c : connectors)
        if (c.name == name)
            return c.type;
    return {};
}

/// Is it a name or a number, or a comparison of these, which mean the same anywhere? `names` receives the names.
bool isComparison(const py::Expr &e, std::set<Name> &names) {
    if (e.kind == py::ExprKind::Name)
        names.insert(e.name);
    if (e.kind == py::ExprKind::Name || e.kind == py::ExprKind::Int || e.kind == py::ExprKind::Bool)
        return true;
    if (e.kind != py::ExprKind::Compare && !(e.kind == py::ExprKind::Unary && e.op == py::Op::Not))
        return false;
    return std::all_of(e.args.begin(), e.args.end(), [&names](const py::ExprRef &a) { return a && isComparison(*a, names); });
}

} // namespace

std::optional<std::string> storedValue(const AccessNode &to, const std::function<bool(Name)> &stays) {
    if (to.inEdges().size() != 1)
        return std::nullopt;
    const Edge &out = *to.inEdges().front();
    const auto *t = dyn_cast<Tasklet>(out.src);
    if (!t || !t->code.isPython() || t->outEdges().size() != 1 || t->sideEffects.value_or(false) ||
        !storedElement(out, to, connectorType(t->outConnectors, out.srcConn)))
        return std::nullopt;
    const Code::Block *block = t->code.block();
    if (!block || block->size() != 1)
        return std::nullopt;
    const py::Stmt &s = *block->front();
    std::set<Name> names;
    if (s.kind != py::StmtKind::Assign || s.targets.size() != 1 || s.targets[0]->kind != py::ExprKind::Name ||
        s.targets[0]->name != out.srcConn || !s.value || !isComparison(*s.value, names))
        return std::nullopt;
    const SDFG &g = *to.state()->sdfg();
    std::map<Name, py::ExprRef> elements;
    for (const Edge *e : t->inEdges()) {
        const auto *from = dyn_cast<AccessNode>(e->src);
        const py::ExprRef element = from && from->inEdges().empty() && stays(from->data)
                                        ? storedElement(*e, *from, connectorType(t->inConnectors, e->dstConn))
                                        : nullptr;
        if (!element)
            return std::nullopt;
        elements.emplace(e->dstConn, element);
    }
    for (const Name n : names) { // the others are symbols
        const Type *symbol = g.symbols.find(n);
        if (!elements.count(n) && (!symbol || !isSignedWhole(*symbol)))
            return std::nullopt;
    }
    return py::print(*py::substitute(s.value, elements));
}

} // namespace sdfgc::transforms
