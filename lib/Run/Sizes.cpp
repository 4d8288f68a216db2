#include "Run/Sizes.h"

#include "sdfgc/Symbolic/Rounding.h"

namespace sdfgc::run {

void SizeSolver::know(Name symbol, int64_t value, const std::string &source) {
    values_[symbol] = value;
    sources_[symbol] = source;
}

void SizeSolver::require(sym::Expr expression, int64_t value, const std::string &source) {
    equations_.push_back({expression, value, source});
}

void SizeSolver::solve(diag::Engine &diags) {
    for (bool moved = true; moved;) { // every round except the last solves for a symbol
        moved = false;
        for (Equation &e : equations_)
            moved = advance(e) || moved;
    }
    for (const Equation &e : equations_)
        check(e, diags);
}

/// Solves an equation with one unknown.
bool SizeSolver::advance(Equation &e) {
    if (e.used)
        return false;
    std::map<Name, sym::Expr> known;
    std::vector<Name> unknown;
    for (Name n : e.expression.freeSymbols()) {
        if (auto at = values_.find(n); at != values_.end())
            known.emplace(n, sym::Expr(at->second));
        else
            unknown.push_back(n);
    }
    if (unknown.size() != 1)
        return false;
    const auto affine = sym::affineIn(sym::substitute(e.expression, known), unknown[0]);
    if (!affine)
        return false;
    const auto fraction = sym::asFraction((sym::Expr(e.value) - affine->second) / affine->first);
    const auto numerator = fraction.first.asInt(), denominator = fraction.second.asInt();
    if (!numerator || !denominator || *denominator == 0 || *numerator % *denominator != 0)
        return false;
    e.used = true;
    know(unknown[0], *numerator / *denominator, e.source);
    return true;
}

/// Checks an equation against known values; a contradiction is reported at one of its symbols.
void SizeSolver::check(const Equation &e, diag::Engine &diags) const {
    const std::optional<int64_t> now = sym::evaluate(sym::inIntegers(e.expression), values_);
    if (!now || *now == e.value)
        return;
    std::string because;
    for (Name n : e.expression.freeSymbols())
        because += (because.empty() ? "" : ", ") + n.str() + " = " + std::to_string(values_.at(n)) + " by " + sources_.at(n);
    diags.report(diag::Id::SizesContradict, {}, e.source, e.value, e.expression.str(), *now,
                 because.empty() ? "the program fixes it" : because);
}

} // namespace sdfgc::run
