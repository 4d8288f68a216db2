// References to elements of places.
//
// What the tree reads and writes are references: a variable with an offset in elements. An offset is over variables of the
// function; functions that return a RefId add a reference to the function.
#pragma once

#include "Lower/Program/Instance.h"

namespace sdfgc::tree::lowering {

/// The type of a container's elements; for a structure the structure itself, which its descriptor has a pointer to.
Type variableType(const ir::DataDesc &d);

/// The place of a container whose first element is element `offset` of a variable: shape and strides are those of `d`, which is a
/// container of the instance's SDFG, in terms of variables.
MemoryPlace placeFor(const Instance &in, VarId v, const ir::DataDesc &d, sym::Expr offset = 0);

/// Offset of the first element of a subset (over variables), from the place's variable.
sym::Expr startOffset(const MemoryPlace &p, const sym::Subset &s);

/// Offset of the first element that a memlet names at its source, or at its destination; the place's own where it names none of the
/// place's rank.
sym::Expr startAt(const Instance &in, const MemoryPlace &p, ir::Edge &e, bool source);

/// Does a container of this kind that gets an element of the place stand for what the element points to, rather than for the element?
/// Elements of container arrays are such pointers.
bool isBehindElement(const MemoryPlace &p, const ir::DataDesc &d);

/// The element at an offset of the place's variable.
RefId elementAt(const Instance &in, const MemoryPlace &p, sym::Expr offset);
/// Its address.
RefId addressAt(const Instance &in, const MemoryPlace &p, sym::Expr offset);
/// Its value, also as the target of an assignment.
py::ExprRef read(const Instance &in, const MemoryPlace &p, sym::Expr offset);

/// Records what a reference is in the graph, where the program is to have run-time checks: the element, or the region, that a subset
/// (over variables) of the place's container has. Nothing where the container is a single value, or has another rank.
void recordElement(const Instance &in, RefId r, const MemoryPlace &p, const sym::Subset &s);
/// Likewise, for data-dependent indices: they count from the beginning of the subset, along these dimensions.
void recordElement(const Instance &in, RefId r, const MemoryPlace &p, const sym::Subset &s,
                   const std::vector<std::size_t> &counted);
/// Can a size over variables be computed here? A symbol that only shapes of arguments mention has no variable; members of structures may
/// have sizes that only the structure knows.
bool isKnown(const Instance &in, sym::Expr e);
/// Adds the check that a region lies in its container, where the program is to have run-time checks: of what no single reference
/// names, as in copies.
void checkRegion(const Instance &in, const MemoryPlace &p, const sym::Subset &s, Block &out);
/// Likewise, that the sizes of a container are not negative, and not too large.
void checkSize(Instance &in, Name container, const ir::DataDesc &d, Block &out);

/// Is the memory what a thread of a kernel has for itself: a register, or an array of its own?
bool isOfThread(const Instance &in, const MemoryPlace &place);
/// Must updates of the memory by the memlet's conflict resolution be atomic? Devices have no atomics on memory of a thread.
bool needsAtomics(const Instance &in, const MemoryPlace &place, const ir::Memlet &m);

} // namespace sdfgc::tree::lowering
