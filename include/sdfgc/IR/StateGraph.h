// Scopes, order and memlet paths of one state (format reference 3.5, 6.1, 6.8, 6.9, 6.13).
//
// Everything is computed from the graph, never from stored hints. Functions take linear time in the size of the state
// unless stated otherwise, use no recursion, and are total: malformed graphs give an incomplete result (`valid()`,
// null, nothing), never a crash.
#pragma once

#include "sdfgc/IR/Scopes.h"

#include <memory>
#include <unordered_map>

namespace sdfgc::ir {

/// The data of a ScopeTree. A state caches it until nodes or edges change (State::adopt, connect, remove..., renumber).
struct ScopeData {
    explicit ScopeData(const State &s);

    struct Span {
        uint32_t first = 0, last = 0; // first and last order number inside
    };
    std::vector<Node *> scope, exit;           // by node id (see ScopeMap)
    std::vector<Span> span;                    // by node id of an entry: the pre-order numbers of its contents
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

/// The scope tree of a state at the time of construction; later changes of the state are not visible. Constructing
/// another tree is free as long as the state has not changed.
class ScopeTree {
public:
    explicit ScopeTree(const State &s);
    /// Returns the entry of the innermost scope around `n` (for an entry, the scope around it; for an exit, its own
    /// entry). Null at the top level and for nodes of other states.
    Node *scopeOf(const Node *n) const;
    /// Returns the nodes directly in the scope of `entry` (null: top level), in execution order (6.13: sources in list
    /// order, each node as soon as all its predecessors are emitted, depth first). Includes entries but not exits.
    const std::vector<Node *> &children(const Node *entry) const;
    /// Returns the scope entries around `n`, innermost first. Linear in their number.
    std::vector<Node *> enclosing(const Node *n) const;
    /// Is `n` in the scope of `entry`, at any depth? True for a null entry (top level), false for the entry itself.
    /// Constant time.
    bool encloses(const Node *entry, const Node *n) const;
    /// All nodes in execution order: the contents of a scope directly follow its entry and are followed by its exit.
    /// Nodes on cycles come last, in list order.
    const std::vector<Node *> &order() const { return data_->order; }
    /// Returns the exit of an entry, from the graph, or null.
    Node *exitOf(const Node *entry) const;
    bool acyclic() const { return data_->acyclic; }
    /// The problems of the scopes (ir::findScopes), including cycles.
    const std::vector<ScopeProblem> &problems() const { return data_->problems; }
    /// Is the state acyclic, with every scope closed by exactly one exit of its kind, and no node in two scopes that do
    /// not enclose each other?
    bool valid() const { return data_->acyclic && data_->problems.empty(); }

private:
    std::shared_ptr<const ScopeData> data_;
};

/// For a connector IN_x or OUT_x, returns the other one of the pair; otherwise the empty name.
Name pairedConnector(Name conn);
/// Does a connector of an entry (other than IN_x) provide a value that the ranges of the scope mention?
bool isDynamicRange(Name conn);
bool hasDynamicRange(const Node &entry);

/// Returns the path that contains `e`, from the outermost source to the innermost destination, through scope nodes by
/// IN_x / OUT_x. If a scope connector fans out (an entry going forward, an exit going backward), the path follows the
/// first edge in list order, so the path of an edge inside a scope contains its own branch. Linear in the number of
/// edges at the scope nodes on the path.
std::vector<Edge *> memletPath(const Edge *e);
/// Returns the first node of the path: an access or code node, or a scope node if the path is broken or an ordering
/// edge starts there.
Node *pathSource(const Edge *e);
/// Returns the last node of the path: an access or code node, or an entry for a dynamic range connector.
Node *pathDestination(const Edge *e);
/// Does the path end at a reference that it sets, which takes an address and moves no data?
bool setsReference(const Edge *e);
/// Returns the edges next to code nodes or inner access nodes at the far ends of the tree that contains `e` (the edge
/// itself if it crosses no scope), in list order at each scope node.
std::vector<Edge *> memletLeaves(const Edge *e);

/// Both ends of the paths of all edges of a state, in linear time in total. Valid until nodes or edges change.
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

/// Is the memlet's `data` the container at the source end of the path (6.8 rule 2)? For a copy of a container to itself
/// the stored flag decides, true if absent. `A` also owns memlets of its members `A.x`. False if neither end is the
/// container.
bool dataIsSource(const Edge *e);
/// The same for known ends of the path.
bool dataIsSource(const Memlet &m, const Node *source, const Node *destination);
/// Returns the subset at the source / destination side by the rules of 6.8. A missing subset on the side of `data`
/// means the entire container. Nothing if that side is not specified or is not a container.
std::optional<sym::Subset> sourceSubset(const Edge *e);
std::optional<sym::Subset> destinationSubset(const Edge *e);

/// Returns the viewing edge of a view by the table of 3.5 (ordering edges do not count), or null with the reason in
/// `*why`. In the ambiguous last case of the table, returns the edge and sets `*why` as well.
Edge *viewEdge(const AccessNode *n, std::string *why = nullptr);
/// Returns the access node that a view refers to directly (which may be a view itself), or null.
AccessNode *viewedNode(const AccessNode *n);
/// Returns the access node that owns the memory of an access node: behind all views, or `n` itself if it is not a view.
/// Null if a view refers to nothing, if views refer to each other in a cycle, or if `n` is another kind of node.
const AccessNode *nodeBehindViews(const Node *n);

} // namespace sdfgc::ir
