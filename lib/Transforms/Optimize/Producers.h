// Maps that make an array element by element, and how an element comes about.
#pragma once

#include "sdfgc/Nest/Nest.h"

namespace sdfgc::transforms {

/// A map of the host whose loops have nothing but steps in the innermost one.
struct Producer {
    nest::Map *inner = nullptr;             // the map that has the steps
    std::vector<analysis::LoopLevel> loops; // of all maps, outermost first
};
/// Nothing where a map has maps beside each other or beside steps, or another schedule.
std::optional<Producer> producerOf(nest::Map &m);

/// How the elements of one container come about in an iteration of a producer.
struct Value {
    Name data;
    const nest::Use *write = nullptr;
    std::vector<const nest::Step *> steps; // in order; the last one writes the element
    std::vector<const nest::Use *> inputs; // that the steps read, but for variables of the iteration
    int64_t operations = 0;                // that they take (py::operations)
};
/// What step `last` of a producer writes, with the steps that it needs; no steps if they are more than tasklets in Python and copies
/// of elements with one result each, or nobody knows what they cost.
Value valueOf(const Producer &p, std::size_t last, const ir::SDFG &g);

/// The iteration of a producer that writes an element: its parameters, in the terms of the element. `written`: what it writes in
/// terms of its parameters. Nothing unless each parameter is an index, but for an offset.
std::optional<std::map<Name, sym::Expr>> iterationOf(const Producer &p, const sym::Subset &written, const sym::Subset &element);

} // namespace sdfgc::transforms
