// How the level of a graph changes along a pipeline.
#pragma once

#include "sdfgc/Pass/Pass.h"

namespace sdfgc::pass {

/// The level after a pass over a program of this level.
ir::Level levelAfter(ir::Level level, const PassInfo &p);

} // namespace sdfgc::pass
