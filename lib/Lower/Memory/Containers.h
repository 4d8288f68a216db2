// Containers as variables: the point of declaration and the memory of each.
//
// A container's lifetime determines where it is declared (allocate-containers), and DataDesc::memory its memory (place-in-memory).
// Here they become variables of the function, fields of the program's state, or parts of memory that a kernel receives
// (KernelArrays.h).
#pragma once

#include "Lower/Program/Instance.h"

namespace sdfgc::tree::lowering {

/// Declares, at the end of `out`, the containers of the entire SDFG and, in a nested one, those of the function. Those of the
/// program become fields of its state. Reports a field whose size the initialiser does not know.
void declareTop(Instance &in, Block &out);

/// Declares containers at a state or scope; each has a place from then on.
void declareAt(Instance &in, const std::vector<Name> &names, Block &out);

/// Declares the containers that belong to a scope of the state that is being lowered; a null entry means the state itself.
void declareInScope(Instance &in, const ir::Node *entry, Block &out);

} // namespace sdfgc::tree::lowering
