// What is asked for GPU graphs where: marks of elements, the command line, options of passes.
#pragma once

#include "sdfgc/IR/Sdfg.h"
#include "sdfgc/Pass/Pass.h"

#include <optional>
#include <string>

namespace sdfgc::transforms {

/// What applies to the blocks of a region, and who asked for it.
struct GraphWish {
    ir::GraphMark mark = ir::GraphMark::Off; // Off, Auto or Require
    std::string by;                          // an element, or the option
    bool isOff() const { return mark == ir::GraphMark::Off; }
};

/// The rule: `off` of an element > the command line > `auto`, `require` of an element > `auto` for CUDA, where it gains
/// (docs/user/benchmarks.md), else `off`.
class GraphWishes {
public:
    /// Nothing where no region of `root` can be asked for. `option`: the mode that an option of the pass asks for; without it, the
    /// command line decides.
    static std::optional<GraphWishes> of(ir::SDFG &root, std::optional<pass::GpuGraphMode> option, const pass::Context &context);
    /// For the whole program, outside of all marks.
    const GraphWish &general() const { return general_; }
    /// What applies inside of a region, given what does around it. `report`: an element that requires a graph against the command line is
    /// an error.
    GraphWish inside(const ir::Region &r, const GraphWish &around, pass::Context *report = nullptr) const;

    /// Does a block, or something inside of it, say `off`? Then it is part of no graph, whatever applies around it. Linear in the block.
    static bool saysOff(const ir::Block &b);

private:
    GraphWish general_;
    bool forced_ = false; // the option decides, whatever elements ask for
};

} // namespace sdfgc::transforms
