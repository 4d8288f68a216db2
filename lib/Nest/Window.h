// Containers that show part of another one, element by element: views, and arguments of nested SDFGs.
#pragma once

#include "sdfgc/Nest/Nest.h"

namespace sdfgc::nest {

struct Window {
    sym::Subset shown;                            // of the viewed container
    std::vector<std::optional<std::size_t>> dims; // of the viewed container, for each own one; nothing: it has one element only

    /// The position of own elements in the viewed container.
    sym::Subset placed(const sym::Subset &own) const;
    bool keepsRank() const { return dims.size() == shown.rank(); }
};

/// How `inside` shows `shown` of `outside`: both have the same number of dimensions with more than one element, the same strides
/// and the same type. `meaning`: values of the symbols in `inside`. Nothing if the layout differs, or if a step is not a constant,
/// since it could be zero.
std::optional<Window> windowOf(const ir::DataDesc &inside, const std::map<Name, sym::Expr> &meaning, const ir::DataDesc &outside,
                               const sym::Subset &shown);

/// The elements of a member of a structure that a use shows through views, or that its memlet states. Nothing if a view shows them
/// in another layout.
std::optional<MemberElements> memberElements(const Use &u, const ir::SDFG &g);

/// Gives both sides of a copy other names; its memlet then states both positions. The subsets of the uses must be known.
void retargetCopy(Step &copy, const std::function<void(Use &, sym::Subset &)> &retarget);

} // namespace sdfgc::nest
