// Programs whose transients or arguments are members of structures.
#pragma once

#include "../RandomNumbers.h"

#include "sdfgc/IR/Sdfg.h"

namespace sdfgc::random {

/// Makes some transients of a program members of a structure. Code reads and writes them as members of it, through views, or by the
/// name of the member. Returns whether there were any.
bool bundle(ir::SDFG &g, test::RandomNumbers &random);

/// A program that copies some of its arguments to members of a structure, calls the given program with it, and copies them back. The
/// program uses the members as above. Returns the program as it is if there are no such arguments.
std::unique_ptr<ir::SDFG> passStructure(std::unique_ptr<ir::SDFG> g, test::RandomNumbers &random);

} // namespace sdfgc::random
