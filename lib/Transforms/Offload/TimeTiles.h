// Loops over time whose steps are stencils: what a tile of space needs for several steps. For tile-time.
//
// A step of time consists of sweeps. Each is a map that computes elements of arrays, the state, from elements at constant
// distances, at most `radius`:
//
//     for t { map[i = 1:N - 1] { B[i] = f(A[i - 1], A[i], A[i + 1]) }        a sweep of B over the box 1:N - 1, radius 1
//             map[i = 1:N - 1] { A[i] = f(B[i - 1], B[i], B[i + 1]) } }      a sweep of A
//
// A block computes a tile of space for several steps. It starts with the elements of the tile and of a halo around it, as wide as
// the radii of all of these sweeps together, and each sweep leaves out as much of the halo as its radius. So after any sweep, the
// elements that later sweeps need are those of this point of time, and in the end those of the tile are.
//
// Legal when:
//   1. the loop counts to an end of integer symbols;
//   2. its body consists of sweeps: parallel maps of Python tasklets over boxes that do not depend on time, with one loop for each
//      dimension of the state. Tasklets may be under conditions, which are loops with at most one iteration. All arrays of the
//      state have the same shape;
//   3. an iteration of a sweep writes elements of its arrays with the same index. Of these arrays it reads only these elements, of
//      the rest of the state elements at constant distances;
//   4. whatever else it reads, nothing in the loop writes.
#pragma once

#include "sdfgc/Analysis/Flow/LoopHeader.h"
#include "sdfgc/Diag/Reason.h"
#include "sdfgc/Nest/Conflicts.h"

#include <optional>
#include <vector>

namespace sdfgc::transforms {

/// A step of a sweep.
struct SweepStep {
    const nest::Step *step = nullptr;
    std::map<Name, sym::Expr> values = {}; // of the loops of conditions around it, in terms of the map's parameters
    std::map<Name, sym::Expr> fixed = {};  // values that conditions demand of parameters
    bool isConditional = false;
};

/// A map of a step of time. The vectors have an entry for each dimension of the state.
struct Sweep {
    const nest::Map *map = nullptr;
    std::vector<SweepStep> steps;   // in order
    std::set<Name> locals;          // private containers of iterations, also of conditions
    std::vector<std::size_t> loops; // the position of the parameter that is the index of written elements, up to `shift`
    std::vector<sym::Expr> shift;   // this index minus the parameter
    std::vector<sym::Range> box;    // written indices
    std::vector<int64_t> radius;    // the greatest distance of an element that it reads
};

/// An array that the loop writes.
struct StateArray {
    Name data;
    bool carries = false;              // a step may read elements that the step before it wrote
    bool enters = true;                // steps read elements that were written before the loop
    std::vector<sym::Range> box = {};  // written indices, if it does not carry values
    std::optional<int64_t> bytes = {}; // of an element
};

/// Names of the loops of a kernel over tiles, by dimension of the state.
struct TileNames {
    std::vector<Name> first;  // the first index of a tile
    std::vector<Name> cell;   // the position of an element in the block's memory
    std::vector<Name> thread; // of the block
    Name step, any;           // the step in the block; a loop with at most one iteration
};

/// Numbers that limit tiles, from options.
struct TileLimits {
    int64_t steps = 0;          // of a block; 0: as many as the others allow
    std::vector<int64_t> cells; // of the block's memory along each dimension, with the halo; empty: by rank
    int64_t redundant = 0;      // percent of elements computed more than once
    int64_t sweeps = 0;         // in a block
    int64_t bytes = 0;          // of shared memory of a block
    int64_t operations = 0;     // of a sweep for an element, on average
};

/// The size of tiles. The vectors have an entry for each dimension of the state.
struct TileShape {
    int64_t steps = 0;
    std::vector<int64_t> cells;   // in the block's memory
    std::vector<int64_t> halo;    // on each side
    std::vector<int64_t> width;   // cells without halo: the elements of a tile
    std::vector<int64_t> threads; // of the block
    int64_t redundant = 0;        // percent
    int64_t bytes = 0;
};

/// A loop whose items may be sweeps. It refers to the items, which must not change meanwhile.
class TimeLoop {
public:
    TimeLoop(const std::vector<nest::Item> &body, const analysis::LoopHeader &header, analysis::Memories &memories, ir::SDFG &g);

    /// Why blocks cannot compute several steps; empty if they can (rules 2 to 4).
    const diag::Reason &why() const { return why_; }
    const std::vector<Sweep> &sweeps() const { return sweeps_; }
    const std::vector<StateArray> &arrays() const { return arrays_; }
    const TileNames &names() const { return names_; }
    bool isState(Name data) const;
    std::size_t rank() const { return exists_.size(); }
    /// The indices of the state.
    const std::vector<sym::Range> &exists() const { return exists_; }
    /// The dimensions, with that along which neighbouring threads should be neighbours last.
    const std::vector<std::size_t> &order() const { return order_; }
    /// The distance of an element that a sweep reads or writes from the one that it writes.
    std::optional<std::vector<int64_t>> distance(const Sweep &s, const SweepStep &step, const sym::Subset &element) const;
    /// Chooses tiles. Sets `why` and returns nothing if there are none within the limits.
    std::optional<TileShape> shape(const TileLimits &limits, diag::Reason &why) const;

private:
    void nameLoops();
    diag::Reason read(const std::vector<nest::Item> &body);
    diag::Reason flatten(const std::vector<nest::Item> &body, const SweepStep &around, Sweep &s) const;
    diag::Reason readStep(const nest::Step &step, const Sweep &s);
    static bool findLoops(Sweep &s, const SweepStep &step, const sym::Subset &written);
    diag::Reason readWrites(Sweep &s) const;
    diag::Reason readReads(Sweep &s) const;
    diag::Reason readOther(const nest::Use &u, const nest::Map &m) const;
    diag::Reason readArrays();
    void readOrder();
    bool isConstant(sym::Expr e, const nest::Map &m) const;
    std::map<Name, sym::Expr> placeholders(const nest::Map &m) const;
    TileShape shapeOf(const std::vector<int64_t> &cells, int64_t steps) const;

    const analysis::LoopHeader &header_;
    analysis::Memories &memories_;
    ir::SDFG &g_;
    diag::Reason why_;
    std::vector<Sweep> sweeps_;
    std::vector<StateArray> arrays_;
    std::vector<sym::Range> exists_;
    std::vector<std::size_t> order_;
    TileNames names_;
    int64_t operations_ = 0; // of all sweeps for an element
};

} // namespace sdfgc::transforms
