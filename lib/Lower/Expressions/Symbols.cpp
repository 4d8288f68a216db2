// Symbols of the graph, in terms of variables of the generated function.
#include "Symbols.h"

#include "SymbolicToPython.h"

#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/Symbolic/Rounding.h"

namespace sdfgc::tree::lowering {

Type symbolVariableType(Type declared) {
    if (declared.isVoid())
        return ScalarKind::Int64;
    if (declared.isInteger() && declared.scalar() != ScalarKind::UInt64)
        return ScalarKind::Int64;
    return declared;
}

namespace {

/// The value of a name: of a symbol, or of a container with one element, since symbolic texts may also name scalars. Nothing for
/// other names.
std::optional<sym::Expr> meaningOf(const Instance &in, Name n) {
    if (const auto symbol = in.symbols.find(n); symbol != in.symbols.end())
        return symbol->second;
    const auto place = in.places.find(n);
    if (place == in.places.end())
        return std::nullopt;
    const Variable &v = in.function().vars[place->second.var];
    if (v.kind == VarKind::Member || v.kind == VarKind::StateField)
        return std::nullopt;
    const bool indexed = v.kind == VarKind::Pointer || v.kind == VarKind::Buffer || v.kind == VarKind::Stack;
    return indexed ? sym::subscript(v.name, {place->second.offset}) : sym::Expr::symbol(v.name);
}

} // namespace

sym::Expr inVariables(const Instance &in, sym::Expr e) {
    if (e.isInteger())
        return e;
    e = sym::exact(e);
    // All substitutions are simultaneous: a variable may have the name of another symbol or container.
    std::map<Name, sym::Expr> meanings;
    for (Name n : e.freeSymbols())
        if (std::optional<sym::Expr> meaning = meaningOf(in, n))
            meanings.emplace(n, *meaning);
    return sym::substitute(e, meanings);
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
    e = sym::inIntegers(e);
    const sym::Assumptions &facts = in.fn->facts;
    return sym::rewrite(e, [&](sym::Expr x) {
        if (x.kind() != sym::SymbolicKind::FloorDiv && x.kind() != sym::SymbolicKind::Mod)
            return x;
        sym::Expr a = x.operands()[0], b = x.operands()[1];
        if (sym::isNonNegative(a, facts) != sym::Truth::True || sym::isPositive(b, facts) != sym::Truth::True)
            return x;
        return sym::call(x.kind() == sym::SymbolicKind::FloorDiv ? cDivision : cRemainder, {a, b});
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
            d->init = pythonOf(in, mapped->second); // an argument or mapped symbol that is reassigned inside
        in.symbols[symbol] = sym::Expr::symbol(in.varName(v));
        in.symbolTypes[symbol] = t;
    }
}

py::StmtRef symbolAssignment(Instance &in, Name symbol, py::ExprRef value) {
    const auto it = in.symbols.find(symbol);
    if (it == in.symbols.end() || !it->second.isSymbol())
        return nullptr;
    return py::assign(py::name(it->second.name(), in.symbolTypes[symbol]), std::move(value));
}

} // namespace sdfgc::tree::lowering
