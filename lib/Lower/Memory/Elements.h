// References to elements of places.
//
// The tree reads and writes references: a variable with an offset in elements. An offset is over variables of the function;
// functions that return a RefId add a reference to the function.
#pragma once

#include "Lower/Program/Instance.h"

namespace sdfgc::tree::lowering {

/// The type of a container's elements; for a structure, the structure itself, although its descriptor has a pointer type.
Type variableType(const ir::DataDesc &d);

/// The place of a container whose first element is element `offset` of a variable. Shape and strides are those of `d`, a container
/// of the instance's SDFG, in terms of variables.
MemoryPlace placeFor(const Instance &in, VarId v, const ir::DataDesc &d, sym::Expr offset = 0);

/// Offset of the first element of a subset (over variables) from the place's variable.
sym::Expr startOffset(const MemoryPlace &p, const sym::Subset &s);

/// Offset of the first element that a memlet names at its source or destination; the place's own offset if it names no subset of
/// the place's rank.
sym::Expr startAt(const Instance &in, const MemoryPlace &p, ir::Edge &e, bool source);

/// Does a container of this kind, if it gets an element of the place, represent the memory that the element points to rather than
/// the element? Elements of container arrays are such pointers.
bool isBehindElement(const MemoryPlace &p, const ir::DataDesc &d);

/// The element at an offset of the place's variable.
RefId elementAt(const Instance &in, const MemoryPlace &p, sym::Expr offset);
/// Its address.
RefId addressAt(const Instance &in, const MemoryPlace &p, sym::Expr offset);
/// Its value, also used as the target of an assignment.
py::ExprRef read(const Instance &in, const MemoryPlace &p, sym::Expr offset);

/// If the program is to have run-time checks, records the element or region, a subset (over variables) of the place's container,
/// that a reference represents in the graph. Does nothing if the container is a single value or has another rank.
void recordElement(const Instance &in, RefId r, const MemoryPlace &p, const sym::Subset &s);
/// The same for data-dependent indices, which count from the beginning of the subset along these dimensions.
void recordElement(const Instance &in, RefId r, const MemoryPlace &p, const sym::Subset &s,
                   const std::vector<std::size_t> &counted);
/// Can a size over variables be computed here? A symbol that occurs only in shapes of arguments has no variable, and members of
/// structures may have sizes known only to the structure.
bool isKnown(const Instance &in, sym::Expr e);
/// If the program is to have run-time checks, adds a check that a region is within its container. This is for regions that no
/// single reference names, as in copies.
void checkRegion(const Instance &in, const MemoryPlace &p, const sym::Subset &s, Block &out);
/// The same for a check that the sizes of a container are neither negative nor too large.
void checkSize(Instance &in, Name container, const ir::DataDesc &d, Block &out);

/// Is the memory private to a thread of a kernel: a register or a local array?
bool isOfThread(const Instance &in, const MemoryPlace &place);
/// Must updates of the memory by the memlet's conflict resolution be atomic? Devices have no atomics on thread-private memory.
bool needsAtomics(const Instance &in, const MemoryPlace &place, const ir::Memlet &m);

} // namespace sdfgc::tree::lowering
