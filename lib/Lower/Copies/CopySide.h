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

/// One side of a memlet; if it has no subset, that of the other side as far as it fits. If there is no container at that end,
/// reports an error and returns nothing.
std::optional<CopySide> copySide(Instance &in, ir::Edge &e, bool source);

/// Reports a copy without a method, or with one that does not suit the layout of its sides; `suitable` is one that does.
void refuseCopy(const Instance &in, const CopySide &src, const CopySide &dst, const ir::Edge &e, ir::CopyMethod suitable);

/// Writes one element of the source to one of the target, as the memlet specifies: assigned, or combined by its conflict
/// resolution, atomically if requested.
void copyElement(Instance &in, const CopySide &src, sym::Expr srcOffset, const CopySide &dst, sym::Expr dstOffset,
                 const ir::Edge &e, bool atomic, Block &out);

} // namespace sdfgc::tree::lowering
