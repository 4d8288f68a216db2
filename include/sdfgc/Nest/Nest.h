// The nest form: dataflow as nested loops. A run of states becomes a list of items, maps over items and steps that
// access elements of containers. Loop passes change the list, and it is written back as states.
//
// The graph is the only representation of the program between passes. But a graph can express the same thing in many
// ways: in one state or several, through connectors and access nodes, with the same memlet on every edge of a path.
// Loop transformations would have to handle all of them. Instead they read a run of states, transform items, and write
// the run back immediately; unchanged runs are not written.
//
//     state a { map[i = 0:N] { t1: B[i] <- A[i] } }                 map i = 0:N           item
//     state b { map[j = 0:N] { t2: C[j] <- B[j] } }       read         t1: read A[i], write B[i]
//                                                       ------->   map j = 0:N           item
//                                                                    t2: read B[j], write C[j]
//
// Items are in the order in which the lowering runs them. The graph leaves part of this order open; if two of its steps
// conflict without an edge between them, this order defines the program's meaning (docs/user/optimiser.md, *Order*).
//
// Unsupported parts stay as they are. A scope with views, ranges read at run time, or direct edges between code nodes
// is a single step. A state that cannot be read (isReadable) ends the run, and so does one that the graph asks to keep
// (isKept).
#pragma once

#include "sdfgc/Analysis/Dependences/Dependences.h"
#include "sdfgc/Analysis/Memory/Memories.h"
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

/// How a step accesses a container. An update is a write with conflict resolution.
enum class UseKind : uint8_t { Read, Write, Update };

/// Elements of a member of a structure, in its own coordinates.
struct MemberElements {
    Name member; // by its name in the SDFG: `P.edges.start`
    sym::Subset subset;
};

/// An access of a step to a container.
struct Use {
    UseKind kind = UseKind::Read;
    Name data;                           // the container, as its SDFG names it; a view is not resolved
    analysis::Memory memory = -1;        // the memory of `data`
    analysis::Member member;             // the part of the memory
    std::optional<sym::Subset> subset;   // of `data`, in terms of the surrounding loops; nothing: any element of the memory
    std::optional<MemberElements> shown; // if `data` is a view that shows a member element by element: those of `subset`
    std::vector<analysis::AccessInstance> elements; // of an argument of a nested SDFG: what its blocks access, in terms of the
                                                    // surrounding loops and their own; nothing: the subset
    bool certain = false;                           // a write of every element of the subset, whenever the step runs
    Name connector;                                 // at the node
    std::size_t node = 0;                           // position in Step::nodes
    ir::Memlet memlet;                              // of the edge at the node
    const ir::AccessNode *access = nullptr;         // the end of the edge's path, as read
    bool writes() const { return kind != UseKind::Read; }
    analysis::Place place() const { return {memory, member}; }
    /// Makes it a use of another container, which is neither a view nor a member.
    void moveTo(Name container, analysis::Memory itsMemory) {
        data = container;
        memory = itsMemory;
        member = {};
        shown.reset();
        elements.clear();
    }
};

/// A unit of execution: a code node, a scope that is not taken apart, or a copy between two containers, which has no
/// node.
struct Step {
    std::vector<const ir::Node *> nodes;                     // as read; an entry comes first, its exit last
    std::vector<const ir::Edge *> edges;                     // between them
    std::vector<Use> uses;                                   // of a copy: the read, then the write
    std::map<Name, sym::Expr> renamed;                       // symbols with another meaning than in the nodes (rename)
    std::shared_ptr<const ir::Node> made;                    // the only node, if a pass created it; it is in no state
    std::vector<std::shared_ptr<const ir::AccessNode>> ends; // nodes that its uses refer to, and that are in no state
    bool effects = false; // beyond its uses: code that is not Python, callbacks, state of its own
    bool isCopy() const { return nodes.empty(); }
};

struct Map;

/// A map or a step.
struct Item {
    std::unique_ptr<Map> map;
    std::unique_ptr<Step> step;
};

/// A map whose contents are read as items. Its iterations are independent, or conflict in ways that its author declared
/// harmless. An ordered map (ir::MapEntry::ordered) is a loop: its iterations run in order and may use earlier results.
struct Map {
    const ir::MapEntry *entry = nullptr; // schedule, label, debug information; as read
    std::vector<Name> params;
    std::vector<sym::Range> ranges;
    std::vector<Item> body;
    std::set<Name> locals;                    // containers private to each iteration
    std::shared_ptr<const ir::MapEntry> made; // `entry`, if a pass created it; it is in no state
};

/// Consecutive states of one region, without conditions or assignments between them, read as items.
struct Run {
    ir::Region *region = nullptr;
    analysis::Memories *memories = nullptr; // of the program
    std::vector<ir::State *> states;
    std::vector<Item> items;
    bool changed = false; // set by passes: must be written back
};

/// Returns a use of a view as a use of the viewed container if the view maps elements one to one, otherwise the use
/// unchanged. Read items already have such uses, except for nodes that depend on the number of dimensions of their
/// operands.
Use throughView(const Use &u, const ir::SDFG &g);

/// Can the nest form represent the state? Not if it is timed, sets references, or has edges between code nodes.
bool isReadable(const ir::State &s);

/// Does the graph ask to keep the element, or something around it, unchanged (`optimize` of maps and loops)?
bool isKept(const ir::Region &r);
bool isKept(const ir::Node &n);

/// Returns all runs of one SDFG, excluding kept regions and nested SDFGs, in the order of ir::allRegions. `memories`:
/// of the program.
std::vector<Run> readRuns(ir::SDFG &g, analysis::Memories &memories);
/// Returns the items of a state, which must be readable. `shared`: as below.
std::vector<Item> readState(const ir::State &s, analysis::Memories &memories, const std::set<Name> &shared);
/// Returns the states of a region as a run if they are one and the region contains nothing else. `shared`: containers
/// that are private to no iteration (analysis::sharedContainers).
std::optional<Run> readRegion(ir::Region &r, analysis::Memories &memories, const std::set<Name> &shared);

/// Replaces the states of the run with its items. Items must be as read, or changed as rename and the other functions
/// of this library do. Containers that they mention must exist. The caller renumbers ids. If the number of states
/// grows, `freshLabel` returns labels for the additional ones, with their labels as prefixes; by default
/// SDFG::freshLabel is used, which visits all blocks each time.
using FreshLabel = std::function<std::string(const std::string &)>;
void write(Run &run, const FreshLabel &freshLabel = {});
/// Like write, for all changed runs of the list; returns whether there are any. Linear in the size of a region, while
/// writing its runs one by one visits all blocks for each.
bool writeChanged(std::vector<Run> &runs, const FreshLabel &freshLabel = {});

/// The contents of a nested SDFG, in terms of the outer SDFG.
struct Opened {
    std::vector<Item> items;
    std::set<Name> locals; // its own containers, which have been added to the outer SDFG
    diag::Reason why;      // why it remains a step; empty otherwise
};
/// Takes apart a step whose only node is a nested SDFG. `loops`: parameters of the surrounding maps; `connectors`:
/// names used by tasklets of the outer SDFG, which no container may have (connectorsOf); those of the tasklets inside
/// are added. The items replace the step; the nested SDFG must live until they are written. The step stays if the
/// nested SDFG has control flow, containers other than arrays, arguments whose strides differ from those of the outer
/// containers, or clashing names, and if `mayOpen` returns false. `mayOpen` is called if there is no other obstacle;
/// the reason then is `PassLimit`, without a text.
Opened open(const Step &step, ir::SDFG &around, analysis::Memories &memories, const std::vector<Name> &loops,
            std::set<Name> &connectors, const std::function<bool()> &mayOpen);
/// Returns all connectors of the nodes of an SDFG.
std::set<Name> connectorsOf(const ir::SDFG &g);
/// Adds a transient under a name derived from `base` that is not a connector either.
Name addContainer(ir::SDFG &g, std::string_view base, ir::DataDesc d, const std::set<Name> &connectors);

/// Lets a pass change the runs of every SDFG of the program: `change` gets all runs of one SDFG and marks those that it
/// changed, which are then written back. Inner SDFGs come first, because writing copies the nodes that contain them.
/// Returns whether anything changed.
bool rewriteRuns(ir::SDFG &root, const std::function<void(ir::SDFG &, analysis::Memories &, std::vector<Run> &)> &change);

/// Can symbols be given other meanings everywhere in the item? Not if non-Python code or a property of a library node
/// mentions one, or if a name in the new meaning refers to something else there.
bool canRename(const Item &item, const std::map<Name, sym::Expr> &meaning);
/// Gives symbols other meanings, such as parameters of a surrounding map that was merged with another one.
void rename(Item &item, const std::map<Name, sym::Expr> &meaning);

/// A use together with the surrounding loops, outermost first, and its subset in terms of them.
struct PlacedUse {
    const Use *use = nullptr;
    const Step *step = nullptr;
    analysis::AccessInstance instance;
    std::optional<sym::Subset> shown = std::nullopt;     // like Use::shown, in terms of the loops
    std::vector<analysis::AccessInstance> elements = {}; // like Use::elements; their loops are inside those of the instance
};
/// Returns all uses of an item, in the order of the steps. For a map, its own parameters are the first loops.
std::vector<PlacedUse> usesOf(const Item &item);

/// Returns the containers private to iterations of a map, or of the maps in an item, at any depth.
std::set<Name> localsOf(const Map &map);
std::set<Name> localsOf(const Item &item);

/// Does a step of the item have effects beyond its uses?
bool hasEffects(const Item &item);

} // namespace sdfgc::nest
