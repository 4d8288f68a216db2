// Scopes, order and memlet paths of one state (format reference 6.1, 6.9, 6.13).
#pragma once

#include "sdfgc/IR/Sdfg.h"

#include <unordered_map>

namespace sdfgc::analysis {

/// Pairs every map and consume entry with its exit, from the graph: an exit closes the entry whose scope its predecessors are in.
/// Returns false (pairing incomplete) for a state whose scopes are malformed; never crashes. Serialize calls it after reading.
bool pairScopes(ir::State &s);

/// The scope tree of a state. Valid until nodes or edges change.
class ScopeTree {
public:
    explicit ScopeTree(const ir::State &s);
    /// Entry node of the innermost scope around `n` (for an entry: the scope around it; for an exit: its own entry). Null at top level.
    ir::Node *scopeOf(const ir::Node *n) const;
    /// Nodes directly in the scope of `entry` (null: top level), in execution order (6.13: sources in list order, a node as soon as all its
    /// predecessors are emitted, depth first). Exits are not listed; entries are.
    const std::vector<ir::Node *> &children(const ir::Node *entry) const;
    /// Scope entries around `n`, innermost first.
    std::vector<ir::Node *> enclosing(const ir::Node *n) const;
    /// All nodes in execution order.
    const std::vector<ir::Node *> &order() const { return order_; }
    bool valid() const { return valid_; } // acyclic and every scope closed

private:
    std::unordered_map<const ir::Node *, ir::Node *> scope_;
    std::unordered_map<const ir::Node *, std::vector<ir::Node *>> children_;
    std::vector<ir::Node *> order_;
    bool valid_ = true;
};

/// The path that `e` is on: outermost source to innermost destination, through scope nodes by IN_x / OUT_x. Where a scope connector
/// fans out (an entry going forward, an exit going backward) only `e`'s own branch is followed.
std::vector<ir::Edge *> memletPath(const ir::Edge *e);
/// First node of the path (access or code node; or an entry for a dynamic range connector).
ir::Node *pathSource(const ir::Edge *e);
ir::Node *pathDestination(const ir::Edge *e);
/// Edges next to code nodes or inner access nodes at the far ends of the tree that `e` belongs to.
std::vector<ir::Edge *> memletLeaves(const ir::Edge *e);

/// Subset at the source / destination side by the rules of 6.8 (nothing when that side is not given or is no container).
std::optional<sym::Subset> sourceSubset(const ir::Edge *e);
std::optional<sym::Subset> destinationSubset(const ir::Edge *e);
/// Does the memlet's `data` name the container at the source end of the path (6.8 rule 2)?
bool dataIsSource(const ir::Edge *e);

/// The viewing edge of a view access node by the table of 3.5, or null with the reason in `*why`.
ir::Edge *viewEdge(const ir::AccessNode *n, std::string *why = nullptr);
/// The access node that a view node looks at directly (follow again if that is a view itself), or null.
ir::AccessNode *viewedNode(const ir::AccessNode *n);

} // namespace sdfgc::analysis
