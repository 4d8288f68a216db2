// Calling a graph in the interpreter instead of a library that was made of it.
#pragma once

#include "Driver/Session.h"
#include "sdfgc/Interpret/Interpret.h"
#include "sdfgc/Run/Call.h"

namespace sdfgc::driver {

/// Runs the graph once with prepared arguments, as run::call does with a library. What the interpreter finds is reported, each fault
/// once, and does not keep the results from being returned. Nothing when it cannot be interpreted.
std::optional<run::CallResult> interpret(Session &session, const ir::SDFG &graph, const run::Arguments &arguments,
                                         const interpret::Options &options);

} // namespace sdfgc::driver
