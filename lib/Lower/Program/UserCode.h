// Code of the user that is copied into the program as it stands: code blocks (global, init and exit code) of SDFGs and tasklets.
//
// Global code stands at file scope, init and exit code in the functions that make and delete the program's state. Such code may
// call the runtime of another vendor than the target has, or name what it cannot see; both are reported here, before a compiler
// sees it.
#pragma once

#include "Instance.h"

namespace sdfgc::tree::lowering {

/// Puts the code blocks of all SDFGs into the module. Returns init code that reads arguments of the program, which the initialiser
/// does not have: for addCallCode(). Exit code that does so is reported, likewise calls that the target does not have.
std::vector<std::string> takeCodeBlocks(Program &program);

/// Init code that reads arguments of the program runs when they are there: at the start of each call. Front ends for Fortran write
/// such code, to copy sizes out of structures into global variables.
void addCallCode(const Instance &in, const std::vector<std::string> &texts, Block &out);

/// Puts what a tasklet brings besides its code into the module: code blocks, fields of the state, libraries. Calls that the target
/// does not have are reported, also those of its code.
void takeTaskletBlocks(Program &program, const ir::Tasklet &t);

/// A function of devices that code of a tasklet calls where there is no device: on the host, and in the emulation. None if the graph may
/// declare it.
Name unknownOnHost(const Instance &in, const ir::Tasklet &t, const std::vector<py::StmtRef> &code);

} // namespace sdfgc::tree::lowering
