// Containers as variables: what is declared where, and with what memory.
//
// Where a container is declared says its lifetime (allocate-containers), what memory it has DataDesc::memory (place-in-memory).
// Here they become variables of the function, fields of the program's state, or parts of memory that a kernel is given
// (KernelArrays.h).
#pragma once

#include "Lower/Program/Instance.h"

namespace sdfgc::tree::lowering {

/// Declares the containers of the whole SDFG and, in a nested one, those of the function, at the end of `out`. Those of the program
/// become fields of its state. A field whose size the initialiser does not know is reported.
void declareTop(Instance &in, Block &out);

/// Declares containers at a state or scope; each has its place from then on.
void declareAt(Instance &in, const std::vector<Name> &names, Block &out);

/// Declares the containers that belong to a scope of the state that is being lowered; a null entry means the state itself.
void declareInScope(Instance &in, const ir::Node *entry, Block &out);

} // namespace sdfgc::tree::lowering
