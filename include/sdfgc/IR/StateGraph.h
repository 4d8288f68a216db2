// Scopes, order and memlet paths of one state (format reference 3.5, 6.1, 6.8, 6.9, 6.13).
//
// Everything here is computed from the graph (never from stored hints), takes linear time in the size of the state unless said
// otherwise, uses no recursion and is total: malformed graphs give an incomplete answer (`valid()`, null, nothing), never a crash.
#pragma once

#include "sdfgc/IR/Scopes.h"

#include <memory>
#include <unordered_map>

namespace sdfgc::ir {

/// What a ScopeTree knows. A state keeps its own until nodes or edges change (State::adopt, connect, remove..., renumber).
struct ScopeData {
    explicit ScopeData(const State &s);

    struct Span {
        uint32_t first = 0, last = 0; // first and last order number inside
    };
    std::vector<Node *> scope, exit;           // by node id (see ScopeMap)
    std::vector<Span> span;                    // by node id of an entry: what pre-order numbers its content has
    std::vector<uint32_t> preorder;            // by node id
    std::vector<uint32_t> childList;           // by node id of an entry: index into `children`
    std::vector<std::vector<Node *>> children; // [0] is the top level
    std::vector<Node *> order;
    const State *state;
    std::vector<ScopeProblem> problems;
    bool acyclic = true;

private:
    void sortTopologically(const State &s);
    void numberScopes();
};

/// The scope tree of a state, as it is when the tree is made: later changes of the state are not seen. Asking again costs nothing
/// as long as the state has not changed.
class ScopeTree {
public:
    explicit ScopeTree(const State &s);
    /// Entry node of the innermost scope around `n` (for an entry: the scope around it; for an exit: its own entry). Null at top
    /// level and for nodes of other states.
    Node *scopeOf(const Node *n) const;
    /// Nodes directly in the scope of `entry` (null: top level), in execution order (6.13: sources in list order, a node as soon as
    /// all its predecessors are emitted, depth first). Exits are not listed; entries are.
    const std::vector<Node *> &children(const Node *entry) const;
    /// Scope entries around `n`, innermost first. Linear in their number.
    std::vector<Node *> enclosing(const Node *n) const;
    /// Is `n` inside the scope of `entry`, at any depth? True for a null entry (top level), false for the entry itself. Constant
    /// time.
    bool encloses(const Node *entry, const Node *n) const;
    /// All nodes in execution order: the content of a scope directly follows its entry and is followed by its exit. Nodes on cycles
    /// come last, in list order.
    const std::vector<Node *> &order() const { return data_->order; }
    /// Exit of an entry, from the graph; null when it has none.
    Node *exitOf(const Node *entry) const;
    bool acyclic() const { return data_->acyclic; }
    /// What is wrong with the scopes (ir::findScopes); a cycle is among it.
    const std::vector<ScopeProblem> &problems() const { return data_->problems; }
    /// Acyclic, every scope closed by exactly one exit of its kind, and no node in two scopes that do not enclose each other.
    bool valid() const { return data_->acyclic && data_->problems.empty(); }

private:
    std::shared_ptr<const ScopeData> data_;
};

/// Does `conn` have the form IN_x / OUT_x? Then the other one of the pair, else the empty name.
Name pairedConnector(Name conn);
/// Does a connector into an entry (that is no IN_x) hand in a value that the ranges of the scope mention?
bool isDynamicRange(Name conn);
bool hasDynamicRange(const Node &entry);

/// The path that `e` is on: outermost source to innermost destination, through scope nodes by IN_x / OUT_x. Where a scope connector
/// fans out (an entry going forward, an exit going backward) the first edge in list order is followed, so the path through an edge
/// inside a scope is its own branch. Linear in the number of edges at the scope nodes it passes.
std::vector<Edge *> memletPath(const Edge *e);
/// First node of the path (access or code node; or a scope node where the path is broken or an ordering edge starts).
Node *pathSource(const Edge *e);
/// Last node of the path (access or code node; or an entry for a dynamic range connector).
Node *pathDestination(const Edge *e);
/// Does the path end at a reference that it sets, which takes an address and moves no data?
bool setsReference(const Edge *e);
/// Edges next to code nodes or inner access nodes at the far ends of the tree that `e` belongs to (an edge that crosses no scope:
/// itself), in list order at each scope node.
std::vector<Edge *> memletLeaves(const Edge *e);

/// Both ends of the path of every edge of a state, in linear time altogether. Valid until nodes or edges change.
class PathEnds {
public:
    PathEnds(const State &s, const ScopeTree &scopes);
    Node *source(const Edge *e) const;
    Node *destination(const Edge *e) const;

private:
    struct Ends {
        Node *source = nullptr, *destination = nullptr;
    };
    std::unordered_map<const Edge *, Ends> ends_;
};

/// Does the memlet's `data` name the container at the source end of the path (6.8 rule 2)? For a container copied onto itself the
/// stored flag decides, true when absent. `A` also owns memlets over its members `A.x`. False when neither end is the container.
bool dataIsSource(const Edge *e);
/// The same with the ends of the path at hand.
bool dataIsSource(const Memlet &m, const Node *source, const Node *destination);
/// Subset at the source / destination side by the rules of 6.8; a missing subset on the side that `data` names is the whole
/// container. Nothing when that side is not given or is no container.
std::optional<sym::Subset> sourceSubset(const Edge *e);
std::optional<sym::Subset> destinationSubset(const Edge *e);

/// The viewing edge of a view access node by the table of 3.5 (ordering edges do not count), or null with the reason in `*why`. In
/// the ambiguous last case of the table the edge is returned and `*why` is set as well.
Edge *viewEdge(const AccessNode *n, std::string *why = nullptr);
/// The access node that a view node looks at directly (follow again if that is a view itself), or null.
AccessNode *viewedNode(const AccessNode *n);
/// The access node whose container holds the memory of an access node: behind all views; `n` itself if it is no view. Null where a
/// view looks at nothing, views look at each other in a circle, or `n` is another node.
const AccessNode *nodeBehindViews(const Node *n);

} // namespace sdfgc::ir
