// Dataflow: states, nodes, edges, memlets (format reference section 6).
//
// A state owns its nodes and edges in vectors in file order. Ids are positions, renumbered by State::renumber. Nodes
// and edges have stable addresses. Each end of an edge lists its edges in the order in which they were added.
#pragma once

#include "sdfgc/IR/Code.h"
#include "sdfgc/IR/Data.h"
#include "sdfgc/Support/Casting.h"

namespace sdfgc::ir {

class SDFG;
class State;
class Node;

/// How a write with conflict resolution is performed; chosen by the pass resolve-wcr, Unset before.
enum class WcrMode : uint8_t { Unset, Plain, Atomic, Reduction };

struct Memlet {
    Name data; // empty: an ordering edge (no subset), or a value passed from code to code
    std::optional<sym::Subset> subset, otherSubset;
    sym::Expr volume = 0;
    bool dynamic = false;
    bool wcrNonatomic = false;
    bool allowOob = false;
    std::optional<bool> isDataSrc; // as stored; meaningful only for a copy of a container to itself
    std::string wcr;               // lambda text; empty = none
    WcrMode wcrMode = WcrMode::Unset;
    std::optional<int> stream;               // for a copy by the device: number of the GPU stream that it is queued on
    CopyMethod copy = CopyMethod::Undecided; // for a copy: its method, chosen by select-copies
    DebugInfo debugInfo;
    Extra extra;

    bool isEmpty() const { return data.empty() && !subset && !otherSubset && wcr.empty(); }
    static Memlet simple(Name data, sym::Subset s);
    static Memlet empty() { return Memlet(); }
};

struct Edge {
    Node *src = nullptr, *dst = nullptr;
    Name srcConn, dstConn; // empty = null
    Memlet memlet;
};

struct Connector {
    Name name;
    Type type; // void: to be inferred
    friend bool operator==(const Connector &, const Connector &) = default;
};

enum class NodeKind : uint8_t { Access, Tasklet, NestedSDFG, MapEntry, MapExit, ConsumeEntry, ConsumeExit, Library };

class Node {
public:
    virtual ~Node();
    NodeKind kind() const { return kind_; }
    State *state() const { return state_; }
    /// Position in the state's node list (valid after State::renumber, which every pass leaves done).
    uint32_t id() const { return id_; }

    std::string label;
    std::vector<Connector> inConnectors, outConnectors; // file order (sorted by name in files)
    std::vector<Name> environments;
    Instrumentation instrument = Instrumentation::No_Instrumentation;
    DebugInfo debugInfo;
    Extra extra;

    const std::vector<Edge *> &inEdges() const { return in_; }
    const std::vector<Edge *> &outEdges() const { return out_; }
    Connector *inConnector(Name n);
    Connector *outConnector(Name n);
    const Connector *inConnector(Name n) const { return const_cast<Node *>(this)->inConnector(n); }
    const Connector *outConnector(Name n) const { return const_cast<Node *>(this)->outConnector(n); }
    /// Adds or retypes a connector.
    Connector &addIn(Name n, Type t = Type());
    Connector &addOut(Name n, Type t = Type());
    void removeIn(Name n);
    void removeOut(Name n);
    /// Returns the first edge at a connector (empty name: an edge without connector), or null.
    Edge *inEdge(Name conn) const;
    Edge *outEdge(Name conn) const;
    /// Code nodes perform computations: tasklets, nested SDFGs, library nodes.
    bool isCode() const { return kind_ == NodeKind::Tasklet || kind_ == NodeKind::NestedSDFG || kind_ == NodeKind::Library; }
    bool isEntry() const { return kind_ == NodeKind::MapEntry || kind_ == NodeKind::ConsumeEntry; }
    bool isExit() const { return kind_ == NodeKind::MapExit || kind_ == NodeKind::ConsumeExit; }

protected:
    explicit Node(NodeKind k) : kind_(k) {}
    /// The copy has the same properties, but is in no state and has no edges.
    Node(const Node &o);
    Node &operator=(const Node &) = delete;

private:
    friend class State;
    NodeKind kind_;
    uint32_t id_ = 0;
    State *state_ = nullptr;
    std::vector<Edge *> in_, out_;
};

class AccessNode : public Node {
public:
    explicit AccessNode(Name data) : Node(NodeKind::Access), data(data) {}
    static bool classof(const Node *n) { return n->kind() == NodeKind::Access; }
    Name data; // may be dotted: `A.indptr`
    bool setZero = false;
    DataInstrumentation dataInstrument = DataInstrumentation::No_Instrumentation;
    Code dataInstrumentCondition{"1", Language::CPP};
};

class Tasklet : public Node {
public:
    Tasklet() : Node(NodeKind::Tasklet) {}
    static bool classof(const Node *n) { return n->kind() == NodeKind::Tasklet; }
    Code code;
    Code codeGlobal{"", Language::CPP}, codeInit{"", Language::CPP}, codeExit{"", Language::CPP};
    std::vector<std::string> stateFields;
    std::vector<Name> ignoredSymbols;
    std::optional<bool> sideEffects;
};

class NestedSDFGNode : public Node {
public:
    NestedSDFGNode();
    NestedSDFGNode(const NestedSDFGNode &o); // with its contents
    ~NestedSDFGNode() override;
    static bool classof(const Node *n) { return n->kind() == NodeKind::NestedSDFG; }
    std::unique_ptr<SDFG> sdfg;                            // null only until an external file is loaded
    std::string externalPath;                              // ext_sdfg_path
    std::vector<std::pair<Name, sym::Expr>> symbolMapping; // inner symbol -> outer expression, sorted by name
    bool noInline = false;
    std::string uniqueName;
    const sym::Expr *mapped(Name innerSymbol) const;
};

class MapExit;
class MapEntry : public Node {
public:
    MapEntry() : Node(NodeKind::MapEntry) {}
    static bool classof(const Node *n) { return n->kind() == NodeKind::MapEntry; }
    MapExit *exit = nullptr; // pairing, from the graph
    std::vector<Name> params;
    std::vector<sym::Range> ranges; // one per parameter
    Schedule schedule = Schedule::Default;
    int64_t collapse = 1;
    bool unroll = false;
    int64_t unrollFactor = 0;
    sym::Expr ompNumThreads = 0;
    sym::Expr ompIf = sym::Expr::boolean(true); // a team runs the map only if this holds, set by guard-parallel-maps
    OmpSchedule ompSchedule = OmpSchedule::Default;
    int64_t ompChunkSize = 0;
    // For kernels; shape-kernels completes the first two and sets the third.
    std::optional<std::vector<sym::Expr>> gpuBlockSize; // threads per block along x, y, z
    std::string gpuLaunchBounds = "0";                  // threads that the compiler may rely on; 0: those of a block, -1: none
    std::vector<sym::Expr> gpuGridLimit;                // maximum number of blocks along x, y, z; 0: as many as the iterations
                                                        // need. Of a persistent kernel: 1, or empty for as many as run at once;
                                                        // of a map in it: 1, or empty for all of them
    int64_t gpuMinWarpsPerEu = 0, gpuMaxNReg = 0;
    bool gpuForceSyncthreads = false;
    std::optional<int> stream; // for a kernel: number of the GPU stream that it is launched on, set by assign-streams
    bool optimize = true;      // may the optimiser change the map or its contents?
    bool simd = false;         // for a strip: iterations of the innermost loop may be vectorised, set by jam-maps and
                               // accumulate-in-strips
    bool ordered = false;      // for a loop: iterations run in order and may use earlier results, set by loops-to-maps
};

class MapExit : public Node {
public:
    MapExit() : Node(NodeKind::MapExit) {}
    static bool classof(const Node *n) { return n->kind() == NodeKind::MapExit; }
    MapEntry *entry = nullptr;
};

class ConsumeExit;
class ConsumeEntry : public Node {
public:
    ConsumeEntry() : Node(NodeKind::ConsumeEntry) {}
    static bool classof(const Node *n) { return n->kind() == NodeKind::ConsumeEntry; }
    /// The number of elements in a chunk, for code in the scope: `__dace_LABEL_numelems` (DaCe:
    /// codegen/targets/cpu.py). Empty if elements come one by one.
    Name countName() const { return chunkSize == 1 ? Name() : Name("__dace_" + label + "_numelems"); }
    /// Does the scope define this name, the number of the worker or of elements?
    bool defines(Name n) const { return n && (n == peIndex || n == countName()); }
    ConsumeExit *exit = nullptr;
    Name peIndex;
    sym::Expr numPes = 1;
    std::optional<Code> condition;
    Schedule schedule = Schedule::Default;
    int64_t chunkSize = 1;
};

class ConsumeExit : public Node {
public:
    ConsumeExit() : Node(NodeKind::ConsumeExit) {}
    static bool classof(const Node *n) { return n->kind() == NodeKind::ConsumeExit; }
    ConsumeEntry *entry = nullptr;
};

/// A library node of any class. Properties are kept as JSON; the definition in LibraryNodes interprets them.
class LibraryNode : public Node {
public:
    LibraryNode() : Node(NodeKind::Library) {}
    static bool classof(const Node *n) { return n->kind() == NodeKind::Library; }
    std::string classPath;      // dace.libraries.blas.nodes.matmul.MatMul
    std::string name;           // attribute `name`
    std::string implementation; // empty: compiler's choice
    Schedule schedule = Schedule::Default;
    OrderedMap<std::string, json::Value> properties; // all other attributes, in file order
    /// Last component of the class path: `MatMul`.
    std::string className() const;
    /// Library: third component of a dace.libraries path (`blas`), else empty.
    std::string libraryName() const;
};

/// The schedule of a map, consume scope or library node; null for other nodes.
inline Schedule *scheduleOf(Node *n) {
    if (auto *m = dyn_cast<MapEntry>(n))
        return &m->schedule;
    if (auto *c = dyn_cast<ConsumeEntry>(n))
        return &c->schedule;
    if (auto *l = dyn_cast<LibraryNode>(n))
        return &l->schedule;
    return nullptr;
}
inline const Schedule *scheduleOf(const Node *n) { return scheduleOf(const_cast<Node *>(n)); }

/// Returns where a step of a state ends: the exit paired with a scope's entry, or any other node itself.
inline Node *exitOf(Node *n) {
    if (auto *m = dyn_cast<MapEntry>(n))
        return m->exit;
    if (auto *c = dyn_cast<ConsumeEntry>(n))
        return c->exit;
    return n;
}
inline const Node *exitOf(const Node *n) { return exitOf(const_cast<Node *>(n)); }

} // namespace sdfgc::ir
