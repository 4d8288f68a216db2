#include "Transforms/Edits/NamedElement.h"

#include "sdfgc/Analysis/Memory/Access.h"
#include "sdfgc/IR/StateGraph.h"
#include "sdfgc/Nest/Nest.h"

namespace sdfgc::transforms {

using namespace ir;

std::optional<NamedElement> namedElement(const py::Expr &e, const Block &at) {
    if (e.kind != py::ExprKind::Subscript || e.args[0]->kind != py::ExprKind::Name)
        return std::nullopt;
    NamedElement out{e.args[0]->name, {}, &at};
    const DataDesc *d = at.sdfg()->desc(out.container);
    if (!d || !analysis::isPlain(d) || !d->dtype.isInteger() || e.args.size() != d->rank() + 1)
        return std::nullopt;
    for (std::size_t k = 1; k < e.args.size(); ++k) {
        const auto index = sym::parse(py::print(*e.args[k])).expr;
        if (!index)
            return std::nullopt;
        out.index.push_back(*index);
    }
    return out;
}

std::map<Name, NamedElement> namedElements(const SDFG &g) {
    std::map<Name, NamedElement> out;
    std::map<Name, std::pair<const InterstateEdge *, std::string>> once;
    std::set<Name> seen;
    for (const InterstateEdge *e : allInterstateEdges(g))
        for (const auto &[symbol, value] : e->assignments) {
            if (seen.insert(symbol).second)
                once[symbol] = {e, value};
            else
                once.erase(symbol);
        }
    for (const auto &[symbol, from] : once)
        if (const auto value = py::parseExpr(from.second); value.value)
            if (const auto element = namedElement(**value.value, *from.first->dst))
                out.emplace(symbol, *element);
    return out;
}

std::vector<sym::Expr> elementsRead(const std::string &text, Name array, const SDFG &g) {
    std::vector<sym::Expr> out;
    const sym::ParseResult parsed = sym::parse(text, nullptr, [&g](Name n) { return g.desc(n) != nullptr; });
    if (parsed.expr)
        sym::rewrite(*parsed.expr, [&](sym::Expr e) {
            if (e.kind() == sym::SymbolicKind::Subscript && e.name() == array)
                out.push_back(e);
            return e;
        });
    return out;
}

} // namespace sdfgc::transforms
