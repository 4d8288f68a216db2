// Compile options as words of the command line: for reproducers, replays and keys of folders.
#pragma once

#include "sdfgc/Pass/Pass.h"

namespace sdfgc::pass {

/// The words that give these options to any subcommand that compiles: `--target cuda --gpu-streams 1`. Options that have their default are
/// left out, except for the target. `libraries` and `file` have no option: the toolchain and the input give them.
std::vector<std::string> argumentsOf(const CompileOptions &options);

} // namespace sdfgc::pass
