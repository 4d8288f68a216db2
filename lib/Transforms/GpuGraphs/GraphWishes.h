// Requests for GPU graphs: marks of elements, the command line, and pass options.
#pragma once

#include "sdfgc/IR/Sdfg.h"
#include "sdfgc/Pass/Pass.h"

#include <optional>
#include <string>

namespace sdfgc::transforms {

/// The request for the blocks of a region, and where it comes from.
struct GraphWish {
    ir::GraphMark mark = ir::GraphMark::Off; // Off, Auto or Require
    std::string by;                          // an element, or the option
    bool isOff() const { return mark == ir::GraphMark::Off; }
};

/// The precedence: `off` of an element, the command line, `auto` or `require` of an element, `auto` for CUDA, where it
/// pays (docs/user/benchmarks.md), otherwise `off`.
class GraphWishes {
public:
    /// Returns nothing if no region of `root` can have a graph. `option`: the mode that the pass option requests; without
    /// one, the command line decides.
    static std::optional<GraphWishes> of(ir::SDFG &root, std::optional<pass::GpuGraphMode> option, const pass::Context &context);
    /// For the entire program, outside all marks.
    const GraphWish &general() const { return general_; }
    /// Returns the request inside a region, given the one around it. `report`: an element that requires a graph against
    /// the command line is an error.
    GraphWish inside(const ir::Region &r, const GraphWish &around, pass::Context *report = nullptr) const;

    /// Does a block, or something inside it, specify `off`? Then it is not part of a graph, whatever applies around it. Linear in
    /// the block.
    static bool saysOff(const ir::Block &b);

private:
    GraphWish general_;
    bool forced_ = false; // the option decides, whatever elements request
};

} // namespace sdfgc::transforms
