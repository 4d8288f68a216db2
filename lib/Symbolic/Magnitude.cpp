#include "sdfgc/Symbolic/Magnitude.h"

#include <algorithm>
#include <limits>

namespace sdfgc::sym {
namespace {

constexpr int64_t most = std::numeric_limits<int64_t>::max();

int64_t saturatedSum(int64_t a, int64_t b) { return a > most - b ? most : a + b; }
int64_t saturatedProduct(int64_t a, int64_t b) { return a > most / b ? most : a * b; }

} // namespace

Magnitude Magnitude::constant(int64_t value) {
    Magnitude m;
    if (value != 0)
        m.products_[{}] = value == std::numeric_limits<int64_t>::min() ? most : std::abs(value);
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
        int64_t &c = m.products_[factors];
        c = saturatedSum(c, coefficient);
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
            int64_t &c = m.products_[factors];
            c = saturatedSum(c, saturatedProduct(one, other));
        }
    return m;
}

Magnitude either(const Magnitude &a, const Magnitude &b) {
    Magnitude m = a;
    for (const auto &[factors, coefficient] : b.products_) {
        int64_t &c = m.products_[factors];
        c = std::max(c, coefficient);
    }
    return m;
}

Expr Magnitude::expr() const {
    Expr sum = 0;
    for (const auto &[factors, coefficient] : products_) {
        Expr product = coefficient;
        for (const Name f : factors)
            product *= Expr::symbol(f);
        sum += product;
    }
    return sum;
}

int64_t Magnitude::greatestCoefficient() const {
    int64_t greatest = 0;
    for (const auto &[factors, coefficient] : products_)
        greatest = std::max(greatest, coefficient);
    return greatest;
}

bool Magnitude::isWithin(const Magnitude &other) const {
    std::map<std::vector<Name>, int64_t> left = other.products_;
    // Products of many factors first: fewer products of the other are multiples of them.
    std::vector<std::pair<std::vector<Name>, int64_t>> mine(products_.begin(), products_.end());
    std::stable_sort(mine.begin(), mine.end(), [](const auto &a, const auto &b) { return a.first.size() > b.first.size(); });
    for (auto &[factors, coefficient] : mine) {
        for (auto &[others, room] : left) {
            if (room == 0 || !std::includes(others.begin(), others.end(), factors.begin(), factors.end()))
                continue;
            const int64_t part = std::min(room, coefficient);
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
        return add(den) ? add(num) : std::nullopt;
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
    case SymbolicKind::Mod: {
        const std::optional<SymbolRange> a = add(args[0]), b = add(args[1]);
        if (!a || !b)
            return std::nullopt;
        return SymbolRange{e.kind() == SymbolicKind::Mod ? b->magnitude : a->magnitude, a->wide || b->wide};
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
