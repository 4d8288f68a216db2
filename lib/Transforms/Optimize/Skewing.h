// Rewrites a nest of loops so that the outermost loop walks over hyperplanes, and the loops inside it over the iterations on one of
// them, the cells (skew-loops).
#pragma once

#include "sdfgc/Analysis/Flow/LoopHeader.h"
#include "sdfgc/Diag/Reason.h"
#include "sdfgc/IR/Sdfg.h"
#include "sdfgc/Nest/LoopItems.h"

#include <optional>
#include <vector>

namespace sdfgc::transforms {

/// A nest of loops, each of which but the last contains only the next one. The body of the last one is a sequence of parts, each with
/// iterations of its own: loops, maps of one parameter, or blocks with a single iteration, before or after those of the loops.
class Skewing {
public:
    /// `around`: outermost first.
    Skewing(ir::SDFG &g, std::vector<ir::LoopRegion *> around) : g_(g), around_(std::move(around)) {}

    /// Why the nest has another form. Must be called first.
    diag::Reason obstacle();
    /// Replaces arrays of which each cell uses one element by one element. Must be called before `apply`.
    void contract(const nest::LoopItems &loops, analysis::Memories &memories);
    /// Rewrites the nest for the hyperplanes `sum of factor * loop + last loop`, each loop counted in its direction, and returns the
    /// outermost loop. The loops of the nest, which count upwards now, are inside it.
    ir::LoopRegion &apply(const std::vector<int64_t> &factors);

private:
    /// Iterations of a part, in its own numbering: `shift` is added to give those of the nest.
    struct Part {
        std::vector<ir::Block *> blocks; // one, or several that run once
        Name variable;                   // of its loop, or of its maps if there is one; empty for blocks that run once
        sym::Range range;                // lowest to highest
        sym::Expr shift;
        bool isLoop = false;
    };
    diag::Reason readParts();
    diag::Reason addLoop(ir::LoopRegion &l);
    diag::Reason addState(ir::State &s, bool &isMap);
    void placeParts();
    void place(Part &p, std::size_t at) const;
    std::optional<sym::Expr> limit(sym::Expr e, bool most, std::optional<std::size_t> except = {}) const;
    bool hasLimits() const;
    std::pair<sym::Expr, sym::Expr> planes(const std::vector<int64_t> &factors) const;
    sym::Range limitedTo(sym::Expr cell, std::size_t level) const;
    std::optional<sym::Range> hull() const;
    bool hullIsThere(const sym::Range &r) const;
    void confine(Part &p, sym::Expr cell);
    sym::Expr signOf(std::size_t level) const { return down_[level] ? -1 : 1; }

    ir::SDFG &g_;
    std::vector<ir::LoopRegion *> around_;
    std::vector<sym::Range> ranges_; // of these loops, lowest to highest
    std::vector<bool> down_;         // of these loops, and of the loops among the parts
    std::vector<Part> parts_;
};

} // namespace sdfgc::transforms
