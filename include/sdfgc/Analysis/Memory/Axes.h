// Iterations over subsets in memory: the steps along each dimension, and the distance between them. Dependences between
// ranges of iterations.
#pragma once

#include "sdfgc/Symbolic/Subset.h"

#include <algorithm>
#include <vector>

namespace sdfgc::analysis {

/// One dimension of an iteration over a subset: the number of steps, and the distance in memory of each.
struct Axis {
    sym::Expr size, stride;
};

inline std::vector<Axis> axesOf(const std::vector<sym::Expr> &strides, const sym::Subset &s) {
    std::vector<Axis> axes;
    for (std::size_t d = 0; d < s.rank(); ++d) {
        const sym::Range &r = s.dims[d];
        sym::Expr stride = d < strides.size() ? strides[d] : sym::Expr(1);
        if (!r.steps().isOne())
            axes.push_back({r.steps(), stride * r.step});
        if (!r.tile.isOne()) // each step addresses `tile` neighbours (format reference 1.10)
            axes.push_back({r.tile, stride});
    }
    return axes;
}

/// Is the iteration one run of memory? (innermost stride 1, each next one the product of the sizes below)
inline bool isRun(const std::vector<Axis> &axes) {
    sym::Expr expected = 1;
    for (auto a = axes.rbegin(); a != axes.rend(); ++a) {
        if (a->stride != expected)
            return false;
        expected *= a->size;
    }
    return true;
}

/// Does the iteration cover a stretch of memory without gaps, in any order of its dimensions? A run does; so does a
/// column-major array.
inline bool isDense(std::vector<Axis> axes) {
    std::erase_if(axes, [](const Axis &a) { return a.size.isOne(); });
    for (sym::Expr expected = 1; !axes.empty();) {
        const auto next = std::find_if(axes.begin(), axes.end(), [&](const Axis &a) { return a.stride == expected; });
        if (next == axes.end())
            return false;
        expected *= next->size;
        axes.erase(next);
    }
    return true;
}

inline bool sameSizes(const std::vector<Axis> &a, const std::vector<Axis> &b) {
    if (a.size() != b.size())
        return false;
    for (std::size_t i = 0; i < a.size(); ++i)
        if (sym::isEqual(a[i].size, b[i].size) == sym::Truth::False)
            return false;
    return true;
}

/// Does one of the ranges depend on a parameter?
inline bool dependOn(const std::vector<sym::Range> &ranges, Name parameter) {
    return std::any_of(ranges.begin(), ranges.end(), [parameter](const sym::Range &r) {
        return r.begin.dependsOn(parameter) || r.end.dependsOn(parameter) || r.step.dependsOn(parameter);
    });
}

/// Does a map have exactly one iteration?
inline bool isOneIteration(const std::vector<sym::Range> &ranges) {
    return std::all_of(ranges.begin(), ranges.end(), [](const sym::Range &r) { return r.steps().isOne(); });
}

/// Do the iterations of a map form a box: does no range depend on a parameter, so that sizes can be multiplied?
inline bool isBox(const std::vector<Name> &params, const std::vector<sym::Range> &ranges) {
    return std::none_of(params.begin(), params.end(), [&](Name p) { return dependOn(ranges, p); });
}

inline sym::Expr volume(const std::vector<Axis> &axes) {
    sym::Expr v = 1;
    for (const Axis &a : axes)
        v *= a.size;
    return v;
}

/// The offset of the element with row-major index `linear`.
inline sym::Expr offsetOfLinear(const std::vector<Axis> &axes, sym::Expr linear) {
    sym::Expr offset = 0, below = 1;
    for (std::size_t i = axes.size(); i-- > 0;) {
        sym::Expr index = sym::floorDiv(linear, below);
        if (i > 0)
            index = sym::mod(index, axes[i].size);
        offset += index * axes[i].stride;
        below *= axes[i].size;
    }
    return offset;
}

} // namespace sdfgc::analysis
