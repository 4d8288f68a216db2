// Compile options as command-line arguments: for reproducers, replays and keys of folders.
#pragma once

#include "sdfgc/Pass/Pass.h"

namespace sdfgc::pass {

/// Returns the arguments that pass these options to any subcommand that compiles: `--target cuda --gpu-streams 1`.
/// Omits options with default values, except the target. `libraries` and `file` have no option: they come from the
/// toolchain and the input.
std::vector<std::string> argumentsOf(const CompileOptions &options);

} // namespace sdfgc::pass
