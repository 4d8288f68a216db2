// What a module has besides functions: its interface, types and constants.
#pragma once

#include "Program.h"

namespace sdfgc::tree::lowering {

/// Parameters of the program and of its initialiser, with the names that they have in C. An argument that is neither declared nor
/// typed anywhere is reported.
void addInterface(Program &program);

/// Definitions of all structures that containers have as elements, each after those that it contains.
void addStructs(Program &program);

/// Constants of all SDFGs; where two have the same name, that of the outer one.
void addConstants(Program &program);

} // namespace sdfgc::tree::lowering
