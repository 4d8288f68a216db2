// The parts of a module besides functions: its interface, types and constants.
#pragma once

#include "LoweredProgram.h"

namespace sdfgc::tree::lowering {

/// Parameters of the program and of its initialiser, with their C names. Reports an argument that has no declaration and no type.
void addInterface(LoweredProgram &program);

/// Definitions of all structures used as container elements, each preceded by those that it contains. Reports names that C++ does not
/// allow. Must come first, since variables avoid the names of structures.
void addStructs(LoweredProgram &program);

/// Constants of all SDFGs; if two have the same name, the outer one wins.
void addConstants(LoweredProgram &program);

} // namespace sdfgc::tree::lowering
