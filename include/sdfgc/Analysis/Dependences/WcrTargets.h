// Which memory does a write with conflict resolution reach, and in which scopes do its iterations run?
#pragma once

#include "sdfgc/Analysis/Memory/Allocation.h"
#include "sdfgc/Analysis/Scopes.h"
#include "sdfgc/IR/Sdfg.h"

#include <memory>
#include <set>
#include <unordered_map>
#include <vector>

namespace sdfgc::analysis {

/// One part of the path from a write to the memory: up to a view, to the boundary of a nested SDFG, or to the container
/// itself.
struct WriteLevel {
    const ir::Edge *edge = nullptr;         // the write at this level: the innermost edge, a viewing edge, or an output of a
                                            // nested SDFG
    const ir::Node *from = nullptr;         // its source: the view or the nested SDFG, if it is not the write itself
    const ir::AccessNode *target = nullptr; // its destination
    std::vector<ir::Node *> scopes;         // scopes that it leaves, innermost first
    std::vector<sym::Subset> touched;       // alternative subsets, the most precise last; each contains everything that is
                                            // accessed
    std::set<Name> varying;                 // names in them that vary between writes in unknown ways
};

struct WriteTarget {
    std::vector<WriteLevel> levels; // from the write outwards
    bool known = true;              // false: the memory, and thus its other accesses, cannot be determined
};

/// Caches information about one root SDFG; valid while it does not change.
class WriteTracer {
public:
    /// Follows `leaf`, the innermost edge of a path, through scopes, views and nested SDFGs to the container that owns
    /// the memory. Stops at a container that is private to an iteration.
    WriteTarget trace(const ir::Edge &leaf);
    const ScopeTree &scopes(const ir::State &s);
    /// Returns the innermost edges of all write paths of the state that end in this container.
    const std::vector<ir::Edge *> &writesTo(const ir::State &s, Name container);
    /// Returns the scopes around a node and, through nested SDFGs, around its SDFG; innermost first.
    std::vector<ir::Node *> allScopesAround(const ir::Node *n);
    /// Is the node in the scope, in the same state?
    bool encloses(const ir::Node *scope, const ir::Node *n);

private:
    std::vector<ir::Node *> scopesWithin(const WriteLevel &l, const ir::Node *outside);
    const ir::Node *scopeOfContainer(const ir::SDFG &g, Name container);
    static bool throughView(WriteLevel &l);
    static bool throughConnector(WriteLevel &l);

    std::unordered_map<const ir::State *, std::unique_ptr<ScopeTree>> scopes_;
    std::unordered_map<const ir::State *, std::unordered_map<Name, std::vector<ir::Edge *>>> writes_;
    std::unordered_map<const ir::SDFG *, std::map<Name, ContainerUses>> uses_;
};

/// The workers of a consume scope run concurrently, whatever its schedule.
bool runsParallel(const ir::Node *scope);
/// Expects scopes innermost first; null if none is parallel.
const ir::Node *outermostParallel(const std::vector<ir::Node *> &scopes);
/// Returns the edge of the write's path that leaves the scope, or the write itself.
const ir::Edge *edgeLeaving(const ir::Node *scope, const ir::Edge &write);

/// Is the write an operation of a tasklet that fetches the old value and updates it? Threads must then see each other's
/// updates.
bool usesOldValue(const ir::Edge &write);

} // namespace sdfgc::analysis
