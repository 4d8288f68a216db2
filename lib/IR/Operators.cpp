#include "sdfgc/IR/Operators.h"

#include <algorithm>
#include <array>
#include <utility>

namespace sdfgc::ir {

namespace {

using py::Op;
using sym::Kind;

using Pair = std::pair<Kind, Op>;
constexpr auto comparisons = std::to_array<Pair>({{Kind::Eq, Op::Eq},
                                                  {Kind::Ne, Op::Ne},
                                                  {Kind::Lt, Op::Lt},
                                                  {Kind::Ge, Op::Ge},
                                                  {Kind::Le, Op::Le},
                                                  {Kind::Gt, Op::Gt},
                                                  {Kind::Is, Op::Is},
                                                  {Kind::IsNot, Op::IsNot}});
constexpr auto arithmetic = std::to_array<Pair>({{Kind::FloorDiv, Op::FloorDiv},
                                                 {Kind::Mod, Op::Mod},
                                                 {Kind::BitAnd, Op::BitAnd},
                                                 {Kind::BitOr, Op::BitOr},
                                                 {Kind::BitXor, Op::BitXor},
                                                 {Kind::Shl, Op::Shl},
                                                 {Kind::Shr, Op::Shr}});
constexpr auto opposites = std::to_array<std::pair<Op, Op>>(
    {{Op::Eq, Op::Ne}, {Op::Ne, Op::Eq}, {Op::Lt, Op::Ge}, {Op::Ge, Op::Lt}, {Op::Gt, Op::Le}, {Op::Le, Op::Gt}});

template <class Rows, class Key> auto secondOf(const Rows &rows, Key key) -> std::optional<Op> {
    const auto at = std::find_if(rows.begin(), rows.end(), [key](const auto &row) { return row.first == key; });
    return at == rows.end() ? std::nullopt : std::optional(at->second);
}

} // namespace

std::optional<Op> comparisonOf(Kind k) { return secondOf(comparisons, k); }
std::optional<Op> arithmeticOf(Kind k) { return secondOf(arithmetic, k); }
std::optional<Op> opposite(Op relation) { return secondOf(opposites, relation); }

std::optional<Kind> comparisonOf(Op op) {
    for (const auto &[kind, same] : comparisons)
        if (same == op)
            return kind;
    return std::nullopt;
}

} // namespace sdfgc::ir
