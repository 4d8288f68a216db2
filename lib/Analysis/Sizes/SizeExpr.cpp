// Sizes: construction, names, text, classes.
#include "sdfgc/Analysis/Sizes/SizeExpr.h"

#include "Analysis/Sizes/SizeBinders.h"

#include <algorithm>

namespace sdfgc::analysis {

namespace size {
namespace {

const Name sumName("SumOver"), maxName("MaxOver");

int numberOf(Name bound) { return std::stoi(bound.str().substr(1)); }

/// The highest number of a bound variable in an expression.
int height(sym::Expr e) {
    int most = 0;
    for (Name n : e.freeSymbols())
        if (isBound(n))
            most = std::max(most, numberOf(n));
    return most;
}

} // namespace

bool isBound(Name n) { return n.view().starts_with('#'); }

bool isBinder(sym::Expr e) {
    return e.kind() == sym::SymbolicKind::Call && e.operands().size() == 4 && (e.name() == sumName || e.name() == maxName) &&
           e.operands()[0].isSymbol();
}

Parts partsOf(sym::Expr b) {
    const auto o = b.operands();
    return {b.name() == sumName, o[0], o[1], o[2], o[3]};
}

sym::Expr bind(bool isSum, Name variable, sym::Expr begin, sym::Expr end, sym::Expr body) {
    const sym::Expr bound = sym::Expr::symbol(Name("#" + std::to_string(height(body) + 1)));
    return sym::call(isSum ? sumName : maxName, {bound, begin, end, sym::substitute(body, {{variable, bound}})});
}

sym::Expr bindAll(sym::Expr e) {
    return sym::rewrite(e, [](sym::Expr x) {
        if (!isBinder(x))
            return x;
        const Parts p = partsOf(x);
        return bind(p.isSum, p.variable.name(), p.begin, p.end, p.body);
    });
}

sym::Assumptions withEmptySizes(sym::Assumptions facts) {
    for (auto &[name, fact] : facts) {
        fact.nonnegative = fact.nonnegative || fact.positive;
        fact.positive = fact.nonzero = false;
    }
    return facts;
}

bool neverNegative(sym::Expr e, const sym::Assumptions &facts) {
    if (sym::isNonNegative(e, facts) == sym::Truth::True)
        return true;
    const auto operand = [&](std::size_t i) { return neverNegative(e.operands()[i], facts); };
    const auto every = [&] {
        const auto o = e.operands();
        return std::all_of(o.begin(), o.end(), [&](sym::Expr x) { return neverNegative(x, facts); });
    };
    switch (e.kind()) {
    case sym::SymbolicKind::Call:
        return isBinder(e) && operand(3);
    case sym::SymbolicKind::Add:
    case sym::SymbolicKind::Mul:
    case sym::SymbolicKind::Min:
        return every();
    case sym::SymbolicKind::Max: {
        const auto o = e.operands();
        return std::any_of(o.begin(), o.end(), [&](sym::Expr x) { return neverNegative(x, facts); });
    }
    case sym::SymbolicKind::Select:
        return operand(1) && operand(2);
    case sym::SymbolicKind::FloorDiv:
    case sym::SymbolicKind::CeilDiv:
        return operand(0) && sym::isPositive(e.operands()[1], facts) == sym::Truth::True;
    case sym::SymbolicKind::Floor:
    case sym::SymbolicKind::Ceil:
        return operand(0);
    default:
        return false;
    }
}

namespace {

/// Is the part of `e` evaluated whenever `e` is?
bool evaluates(sym::Expr e, sym::Expr part) {
    if (e == part)
        return true;
    const auto o = e.operands();
    switch (e.kind()) {
    case sym::SymbolicKind::Select:
    case sym::SymbolicKind::And:
    case sym::SymbolicKind::Or:
        return evaluates(o[0], part);
    case sym::SymbolicKind::Call:
        return isBinder(e) && (evaluates(o[1], part) || evaluates(o[2], part));
    default:
        return std::any_of(o.begin(), o.end(), [part](sym::Expr x) { return evaluates(x, part); });
    }
}

} // namespace

bool mayFail(sym::Expr e, std::span<const sym::Expr> known) {
    const auto o = e.operands();
    if (std::any_of(known.begin(), known.end(), [e](sym::Expr k) { return evaluates(k, e); }))
        return false;
    const bool divides =
        e.kind() == sym::SymbolicKind::FloorDiv || e.kind() == sym::SymbolicKind::CeilDiv || e.kind() == sym::SymbolicKind::Mod;
    return e.kind() == sym::SymbolicKind::Subscript || (divides && !o[1].isInteger()) ||
           std::any_of(o.begin(), o.end(), [known](sym::Expr x) { return mayFail(x, known); });
}

} // namespace size

using namespace size;

namespace {

/// Renames all bound variables.
template <class NameOf> sym::Expr renamed(sym::Expr e, NameOf nameOf) {
    std::map<Name, sym::Expr> other;
    for (Name n : e.freeSymbols())
        if (isBound(n))
            other.emplace(n, sym::Expr::symbol(nameOf(n)));
    return other.empty() ? e : sym::substitute(e, other);
}

/// The first n of the names i, j, k, l, i1, j1, ... that are not taken.
std::vector<Name> letters(int n, const std::vector<Name> &taken) {
    std::vector<Name> out;
    for (int next = 0; static_cast<int>(out.size()) < n; ++next) {
        const std::string letter(1, "ijkl"[next % 4]);
        const Name name(next < 4 ? letter : letter + std::to_string(next / 4));
        if (std::find(taken.begin(), taken.end(), name) == taken.end())
            out.push_back(name);
    }
    return out;
}

} // namespace

std::string SizeExpr::str() const {
    const int most = height(tree_);
    const std::vector<Name> bound = letters(most, names());
    return renamed(tree_, [&](Name n) { return bound[static_cast<std::size_t>(most - numberOf(n))]; }).str();
}

std::vector<Name> SizeExpr::names() const {
    std::vector<Name> out = tree_.freeSymbols();
    std::erase_if(out, isBound);
    return out;
}

bool SizeExpr::hasBinder() const { return names().size() != tree_.freeSymbols().size(); }

std::optional<sym::Expr> SizeExpr::plain() const { return hasBinder() ? std::nullopt : std::optional(tree_); }

SizeExpr min(const SizeExpr &a, const SizeExpr &b) { return sym::min({a.tree(), b.tree()}); }
SizeExpr max(const SizeExpr &a, const SizeExpr &b) { return sym::max({a.tree(), b.tree()}); }
SizeExpr floorDiv(const SizeExpr &a, const SizeExpr &b) {
    return b == SizeExpr(1) ? a : SizeExpr(sym::floorDiv(a.tree(), b.tree()));
}
SizeExpr ceilDiv(const SizeExpr &a, const SizeExpr &b) { return b == SizeExpr(1) ? a : SizeExpr(sym::ceilDiv(a.tree(), b.tree())); }

bool isNonNegative(const SizeExpr &e, const sym::Assumptions &facts) { return neverNegative(e.tree(), withEmptySizes(facts)); }

SizeExpr sumOver(Name variable, const SizeExpr &begin, const SizeExpr &end, const SizeExpr &body, const sym::Assumptions &facts) {
    return size::sumOver(variable, begin.tree(), end.tree(), body.tree(), withEmptySizes(facts));
}

SizeExpr maxOver(Name variable, const SizeExpr &begin, const SizeExpr &end, const SizeExpr &body, const sym::Assumptions &facts) {
    return size::maxOver(variable, begin.tree(), end.tree(), body.tree(), withEmptySizes(facts));
}

SizeExpr substitute(const SizeExpr &e, const std::map<Name, SizeExpr> &values) {
    // Binders of the formula and of the values get different names, so that none captures the other's variable.
    std::map<Name, sym::Expr> apart;
    for (const auto &[name, value] : values)
        apart.emplace(name, renamed(value.tree(), [](Name n) { return Name("value" + n.str()); }));
    return bindAll(sym::substitute(renamed(e.tree(), [](Name n) { return Name("outer" + n.str()); }), apart));
}

} // namespace sdfgc::analysis
