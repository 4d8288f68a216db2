// Which memory a write with conflict resolution reaches, and which scopes its iterations run in.
#pragma once

#include "sdfgc/Analysis/Scopes.h"
#include "sdfgc/IR/Sdfg.h"

#include <memory>
#include <set>
#include <unordered_map>
#include <vector>

namespace sdfgc::transforms {

/// One stretch of the way from a write to the memory: up to a view, to the border of a nested SDFG, or to the container itself.
struct WriteLevel {
    const ir::Edge *edge = nullptr;         // the write on this level: the innermost edge, a viewing edge, a nested SDFG's output
    const ir::AccessNode *target = nullptr; // where it arrives
    std::vector<ir::Node *> scopes;         // scopes that it leaves, innermost first
    std::vector<sym::Subset> touched;       // alternatives; each one contains everything that is touched
    std::set<Name> varying;                 // names in them that differ from write to write in unknown ways
};

struct WriteTarget {
    std::vector<WriteLevel> levels; // from the write outwards
    bool known = true;              // false: which memory it is (and so what else touches it) cannot be told
};

/// Caches over one root SDFG; valid while it does not change.
class WriteTracer {
public:
    /// `leaf` is the innermost edge of a path. Follows it through scopes, views and nested SDFGs to the container that owns the
    /// memory; stops at a container that is private to an iteration.
    WriteTarget trace(const ir::Edge &leaf);
    const analysis::ScopeTree &scopes(const ir::State &s);
    /// Innermost edges of all write paths of the state that end in this container.
    const std::vector<ir::Edge *> &writesTo(const ir::State &s, Name container);
    /// Scopes around a node and, through nested SDFGs, around its SDFG; innermost first.
    std::vector<ir::Node *> allScopesAround(const ir::Node *n);
    /// Is the node in the scope, in the same state?
    bool encloses(const ir::Node *scope, const ir::Node *n);

private:
    /// Where the access nodes of a container are.
    struct Use {
        const ir::State *state = nullptr;
        bool severalStates = false;
        std::vector<ir::Node *> commonScopes;
    };
    using Uses = std::unordered_map<Name, Use>;
    struct Cursor {
        const ir::Edge *edge;
        const ir::Node *from;
        const ir::AccessNode *target;
        std::vector<sym::Subset> touched; // the most precise one last
        std::set<Name> varying;
    };
    const Uses &uses(const ir::SDFG &g);
    std::vector<ir::Node *> scopesWithin(const Cursor &c, const std::vector<ir::Node *> &outside);
    bool throughView(Cursor &c);
    bool throughConnector(Cursor &c);

    std::unordered_map<const ir::State *, std::unique_ptr<analysis::ScopeTree>> scopes_;
    std::unordered_map<const ir::State *, std::unordered_map<Name, std::vector<ir::Edge *>>> writes_;
    std::unordered_map<const ir::SDFG *, Uses> uses_;
};

/// A consume scope's workers run side by side whatever its schedule is called.
bool runsParallel(const ir::Node *scope);
/// Of scopes, innermost first; null if none is parallel.
const ir::Node *outermostParallel(const std::vector<ir::Node *> &scopes);
/// The edge of the write's path that leaves the scope, or the write itself.
const ir::Edge *edgeLeaving(const ir::Node *scope, const ir::Edge &write);

/// Is the write an operation of a tasklet that fetches what the memory held before, and updates it? Threads must see each other's.
bool usesOldValue(const ir::Edge &write);

} // namespace sdfgc::transforms
