// The parts of a module besides functions: its interface, types and constants.
#pragma once

#include "Program.h"

namespace sdfgc::tree::lowering {

/// Parameters of the program and of its initialiser, with their C names. Reports an argument that has no declaration and no type.
void addInterface(Program &program);

/// Definitions of all structures used as container elements, each preceded by those that it contains.
void addStructs(Program &program);

/// Constants of all SDFGs; if two have the same name, the outer one wins.
void addConstants(Program &program);

} // namespace sdfgc::tree::lowering
