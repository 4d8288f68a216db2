// Maps in place of steps that could run as maps, and maps inside of maps.
#pragma once

#include "sdfgc/Nest/Nest.h"

namespace sdfgc::transforms {

/// A copy between two containers as a map over the iterations of `like`; nothing if it has another shape. The map has a tasklet of its
/// own for each element.
std::unique_ptr<nest::Map> copyAsMap(const nest::Step &copy, const nest::Map &like, const ir::SDFG &g);

/// A library node that reduces, as two items: `init` gives every output its identity; `update` is a map that updates outputs with
/// conflict resolution.
struct ReductionMaps {
    nest::Item init;
    std::unique_ptr<nest::Map> update; // null: the node cannot be written so
};
/// Reduce nodes with an identity and an associative function, over all elements of the input in their order; MatMul and Dot where an
/// operand is a vector. Parameters have the names of those of `like`, whose schedule the maps have. Not where teams of threads would
/// update one output together: only the first loop is parallel.
ReductionMaps reductionAsMaps(const nest::Step &s, const nest::Map &like, const ir::SDFG &g);

/// Is a step a Reduce node; a MatMul or Dot?
bool isReduce(const nest::Step &s);
bool isProduct(const nest::Step &s);

/// Does the order count in which such a step combines its values (py::orderCounts)?
bool orderCounts(const nest::Step &s, const ir::SDFG &g);

/// A product of a matrix and a vector, as a step says it: `y = A @ x`, whose results belong to the rows of A, or `y = x @ A`.
struct MatrixProduct {
    nest::Use matrix, vector, result; // of containers, not of their views
    bool ofRows = false;
    sym::Expr rows, columns;
};
/// Nothing for other steps, and for products with coefficients, transposed operands, or operands that are no plain arrays of the host.
std::optional<MatrixProduct> matrixProductOf(const nest::Step &s, const ir::SDFG &g);

/// Is a step a product of two vectors, one of which is next to the one that belongs to the next value of a variable: columns of a matrix?
bool isSumOverColumn(const nest::Step &s, Name variable, const ir::SDFG &g);

/// May the loops of a map become loops inside of each other: does its author ask for nothing that is said of all of them together?
bool canSplit(const nest::Map &m);
/// Leaves out parameters that have one value only, as long as others are left: loops of one trip.
void dropSingleTrips(nest::Map &m);
/// Makes a map over the first `depth` parameters, around a sequential one over the others.
void splitOff(nest::Map &m, std::size_t depth);
/// What is in the first `depth` loops of a map, in terms of other loops (canLayOver). The map is empty then.
std::vector<nest::Item> takeBody(nest::Map &m, const std::map<Name, sym::Expr> &meaning, std::size_t depth);

/// The same map once more. Steps and entries are shared with the nodes that were read, or made.
nest::Map copyOf(const nest::Map &m);
/// The same map once more, with containers of its own in place of what its iterations have for themselves. `connectors`: names that no
/// container may have (nest::connectorsOf).
std::unique_ptr<nest::Map> twinOf(const nest::Map &m, ir::SDFG &g, analysis::Memories &memories, const std::set<Name> &connectors);

} // namespace sdfgc::transforms
