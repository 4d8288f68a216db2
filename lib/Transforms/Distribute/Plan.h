// The plan of distribute: the part of each container that a rank holds, and the iterations that it runs. Planning does not change
// the graph.
//
// Positions. A line is a range of positions, 0 to `whole`, that is distributed over the ranks in blocks; there is one
// for every distinct extent of a declared array along its dimension. An array is on a line at an offset: its element i
// is at position i + offset. So is a map: iteration p of one of its parameters is at position p + shift, and belongs to
// the rank that has that position. A read at a known distance from the position of the iteration needs a halo of that
// width; a write must be at distance 0.
//
//   A, B on the line N   map i = 0:N - 2 { t[i] = A[i] + A[i + 2] }     t at offset 1, the map at shift 1: A at distances -1 and +1
//                        map i = 0:N - 2 { B[i + 1] = t[i] }            B decides: the map at shift 1; so t at offset 1
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

/// A range of distributed positions. A rank has `local` of them, starting at `begin`; both are symbols of the program.
struct Line {
    sym::Expr whole;
    std::string stem; // prefix of the names of its symbols
    Name local, begin;
};

/// The position of a container on a line.
struct Layout {
    std::size_t dim = 0; // of the container
    std::size_t line = 0;
    sym::Expr offset = 0;
    int64_t before = 0, after = 0; // elements of neighbours that are read
    bool hasHalo() const { return before > 0 || after > 0; }
};

/// A container that the caller declares as distributed.
struct Declared {
    Name data;
    std::size_t dim = 0;
};

/// A variable of an item: a parameter of one of its maps, or a dimension of a library node's computation.
struct Variable {
    Name name;
    sym::Range range;
    ir::MapEntry *map = nullptr; // null: of a library node
};

/// An access of an item to an outer container.
struct Use {
    ir::Edge *edge = nullptr; // next to the node that reads or writes
    Name data;
    bool writes = false, whole = false; // whole: the node relies on the strides of the container
    sym::Subset subset;                 // in terms of the item's variables
    std::string wcr;                    // of a write: how iterations are combined
    std::set<Name> combined;            // variables along which they are combined; empty with a wcr: all
    bool accumulates = false;           // a write with wcr that keeps the old contents
    std::string start;                  // of a library node that does not accumulate: its initial value, if the graph specifies
                                        // one
};

/// Where an item runs: iteration p of `variable` at position p + shift; without a variable, all of it at position
/// `shift`.
struct Position {
    std::size_t line = 0;
    Name variable;
    sym::Expr shift = 0;
    friend bool operator==(const Position &, const Position &) = default;
};

/// A unit of execution: a map, a library node or a tasklet at the top level of a state.
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

/// The reason why something cannot be distributed.
struct Refusal {
    std::string what, why, hint;
    const ir::Node *place = nullptr;
};

struct Plan {
    ir::SDFG &graph;
    std::vector<Line> lines;
    std::map<Name, Layout> layouts;
    std::set<Name> declared;
    std::map<Name, std::string> everywhere; // containers that every rank must have entirely, with the reason
    std::vector<Item> items;
    bool ordered = false; // sums keep their order
};

/// Collects the items of all states (Items.cpp). Containers with uses that no item can describe are added to
/// `everywhere`. Converts copies between arrays to maps first.
void collect(Plan &plan);
/// Maps the dimensions of the operands of a library node to variables of the item; returns false if the node is unknown
/// (Libraries.cpp).
bool describe(ir::LibraryNode &n, Item &item);

/// Chooses layouts of transients and positions of items (Choose.cpp). Returns the reason if that is impossible.
std::optional<Refusal> choose(Plan &plan);

/// The consequence of a use for an item at a position.
struct Meaning {
    enum Kind : std::uint8_t {
        Local,   // elements that the rank has, or a container that all ranks have
        Near,    // read: some additional elements next to them
        Whole,   // read: also elements of other ranks; gathered
        Reduced, // write: a term of a sum over all ranks
        Wrong    // write: elements of other ranks
    } kind = Local;
    int64_t before = 0, after = 0;
    std::string why; // Wrong
};
Meaning meaningOf(const Plan &plan, const Item &item, const Use &use);

/// The outermost edge of the path of a use, at the access node.
ir::Edge *outerEdge(const Use &use);

/// Rewrites the graph according to the plan (Apply.cpp, Storage.cpp).
void apply(Plan &plan);

} // namespace sdfgc::transforms::distribution
