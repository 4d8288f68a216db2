// Programs whose transients are members of structures.
#pragma once

#include "../RandomNumbers.h"

#include "sdfgc/IR/Sdfg.h"

namespace sdfgc::random {

/// Makes some transients of a program members of a structure. Code reads and writes them as members of it, through views, or by the
/// name of the member. Returns whether there were any.
bool bundle(ir::SDFG &g, test::RandomNumbers &random);

} // namespace sdfgc::random
