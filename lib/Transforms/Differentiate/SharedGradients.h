// Gradients that share memory with others, or need not be cleared.
#pragma once

#include "Transforms/Differentiate/Items.h"

namespace sdfgc::transforms::gradient {

/// Returns the private containers that each item of a run writes entirely, if it writes them at all: their gradients start
/// at zero.
std::set<Name> freshOf(const nest::Run &run, const std::set<Name> &own, const Gradients &gradients, const ir::SDFG &g);

/// Do `read` and `written` each access a single element of equally large containers that a single iteration owns, and
/// is the value read nowhere else?
bool canShare(ItemReverser &r, const nest::Use &read, const nest::Use &written, const Body &b);

} // namespace sdfgc::transforms::gradient
