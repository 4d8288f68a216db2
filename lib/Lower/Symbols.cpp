// Symbols of the graph in terms of variables of the generated function.
#include "Symbols.h"

#include "SymbolicToPython.h"

#include "sdfgc/Analysis/Symbols.h"

namespace sdfgc::tree::lowering {

Type symbolVariableType(Type declared) {
    if (declared.isVoid())
        return ScalarKind::Int64;
    if (declared.isInteger() && declared.scalar() != ScalarKind::UInt64)
        return ScalarKind::Int64;
    return declared;
}

namespace {

/// Symbolic strings may name scalars and members of structures, which live in variables too.
sym::Expr readContainers(const Instance &in, sym::Expr e) {
    std::map<Name, sym::Expr> replacements;
    for (Name n : e.freeSymbols()) {
        auto it = in.places.find(n);
        if (it == in.places.end() || in.symbols.count(n))
            continue;
        const Variable &v = in.function().vars[it->second.var];
        bool indexed = v.kind == VarKind::Pointer || v.kind == VarKind::Buffer || v.kind == VarKind::Stack;
        if (v.kind == VarKind::Member || v.kind == VarKind::StateField)
            continue;
        replacements[n] = indexed ? sym::subscript(v.name, {it->second.offset}) : sym::Expr::symbol(v.name);
    }
    return sym::substitute(e, replacements);
}

} // namespace

sym::Expr inVariables(const Instance &in, sym::Expr e) {
    if (e.isInteger())
        return e;
    e = sym::exact(e);
    for (Name n : e.freeSymbols())
        if (!in.symbols.count(n) && in.places.count(n))
            return readContainers(in, sym::substitute(e, in.symbols));
    return sym::substitute(e, in.symbols);
}

sym::Range inVariables(const Instance &in, const sym::Range &r) {
    return {inVariables(in, r.begin), inVariables(in, r.end), inVariables(in, r.step), inVariables(in, r.tile)};
}

sym::Subset inVariables(const Instance &in, const sym::Subset &s) {
    sym::Subset out = s;
    for (sym::Range &r : out.dims)
        r = inVariables(in, r);
    return out;
}

sym::Expr printable(const Instance &in, sym::Expr e) {
    in.program().usesUndefinedSize |= e.isUndefined();
    if (e.isInteger() || e.isSymbol())
        return e;
    const sym::Assumptions &facts = in.fn->facts;
    return sym::rewrite(e, [&](sym::Expr x) {
        if (x.kind() != sym::Kind::FloorDiv && x.kind() != sym::Kind::Mod)
            return x;
        sym::Expr a = x.operands()[0], b = x.operands()[1];
        if (sym::isNonNegative(a, facts) != sym::Truth::True || sym::isPositive(b, facts) != sym::Truth::True)
            return x;
        return sym::call(x.kind() == sym::Kind::FloorDiv ? cDivision : cRemainder, {a, b});
    });
}

void declareSymbols(Instance &in, tree::Block &out) {
    for (const auto &[symbol, inferred] : analysis::definedSymbols(*in.g)) {
        const Type *declared = in.g->symbols.find(symbol);
        Type t = symbolVariableType(declared && *declared ? *declared : inferred);
        auto mapped = in.symbols.find(symbol);
        VarId v = in.declareValue(symbol, t);
        auto *d = out.add<Declare>(v);
        if (mapped != in.symbols.end())
            d->init = pythonOf(in, mapped->second); // an argument or mapped symbol that is assigned again inside
        in.symbols[symbol] = sym::Expr::symbol(in.varName(v));
        in.symbolTypes[symbol] = t;
    }
}

void assignSymbol(Instance &in, Name symbol, py::ExprRef value, Block &out) {
    auto it = in.symbols.find(symbol);
    if (it == in.symbols.end() || !it->second.isSymbol())
        return;
    Type t = in.symbolTypes[symbol];
    auto *code = out.add<Code>();
    code->stmts.push_back(py::assign(py::name(it->second.name(), t), std::move(value)));
}

} // namespace sdfgc::tree::lowering
