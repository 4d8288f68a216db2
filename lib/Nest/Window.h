// Containers that show part of another one, element by element: views, and arguments of nested SDFGs.
#pragma once

#include "sdfgc/Nest/Nest.h"

namespace sdfgc::nest {

struct Window {
    sym::Subset shown;                            // of the other container
    std::vector<std::optional<std::size_t>> dims; // of each own dimension, that of the other one; nothing: it has one element only

    /// Where own elements are in the other container.
    sym::Subset placed(const sym::Subset &own) const;
    bool keepsRank() const { return dims.size() == shown.rank(); }
};

/// How `inside` shows `shown` of `outside`: as many dimensions of more than one element, with the same strides, of the same type.
/// `meaning`: of symbols in `inside`. Nothing if the elements lie otherwise, or in steps that are no numbers: those may be zero.
std::optional<Window> windowOf(const ir::DataDesc &inside, const std::map<Name, sym::Expr> &meaning, const ir::DataDesc &outside,
                               const sym::Subset &shown);

/// Gives both sides of a copy other names; its memlet says where both are then. The subsets of the uses must be known.
void retargetCopy(Step &copy, const std::function<void(Use &, sym::Subset &)> &retarget);

} // namespace sdfgc::nest
