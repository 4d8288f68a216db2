// Arguments of nested SDFGs whose memory is not what the program gave them.
#pragma once

#include "sdfgc/IR/Sdfg.h"

namespace sdfgc::transforms::gradient {

/// Elements of a container, in terms of the graph that it is in.
struct Elements {
    const ir::DataDesc &container;
    const sym::Subset &subset;
    /// From one element to the next in each dimension, in memory.
    std::vector<sym::Expr> strides() const;
};

/// Lets an array that was an argument, and need not say so, have memory for all its elements, whatever their strides.
void holdAll(ir::DataDesc &d);

/// Lets an argument have no more elements than it is given, of the same dimensions: front ends leave the shape of a whole array at an SDFG that
/// gets a row of it. What has other dimensions stays as it is.
void narrowArgument(ir::NestedSDFGNode &n, Name argument, const Elements &given);

/// Gives an argument, and what is an argument of SDFGs inside of it, the strides of other elements than those that it had in the program,
/// as many in each dimension. Returns why that cannot be done, in which case the SDFG is of no use; empty when it is done.
std::string moveArgument(ir::NestedSDFGNode &n, Name argument, const Elements &had, const Elements &has);

} // namespace sdfgc::transforms::gradient
