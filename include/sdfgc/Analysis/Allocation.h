// Where the memory of transients comes from: the rules that the passes allocate-containers and place-in-memory apply, that the
// verifier checks at the level `allocated`, and that the lowering reads.
//
// Where and how long. After allocate-containers the lifetime of a transient says where it is declared; memory is released at the
// end of that scope:
//
//     Scope                   the innermost scope around all uses, which are in one state; each iteration has its own
//     State                   the only state that uses it
//     SDFG                    the SDFG, for one run of it; device memory of a nested one: the program, so that it is released
//                             when the device has done its work
//     Global                  a call of the program, whatever SDFG the container is in; its size is known at the beginning
//     Persistent, External    the program's state, from call to call
//
// A container whose size the SDFG computes itself is declared like the others and gets memory where nodes of the graph say
// `Reserve` (sdfgc/Analysis/Async.h): in front of the nearest common dominator of its uses, or of each use where the size is not
// known there.
//
// What. place-in-memory writes DataDesc::memory, one of ir::MemoryKind, by the table of chooseMemory.
#pragma once

#include "sdfgc/Analysis/Copies.h"
#include "sdfgc/Analysis/Scopes.h"
#include "sdfgc/Analysis/Symbols.h"

#include <map>
#include <memory>

namespace sdfgc::analysis {

/// What mentions a container in one SDFG, nested ones excluded.
struct ContainerUses {
    std::vector<const ir::Block *> blocks; // states, and blocks whose control flow reads it: in list order, may repeat
    std::vector<const ir::AccessNode *> nodes;
    const ir::State *state = nullptr; // the last one that was found
    bool severalStates = false, inControlFlow = false;
    /// The only state that uses it, if there is one and control flow does not.
    const ir::State *onlyState() const { return severalStates || inControlFlow ? nullptr : state; }
};

/// The uses of all containers of an SDFG that are used at all.
std::map<Name, ContainerUses> usesOfContainers(const ir::SDFG &g);

/// Is it a container that needs memory of its own: a transient that is neither a view nor a constant?
bool needsMemory(const ir::SDFG &g, Name name, const ir::DataDesc &d);

/// Where the containers of one SDFG are declared, by their lifetimes.
struct Declarations {
    std::vector<Name> program; // of the state of the program: Persistent, External
    std::vector<Name> call;    // Global, in a nested SDFG
    std::vector<Name> top;     // of the SDFG
    std::map<const ir::State *, std::map<const ir::Node *, std::vector<Name>>> local; // by scope entry, null for the state itself
    std::set<Name> reserved;                                                          // get their memory from nodes of the graph
};
Declarations declarationsOf(const ir::SDFG &g);

/// Containers of one SDFG, nested ones excluded, that nodes `Reserve` give memory.
std::set<Name> reservedContainers(const ir::SDFG &g);

/// The innermost scope of the only state that encloses all uses; null: the state itself.
const ir::Node *commonScope(const ContainerUses &u, const ScopeTree &scopes);

/// An expression over symbols of an SDFG in terms of the SDFGs around it, as far out as it can be followed.
struct OuterValue {
    sym::Expr value;       // what cannot be followed further stands under names of its own
    bool computed = false; // depends on what the program computes: parameters of scopes, assigned symbols, containers
    bool ofKernel = false; // ... in a kernel: the host does not know it
};

/// Follows expressions outwards. Valid until symbols, assignments, returns or symbol mappings change.
class OuterValues {
public:
    /// `scope`: the innermost scope in `s` around the place; null: the top level of the SDFG or state. `outermost`: the SDFG in
    /// whose terms the value is wanted; null: as far as possible.
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

/// Does a nested SDFG become a function of its own? One that returns early does.
bool becomesFunction(const ir::SDFG &nested);
/// Who runs code in a scope of a state (null: at the top level of the SDFG).
Executor executorInside(const ir::SDFG &g, const ir::Node *scope);
/// The kernel that a scope of a state (null: the top level of the SDFG) belongs to, in nested SDFGs, too; null on the host.
const ir::MapEntry *kernelAround(const ir::SDFG &g, const ir::State *s, const ir::Node *scope);
/// Do several threads of the host run the code of a scope, each for itself? Looks outwards through nested SDFGs.
bool runsInTeam(const ir::SDFG &g, const ir::State *s, const ir::Node *scope);

// ---- the table

/// What decides about the memory of a container, beside its descriptor.
struct MemoryFacts {
    Executor executor = Executor::Host; // where it is declared
    bool gpu = false;                   // the target has a device
    bool inTeam = false;                // each thread of a team declares its own
    bool pooled = false;                // nodes of the graph take it from the device's pool
    bool reserved = false;              // nodes of the graph give it memory
    bool hostKnowsSize = true;          // also where it is declared in a kernel
    std::optional<int64_t> elements;    // if constant
};

/// Most bytes that arrays of a constant size may have on a stack.
struct StackLimits {
    int64_t heap = 4096;       // containers in CPU_Heap: the same meaning, without an allocation
    int64_t registers = 65536; // containers in Register (DaCe: compiler.max_stack_array_size)
    int64_t kernel = 4096;     // of a thread of a kernel
};

/// The memory of a container, by the first line that holds:
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
/// Slices and Grid are parts of an arena: a container with the same kind in the SDFG that starts the kernel, which DataDesc::arena
/// names. It has the size of one slice; its memory is reserved for all of them when the kernel is started.
ir::MemoryKind chooseMemory(const ir::DataDesc &d, const MemoryFacts &f, const StackLimits &limits = {});
/// Why a container cannot have that memory; empty if it can. Weaker than the table: other choices may be as right as its own.
std::string memoryProblem(const ir::DataDesc &d, const MemoryFacts &f, ir::MemoryKind kind);

/// The facts about the containers of a graph. Valid as OuterValues are, and until scopes change.
class MemoryTable {
public:
    explicit MemoryTable(bool gpu) : gpu_(gpu) {}
    /// `scope`: as in Declarations, with its state.
    MemoryFacts facts(const ir::SDFG &g, Name name, const ir::DataDesc &d, const ir::State *s, const ir::Node *scope);

private:
    bool gpu_;
    OuterValues values_;
    std::map<std::pair<const ir::SDFG *, const ir::Node *>, MemoryFacts> places_; // what is the same for all containers of a place
    std::map<const ir::SDFG *, std::pair<std::set<Name>, std::set<Name>>> given_; // pooled, reserved
};

/// Is it an arena, or a container that has its memory there? An arena is used by no node of its SDFG.
inline bool isInArena(const ir::DataDesc &d) { return d.memory == ir::MemoryKind::Slices || d.memory == ir::MemoryKind::Grid; }

/// Calls `found(name, descriptor, state, scope)` for every container that needs memory and is used, where it is declared.
using FoundDeclaration = std::function<void(Name, const ir::DataDesc &, const ir::State *, const ir::Node *)>;
void forEachDeclaration(const ir::SDFG &g, const Declarations &d, const FoundDeclaration &found);

} // namespace sdfgc::analysis
