// In which order streams and the host touch memory: what each step of a program does, and a walk over the whole program that knows
// at every point which operations of the device may still be running. The scheduler inserts what the walk finds missing; the
// verifier reports it.
//
// What is known (a sound over-approximation, joined where control flow joins and iterated over loops until it is stable):
//
//     pending      accesses (memory, read or write, stream) whose end the host has not waited for, each with the set of streams
//                  whose later operations start after it. One entry stands for all earlier accesses of its kind: the last one is
//                  the latest.
//     events       for each event, the pending accesses that it comes after
//
//     operation on stream s      must find every pending access that conflicts (same memory, one of the two a write) covered by s
//     access by the host         must find none that conflicts; so must the inputs that an operation is given by value
//     Record e on s              e comes after everything covered by s
//     Wait for e in s            what e comes after is covered by s from now on; in the host (-1): is over
//     Synchronise s              what is covered by s is over
//     end of the program         everything must be over
//
// A region that is one GPU graph (sdfgc/Analysis/GraphRegions.h) is one operation of its stream, with the uses of all of its
// operations: what it needs is waited for in its gate.
//
// Memory is a container behind all views and nested SDFGs (sdfgc/Analysis/Memories.h). Host transients and whatever control flow
// reads must be over at the end of the state in which the device uses them, so that their lifetime and conditions need no look at
// streams.
#pragma once

#include "sdfgc/Analysis/Async.h"
#include "sdfgc/Analysis/Copies.h"
#include "sdfgc/Analysis/DeviceLoops.h"
#include "sdfgc/Analysis/FlowWalk.h"
#include "sdfgc/Analysis/Memories.h"
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
    enum Kind : uint8_t { Host, Operation, Async, Nested, Loop } kind = Host; // Loop: of a kernel (sdfgc/Analysis/Barriers.h)
    int stream = 0;                                                           // of an operation
    AsyncOp async;                                                            // of a node that orders streams
    std::vector<MemoryUse> uses;                                              // of an operation, by the device
    std::vector<MemoryUse> host;                                              // by the host, at once
    ir::Node *node = nullptr; // what does it: for a kernel its entry, for a copy the access node at its end
    ir::Edge *edge = nullptr; // the copy
};

/// The steps of the states of one program and the memory that they touch. Valid until nodes or edges change; the memory table
/// until containers, views or nested SDFGs change.
class StreamSteps {
public:
    explicit StreamSteps(ir::SDFG &root);

    /// A node that orders streams and is left out of the steps: what would be if it were not there?
    const ir::Node *ignored = nullptr;

    /// Steps at the top level of a state, in the order in which the lowered program takes them. A host map with operations inside
    /// is one operation on stream 0.
    std::vector<StreamStep> of(ir::State &s);
    /// The phases of a kernel in the scope of `entry`, or at the top level of a state inside of a kernel (null), as `executor` goes
    /// through them: a block or a grid; sdfgc/Analysis/Barriers.h.
    std::vector<StreamStep> phasesOf(ir::State &s, ir::Node *entry, Executor executor);
    /// What control flow of an SDFG inside of a kernel reads and several threads see.
    std::vector<MemoryUse> conditionsOf(ir::SDFG &g);

    Memory memory(ir::SDFG &g, Name data) { return memories_.of(g, data); }
    Memory memory(const ir::AccessNode &n) { return memories_.of(n); }
    /// The container that a memory belongs to, in its SDFG.
    const std::pair<ir::SDFG *, Name> &owner(Memory m) const { return memories_.owner(m); }
    std::string name(Memory m) const { return memories_.owner(m).second.str(); }
    /// Null where the program does not have it.
    const ir::DataDesc *desc(Memory m) const { return memories_.desc(m); }
    bool isDevice(Memory m) const;
    /// Is it memory that several threads of a kernel see? Registers are not.
    bool isSeenByThreads(Memory m) const;
    /// Must what the device does with it be over at the end of a state?
    bool endsWithState(MemoryUse use) const;

private:
    class Collector;
    bool isShared(ir::SDFG &g, Name data);
    Memories memories_;
    std::set<Memory> controlled_;                       // read by control flow
    std::map<const ir::SDFG *, std::set<Name>> shared_; // not private to the iterations of a scope
};

/// An operation that may be running.
struct PendingAccess {
    uint64_t covered = 0; // streams whose later operations come after it
    ir::Node *node = nullptr;
    ir::Edge *edge = nullptr;
    bool several = false; // other paths to this point have other operations, of which `node` stands for one
};

struct StreamKnowledge {
    struct Key {
        MemoryUse use;
        int stream = 0;
        friend auto operator<=>(const Key &, const Key &) = default;
    };
    std::map<Key, PendingAccess> pending;
    std::map<int, std::set<Key>> events;
    std::set<Key> endingWithState; // of what has begun in this state, if it has not ended yet

    void operation(const StreamStep &s, const StreamSteps &steps);
    void order(const AsyncOp &op);
    /// What is pending on one of these memories, by key; `memories` is sorted.
    std::vector<std::pair<Key, PendingAccess>> pendingOn(const std::vector<Memory> &memories) const;
    void join(const StreamKnowledge &other);
    bool sameAs(const StreamKnowledge &other) const;
};

/// Two accesses without an order.
struct StreamConflict {
    ir::State *state = nullptr; // in which the later one is
    std::size_t step = 0;       // position among the steps; their number: the end of the state
    const std::vector<StreamStep> *steps = nullptr;
    StreamKnowledge::Key earlier;
    PendingAccess what;
    bool byHost = false; // the later one is an access by the host, or the end of the state or program
    bool endOfProgram = false;
    ir::Region *graph = nullptr; // the later one is a formed region; the state, its gate, gets what is missing
    int stream = 0;              // of the later one, unless the host is
};

/// Walks over a program, as often as wanted. What a walk has found of states and formed regions serves the next ones: between them nodes that
/// order streams may come and go (`changed`), and StreamSteps::ignored may change, but nothing else.
class StreamOrder : private FlowWalk<StreamKnowledge> {
public:
    using Found = std::function<bool(const StreamConflict &)>;
    StreamOrder(ir::SDFG &root, StreamSteps &steps);
    /// `found` is called with each conflict. It returns true when it has changed the state: then the state is walked anew. Otherwise the
    /// walk goes on as if the order were there. For that, what is known in front of each state is kept while it is walked.
    void run(const Found &found);
    /// The same where no state is changed: nothing is kept, so that the time grows with the program.
    void look(const std::function<void(const StreamConflict &)> &found);
    /// The steps of a state are others than at the last walk.
    void changed(const ir::State &s) { cache_.erase(&s); }

private:
    StreamKnowledge state(ir::State &s, StreamKnowledge in) override;
    bool walkThrough(ir::State &s, StreamKnowledge &now);
    void entering(ir::Block &b, StreamKnowledge &now) override;
    void leaving(ir::Block &b, StreamKnowledge &now) override;
    struct Graph {
        StreamStep whole;              // the formed region as one operation
        std::vector<StreamStep> parts; // the operations in it, which are what is told of
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

/// Does the host release memory of the device at the end of an SDFG: of the program, or of a nested SDFG that becomes a function
/// and declares such memory? Then everything must be over there.
bool releasesDeviceMemory(const ir::SDFG &g);

/// Does the lowered program copy into the access node when it is reached, rather than when the source is? It does where other edges
/// than the copy's end there: then not all that must come before has happened at the source.
bool copiesAtDestination(const ir::Node &destination);

} // namespace sdfgc::analysis
