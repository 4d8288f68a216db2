#include "sdfgc/IR/Operators.h"

#include <algorithm>
#include <array>
#include <utility>

namespace sdfgc::ir {

namespace {

using py::Op;
using sym::SymbolicKind;

using Pair = std::pair<SymbolicKind, Op>;
constexpr auto comparisons = std::to_array<Pair>({{SymbolicKind::Eq, Op::Eq},
                                                  {SymbolicKind::Ne, Op::Ne},
                                                  {SymbolicKind::Lt, Op::Lt},
                                                  {SymbolicKind::Ge, Op::Ge},
                                                  {SymbolicKind::Le, Op::Le},
                                                  {SymbolicKind::Gt, Op::Gt},
                                                  {SymbolicKind::Is, Op::Is},
                                                  {SymbolicKind::IsNot, Op::IsNot}});
constexpr auto arithmetic = std::to_array<Pair>({{SymbolicKind::FloorDiv, Op::FloorDiv},
                                                 {SymbolicKind::Mod, Op::Mod},
                                                 {SymbolicKind::BitAnd, Op::BitAnd},
                                                 {SymbolicKind::BitOr, Op::BitOr},
                                                 {SymbolicKind::BitXor, Op::BitXor},
                                                 {SymbolicKind::Shl, Op::Shl},
                                                 {SymbolicKind::Shr, Op::Shr}});
constexpr auto opposites = std::to_array<std::pair<Op, Op>>(
    {{Op::Eq, Op::Ne}, {Op::Ne, Op::Eq}, {Op::Lt, Op::Ge}, {Op::Ge, Op::Lt}, {Op::Gt, Op::Le}, {Op::Le, Op::Gt}});

template <class Rows, class Key> auto secondOf(const Rows &rows, Key key) -> std::optional<Op> {
    const auto at = std::find_if(rows.begin(), rows.end(), [key](const auto &row) { return row.first == key; });
    return at == rows.end() ? std::nullopt : std::optional(at->second);
}

} // namespace

std::optional<Op> comparisonOf(SymbolicKind k) { return secondOf(comparisons, k); }
std::optional<Op> arithmeticOf(SymbolicKind k) { return secondOf(arithmetic, k); }
std::optional<Op> opposite(Op relation) { return secondOf(opposites, relation); }

std::optional<SymbolicKind> comparisonOf(Op op) {
    for (const auto &[kind, same] : comparisons)
        if (same == op)
            return kind;
    return std::nullopt;
}

} // namespace sdfgc::ir
