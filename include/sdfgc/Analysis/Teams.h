// Who runs host code: one thread, all threads of a team together, or one of them.
//
// The pass nest-parallelism and the verifier (SD2136) use this; the lowering follows the graph.
#pragma once

#include "sdfgc/Analysis/Scopes.h"

namespace sdfgc::analysis {

enum class Team : uint8_t {
    None,   // one thread, with no other running concurrently
    Whole,  // all threads of a CPU_Persistent map's team: they share the iterations of a parallel map
    Member, // one of several threads: runs an iteration of a parallel map, an element of a consume scope, a section, or kernel
            // code
};

/// Returns who runs the contents of a scope if `around` runs its entry. A CPU_Persistent map always starts its own
/// team; inside another team, OpenMP gives it one thread. Schedules must be concrete.
Team teamInside(const ir::Node &entry, Team around);

/// Returns the independent parts of a state: its top-level nodes in execution order, grouped by weakly connected
/// components. Components are merged if one writes a container that another uses. Parts are in the order of their first
/// nodes.
std::vector<std::vector<ir::Node *>> independentParts(const ir::State &s, const ScopeTree &scopes);

/// Are the parts of the state OpenMP sections, each run by one thread? They are if the SDFG requests it and there are
/// several parts.
bool runsAsSections(const ir::State &s, const ScopeTree &scopes);

/// Walks over the states of a program from the outside in, tracking who runs them.
class TeamWalk {
public:
    virtual ~TeamWalk() = default;
    void run(ir::SDFG &root) { sdfg(root, Team::None); }

protected:
    /// Called for an SDFG before its states; may change `openmpSections`.
    virtual void enter(ir::SDFG &g, Team around) = 0;
    /// Called for a node, an entry before its contents; may change its schedule. Exits are not visited.
    virtual void visit(ir::Node &n, const ScopeTree &scopes, Team around) = 0;
    /// Called for a state after its contents; may change nodes and edges.
    virtual void leave(ir::State &) {}

private:
    void sdfg(ir::SDFG &g, Team around);
    void state(ir::State &s, Team around);
};

} // namespace sdfgc::analysis
