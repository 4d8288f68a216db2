// Ranges and subsets: sizes, composition, text.
#include "sdfgc/Symbolic/Subset.h"

#include "Symbolic/Polynomial.h"
#include "sdfgc/Symbolic/Rounding.h"

#include <algorithm>

namespace sdfgc::sym {
namespace {

bool isNegativeConstant(Expr step) { return isExactNumber(step) && step.numerator() < 0; }

/// The end in the exclusive form that people write.
Expr exclusiveEnd(const Range &r) { return isNegativeConstant(r.step) ? r.end - 1 : r.end + 1; }

std::string text(const Range &r) {
    if (r.isPoint())
        return r.begin.str();
    std::string s = r.begin.str() + ":" + exclusiveEnd(r).str();
    if (!r.step.isOne() || !r.tile.isOne())
        s += ":" + r.step.str();
    if (!r.tile.isOne())
        s += ":" + r.tile.str();
    return s;
}

/// The operands of an extremum, to which a sum may add something: {a + 1, b + 1} for `max(a, b) + 1`. {e} for other expressions.
std::vector<Expr> extremes(Expr e, SymbolicKind kind) {
    std::vector<Expr> out;
    Expr inner = e;
    if (e.kind() == SymbolicKind::Add)
        for (const Expr term : e.operands())
            if (term.kind() == kind)
                inner = term;
    if (inner.kind() != kind)
        return {e};
    for (const Expr operand : inner.operands())
        out.push_back(operand + (e - inner));
    return out;
}

} // namespace

std::optional<OnlyValue> onlyValueOf(const Range &r) {
    if (!r.step.isOne() || !r.tile.isOne() || r.isPoint())
        return std::nullopt;
    OnlyValue out{0, extremes(r.begin, SymbolicKind::Max), extremes(r.end, SymbolicKind::Min)};
    const auto isCommon = [&](Expr e) { return std::find(out.most.begin(), out.most.end(), e) != out.most.end(); };
    auto value = std::find_if(out.least.begin(), out.least.end(), [&](Expr e) { return e.isSymbol() && isCommon(e); });
    if (value == out.least.end())
        value = std::find_if(out.least.begin(), out.least.end(), isCommon);
    if (value == out.least.end())
        return std::nullopt;
    out.value = *value;
    std::erase(out.least, out.value);
    std::erase(out.most, out.value);
    return out;
}

Expr Range::steps() const {
    const Range whole{roundedDown(begin), roundedDown(end), step};
    return ceilDiv(exclusiveEnd(whole) - whole.begin, step);
}
Expr Range::size() const { return tile * steps(); }

Subset Subset::full(std::span<const Expr> shape) {
    Subset s;
    for (Expr extent : shape)
        s.dims.push_back({0, extent - 1});
    return s;
}

Subset Subset::point(std::span<const Expr> indices) {
    Subset s;
    for (Expr i : indices)
        s.dims.push_back({i, i});
    return s;
}

std::vector<Expr> Subset::sizes() const {
    std::vector<Expr> result;
    for (const Range &r : dims)
        result.push_back(r.size());
    return result;
}

std::vector<Expr> Subset::begins() const {
    std::vector<Expr> result;
    for (const Range &r : dims)
        result.push_back(r.begin);
    return result;
}

Expr Subset::numElements() const {
    ProductBuilder product;
    for (const Range &r : dims)
        product.multiply(r.size());
    return product.finish();
}

bool Subset::isOneElement() const { return nonUnitDims().empty(); }

std::vector<std::size_t> Subset::nonUnitDims() const {
    std::vector<std::size_t> result;
    for (std::size_t d = 0; d < dims.size(); ++d)
        if (!dims[d].size().isOne())
            result.push_back(d);
    return result;
}

std::set<Name> Subset::freeSymbols() const {
    std::set<Name> result;
    for (const Range &r : dims)
        for (Expr e : {r.begin, r.end, r.step, r.tile})
            result.insert(e.freeSymbols().begin(), e.freeSymbols().end());
    return result;
}

Range Range::substituted(const std::map<Name, Expr> &replacements) const {
    auto in = [&](Expr e) { return substitute(e, replacements); };
    return {in(begin), in(end), in(step), in(tile)};
}

Subset Subset::substituted(const std::map<Name, Expr> &replacements) const {
    Subset s;
    for (const Range &r : dims)
        s.dims.push_back(r.substituted(replacements));
    return s;
}

Subset Subset::offsetBy(std::span<const Expr> offset) const {
    Subset s = *this;
    for (std::size_t d = 0; d < s.dims.size() && d < offset.size(); ++d) {
        s.dims[d].begin += offset[d];
        s.dims[d].end += offset[d];
    }
    return s;
}

std::string Subset::str() const {
    std::string result;
    for (const Range &r : dims)
        result += (result.empty() ? "" : ", ") + text(r);
    return result;
}

} // namespace sdfgc::sym
