// Gradients that need no memory, or no clearing, of their own.
#pragma once

#include "Transforms/Differentiate/Items.h"

namespace sdfgc::transforms::gradient {

/// Those of an iteration's own containers which each item of a run writes as a whole, if it writes them: their gradients begin with zero.
std::set<Name> freshOf(const nest::Run &run, const std::set<Name> &own, const Gradients &gradients, const ir::SDFG &g);

/// Do `read` and `written` each access a single element of equally large containers that a single iteration owns, and
/// is the value read nowhere else?
bool canShare(ItemReverser &r, const nest::Use &read, const nest::Use &written, const Body &b);

} // namespace sdfgc::transforms::gradient
