#include "Transforms/Normalise/TypeEnvironment.h"

#include "sdfgc/Analysis/Memory/Connectors.h"

namespace sdfgc::transforms {

using namespace ir;

TypeEnvironment::TypeEnvironment(const SDFG &g, const analysis::ScopeTree &scopes, const Node &n,
                                 const std::map<Name, Type> *structs)
    : sdfg_(g), structs_(structs) {
    // Innermost first: the first definition of a name wins.
    for (const Node *entry : scopes.enclosing(&n)) {
        if (const auto *map = dyn_cast<MapEntry>(entry))
            for (Name p : map->params)
                scoped_.emplace(p, ScalarKind::Int64);
        if (const auto *consume = dyn_cast<ConsumeEntry>(entry))
            for (Name n : {consume->peIndex, consume->countName()})
                scoped_.emplace(n, ScalarKind::Int64);
        for (const Connector &c : entry->inConnectors)
            if (isDynamicRange(c.name))
                scoped_.emplace(c.name, c.type.isFloat() ? Type(ScalarKind::Int64) : c.type); // rounded down
    }
}

std::optional<Type> TypeEnvironment::typeOf(Name n) const {
    if (auto it = scoped_.find(n); it != scoped_.end() && it->second)
        return it->second;
    if (const Type *t = sdfg_.symbols.find(n); t && *t)
        return *t;
    if (const Constant *c = sdfg_.constant(n))
        return analysis::containerType(c->desc);
    if (const DataDesc *d = sdfg_.desc(n))
        return analysis::containerType(*d);
    return std::nullopt;
}

Type TypeEnvironment::typeOf(sym::Expr e) const {
    if (e.isSymbol())
        return typeOf(e.name()).value_or(Type());
    Type floating;
    // Uses an explicit stack: expressions in hostile files are deep.
    std::vector<sym::Expr> open{e};
    bool condition =
        e.kind() == sym::SymbolicKind::Bool || (e.kind() >= sym::SymbolicKind::Eq && e.kind() <= sym::SymbolicKind::Not);
    if (condition)
        return ScalarKind::Bool;
    while (!open.empty()) {
        sym::Expr x = open.back();
        open.pop_back();
        if (x.kind() == sym::SymbolicKind::Float)
            floating = commonType(floating, ScalarKind::Float64);
        else if (x.kind() == sym::SymbolicKind::Complex)
            floating = commonType(floating, ScalarKind::Complex128);
        else if (x.isSymbol()) {
            if (auto t = typeOf(x.name()); t && (t->isFloat() || t->isComplex()))
                floating = commonType(floating, *t);
        } else
            open.insert(open.end(), x.operands().begin(), x.operands().end());
    }
    return floating ? floating : Type(ScalarKind::Int64);
}

py::Env TypeEnvironment::forCode(const Node &node) const {
    py::Env env;
    env.typeOf = [this, &node](Name n) -> std::optional<Type> {
        if (const Connector *c = node.inConnector(n))
            return c->type;
        if (const Connector *c = node.outConnector(n))
            return c->type;
        return typeOf(n);
    };
    env.isCallback = [this](Name n) {
        const Type *t = sdfg_.symbols.find(n);
        return t && t->isCallback();
    };
    env.structByName = [this](Name n) -> std::optional<Type> {
        if (!structs_)
            return std::nullopt;
        auto it = structs_->find(n);
        return it == structs_->end() ? std::nullopt : std::optional<Type>(it->second);
    };
    return env;
}

} // namespace sdfgc::transforms
