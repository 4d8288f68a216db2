// The order in which streams and the host access memory: the accesses of each step of a program, and a walk over the
// entire program that tracks which device operations may still be running. The scheduler inserts the synchronisation
// that the walk finds missing; the verifier reports it.
//
// The walk tracks (a sound over-approximation, joined where control flow joins and iterated over loops until it is
// stable):
//
//     pending      accesses (memory, read or write, stream) whose completion the host has not waited for, each with the set of
//                  streams whose later operations start after it. One entry represents all earlier accesses of its kind, because
//                  the last one finishes last
//     events       for each event, the pending accesses that it comes after
//
//     operation on stream s      s must cover every conflicting pending access (same memory, one of the two a write)
//     access by the host         there must be no conflicting pending access; the same goes for inputs passed by value
//     Record e on s              e comes after everything covered by s
//     Wait for e in s            s covers everything that e comes after; in the host (-1), that is complete
//     Synchronise s              everything covered by s is complete
//     end of the program         everything must be complete
//
// A region that is one GPU graph (sdfgc/Analysis/Device/GraphRegions.h) is a single operation of its stream, with the uses of
// all its operations. Its gate waits for its inputs.
//
// Memory is a container behind all views and nested SDFGs (sdfgc/Analysis/Memory/Memories.h). Accesses of the device to host
// transients, and to containers that control flow reads, must be complete at the end of their state, so that lifetimes
// and conditions need not consider streams.
#pragma once

#include "sdfgc/Analysis/Device/Async.h"
#include "sdfgc/Analysis/Device/DeviceLoops.h"
#include "sdfgc/Analysis/Flow/FlowWalk.h"
#include "sdfgc/Analysis/Memory/Copies.h"
#include "sdfgc/Analysis/Memory/Memories.h"
#include "sdfgc/Analysis/Scopes.h"

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace sdfgc::analysis {

struct MemoryUse {
    Memory memory = -1;
    bool write = false;
    friend auto operator<=>(const MemoryUse &, const MemoryUse &) = default;
};

/// A step of the host's program.
struct StreamStep {
    enum Kind : uint8_t { Host, Operation, Async, Nested, Loop } kind = Host; // Loop: of a kernel (Barriers.h)
    int stream = 0;                                                           // of an operation
    AsyncOp async;                                                            // of a node that orders streams
    std::vector<MemoryUse> uses;                                              // of an operation, by the device
    std::vector<MemoryUse> host;                                              // by the host, immediately
    ir::Node *node = nullptr;  // performs it: the entry of a kernel, the access node at the end of a copy
    ir::Edge *edge = nullptr;  // the copy
    bool ofFirstBlock = false; // a phase of a grid of which all accesses are those of its first block
};

/// The steps of the states of one program and the memory that they access. Valid until nodes or edges change; the
/// memory table is valid until containers, views or nested SDFGs change.
class StreamSteps {
public:
    explicit StreamSteps(ir::SDFG &root);

    /// A synchronisation node that is omitted from the steps, to test whether it is needed.
    const ir::Node *ignored = nullptr;

    /// Returns the steps at the top level of a state, in the order of the lowered program. A host map that contains
    /// operations is a single operation on stream 0.
    std::vector<StreamStep> of(ir::State &s);
    /// Returns the phases of a kernel in the scope of `entry`, or at the top level of a state inside a kernel (null),
    /// for `executor`, a block or a grid (sdfgc/Analysis/Streams/Barriers.h).
    std::vector<StreamStep> phasesOf(ir::State &s, ir::Node *entry, Executor executor);
    /// Returns the memory visible to several threads that control flow of an SDFG inside a kernel reads.
    std::vector<MemoryUse> conditionsOf(ir::SDFG &g);

    Memory memory(ir::SDFG &g, Name data) { return memories_.of(g, data); }
    Memory memory(const ir::AccessNode &n) { return memories_.of(n); }
    /// The container that owns a memory, and its SDFG.
    const std::pair<ir::SDFG *, Name> &owner(Memory m) const { return memories_.owner(m); }
    std::string name(Memory m) const { return memories_.owner(m).second.str(); }
    /// Null if the program does not contain it.
    const ir::DataDesc *desc(Memory m) const { return memories_.desc(m); }
    bool isDevice(Memory m) const;
    /// Is it memory that several threads of a kernel can see? Registers are not.
    bool isSeenByThreads(Memory m) const;
    /// Must the device's access be complete at the end of the state?
    bool endsWithState(MemoryUse use) const;

private:
    class StepCollector;
    bool isShared(ir::SDFG &g, Name data);
    Memories memories_;
    std::set<Memory> controlled_;                       // read by control flow
    std::map<const ir::SDFG *, std::set<Name>> shared_; // not private to the iterations of a scope
};

/// An operation that may still be running.
struct PendingAccess {
    uint64_t covered = 0; // streams whose later operations come after it
    ir::Node *node = nullptr;
    ir::Edge *edge = nullptr;
    bool several = false; // other paths to this point have other operations; `node` represents all of them
};

struct StreamKnowledge {
    struct Key {
        MemoryUse use;
        int stream = 0;
        friend auto operator<=>(const Key &, const Key &) = default;
    };
    std::map<Key, PendingAccess> pending;
    std::map<int, std::set<Key>> events;
    std::set<Key> endingWithState; // accesses that started in this state and may still be pending

    void operation(const StreamStep &s, const StreamSteps &steps);
    void order(const AsyncOp &op);
    /// Returns the pending accesses to these memories, by key; `memories` is sorted.
    std::vector<std::pair<Key, PendingAccess>> pendingOn(const std::vector<Memory> &memories) const;
    void join(const StreamKnowledge &other);
    bool sameAs(const StreamKnowledge &other) const;
};

/// Two accesses without an ordering.
struct StreamConflict {
    ir::State *state = nullptr; // contains the later access
    std::size_t step = 0;       // position among the steps, or their number for the end of the state
    const std::vector<StreamStep> *steps = nullptr;
    StreamKnowledge::Key earlier;
    PendingAccess what;
    bool byHost = false; // the later one is an access by the host, or the end of the state or program
    bool endOfProgram = false;
    ir::Region *graph = nullptr; // the later one is a formed region; the state, its gate, gets the missing synchronisation
    int stream = 0;              // of the later one, unless it is by the host
};

/// Walks over a program, repeatedly if needed. Results for states and formed regions are reused by later walks. Between
/// walks only synchronisation nodes (`changed`) and StreamSteps::ignored may change.
class StreamOrder : private FlowWalk<StreamKnowledge> {
public:
    using Found = std::function<bool(const StreamConflict &)>;
    StreamOrder(ir::SDFG &root, StreamSteps &steps);
    /// Calls `found` for each conflict. It returns true if it has changed the state, which is then walked again.
    /// Otherwise the walk continues as if the ordering existed. The facts before each state are kept while it is
    /// walked.
    void run(const Found &found);
    /// The same for walks that change no state: nothing is kept, so the time is linear in the size of the program.
    void look(const std::function<void(const StreamConflict &)> &found);
    /// Call this if the steps of a state have changed since the last walk.
    void changed(const ir::State &s) { cache_.erase(&s); }

private:
    StreamKnowledge state(ir::State &s, StreamKnowledge in) override;
    bool walkThrough(ir::State &s, StreamKnowledge &now);
    void entering(ir::Block &b, StreamKnowledge &now) override;
    void leaving(ir::Block &b, StreamKnowledge &now) override;
    struct Graph {
        StreamStep whole;              // the formed region as one operation
        std::vector<StreamStep> parts; // the operations in it, used for reports
        ir::State *gate = nullptr;
    };
    const Graph &graph(ir::Region &formed);
    static void waited(StreamKnowledge &now, int forStream, bool host, int stream);
    bool atEnd(ir::State &s, const std::vector<StreamStep> &steps, StreamKnowledge &now);
    bool repaired(StreamKnowledge &now, StreamConflict c);
    bool check(ir::State &s, const std::vector<StreamStep> &steps, std::size_t i, StreamKnowledge &now);
    bool endsProgram(const ir::State &s) const;
    void forget(const std::vector<StreamStep> &steps, StreamKnowledge &now) const;

    ir::SDFG &root_;
    StreamSteps &steps_;
    DeviceLoops loops_;
    const Found *found_ = nullptr;
    bool repairs_ = false;  // `found_` may change states
    std::set<int> lasting_; // events that several states record or wait for
    std::map<const ir::State *, std::vector<StreamStep>> cache_;
    std::map<const ir::Region *, Graph> graphs_;
};

/// Does the host release device memory at the end of an SDFG: of the program, or of a nested SDFG that becomes a
/// function and declares such memory? Then all operations must be complete there.
bool releasesDeviceMemory(const ir::SDFG &g);

/// Does the lowered program perform a copy when it reaches the destination access node rather than the source? It does
/// if other edges end there as well: at the source, not everything that must come first has happened.
bool copiesAtDestination(const ir::Node &destination);

} // namespace sdfgc::analysis
