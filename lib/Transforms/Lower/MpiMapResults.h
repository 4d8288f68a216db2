// What becomes of the results of a map whose iterations are dealt out to the ranks.
#pragma once

#include "sdfgc/IR/Sdfg.h"

#include <functional>
#include <string>

namespace sdfgc::transforms {

/// A dimension of an MPI map: who has which of its iterations.
struct DealtDimension {
    Name parameter;
    sym::Range all;                                 // iterations, as the graph says
    sym::Expr place, parts;                         // of this rank, and how many there are
    sym::Expr placeOf(const sym::Expr &rank) const; // of another rank
    sym::Expr inner = 1;                            // ranks that differ in later dimensions only
    /// The iterations of one place.
    sym::Range part(const sym::Expr &at) const;
};

/// Why iterations of different ranks cannot combine what they write to an edge's container, or cannot be put together; empty: they can.
/// `exitEdge` leaves the map.
std::string whyNotCombined(const ir::Edge &exitEdge);
std::string whyNotGathered(const ir::Edge &exitEdge, const std::vector<DealtDimension> &dims);

/// Conflict resolution across the map: each rank combines its own part, starting from nothing, the parts are combined by an
/// Allreduce, and what comes of it is combined with the container on every rank.
void combineOverRanks(ir::Edge &exitEdge);

/// Every rank sends the elements that its iterations have written to all others, one rank after the other. `size`: the number of ranks.
void gatherParts(ir::Edge &exitEdge, const std::vector<DealtDimension> &dims, const sym::Expr &size);

} // namespace sdfgc::transforms
