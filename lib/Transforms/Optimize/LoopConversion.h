// Turns one loop into a map: the rules of loops-to-maps.
#pragma once

#include "Transforms/Edits/ChangeLoops.h"

#include <memory>

namespace sdfgc::transforms {

/// What the iterations of a loop become on a device: kernels, whose threads must not become fewer than those of the maps in the loop,
/// or cells of a wavefront, which one thread computes each.
enum class IterationKind : uint8_t { Kernel, Cell };

/// One loop under conversion.
class LoopConversion {
public:
    LoopConversion(ir::LoopRegion &l, const LoopsOf &known, const pass::Context &context,
                   IterationKind kind = IterationKind::Kernel);
    LoopConversion(LoopConversion &&) noexcept;
    ~LoopConversion();

    /// Why the loop stays; empty if it can become a map.
    diag::Reason obstacle();
    /// How iterations depend on each other, for the remark.
    std::string relation() const;
    /// Replaces the loop with a state that contains the map; there must be no obstacle.
    void replace();
    /// Is the body moved into a nested SDFG?
    bool moves() const;
    /// Are library nodes maps now, which do without views?
    bool seesThrough() const;
    /// Symbols that are now private to iterations of the map.
    const std::set<Name> &privateSymbols() const;

private:
    class Work;
    std::unique_ptr<Work> work_;
};

} // namespace sdfgc::transforms
