// Arguments of nested SDFGs whose memory differs from the one that the program passed.
#pragma once

#include "sdfgc/IR/Sdfg.h"

namespace sdfgc::transforms::gradient {

/// Elements of a container, in terms of the graph that contains it.
struct Elements {
    const ir::DataDesc &container;
    const sym::Subset &subset;
    /// The distance in memory between consecutive elements of each dimension.
    std::vector<sym::Expr> strides() const;
};

/// Gives an array that was an argument, and need not match outer memory any more, memory for all its elements, whatever
/// their strides.
void holdAll(ir::DataDesc &d);

/// Shrinks an argument to the elements that it is given, with the same dimensions: front ends declare the shape of the
/// entire array for a nested SDFG that receives one row. Arguments with other dimensions are left unchanged.
void narrowArgument(ir::NestedSDFGNode &n, Name argument, const Elements &given);

/// Changes the strides of an argument from those of the elements `had` to those of `has`, which have the same extents, and likewise in
/// nested SDFGs that get the argument. Returns why that is impossible, in which case the SDFG must not be used; empty on
/// success.
std::string moveArgument(ir::NestedSDFGNode &n, Name argument, const Elements &had, const Elements &has);

} // namespace sdfgc::transforms::gradient
