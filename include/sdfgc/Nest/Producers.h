// Maps that produce an array element by element, and how they compute an element.
#pragma once

#include "sdfgc/Nest/Nest.h"

namespace sdfgc::nest {

/// A host map whose innermost loop contains all of its steps.
struct Producer {
    Map *inner = nullptr;                   // the map that contains the steps
    std::vector<analysis::LoopLevel> loops; // of all maps, outermost first
};
/// Returns nothing if a map is next to other maps or steps, or if it has another schedule.
std::optional<Producer> producerOf(Map &m);

/// How an iteration of a producer computes the elements of one container.
struct ProducedValue {
    Name data;
    const Use *write = nullptr;
    std::vector<const Step *> steps; // in order; the last one writes the element
    std::vector<const Use *> inputs; // read by the steps, except variables of the iteration
    int64_t operations = 0;          // of the steps (py::operations)
};
/// Returns the value that step `last` of a producer writes, with the steps that it depends on. There are no steps if
/// one of them is not a Python tasklet or a copy of elements with a single result, or if its cost is unknown.
ProducedValue valueOf(const Producer &p, std::size_t last, const ir::SDFG &g);

/// Returns the iteration of a producer that writes an element: its parameters in terms of the element. `written`: the
/// written element in terms of the parameters. Nothing unless each parameter is an index, up to an offset.
std::optional<std::map<Name, sym::Expr>> iterationOf(const Producer &p, const sym::Subset &written, const sym::Subset &element);

} // namespace sdfgc::nest
