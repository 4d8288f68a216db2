// Updates that are no sums, and results of library nodes that are updates: see SplitUpdates.h.
#pragma once

#include "Transforms/Differentiate/Maker.h"
#include "Transforms/Differentiate/Program.h"

#include "sdfgc/Tasklet/Types.h"

namespace sdfgc::transforms::gradient {

class Updates {
public:
    /// `takesPart`: has what a use is of a gradient (tangent)? `mayReorder`: factors may be multiplied in another order.
    Updates(Program &program, Maker &maker, std::function<bool(const nest::Use &)> takesPart, bool mayReorder)
        : program_(program), maker_(maker), takesPart_(std::move(takesPart)), mayReorder_(mayReorder) {}

    /// Items inside of a map come now; the map is the innermost one.
    void enter(nest::Map &m) { around_.push_back(&m); }
    /// They have come. Adds what is to follow the map, which is the last one of `out`.
    void leave(std::vector<nest::Item> &out);
    /// Adds a step, or what takes its place. `map`: the innermost one around it, or null.
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
    /// Can a Reduce node take the place of the updates?
    bool canBeReduced(py::Reduction kind) const;
    bool isTheOnlyWrite(const nest::Use &u) const;

    Program &program_;
    Maker &maker_;
    std::function<bool(const nest::Use &)> takesPart_;
    bool mayReorder_;
    std::vector<nest::Map *> around_;
    std::map<const nest::Map *, std::vector<nest::Item>> after_; // maps, and what follows them
};

} // namespace sdfgc::transforms::gradient
