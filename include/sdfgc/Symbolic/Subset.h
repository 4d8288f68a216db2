// Ranges and subsets of containers (DaCe: dace/subsets.py; format reference 1.10). Ends are inclusive.
#pragma once

#include "sdfgc/Symbolic/Expr.h"

namespace sdfgc::sym {

struct Range {
    Expr begin;
    Expr end; // inclusive
    Expr step = 1;
    Expr tile = 1;

    /// Number of elements: tile * ceil((end + 1 - begin) / step); for a negative step tile * ceil((end - 1 - begin) / step).
    Expr size() const;
    /// Number of steps (size without the tile).
    Expr steps() const;
    /// Substitutes symbols, all at once.
    Range substituted(const std::map<Name, Expr> &replacements) const;
    bool isPoint() const { return begin == end && tile.isOne(); }
    friend bool operator==(const Range &, const Range &) = default;
};

struct Subset {
    std::vector<Range> dims;

    static Subset full(std::span<const Expr> shape); // 0 : shape-1
    static Subset point(std::span<const Expr> indices);
    std::size_t rank() const { return dims.size(); }
    std::vector<Expr> sizes() const;
    std::vector<Expr> begins() const;
    Expr numElements() const;
    /// Provably one element (an empty list of dimensions counts as one).
    bool isOneElement() const;
    /// Dimensions whose size is not provably one, in order.
    std::vector<std::size_t> nonUnitDims() const;
    std::set<Name> freeSymbols() const;
    Subset substituted(const std::map<Name, Expr> &replacements) const;
    /// Adds `offset[d]` to begin and end of each dimension.
    Subset offsetBy(std::span<const Expr> offset) const;
    /// `0:N, i, 2:M:2`, the readable form with exclusive ends.
    std::string str() const;
    friend bool operator==(const Subset &, const Subset &) = default;
};

/// The only value that a range can contain, and the condition under which it does: `max(i, 1):min(i, N) + 1` contains `i`
/// if 1 <= i <= N.
struct OnlyValue {
    Expr value;
    std::vector<Expr> least, most; // the value must not be less, and not greater
};
/// Returns nothing for a range that may contain several values, and for a single value without a condition.
std::optional<OnlyValue> onlyValueOf(const Range &r);

/// Does `a` contain every element of `b`? Conservative.
Truth covers(const Subset &a, const Subset &b, const Assumptions &facts = {});
/// Do they share an element? Conservative: Unknown if neither can be proved.
Truth intersects(const Subset &a, const Subset &b, const Assumptions &facts = {});
/// Returns the smallest box around both (ranks must agree).
Subset boundingBox(const Subset &a, const Subset &b);
/// Returns the union of `s` over `parameter` in `range` (memlet propagation): exact for affine bounds. Unknown
/// dimensions become those of `whole`, the full subset of the container (DataDesc::fullSubset), whose indices need not
/// start at 0.
Subset propagate(const Subset &s, Name parameter, const Range &range, const Subset &whole, const Assumptions &facts = {});

} // namespace sdfgc::sym
