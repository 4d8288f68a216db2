// The function of the entire program.
#pragma once

#include "LoweredProgram.h"

namespace sdfgc::tree::lowering {

/// Lowers the root SDFG into the module's function `program`, the last one of its functions; its parameters are those of the
/// module. `callCode`: C++ to run at the start of each call (UserCode.h).
void addProgramFunction(LoweredProgram &program, const std::vector<std::string> &callCode);

} // namespace sdfgc::tree::lowering
