// Maps over different ranges in the coordinates of the threads of one kernel.
//
//     map[i = 0:N - 2, j = 0:M - 2] { u[i + 1, j + 1] = ... }        map[i = 0:N, j = 0:M] {
//     map[k = 0:M] { u[0, k] = 0 }                            ->         if 1 <= i < N - 1 and 1 <= j < M - 1: u[i, j] = ...
//                                                                        if i == 0: u[0, j] = 0
//                                                                    }
//
// Each dimension of the threads corresponds to one loop of a map, up to an offset, or the map is executed by the threads with
// one coordinate.
#pragma once

#include "sdfgc/Nest/Conflicts.h"

#include <optional>
#include <vector>

namespace sdfgc::transforms {

/// Where the threads of one dimension execute a map.
struct ThreadDimension {
    std::optional<std::size_t> loop; // of the map; nothing: all of it is executed at one coordinate
    sym::Expr at = 0;                // this coordinate, or the distance of the coordinate from the loop's variable
    sym::Range exists = {};          // the coordinates of the array's elements along this dimension
    friend bool operator==(const ThreadDimension &, const ThreadDimension &) = default;
};
using Placement = std::vector<ThreadDimension>;

/// A map with a loop for each dimension of the threads.
struct Part {
    std::size_t item = 0;                          // its position in the list of items
    nest::Map map;                                 // loops that it lacks have one iteration
    std::vector<sym::Expr> distance;               // of the coordinates from the loops' variables
    std::vector<sym::Range> threads;               // that execute it
    std::vector<std::optional<sym::Range>> exists; // coordinates of elements that exist if it is executed at one coordinate
    bool operator<(const Part &other) const { return item < other.item; }
};

/// The threads of a kernel and the maps that they execute.
class ThreadSpace {
public:
    /// Threads for the iterations of a map. All names in `taken` differ from those of loops that this creates.
    ThreadSpace(std::size_t item, const nest::Map &base, const nest::Conflicts &items, const ir::SDFG &g);

    const std::vector<Part> &parts() const { return parts_; }
    /// The placements of a map under which a thread uses the same elements for it as for another part, or the same elements of
    /// arrays with the same layout: those of written elements first. Last are those under which neighbouring threads write
    /// neighbouring elements of other arrays. A map without parameters may also be placed at the first thread.
    std::vector<Placement> placements(const nest::Map &m) const;
    /// Adds a map. Returns why it cannot be added; nothing has changed then.
    diag::Reason add(std::size_t item, const nest::Map &m, const Placement &placement);
    /// Removes the last parts, down to a number.
    void shrinkTo(std::size_t parts);
    /// Are the threads hardly more than the iterations of the largest part?
    bool isFilled() const;
    /// The kernel: a map over all threads, in which each part is guarded by a condition.
    nest::Map unite();

private:
    Placement ofFirstThread() const;
    std::vector<sym::Range> hull() const;
    std::vector<nest::PlacedUse> usesOf(const Part &p) const;
    Part partOf(std::size_t item, const nest::Map &m, const Placement &placement) const;
    diag::Reason conflict(const Part &earlier, const Part &later) const;
    void addBody(const Part &p, const std::vector<sym::Range> &hull, nest::Map &to);

    const nest::Conflicts &items_;
    const ir::SDFG &g_;
    std::vector<Name> threads_; // the coordinates
    std::vector<Part> parts_;   // in the order in which they were added
    std::set<Name> taken_;      // by loops of conditions
};

/// Estimates a number, with 512 for each unknown size.
int64_t estimate(sym::Expr e);

} // namespace sdfgc::transforms
