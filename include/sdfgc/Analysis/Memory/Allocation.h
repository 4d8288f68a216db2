// Where transients get their memory: rules that the passes allocate-containers and place-in-memory apply, that the
// verifier checks at the level `allocated`, and that the lowering reads.
//
// Where and how long. After allocate-containers, the lifetime of a transient determines where it is declared; memory is
// released at the end of that scope:
//
//     Scope                   the innermost scope around all uses, which are in one state; each iteration has its own
//     State                   the only state that uses it
//     SDFG                    the SDFG, for one run of it; device memory of a nested one: the program, so that it is released
//                             when the device has done its work
//     Global                  a call of the program, whatever SDFG the container is in; its size is known at the beginning
//     Persistent, External    the program's state, from call to call
//
// A container whose size the SDFG computes itself is declared like the others. It gets memory at the graph's `Reserve`
// nodes (sdfgc/Analysis/Device/Async.h): before the nearest common dominator of its uses, or before each use if the size is
// not known there.
//
// What kind. place-in-memory sets DataDesc::memory, one of ir::MemoryKind, by the table at chooseMemory.
#pragma once

#include "sdfgc/Analysis/Memory/Copies.h"
#include "sdfgc/Analysis/Scopes.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"

#include <map>
#include <memory>

namespace sdfgc::analysis {

/// All mentions of a container in one SDFG, excluding nested ones.
struct ContainerUses {
    std::vector<const ir::Block *> blocks; // states, and blocks whose control flow reads it: in list order, with possible
                                           // repetitions
    std::vector<const ir::AccessNode *> nodes;
    const ir::State *state = nullptr; // the last one found
    bool severalStates = false, inControlFlow = false;
    /// The only state that uses it, or null if there are several or if control flow reads it.
    const ir::State *onlyState() const { return severalStates || inControlFlow ? nullptr : state; }
};

/// Returns the uses of all containers of an SDFG that have any.
std::map<Name, ContainerUses> usesOfContainers(const ir::SDFG &g);

/// Does the container need memory: is it a transient that is neither a view nor a constant?
bool needsMemory(const ir::SDFG &g, Name name, const ir::DataDesc &d);

/// Where the containers of one SDFG are declared, by lifetime.
struct Declarations {
    std::vector<Name> program; // in the program's state: Persistent, External
    std::vector<Name> call;    // Global, in a nested SDFG
    std::vector<Name> top;     // in the SDFG
    std::map<const ir::State *, std::map<const ir::Node *, std::vector<Name>>> local; // by scope entry, null for the state itself
    std::set<Name> reserved;                                                          // get their memory at nodes of the graph
};
Declarations declarationsOf(const ir::SDFG &g);

/// Returns the containers of one SDFG, excluding nested ones, that get their memory at `Reserve` nodes.
std::set<Name> reservedContainers(const ir::SDFG &g);

/// Returns the innermost scope of the only using state that encloses all uses; null: the state itself.
const ir::Node *commonScope(const ContainerUses &u, const ScopeTree &scopes);

/// An expression over symbols of an SDFG, rewritten in terms of the surrounding SDFGs as far out as possible.
struct OuterValue {
    sym::Expr value;       // symbols that cannot be followed further get unique names
    bool computed = false; // depends on values that the program computes: parameters of scopes, assigned symbols, containers
    bool ofKernel = false; // ... in a kernel, so the host does not know it
};

/// Rewrites expressions in terms of outer SDFGs. Valid until symbols, assignments, returns or symbol mappings change.
class OuterValues {
public:
    /// `scope`: the innermost scope in `s` that contains the expression; null: the top level of the SDFG or state.
    /// `outermost`: the SDFG in whose terms to express the value; null: as far out as possible.
    OuterValue of(const ir::SDFG &g, sym::Expr e, const ir::State *s = nullptr, const ir::Node *scope = nullptr,
                  const ir::SDFG *outermost = nullptr);
    /// Symbols that the SDFG assigns itself.
    const std::set<Name> &assigned(const ir::SDFG &g);
    /// Does the size of a container depend on them?
    bool isSizeAssigned(const ir::SDFG &g, const ir::DataDesc &d);

private:
    void symbol(const ir::SDFG &g, Name n, const ir::State *s, const ir::Node *scope, const ir::SDFG *outermost, OuterValue &out,
                sym::Expr &value);
    bool isFunction(const ir::SDFG &g);
    std::map<const ir::SDFG *, std::set<Name>> assigned_;
    std::map<const ir::SDFG *, bool> functions_; // see becomesFunction
    int fresh_ = 0;
};

/// Is a nested SDFG lowered to a separate function? It is if it returns early.
bool becomesFunction(const ir::SDFG &nested);
/// Who runs code in a scope of a state (null: at the top level of the SDFG)?
Executor executorInside(const ir::SDFG &g, const ir::Node *scope);
/// Returns the kernel that contains a scope of a state (null: the top level of the SDFG), also through nested SDFGs;
/// null on the host.
const ir::MapEntry *kernelAround(const ir::SDFG &g, const ir::State *s, const ir::Node *scope);
/// Does each of several host threads run the code of a scope? Also looks outwards through nested SDFGs.
bool runsInTeam(const ir::SDFG &g, const ir::State *s, const ir::Node *scope);

// ---- the table

/// The facts that determine the memory of a container, besides its descriptor.
struct MemoryFacts {
    Executor executor = Executor::Host; // where it is declared
    bool gpu = false;                   // the target has a device
    bool inTeam = false;                // each thread of a team declares its own
    bool pooled = false;                // nodes of the graph allocate it from the device's pool
    bool reserved = false;              // nodes of the graph reserve its memory
    bool hostKnowsSize = true;          // also for declarations in a kernel
    std::optional<int64_t> elements;    // if constant
};

/// Maximum sizes, in bytes, of constant-size arrays on a stack.
struct StackLimits {
    int64_t heap = 4096;       // containers in CPU_Heap: same semantics, without an allocation
    int64_t registers = 65536; // containers in Register (DaCe: compiler.max_stack_array_size)
    int64_t kernel = 4096;     // of a thread of a kernel
};

/// Chooses the memory of a container. The first matching line applies:
///
///     lifetime Persistent, External                                            Field
///     stream, reference, structure                                             Value
///     host     GPU_Global, taken from the pool by nodes                         Pool
///     host     GPU_Global / CPU_Pinned, if the target has a device              Device / Pinned
///     kernel   of the whole grid, GPU_Global                                    Grid
///     kernel   one element in Register                                          Value
///     kernel   larger than the limit or of no constant size, which the host
///              knows; not GPU_Shared                                            Slices
///     kernel   GPU_Shared; GPU_Global of a block                                Shared
///     kernel   of no constant size                                              DeviceHeap
///     kernel   one element / otherwise                                          Value / Stack
///     host     one element, no nodes that give it memory                        Value
///     host     constant size within the limit, not CPU_ThreadLocal              Stack
///     host     CPU_ThreadLocal, declared outside of teams                       PerThread
///     host     otherwise                                                        Heap
///
/// Slices and Grid are parts of an arena: a container of the same kind, named by DataDesc::arena, in the SDFG that
/// launches the kernel. It has the size of one slice; memory for all slices is reserved at launch.
ir::MemoryKind chooseMemory(const ir::DataDesc &d, const MemoryFacts &f, const StackLimits &limits = {});
/// Returns why a container cannot have that memory; empty if it can. Weaker than the table: other choices can be
/// correct as well.
std::string memoryProblem(const ir::DataDesc &d, const MemoryFacts &f, ir::MemoryKind kind);

/// The facts about the containers of a graph. Valid as long as OuterValues are, and until scopes change.
class MemoryTable {
public:
    explicit MemoryTable(bool gpu) : gpu_(gpu) {}
    /// `scope`: as in Declarations, together with its state.
    MemoryFacts facts(const ir::SDFG &g, Name name, const ir::DataDesc &d, const ir::State *s, const ir::Node *scope);

private:
    bool gpu_;
    OuterValues values_;
    std::map<std::pair<const ir::SDFG *, const ir::Node *>, MemoryFacts> places_; // shared by all containers of a scope
    std::map<const ir::SDFG *, std::pair<std::set<Name>, std::set<Name>>> given_; // pooled, reserved
};

/// Is it an arena, or a container stored in one? No node of an arena's SDFG uses the arena.
inline bool isInArena(const ir::DataDesc &d) { return d.memory == ir::MemoryKind::Slices || d.memory == ir::MemoryKind::Grid; }

/// Calls `found(name, descriptor, state, scope)` for every used container that needs memory, with its place of
/// declaration.
using FoundDeclaration = std::function<void(Name, const ir::DataDesc &, const ir::State *, const ir::Node *)>;
void forEachDeclaration(const ir::SDFG &g, const Declarations &d, const FoundDeclaration &found);

} // namespace sdfgc::analysis
