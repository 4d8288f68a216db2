// What distribute decides, before it changes anything: which part of which container a rank has, and which iterations it runs.
//
// Positions. A line is a range of positions 0 to `whole` that is dealt out to the ranks in blocks; every extent that a declared array has
// along its dimension is one. An array lies on a line at an offset: its element i is at position i + offset. So does a map: iteration p
// of one of its parameters is at position p + shift, and belongs to the rank that has that position. A read of an element whose
// position is at a known distance from that of the iteration needs a halo as wide; a write must be at distance 0.
//
//   A, B on the line N     map i = 0:N - 2 { t[i] = A[i] + A[i + 2] }     t at offset 1, the map at shift 1: A at distances -1 and +1
//                          map i = 0:N - 2 { B[i + 1] = t[i] }            B decides: the map at shift 1; so t at offset 1
#pragma once

#include "sdfgc/IR/StateGraph.h"
#include "sdfgc/Pass/Pass.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace sdfgc::transforms::distribution {

/// Positions that are dealt out. A rank has `local` of them, from `begin` on: symbols of the program.
struct Line {
    sym::Expr whole;
    std::string stem; // that names of its symbols begin with
    Name local, begin;
};

/// How a container lies on a line.
struct Layout {
    std::size_t dim = 0; // of the container
    std::size_t line = 0;
    sym::Expr offset = 0;
    int64_t before = 0, after = 0; // elements of neighbours that are read
    bool hasHalo() const { return before > 0 || after > 0; }
};

/// A container that the caller declares.
struct Declared {
    Name data;
    std::size_t dim = 0;
};

/// A variable of an item: a parameter of one of its maps, or a dimension of what a library node computes.
struct Variable {
    Name name;
    sym::Range range;
    ir::MapEntry *map = nullptr; // null: of a library node
};

/// An access of an item to a container outside of it.
struct Use {
    ir::Edge *edge = nullptr; // next to the node that reads or writes
    Name data;
    bool writes = false, whole = false; // whole: the node counts on the strides of the container
    sym::Subset subset;                 // in terms of the item's variables
    std::string wcr;                    // of a write: how iterations are combined
    std::set<Name> combined;            // variables along which they are; empty with a wcr: all
    bool accumulates = false;           // a write with wcr: what was there before counts
    std::string start;                  // of a library node that accumulates nothing: what it starts from, if the graph says so
};

/// Where an item runs: iteration p of `variable` at position p + shift; without a variable, all of it at the position `shift`.
struct Position {
    std::size_t line = 0;
    Name variable;
    sym::Expr shift = 0;
    friend bool operator==(const Position &, const Position &) = default;
};

/// What runs as a whole: a map, a library node or a tasklet at the top level of a state.
struct Item {
    ir::State *state = nullptr;
    ir::Node *node = nullptr;
    std::vector<Variable> variables;
    std::vector<Use> uses;
    bool decided = false;
    std::optional<Position> at; // nothing: every rank runs all of it

    const Variable *variable(Name n) const {
        for (const Variable &v : variables)
            if (v.name == n)
                return &v;
        return nullptr;
    }
};

/// Why something cannot be distributed.
struct Refusal {
    std::string what, why, hint;
    const ir::Node *place = nullptr;
};

struct Plan {
    ir::SDFG &graph;
    std::vector<Line> lines;
    std::map<Name, Layout> layouts;
    std::set<Name> declared;
    std::map<Name, std::string> everywhere; // containers that every rank must have all of, and why
    std::vector<Item> items;
    bool ordered = false; // sums keep their order
};

/// The items of all states (Items.cpp). Uses of containers that no item can say are entered in `everywhere`. Copies between arrays
/// become maps before.
void collect(Plan &plan);
/// Which dimension of which operand of a library node is which of its variables; false where that is not known (Libraries.cpp).
bool describe(ir::LibraryNode &n, Item &item);

/// Decides layouts of transients and positions of items (Choose.cpp). Returns why that is impossible.
std::optional<Refusal> choose(Plan &plan);

/// What a use means for an item at a position.
struct Meaning {
    enum Kind : std::uint8_t {
        Local,   // elements that the rank has, or a container that all ranks have
        Near,    // read: some more next to them
        Whole,   // read: of other ranks as well: gathered
        Reduced, // write: a term, which all ranks sum up
        Wrong    // write: of elements that other ranks have
    } kind = Local;
    int64_t before = 0, after = 0;
    std::string why; // Wrong
};
Meaning meaningOf(const Plan &plan, const Item &item, const Use &use);

/// The outermost edge of the path that a use is on: next to the access node.
ir::Edge *outerEdge(const Use &use);

/// Changes the graph as the plan says (Apply.cpp, Storage.cpp).
void apply(Plan &plan);

} // namespace sdfgc::transforms::distribution
