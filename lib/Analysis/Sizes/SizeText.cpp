// Sizes: parsing them, which expressions are allowed, and the values needed to evaluate them.
#include "Analysis/Sizes/SizeBinders.h"

#include <algorithm>

namespace sdfgc::analysis {

using namespace size;

namespace {

bool isInteger(Name n, const ir::SDFG *g) {
    if (!g || isBound(n))
        return true;
    const ir::DataDesc *d = g->desc(n);
    const Type *t = d ? &d->dtype : g->symbols.find(n);
    return !t || t->isInteger() || t->isBool();
}

bool isPart(sym::Expr e, const ir::SDFG *g) {
    if (e.overflowed())
        return false;
    switch (e.kind()) {
    case sym::SymbolicKind::Symbol:
    case sym::SymbolicKind::Subscript:
        return isInteger(e.name(), g);
    case sym::SymbolicKind::Pow: {
        const auto by = e.operands()[1].asInt();
        return by && *by >= 0;
    }
    case sym::SymbolicKind::Call:
        return isBinder(e);
    case sym::SymbolicKind::Integer:
    case sym::SymbolicKind::Rational: // a coefficient, of a sum of squares for example
    case sym::SymbolicKind::Bool:
    case sym::SymbolicKind::Add:
    case sym::SymbolicKind::Mul:
    case sym::SymbolicKind::FloorDiv:
    case sym::SymbolicKind::CeilDiv:
    case sym::SymbolicKind::Mod:
    case sym::SymbolicKind::Floor:
    case sym::SymbolicKind::Ceil:
    case sym::SymbolicKind::Abs:
    case sym::SymbolicKind::Min:
    case sym::SymbolicKind::Max:
    case sym::SymbolicKind::Eq:
    case sym::SymbolicKind::Ne:
    case sym::SymbolicKind::Lt:
    case sym::SymbolicKind::Le:
    case sym::SymbolicKind::Gt:
    case sym::SymbolicKind::Ge:
    case sym::SymbolicKind::And:
    case sym::SymbolicKind::Or:
    case sym::SymbolicKind::Not:
    case sym::SymbolicKind::Select:
        return true;
    default:
        return false;
    }
}

std::optional<sym::Expr> smallestUnsupported(sym::Expr e, const ir::SDFG *g) {
    for (sym::Expr o : e.operands())
        if (const auto inner = smallestUnsupported(o, g))
            return inner;
    return isPart(e, g) ? std::nullopt : std::optional(e);
}

void collect(sym::Expr e, const ir::SDFG *g, std::set<Name> &symbols, std::set<Name> &containers) {
    const bool isContainer = e.kind() == sym::SymbolicKind::Subscript || (e.isSymbol() && g && g->desc(e.name()));
    if (isContainer)
        containers.insert(e.name());
    else if (e.isSymbol() && !isBound(e.name()))
        symbols.insert(e.name());
    for (sym::Expr o : e.operands())
        collect(o, g, symbols, containers);
}

/// A call that looks like a binder but is not a valid one.
std::optional<sym::Expr> brokenBinder(sym::Expr e) {
    if (e.kind() == sym::SymbolicKind::Call && (e.name() == Name("SumOver") || e.name() == Name("MaxOver")) && !isBinder(e))
        return e;
    for (sym::Expr o : e.operands())
        if (const auto inner = brokenBinder(o))
            return inner;
    return std::nullopt;
}

} // namespace

Result<SizeExpr> parseSize(std::string_view text, const std::function<bool(Name)> &isContainer) {
    const sym::ParseResult parsed = sym::parse(text, nullptr, isContainer);
    if (!parsed.expr)
        return Failure{"at " + std::to_string(parsed.offset + 1) + ": " + parsed.error};
    if (const auto broken = brokenBinder(*parsed.expr))
        return Failure{"`" + broken->str() + "` takes a variable, its begin and end, and the expression to add up or compare"};
    const SizeExpr e(bindAll(*parsed.expr));
    if (const auto part = unsupportedPart(e))
        return Failure{"`" + SizeExpr(*part).str() + "` cannot be part of a size"};
    return e;
}

std::optional<sym::Expr> unsupportedPart(const SizeExpr &e, const ir::SDFG *g) { return smallestUnsupported(e.tree(), g); }

SizeUse useOf(const SizeExpr &e, const ir::SDFG *g) {
    std::set<Name> symbols, containers;
    collect(e.tree(), g, symbols, containers);
    SizeUse use;
    use.loops = e.hasBinder();
    use.symbols.assign(symbols.begin(), symbols.end());
    use.containers.assign(containers.begin(), containers.end());
    use.kind = use.loops || !containers.empty() ? SizeClass::Reads : symbols.empty() ? SizeClass::Number : SizeClass::Symbols;
    return use;
}

} // namespace sdfgc::analysis
