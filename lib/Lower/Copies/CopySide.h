// One side of a copy: which elements of which container.
#pragma once

#include "Lower/Memory/Elements.h"

#include "sdfgc/Analysis/Memory/Axes.h"

namespace sdfgc::tree::lowering {

/// The elements that a copy reads or writes.
struct CopySide {
    MemoryPlace place;
    sym::Subset subset;       // over variables
    bool accumulates = false; // the place is an accumulator of the thread

    /// Its dimensions, as sizes and strides.
    std::vector<analysis::Axis> axes() const { return analysis::axesOf(place.strides, subset); }
    /// Offset of its first element.
    sym::Expr start() const { return startOffset(place, subset); }
};

/// One side of a memlet; where it has no subset, that of the other side as far as it fits. None, and an error reported, if there is
/// no container at that end.
std::optional<CopySide> copySide(Instance &in, ir::Edge &e, bool source);

/// Reports a copy without a method, or with one that its sides do not have the layout for; `suitable` is one that would do.
void refuseCopy(const Instance &in, const CopySide &src, const CopySide &dst, const ir::Edge &e, ir::CopyMethod suitable);

/// Writes one element of the source to one of the target, as the memlet says: assigned, or combined by its conflict resolution,
/// then atomically if asked for.
void copyElement(Instance &in, const CopySide &src, sym::Expr srcOffset, const CopySide &dst, sym::Expr dstOffset,
                 const ir::Edge &e, bool atomic, Block &out);

} // namespace sdfgc::tree::lowering
