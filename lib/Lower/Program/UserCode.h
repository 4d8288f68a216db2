// User code that is copied verbatim into the program: code blocks (global, init and exit code) of SDFGs and tasklets.
//
// Global code is at file scope, init and exit code in the functions that create and destroy the program's state. Such code may call
// another vendor's runtime than the target's, or use names that are not visible to it; both are reported here, before a compiler
// sees it.
#pragma once

#include "Instance.h"

namespace sdfgc::tree::lowering {

/// Adds the code blocks of all SDFGs to the module. Returns init code that reads arguments of the program, which the initialiser
/// does not have, for use with addCallCode(). Reports exit code that does so, and calls that the target lacks.
std::vector<std::string> takeCodeBlocks(LoweredProgram &program);

/// Init code that reads arguments of the program runs when they are available: at the start of each call. Front ends for Fortran
/// write such code, to copy sizes out of structures into global variables.
void addCallCode(const Instance &in, const std::vector<std::string> &texts, Block &out);

/// Adds a tasklet's extras to the module: code blocks, fields of the state, libraries. Reports calls that the target lacks,
/// including those in the tasklet's code.
void takeTaskletBlocks(LoweredProgram &program, const ir::Tasklet &t);

/// A device function that a tasklet's code calls where there is no device: on the host, or in the emulation. Empty if the graph may
/// declare it.
Name unknownOnHost(const Instance &in, const ir::Tasklet &t, const std::vector<py::StmtRef> &code);

} // namespace sdfgc::tree::lowering
