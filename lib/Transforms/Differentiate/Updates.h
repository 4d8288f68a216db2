// Rewrites updates other than sums, and library nodes that update their results: see SplitUpdates.cpp.
#pragma once

#include "Transforms/Differentiate/Maker.h"
#include "Transforms/Differentiate/PrimalProgram.h"

#include "sdfgc/Tasklet/Types.h"

namespace sdfgc::transforms::gradient {

class Updates {
public:
    /// `takesPart`: does the container of a use have a gradient (tangent)? `mayReorder`: factors may be multiplied in
    /// another order.
    Updates(PrimalProgram &program, Maker &maker, std::function<bool(const nest::Use &)> takesPart, bool mayReorder)
        : program_(program), maker_(maker), takesPart_(std::move(takesPart)), mayReorder_(mayReorder) {}

    /// Enters a map; the following items are inside it.
    void enter(nest::Map &m) { around_.push_back(&m); }
    /// Leaves the map, which must be the last item of `out`, and appends the items that must follow it.
    void leave(std::vector<nest::Item> &out);
    /// Adds a step, or its replacement. `map`: the innermost surrounding map, or null.
    void step(nest::Item i, nest::Map *map, std::vector<nest::Item> &out);
    const std::vector<nest::Map *> &around() const { return around_; }

private:
    void tasklet(nest::Item i, std::vector<nest::Item> &out);
    void node(nest::Item i, const ir::LibraryNode &n, nest::Map *map, std::vector<nest::Item> &out);
    bool readBefore(nest::Step &s, std::size_t use);
    bool collect(nest::Step &s, std::size_t use);
    void combine(const nest::Use &result, Name with, const std::string &wcr, nest::Map *map, std::vector<nest::Item> &out);
    Name temporary(const nest::Use &like, std::vector<sym::Expr> shape, nest::Map *map);
    nest::Map *ownerOf(Name data) const;
    std::vector<nest::Map *>::iterator firstInside(const nest::Map *owner);
    /// Can a Reduce node replace the updates?
    bool canBeReduced(py::Reduction kind) const;
    bool isTheOnlyWrite(const nest::Use &u) const;

    PrimalProgram &program_;
    Maker &maker_;
    std::function<bool(const nest::Use &)> takesPart_;
    bool mayReorder_;
    std::vector<nest::Map *> around_;
    std::map<const nest::Map *, std::vector<nest::Item>> after_; // items that follow each map
};

} // namespace sdfgc::transforms::gradient
