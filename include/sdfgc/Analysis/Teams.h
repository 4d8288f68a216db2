// Who runs code of the host: one thread, all threads of a team together, or one of them.
//
// The pass nest-parallelism asks while it decides, the verifier when it checks (SD2136), the lowering follows the graph.
#pragma once

#include "sdfgc/Analysis/Scopes.h"

namespace sdfgc::analysis {

enum class Team : uint8_t {
    None,   // one thread, and no other one runs beside it
    Whole,  // all threads of a CPU_Persistent map's team: they share the iterations of a parallel map
    Member, // one of several threads: for an iteration of a parallel map, an element of a consume scope, a section, in a kernel
};

/// Who runs what is in a scope of which `around` runs the entry. CPU_Persistent maps start a team of their own wherever they stand;
/// OpenMP gives it one thread inside of another team. Schedules must be concrete.
Team teamInside(const ir::Node &entry, Team around);

/// The parts of a state that do not depend on each other: its top-level nodes in execution order, those of one weakly connected
/// component together; components are one part where one writes a container that another one uses. Parts are in the order of their
/// first nodes.
std::vector<std::vector<ir::Node *>> independentParts(const ir::State &s, const ScopeTree &scopes);

/// Are the parts of the state OpenMP sections, each run by one thread? The SDFG asks for it, and there is more than one.
bool runsAsSections(const ir::State &s, const ScopeTree &scopes);

/// Walks over the states of a program from outside to inside, with who runs them.
class TeamWalk {
public:
    virtual ~TeamWalk() = default;
    void run(ir::SDFG &root) { sdfg(root, Team::None); }

protected:
    /// An SDFG before its states: `openmpSections` may be changed.
    virtual void enter(ir::SDFG &g, Team around) = 0;
    /// A node, an entry before its content: its schedule may be changed. Exits are not visited.
    virtual void visit(ir::Node &n, const ScopeTree &scopes, Team around) = 0;
    /// A state after all that is in it: nodes and edges may be changed.
    virtual void leave(ir::State &) {}

private:
    void sdfg(ir::SDFG &g, Team around);
    void state(ir::State &s, Team around);
};

} // namespace sdfgc::analysis
