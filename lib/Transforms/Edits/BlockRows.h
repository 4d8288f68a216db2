// How the threads of a block can share one iteration of a map, a row.
//
//     map[i = 0:N] {                              every thread of the block of row i:
//         s = 0                                       s = 0
//         map[j = 0:M] { s += A[i, j] }      ->       for j = t, t + T, ...: p += A[i, j];   s += the sum of all p
//         map[j = 0:M] { B[i, j] /= s }               for j = t, t + T, ...: B[i, j] /= s
//     }
//
// A loop whose iterations the threads share is a lane loop. Everything outside of lane loops is uniform: each thread
// executes it, with its own copies of the row's private containers. No thread waits for another one, except where a sum
// is combined. So the threads may share a row if:
//   1. whatever one lane iteration writes, only lane iterations with the same value of the loop variable access, and
//      lane loops with such containers in common start at the same value, with the same step: the same thread executes
//      these iterations, in order;
//   2. containers that are shared by rows are written in lane loops only, with one exception: an element that is the
//      same one throughout the row, and no other row writes, becomes a variable (RowSharing::elements). The first thread
//      stores it at the end. If all threads need its value from before, the block must combine a sum in between, since the
//      first thread could otherwise store it before others have read it;
//   3. lane loops change variables only by updates of a kind that a block can combine, and read none of those that they
//      change;
//   4. uniform code has no effects beyond its uses, and calls no libraries.
//
// If neighbouring rows have neighbouring elements instead, such as the columns of a row-major matrix, a block has several rows,
// one along x, and the threads along y share each of them (RowSharing::paysAsColumns).
#pragma once

#include "sdfgc/Diag/Reason.h"
#include "sdfgc/Nest/Conflicts.h"

#include <map>
#include <optional>
#include <set>
#include <vector>

namespace sdfgc::transforms {

/// Fewer threads leave most of a device idle.
inline constexpr int64_t fewThreads = 4096;

/// An update of a variable by a lane loop, which the block combines after it.
struct RowSum {
    const nest::Map *lanes = nullptr;
    Name data; // a private container, or one of RowSharing::elements
    std::string wcr;
    friend bool operator==(const RowSum &, const RowSum &) = default;
};

/// The plan for one map. It refers to the map's items, which must not change meanwhile.
class RowSharing {
public:
    /// `anyOrder`: may sums of numbers be reordered (class F1)?
    RowSharing(const nest::Map &rows, const nest::Conflicts &items, const ir::SDFG &g, bool anyOrder);

    /// Why the threads of a block cannot share a row; empty if they can.
    const diag::Reason &why() const { return why_; }
    /// Do neighbouring threads access neighbouring elements if they share a row, and not if each has its own? Also if
    /// there are known to be too few rows for that. Not if all lane loops are known to be short.
    bool pays() const;
    /// Do neighbouring rows, rather than neighbouring lane iterations, access neighbouring elements, so that a block should share
    /// several rows? Only if lane loops are not known to be short, and there may be too few rows to give each thread one.
    bool paysAsColumns() const;
    /// Do only lane loops have independent iterations, so that a block loses no parallel loops?
    bool keepsThreads() const;
    /// Do lane loops accumulate as well, so that a thread for each row loses none?
    bool onlyAccumulates() const;
    /// The range of all lane loops, if the lane loop can become a parameter of the map, so that each element of a row gets a
    /// thread of its own: if nothing is combined, and if neither rows nor other loops change the range.
    std::optional<sym::Range> sharedLane() const;
    /// Would that give neighbouring threads neighbouring elements, or the device more threads than it has rows?
    bool paysAsParameter() const;
    /// How threads should share rows.
    enum class Sharing : uint8_t { None, Parameter, Columns, Row };
    Sharing sharing() const;
    bool isWorthwhile() const { return sharing() != Sharing::None; }

    /// The position, among its parameters, of the loop of a map that threads share.
    const std::map<const nest::Map *, std::size_t> &lanes() const { return lanes_; }
    /// The first of these maps in the order of the program; null if there are none.
    const nest::Map *firstLanes() const { return first_; }
    const std::vector<RowSum> &sums() const { return sums_; }
    /// Containers of which the row uses one element, which it writes, with the element.
    const std::map<Name, sym::Subset> &elements() const { return elements_; }
    /// Does a row need the value that such an element had before?
    bool isLoaded(Name element) const;
    /// The longest lane loop, if the lengths of all are known.
    std::optional<int64_t> longest() const;

private:
    struct Access {
        const nest::Use *use = nullptr;
        nest::UseKind kind = nest::UseKind::Read; // of the use, or of what a nested SDFG does with its argument
        std::string wcr;                          // of an update
        const nest::Step *step = nullptr;
        const nest::Map *lanes = nullptr; // null: uniform
        sym::Range range;                 // of the lane loop
        bool fixed = false;               // the lane loop's start and step do not depend on other loops of the row
        nest::PlacedUse placed;           // in terms of the row's loops; the lane loop comes first
    };
    void visit(const std::vector<nest::Item> &list, std::vector<analysis::LoopLevel> &around);
    void visitLanes(const nest::Map &m, const std::vector<analysis::LoopLevel> &around);
    void add(const nest::Use &u, Access a);
    void visitStep(const nest::Step &s, const std::vector<analysis::LoopLevel> &around);
    void findElements();
    void findSums();
    void checkLoads();
    void checkPairs();
    diag::Reason conflictOf(const Access &a, const Access &b) const;
    diag::Reason laneConflict(const Access &a, const Access &b) const;
    bool isVariable(Name n) const;
    bool isOwnElement(const Access &a) const;
    void refuse(diag::Reason why);
    bool accumulates(const nest::Map &m, std::size_t loop) const;
    bool hasFewRows() const;
    int64_t neighbours() const;
    bool prefersColumns() const;

    const nest::Map &rows_;
    const nest::Conflicts &items_;
    const ir::SDFG &g_;
    const bool anyOrder_;
    std::set<Name> own_;           // private to each row, or to an iteration of an ordered loop in it
    std::vector<Access> accesses_; // in the order of the program
    std::map<const nest::Map *, std::size_t> lanes_;
    const nest::Map *first_ = nullptr;
    std::vector<RowSum> sums_;
    std::map<Name, sym::Subset> elements_;
    diag::Reason why_;
};

/// Moves the parameters that some updates leave out, because a map accumulates along them, to an inner map; returns false if
/// there are none, or no others.
bool splitAccumulated(nest::Map &m);

/// Would each thread access elements next to those of the next thread, as far as possible, if the first `depth` parameters of a
/// map were distributed over threads? False if neighbouring iterations of another loop are next to each other in more accesses.
bool threadsAreNeighbours(const nest::Map &m, std::size_t depth, const ir::SDFG &g);
/// Are these loops known or assumed to have enough iterations for all threads of a device, if each thread gets one? Sizes that
/// are not known count as 512.
bool fillDevice(const std::vector<sym::Range> &ranges);

} // namespace sdfgc::transforms
