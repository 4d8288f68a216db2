// Converts steps to maps, and splits maps into nested maps.
#pragma once

#include "sdfgc/Nest/Nest.h"

namespace sdfgc::nest {

/// Converts a copy between two containers to a map over the iterations of `like`, or returns nothing if its shape
/// differs. The map contains one tasklet for an element.
std::unique_ptr<Map> copyAsMap(const Step &copy, const Map &like, const ir::SDFG &g);

/// A reducing library node as two items: `init` sets every output to the identity; `update` updates outputs with
/// conflict resolution.
struct ReductionMaps {
    Item init;
    std::unique_ptr<Map> update; // null: the node has no such form
};
/// The order of the loops of `update`: that of the input's dimensions, or those of the outputs first.
enum class LoopOrder : uint8_t { Inputs, Outputs };
/// Converts Reduce nodes with an identity and an associative function, which combine all elements of the input in
/// order, and products of two vectors, or of a vector and a matrix, that nothing scales. Parameters are named after those of `like`,
/// whose schedule the maps have. Returns no maps if teams of threads would update the same output: only the first loop is parallel.
ReductionMaps reductionAsMaps(const Step &s, const Map &like, const ir::SDFG &g, LoopOrder order = LoopOrder::Inputs);

/// Is a step a Reduce node; a product that passes may compute in any way (analysis::Trait::Product)?
bool isReduce(const Step &s);
bool isProduct(const Step &s);

/// Does the result of such a step depend on the order in which it combines values (py::orderCounts)?
bool orderCounts(const Step &s, const ir::SDFG &g);

/// A matrix-vector product as in a step: `y = A @ x`, with one result per row of A, or `y = x @ A`.
struct MatrixProduct {
    Use matrix, vector, result; // containers, not views of them
    bool ofRows = false;
    sym::Expr rows, columns;
};
/// Returns nothing for other steps, and for products with coefficients, transposed operands, or operands that are not
/// plain arrays of the host.
std::optional<MatrixProduct> matrixProductOf(const Step &s, const ir::SDFG &g);

/// Is a step a product of two vectors, one of which is a matrix column that moves to the adjacent column with the next
/// value of a variable?
bool isSumOverColumn(const Step &s, Name variable, const ir::SDFG &g);

/// May the loops of a map be nested in each other? Not if the graph specifies something about all of them together.
bool canSplit(const Map &m);
/// Removes parameters with a single value, as long as others remain.
void dropSingleTrips(Map &m);
/// Lets the loop at position order[d] be the one at position `d`. No range may depend on the parameter of a later loop then.
void reorderLoops(Map &m, const std::vector<std::size_t> &order);
/// Returns a name derived from `base` that is no container, symbol or constant, and no loop of the map or of a map in it.
Name freshParameter(std::string_view base, const Map &m, const ir::SDFG &g);
/// Gives the parameter at a position another name, if that is possible (canRename).
bool renameParameter(Map &m, std::size_t position, Name name);
/// Splits a map: an outer one over the first `depth` parameters, a sequential inner one over the others.
void splitOff(Map &m, std::size_t depth);
/// Takes the content of the first `depth` loops of a map, expressed in other loops (canLayOver). Leaves the map empty.
std::vector<Item> takeBody(Map &m, const std::map<Name, sym::Expr> &meaning, std::size_t depth);

/// Copies a map. Steps and entries are shared with the original nodes.
Map copyOf(const Map &m);
/// Copies a map and gives the copy new containers for those private to its iterations. `connectors`: names that no
/// container may have (nest::connectorsOf).
std::unique_ptr<Map> twinOf(const Map &m, ir::SDFG &g, analysis::Memories &memories, const std::set<Name> &connectors);

} // namespace sdfgc::nest
