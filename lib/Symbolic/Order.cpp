// Orders that depend only on structure and text, and the free symbols, which are kept in text order.
#include "Symbolic/Node.h"

#include <algorithm>
#include <iterator>
#include <memory>

namespace sdfgc::sym {
namespace {

template <class T> int order(const T &a, const T &b) { return a < b ? -1 : b < a ? 1 : 0; }

int compareOperands(std::span<const Expr> a, std::span<const Expr> b) {
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
        if (int c = Expr::compare(a[i], b[i]))
            return c;
    return order(a.size(), b.size());
}

/// Numbers are ordered by their stored parts: any fixed order will do.
int compareLeaves(const Expr::Node &a, const Expr::Node &b) {
    if (a.kind == SymbolicKind::Rational)
        return compareExact(exactNumber(Expr(&a)), exactNumber(Expr(&b))) < 0 ? -1 : 1;
    if (int c = order(a.a, b.a))
        return c;
    return order(a.b, b.b);
}

std::vector<Name> unionOf(std::span<const Expr> ops) {
    std::vector<Name> result, merged;
    for (Expr e : ops) {
        const std::vector<Name> &more = e.freeSymbols();
        if (more.empty())
            continue;
        merged.clear();
        std::set_union(result.begin(), result.end(), more.begin(), more.end(), std::back_inserter(merged));
        result.swap(merged);
    }
    return result;
}

/// Name of the container whose element or member a Subscript such as `s.x[i]` reads.
Name rootName(Name dotted) { return Name(dotted.view().substr(0, dotted.view().find('.'))); }

std::vector<Name> symbolsOf(const Expr::Node &n) {
    std::vector<Name> result = unionOf(n.operands());
    if (n.kind != SymbolicKind::Symbol && n.kind != SymbolicKind::Subscript)
        return result;
    Name own = n.kind == SymbolicKind::Symbol ? n.name : rootName(n.name);
    auto at = std::lower_bound(result.begin(), result.end(), own);
    if (at == result.end() || *at != own)
        result.insert(at, own);
    return result;
}

/// Factors of a term are ordered by base; of two factors with the same base, the higher power comes first.
int compareFactors(Expr a, Expr b) {
    if (a == b)
        return 0;
    if (int c = Expr::compare(baseOf(a), baseOf(b)))
        return c;
    return Expr::compare(exponentOf(b), exponentOf(a));
}

unsigned degreeOf(std::span<const Expr> factors) {
    unsigned degree = 0;
    for (Expr f : factors)
        degree += f.node()->degree;
    return degree;
}

} // namespace

int Expr::compare(Expr a, Expr b) {
    if (a == b)
        return 0;
    const Node &x = *a.node_, &y = *b.node_;
    if (x.kind != y.kind)
        return order(x.kind, y.kind);
    if (x.name != y.name)
        return order(x.name, y.name);
    if (x.type != y.type)
        if (int c = order(x.type.str(), y.type.str()))
            return c;
    if (int c = compareOperands(x.operands(), y.operands()))
        return c;
    return compareLeaves(x, y);
}

int compareTerms(std::span<const Expr> a, std::span<const Expr> b) {
    if (int c = order(degreeOf(b), degreeOf(a)))
        return c;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
        if (int c = compareFactors(a[i], b[i]))
            return c;
    return order(a.size(), b.size());
}

const std::vector<Name> &Expr::freeSymbols() const {
    if (const std::vector<Name> *known = node_->symbols.load(std::memory_order_acquire))
        return *known;
    const std::vector<Name> *expected = nullptr;
    auto computed = std::make_unique<const std::vector<Name>>(symbolsOf(*node_));
    if (node_->symbols.compare_exchange_strong(expected, computed.get(), std::memory_order_acq_rel))
        return *computed.release(); // lives as long as the node: for the process
    return *expected;
}

bool Expr::dependsOn(Name symbol) const {
    const std::vector<Name> &names = freeSymbols();
    return std::binary_search(names.begin(), names.end(), symbol);
}

} // namespace sdfgc::sym
