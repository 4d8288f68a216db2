#include "Analysis/Dependences/Unknowns.h"

#include <algorithm>

namespace sdfgc::analysis::dependences {

using sym::Expr;
using sym::SymbolicKind;
using sym::Truth;

namespace {

/// Is there a quotient in a sum or product, outside of operators that round?
bool hasQuotient(Expr e) {
    switch (e.kind()) {
    case SymbolicKind::Rational:
        return true;
    case SymbolicKind::Pow:
        return !e.operands()[1].isInteger() || e.operands()[1].numerator() < 0;
    case SymbolicKind::Add:
    case SymbolicKind::Mul:
        return std::any_of(e.operands().begin(), e.operands().end(), hasQuotient);
    default:
        return false;
    }
}

bool isPureWithin(Expr e, int &budget) {
    if (--budget < 0)
        return false;
    switch (e.kind()) {
    case SymbolicKind::Integer:
    case SymbolicKind::Symbol:
        return true;
    case SymbolicKind::Add:
    case SymbolicKind::Mul:
    case SymbolicKind::Pow:
    case SymbolicKind::FloorDiv:
    case SymbolicKind::CeilDiv:
    case SymbolicKind::Mod:
    case SymbolicKind::Abs:
    case SymbolicKind::Min:
    case SymbolicKind::Max:
        return !hasQuotient(e) &&
               std::all_of(e.operands().begin(), e.operands().end(), [&](Expr op) { return isPureWithin(op, budget); });
    default:
        return false; // elements, members and calls may differ each time; other kinds are rare
    }
}

} // namespace

bool isPure(Expr e) {
    int budget = 500;
    return isPureWithin(e, budget);
}

Scope Scope::outer(std::size_t loops) const {
    Scope s;
    s.variables_.assign(variables_.begin(), variables_.begin() + static_cast<std::ptrdiff_t>(loops));
    return s;
}

const Scope::Variable *Scope::find(Name variable) const {
    for (auto v = variables_.rbegin(); v != variables_.rend(); ++v)
        if (v->name == variable)
            return &*v;
    return nullptr;
}

const Form *Scope::valueOf(Name variable) const {
    const Variable *v = find(variable);
    return v ? &v->value : nullptr;
}

std::size_t Scope::bindingOf(Expr e) const {
    std::size_t binding = 0;
    if (e.isInteger() || variables_.empty())
        return binding;
    for (Name n : e.freeSymbols())
        if (const Variable *v = find(n))
            binding = std::max(binding, v->binding);
    return binding;
}

void Polynomial::subtract(const Polynomial &other) {
    linear.add(other.linear, -1);
    for (const auto &[coefficient, column] : other.products)
        products.emplace_back(-coefficient, column);
}

void Polynomial::cancel() {
    std::vector<std::pair<Expr, Column>> sums;
    for (const auto &[coefficient, column] : products) {
        const auto same = std::find_if(sums.begin(), sums.end(), [c = column](const auto &s) { return s.second == c; });
        if (same == sums.end())
            sums.emplace_back(coefficient, column);
        else
            same->first += coefficient;
    }
    std::erase_if(sums, [](const auto &s) { return s.first.isZero(); });
    products = std::move(sums);
}

// ---------------------------------------------------------------------------------------------------- expressions

Column Unknowns::add(bool symbol) {
    symbols_.push_back(symbol);
    return symbols_.size() - 1;
}

void Unknowns::becomeUncertain(std::string why) {
    certain_ = false;
    if (why_.empty())
        why_ = std::move(why);
}

System Unknowns::system() const {
    System s(symbols_);
    for (const Form &f : inequalities_)
        s.nonNegative(f);
    for (const Form &f : equalities_)
        s.equalsZero(f);
    if (!certain_)
        s.becomeUncertain();
    return s;
}

Form Unknowns::formOf(Expr e, const Scope &at) {
    Polynomial p = polynomialOf(e, at);
    if (p.products.empty())
        return std::move(p.linear);
    becomeUncertain(e.str() + " has a coefficient that is not a constant");
    return Form::unknown(add());
}

Polynomial Unknowns::polynomialOf(Expr e, const Scope &at) {
    Polynomial result;
    if (hasQuotient(e))
        result.linear = truncatedQuotient(e, at);
    else
        addTo(result, e, 1, at);
    return result;
}

void Unknowns::addTo(Polynomial &to, Expr e, int64_t scale, const Scope &at) {
    switch (e.kind()) {
    case SymbolicKind::Integer:
        to.linear.add(Form(e.numerator()), scale);
        break;
    case SymbolicKind::Add:
        for (Expr term : e.operands())
            addTo(to, term, scale, at);
        break;
    case SymbolicKind::Mul:
        addProduct(to, e, scale, at);
        break;
    case SymbolicKind::Symbol:
        if (const Form *value = at.valueOf(e.name())) {
            to.linear.add(*value, scale);
            break;
        }
        [[fallthrough]];
    default:
        to.linear.add(Form::unknown(termColumn(e, at)), scale);
    }
}

/// c * x, or c * N * i where only i varies; anything else becomes one term.
void Unknowns::addProduct(Polynomial &to, Expr e, int64_t scale, const Scope &at) {
    std::span<const Expr> factors = e.operands();
    int64_t whole = scale;
    if (factors[0].isInteger()) {
        whole = 0;
        if (!accumulate(whole, factors[0].numerator(), scale)) {
            to.linear.add(Form::unknown(add()));
            becomeUncertain(e.str() + " leaves 64 bits");
            return;
        }
        factors = factors.subspan(1);
    }
    if (factors.size() == 1)
        return addTo(to, factors[0], whole, at);
    Expr symbolic = 1;
    const Form *varying = nullptr;
    bool understood = true;
    for (Expr f : factors) {
        const Form *value = f.isSymbol() ? at.valueOf(f.name()) : nullptr;
        understood = understood && (value ? !varying : isPure(f) && !at.varies(f));
        if (value)
            varying = value;
        else
            symbolic *= f;
    }
    Expr product = 1;
    for (Expr f : factors)
        product *= f;
    if (!understood || !varying || !addSymbolicMultiple(to, symbolic, *varying, whole, at))
        to.linear.add(Form::unknown(termColumn(product, at)), whole);
}

/// Adds scale * factor * value. Returns false, and adds nothing, if the value has parts that are neither separate unknowns nor
/// symbols.
bool Unknowns::addSymbolicMultiple(Polynomial &to, Expr factor, const Form &value, int64_t scale, const Scope &at) {
    Polynomial result;
    for (Column c = 0; c < value.columns(); ++c) {
        if (value[c] == 0)
            continue;
        const Expr coefficient = factor * Expr(value[c]) * Expr(scale);
        if (coefficient.isUndefined())
            return false;
        if (c == 0)
            addTo(result, coefficient, 1, at);
        else if (std::optional<Expr> symbol = symbolOf(c))
            addTo(result, coefficient * *symbol, 1, at);
        else
            result.products.emplace_back(coefficient, c);
    }
    to.linear.add(result.linear);
    to.products.insert(to.products.end(), result.products.begin(), result.products.end());
    return true;
}

std::optional<Expr> Unknowns::symbolOf(Column c) const {
    if (symbols_[c])
        for (const Term &t : terms_)
            if (t.column == c)
                return t.expr;
    return std::nullopt;
}

std::optional<Expr> Unknowns::expressionOf(std::span<const int64_t> row) const {
    Expr sum = row[0];
    for (Column c = 1; c < row.size(); ++c) {
        if (row[c] == 0)
            continue;
        const std::optional<Expr> symbol = symbolOf(c);
        if (!symbol)
            return std::nullopt;
        sum += Expr(row[c]) * *symbol;
    }
    return sum.isUndefined() ? std::nullopt : std::optional(sum);
}

// ---------------------------------------------------------------------------------------------------- nonlinear terms

/// Equal terms over the same variables share one unknown.
Column Unknowns::termColumn(Expr e, const Scope &at) {
    if (!isPure(e)) {
        becomeUncertain(e.str() + " is not affine");
        return add(false);
    }
    const std::size_t binding = at.bindingOf(e);
    for (const Term &t : terms_)
        if (t.expr == e && t.binding == binding)
            return t.column;
    const Column c = add(binding == 0);
    terms_.push_back({e, binding, c});
    define(c, e, at);
    return c;
}

void Unknowns::define(Column c, Expr e, const Scope &at) {
    switch (e.kind()) {
    case SymbolicKind::Symbol:
        return assumeSign(c, e);
    case SymbolicKind::FloorDiv:
    case SymbolicKind::CeilDiv:
        return defineQuotient(c, e, at);
    case SymbolicKind::Mod:
        return defineModulo(c, e, at);
    case SymbolicKind::Min:
    case SymbolicKind::Max:
        return defineExtremum(c, e, at);
    default:
        becomeUncertain(at.varies(e) ? e.str() + " is not affine" : std::string());
        if (!at.varies(e))
            assumeSign(c, e);
    }
}

/// Adds the facts about the sign of a symbol, or of a term of symbols.
void Unknowns::assumeSign(Column c, Expr e) {
    if (e.isSymbol()) {
        auto at = facts_.find(e.name());
        if (at == facts_.end())
            return;
        const sym::SymbolFacts &f = at->second;
        const bool nonNegative = f.nonnegative || f.type.isUnsigned() || f.type.isBool();
        if (f.nonzero && !nonNegative && !f.positive)
            becomeUncertain();
        if (f.positive || nonNegative)
            this->nonNegative(Form::unknown(c).plus(f.positive || f.nonzero ? -1 : 0));
    } else if (sym::isPositive(e, facts_) == Truth::True) {
        nonNegative(Form::unknown(c).plus(-1));
    } else if (sym::isNonNegative(e, facts_) == Truth::True) {
        nonNegative(Form::unknown(c));
    }
}

/// c = x // d: 0 <= x - d * c < d. When rounded up: 0 <= d * c - x < d.
void Unknowns::defineQuotient(Column c, Expr e, const Scope &at) {
    const std::optional<int64_t> divisor = e.operands()[1].asInt();
    if (!divisor || *divisor <= 0)
        return becomeUncertain(at.varies(e) ? e.str() + " is not affine" : std::string());
    Form rest = formOf(e.operands()[0], at).add(c, -*divisor);
    if (e.kind() == SymbolicKind::CeilDiv)
        rest = Form() - rest;
    nonNegative(rest);
    nonNegative((Form() - rest).plus(*divisor - 1));
}

/// c = x % d for a positive d: x - d * q, or only 0 <= c < d if d is a symbol.
void Unknowns::defineModulo(Column c, Expr e, const Scope &at) {
    const Expr divisor = e.operands()[1];
    if (sym::isPositive(divisor, facts_) != Truth::True)
        return becomeUncertain(at.varies(e) ? e.str() + " is not affine" : std::string());
    nonNegative(Form::unknown(c));
    nonNegative(formOf(divisor, at).plus(-1).add(c, -1));
    if (!divisor.isInteger())
        return becomeUncertain(at.varies(e) ? e.str() + " is not affine" : std::string());
    equalsZero(formOf(e.operands()[0], at).add(c, -1).add(add(false), -divisor.numerator()));
}

/// A minimum is at most each of its operands. That it equals one of them is not expressed.
void Unknowns::defineExtremum(Column c, Expr e, const Scope &at) {
    for (Expr operand : e.operands()) {
        const Form above = formOf(operand, at).add(c, -1);
        nonNegative(e.kind() == SymbolicKind::Min ? above : Form() - above);
    }
    becomeUncertain();
}

/// The integer to which a quotient of integers is truncated: it differs by less than one.
Form Unknowns::truncatedQuotient(Expr e, const Scope &at) {
    if (e.kind() == SymbolicKind::Rational)
        return Form(e.numerator() / e.denominator());
    const auto [above, below] = sym::asFraction(e);
    const std::optional<int64_t> divisor = below.asInt();
    becomeUncertain(at.varies(e) ? e.str() + " is rounded" : std::string());
    const Column c = add(false);
    if (divisor && *divisor > 0 && isPure(above)) {
        const Form rest = formOf(above, at).add(c, -*divisor);
        nonNegative(rest.plus(*divisor - 1));
        nonNegative((Form() - rest).plus(*divisor - 1));
    }
    return Form::unknown(c);
}

} // namespace sdfgc::analysis::dependences
