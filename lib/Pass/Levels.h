// How the level of a graph moves along a pipeline.
#pragma once

#include "sdfgc/Pass/Pass.h"

#include <optional>

namespace sdfgc::pass {

/// The level that holds, and the one that will hold again once types, schedules and so on of elements that a pass added have been
/// filled in (PassInfo::fallsTo).
class LevelTracker {
public:
    explicit LevelTracker(ir::Level start) : level_(start) {}
    ir::Level level() const { return level_; }
    /// Moves on after a pass.
    void pass(const PassInfo &p);

private:
    struct Owed {
        ir::Level at;    // when this level is reached ...
        ir::Level gives; // ... this one holds
    };
    ir::Level level_;
    std::optional<Owed> owed_;
};

} // namespace sdfgc::pass
