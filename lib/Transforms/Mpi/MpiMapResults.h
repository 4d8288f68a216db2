// Combines or gathers the results of a map whose iterations are distributed over the ranks.
#pragma once

#include "sdfgc/IR/Sdfg.h"

#include <functional>
#include <string>

namespace sdfgc::transforms {

/// A dimension of an MPI map, and the distribution of its iterations over the places of the grid.
struct DealtDimension {
    Name parameter;
    sym::Range all;                                 // all iterations, as in the graph
    sym::Expr place, parts;                         // this rank's place, and the number of places
    sym::Expr placeOf(const sym::Expr &rank) const; // of another rank
    sym::Expr inner = 1;                            // number of ranks that differ only in later dimensions
    /// The iterations of one place.
    sym::Range part(const sym::Expr &at) const;
};

/// Returns why the writes of different ranks to an edge's container cannot be combined, or gathered; empty if they can.
/// `exitEdge` leaves the map.
std::string whyNotCombined(const ir::Edge &exitEdge);
std::string whyNotGathered(const ir::Edge &exitEdge, const std::vector<DealtDimension> &dims);

/// Combines results across ranks: each rank reduces its own part, starting from the neutral element, an Allreduce
/// combines the parts, and the result is combined with the container on every rank.
void combineOverRanks(ir::Edge &exitEdge);

/// Sends the elements that each rank's iterations have written to all others, one rank after the other. `size`: the
/// number of ranks.
void gatherParts(ir::Edge &exitEdge, const std::vector<DealtDimension> &dims, const sym::Expr &size);

} // namespace sdfgc::transforms
