// The nest form: dataflow as loops read it. A run of states becomes a list of items, maps over items and steps that touch elements of
// containers; passes over loops change the list, and it is written back as states.
//
// The graph is the only program between passes. A graph says the same thing in many ways, though: in one state or several, through
// connectors and access nodes, with the same memlet on every edge of a path. Transformations of loops would have to know all of
// them. So they read a run of states, transform items, and write the run back at once; what nobody changed is not written.
//
//     state a { map[i = 0:N] { t1: B[i] <- A[i] } }                 map i = 0:N           item
//     state b { map[j = 0:N] { t2: C[j] <- B[j] } }       read         t1: read A[i], write B[i]
//                                                       ------->   map j = 0:N           item
//                                                                    t2: read B[j], write C[j]
//
// The order of items is the order in which the lowering runs them. The graph leaves part of it open; where two of its steps conflict
// without an edge between them, this order is the program's meaning (docs/user/optimiser.md, *Order*).
//
// What does not fit stays as it is: a scope with views, values read at run time for its ranges, or direct edges between code nodes
// is one step as a whole, and a state that cannot be read (isReadable) ends the run. So does what the graph keeps (isKept).
#pragma once

#include "sdfgc/Analysis/Dependences.h"
#include "sdfgc/Analysis/Memories.h"
#include "sdfgc/Diag/Reason.h"
#include "sdfgc/IR/Sdfg.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace sdfgc::nest {

/// What a step does to a container. An update is a write with conflict resolution.
enum class UseKind : uint8_t { Read, Write, Update };

/// One use of a container by a step.
struct Use {
    UseKind kind = UseKind::Read;
    Name data;                              // the container, as its SDFG names it; a view stands for itself
    analysis::Memory memory = -1;           // that it means
    std::optional<sym::Subset> subset;      // of `data`, in terms of the loops around; nothing: any element of the memory
    bool certain = false;                   // a write, of every element of the subset, whenever the step runs
    Name connector;                         // at the node
    std::size_t node = 0;                   // position in Step::nodes
    ir::Memlet memlet;                      // as the edge at the node has it
    const ir::AccessNode *access = nullptr; // where the edge's path ends, as it was read
    bool writes() const { return kind != UseKind::Read; }
};

/// What runs as one: a code node, a scope that is not taken apart, or a copy between two containers, which has no node.
struct Step {
    std::vector<const ir::Node *> nodes;  // as they were read; an entry comes first, its exit last
    std::vector<const ir::Edge *> edges;  // between them
    std::vector<Use> uses;                // of a copy: what it reads, then what it writes
    std::map<Name, sym::Expr> renamed;    // symbols that have other meanings than in the nodes (rename)
    std::shared_ptr<const ir::Node> made; // the only node, if a pass made it; it is in no state
    bool effects = false;                 // more than its uses tell: code that is not Python, callbacks, state of its own
    bool isCopy() const { return nodes.empty(); }
};

struct Map;

/// A map or a step.
struct Item {
    std::unique_ptr<Map> map;
    std::unique_ptr<Step> step;
};

/// A map that is taken apart. Its iterations are independent of each other, or in conflict where the author says that it does not
/// matter. An ordered one (ir::MapEntry::ordered) is a loop: they run in order, and may use what earlier ones wrote.
struct Map {
    const ir::MapEntry *entry = nullptr; // schedule, label, debug information; as it was read
    std::vector<Name> params;
    std::vector<sym::Range> ranges;
    std::vector<Item> body;
    std::set<Name> locals;                    // containers that each iteration has for itself
    std::shared_ptr<const ir::MapEntry> made; // `entry`, if a pass made it; it is in no state
};

/// States of one region, each after the one before without condition or assignment, read as items.
struct Run {
    ir::Region *region = nullptr;
    analysis::Memories *memories = nullptr; // of the program
    std::vector<ir::State *> states;
    std::vector<Item> items;
    bool changed = false; // set by passes: to be written back
};

/// Is a container an array or a scalar with memory of its own, no view, reference, stream or structure? False for null.
bool isPlain(const ir::DataDesc *d);

/// The use as one of the container behind its view, where the view shows that element by element; else as it is. Items that were read
/// have such uses already, but where a node counts the dimensions of its operands.
Use throughView(const Use &u, const ir::SDFG &g);

/// Can the nest form hold what the state says? Not if it is measured, sets references, or has edges between code nodes.
bool isReadable(const ir::State &s);

/// Does the graph ask to leave it as it is (`optimize` of maps and loops), itself or something around it?
bool isKept(const ir::Region &r);
bool isKept(const ir::Node &n);

/// All runs of the regions of one SDFG that are not kept, nested SDFGs not included, in the order of ir::allRegions. `memories`: of the program.
std::vector<Run> readRuns(ir::SDFG &g, analysis::Memories &memories);
/// What one state does, which must be readable. `shared`: as below.
std::vector<Item> readState(const ir::State &s, analysis::Memories &memories, const std::set<Name> &shared);
/// All states of a region, if they are one run and the region has nothing else. `shared`: containers that no iteration has for
/// itself (analysis::sharedContainers).
std::optional<Run> readRegion(ir::Region &r, analysis::Memories &memories, const std::set<Name> &shared);

/// Replaces the states of the run by what its items say. The items must be as they were read, or changed as rename, and the functions
/// of this library, change them. Containers that they mention must be there. Ids are to be renumbered afterwards. Where they become more
/// states than they were, `freshLabel` gives the others labels that begin as theirs; without it, SDFG::freshLabel does, which goes over
/// all blocks each time.
using FreshLabel = std::function<std::string(const std::string &)>;
void write(Run &run, const FreshLabel &freshLabel = {});
/// As write, for all of these runs that are changed; it returns whether there are any. The time grows with the size of a region, while
/// writing its runs one by one takes a look at all blocks for each.
bool writeChanged(std::vector<Run> &runs, const FreshLabel &freshLabel = {});

/// What is in a nested SDFG, in terms of the SDFG around it.
struct Opened {
    std::vector<Item> items;
    std::set<Name> locals; // containers that it had for itself; they have been added to the SDFG around it
    diag::Reason why;      // it stays a step; empty otherwise
};
/// Takes a step apart whose only node is a nested SDFG. `loops`: parameters of the maps around it; `connectors`: names that tasklets
/// of the SDFG around use, which no container may have (connectorsOf); those of the tasklets inside are added. The items take the
/// place of the step; the nested SDFG must live until they are written. It stays where it has control flow, containers that are more
/// than arrays, arguments with other strides than the containers around, or names that clash, and where `mayOpen` says no: it is asked
/// when nothing else stands against it, and the reason is `PassLimit` then, without a text.
Opened open(const Step &step, ir::SDFG &around, analysis::Memories &memories, const std::vector<Name> &loops,
            std::set<Name> &connectors, const std::function<bool()> &mayOpen);
/// All connectors of the nodes of an SDFG.
std::set<Name> connectorsOf(const ir::SDFG &g);
/// A new transient, whose name, made from `base`, is also no connector.
Name addContainer(ir::SDFG &g, std::string_view base, ir::DataDesc d, const std::set<Name> &connectors);

/// Lets a pass change the runs of every SDFG of the program: `change` gets all runs of one SDFG and marks those that it changed, which
/// are written back then. Inner SDFGs come first, since writing copies the nodes that hold them. Returns whether anything changed.
bool rewriteRuns(ir::SDFG &root, const std::function<void(ir::SDFG &, analysis::Memories &, std::vector<Run> &)> &change);

/// Does code have a quotient that is not rounded down, `a / b`? In expressions of symbols that is C's, in tasklets a real number.
bool hasQuotient(std::string_view code);

/// Can symbols get other meanings in all that the item says? Not where code that is not Python or a property of a library node
/// mentions one, or where a name of the new meaning stands for something else.
bool canRename(const Item &item, const std::map<Name, sym::Expr> &meaning);
/// Gives symbols other meanings: parameters of a map around the item that became those of another one.
void rename(Item &item, const std::map<Name, sym::Expr> &meaning);

/// A use together with the loops around it, outermost first.
struct PlacedUse {
    const Use *use = nullptr;
    const Step *step = nullptr;
    std::vector<analysis::LoopLevel> loops;
    analysis::AccessInstance instance() const { return {use->subset, loops}; }
};
/// All uses of an item, in the order of the steps; of a map, its own parameters are the first loops.
std::vector<PlacedUse> usesOf(const Item &item);

/// What iterations of a map, or of the maps in an item, at any depth, have for themselves.
std::set<Name> localsOf(const Map &map);
std::set<Name> localsOf(const Item &item);

/// Does a step of the item do more than its uses tell?
bool hasEffects(const Item &item);

} // namespace sdfgc::nest
