#include "sdfgc/Symbolic/Magnitude.h"

#include <algorithm>
#include <cmath>

namespace sdfgc::sym {

Magnitude Magnitude::constant(int64_t value) {
    Magnitude m;
    if (value != 0)
        m.products_[{}] = std::abs(static_cast<double>(value));
    return m;
}

Magnitude Magnitude::symbol(Name name) {
    Magnitude m;
    m.products_[{name}] = 1;
    return m;
}

Magnitude operator+(const Magnitude &a, const Magnitude &b) {
    Magnitude m = a;
    for (const auto &[factors, coefficient] : b.products_) {
        m.products_[factors] += coefficient;
    }
    return m;
}

Magnitude operator*(const Magnitude &a, const Magnitude &b) {
    Magnitude m;
    for (const auto &[some, one] : a.products_)
        for (const auto &[others, other] : b.products_) {
            std::vector<Name> factors = some;
            factors.insert(factors.end(), others.begin(), others.end());
            std::sort(factors.begin(), factors.end());
            m.products_[factors] += one * other;
        }
    return m;
}

Magnitude either(const Magnitude &a, const Magnitude &b) {
    Magnitude m = a;
    for (const auto &[factors, coefficient] : b.products_) {
        double &c = m.products_[factors];
        c = std::max(c, coefficient);
    }
    return m;
}

Magnitude Magnitude::over(int64_t divisor) const {
    Magnitude m = *this;
    for (auto &[factors, coefficient] : m.products_)
        coefficient /= static_cast<double>(divisor);
    return m;
}

Expr Magnitude::expr() const {
    constexpr int64_t parts = 1 << 16;
    constexpr double most = 1LL << 62;
    Expr sum = 0;
    for (const auto &[factors, coefficient] : products_) {
        Expr product = coefficient * parts <= most ? Expr::rational(static_cast<int64_t>(std::ceil(coefficient * parts)), parts)
                                                   : Expr(static_cast<int64_t>(std::min(coefficient, most)));
        for (const Name f : factors)
            product *= Expr::symbol(f);
        sum += product;
    }
    return sum;
}

double Magnitude::greatestCoefficient() const {
    double greatest = 0;
    for (const auto &[factors, coefficient] : products_)
        greatest = std::max(greatest, coefficient);
    return greatest;
}

bool Magnitude::isWithin(const Magnitude &other) const {
    std::map<std::vector<Name>, double> left = other.products_;
    // Products of many factors first: fewer products of the other are multiples of them.
    std::vector<std::pair<std::vector<Name>, double>> mine(products_.begin(), products_.end());
    std::stable_sort(mine.begin(), mine.end(), [](const auto &a, const auto &b) { return a.first.size() > b.first.size(); });
    for (auto &[factors, coefficient] : mine) {
        for (auto &[others, room] : left) {
            if (room == 0 || !std::includes(others.begin(), others.end(), factors.begin(), factors.end()))
                continue;
            const double part = std::min(room, coefficient);
            room -= part;
            coefficient -= part;
        }
        if (coefficient > 0)
            return false;
    }
    return true;
}

void Magnitudes::add(const Magnitude &m) {
    if (std::any_of(all_.begin(), all_.end(), [&m](const Magnitude &other) { return m.isWithin(other); }))
        return;
    std::erase_if(all_, [&m](const Magnitude &other) { return other.isWithin(m); });
    all_.push_back(m);
}

Magnitude Magnitudes::greatest() const {
    Magnitude greatest;
    for (const Magnitude &m : all_)
        greatest = either(greatest, m);
    return greatest;
}

std::optional<SymbolRange> Magnitudes::add(Expr e) {
    const std::optional<SymbolRange> b = bound(e);
    if (b && !b->wide)
        add(b->magnitude);
    return b;
}

/// Terms that are not wide may be added first, or multiplied first if they are factors: their sum or product is a part.
std::optional<SymbolRange> Magnitudes::sum(std::span<const Expr> terms) {
    SymbolRange all;
    for (const Expr t : terms) {
        const std::optional<SymbolRange> one = add(t);
        if (!one)
            return std::nullopt;
        all.wide = all.wide || one->wide;
        if (!one->wide)
            all.magnitude = all.magnitude + one->magnitude;
    }
    add(all.magnitude);
    return all;
}

std::optional<SymbolRange> Magnitudes::product(std::span<const Expr> factors) {
    SymbolRange all{Magnitude::constant(1)};
    for (const Expr f : factors) {
        const std::optional<SymbolRange> one = add(f);
        if (!one)
            return std::nullopt;
        all.wide = all.wide || one->wide;
        if (!one->wide)
            all.magnitude = all.magnitude * one->magnitude;
    }
    add(all.magnitude);
    return all;
}

/// A rounded quotient: at most the dividend, and one more than the exact quotient.
std::optional<SymbolRange> Magnitudes::quotient(Expr dividend, Expr divisor) {
    const std::optional<SymbolRange> a = add(dividend), b = add(divisor);
    if (!a || !b)
        return std::nullopt;
    const int64_t by = divisor.asInt().value_or(1);
    return SymbolRange{by > 1 ? a->magnitude.over(by) + Magnitude::constant(1) : a->magnitude, a->wide || b->wide};
}

std::optional<SymbolRange> Magnitudes::anyOf(std::span<const Expr> values) {
    SymbolRange all;
    for (const Expr v : values) {
        const std::optional<SymbolRange> one = add(v);
        if (!one)
            return std::nullopt;
        all = {either(all.magnitude, one->magnitude), all.wide || one->wide};
    }
    return all;
}

std::optional<SymbolRange> Magnitudes::bound(Expr e) {
    const std::span<const Expr> args = e.operands();
    if (const auto [num, den] = asFraction(e); !den.isOne()) // printed as a division, which is rounded
        return quotient(num, den);
    switch (e.kind()) {
    case SymbolicKind::Integer:
        return SymbolRange{Magnitude::constant(e.numerator())};
    case SymbolicKind::Bool:
        return SymbolRange{Magnitude::constant(1)};
    case SymbolicKind::Symbol:
        return of_(e.name());
    case SymbolicKind::Add:
        return sum(args);
    case SymbolicKind::Mul:
        return product(args);
    case SymbolicKind::Pow: {
        const std::optional<int64_t> n = args[1].asInt();
        if (!n || *n < 1 || *n > 8)
            return std::nullopt;
        return product(std::vector<Expr>(static_cast<std::size_t>(*n), args[0]));
    }
    case SymbolicKind::FloorDiv:
    case SymbolicKind::CeilDiv:
        return quotient(args[0], args[1]);
    case SymbolicKind::Mod: {
        const std::optional<SymbolRange> a = add(args[0]), b = add(args[1]);
        return a && b ? std::optional(SymbolRange{b->magnitude, a->wide || b->wide}) : std::nullopt;
    }
    case SymbolicKind::Floor:
    case SymbolicKind::Ceil:
    case SymbolicKind::Abs:
        return add(args[0]);
    case SymbolicKind::Min:
    case SymbolicKind::Max:
        return anyOf(args);
    case SymbolicKind::Select:
        return add(args[0]) ? anyOf(args.subspan(1)) : std::nullopt;
    case SymbolicKind::Eq:
    case SymbolicKind::Ne:
    case SymbolicKind::Lt:
    case SymbolicKind::Le:
    case SymbolicKind::Gt:
    case SymbolicKind::Ge:
    case SymbolicKind::And:
    case SymbolicKind::Or:
    case SymbolicKind::Not:
        return anyOf(args) ? std::optional(SymbolRange{Magnitude::constant(1)}) : std::nullopt;
    default:
        return std::nullopt;
    }
}

} // namespace sdfgc::sym
