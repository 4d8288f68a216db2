// Control flow and the SDFG itself (format reference sections 2 and 5).
#pragma once

#include "sdfgc/IR/Dataflow.h"

#include <map>

namespace sdfgc::ir {

class Region;
class SDFG;

enum class BlockKind : uint8_t {
    State,
    Region,
    Loop,
    Conditional,
    Break,
    Continue,
    Return,
    Unstructured,
    Named,
    FunctionCall,
    SDFG
};
/// Is it a break, continue or return, after which nothing follows?
inline bool isJump(BlockKind k) { return k == BlockKind::Break || k == BlockKind::Continue || k == BlockKind::Return; }

/// A control-flow block. Regions own their blocks; ids are positions. Copy constructors of blocks copy properties
/// without contents; only clone, which adds the contents, may use them.
class Block {
public:
    virtual ~Block();
    BlockKind kind() const { return kind_; }
    Region *parent() const { return parent_; } // null only for SDFGs, root or nested
    uint32_t id() const { return id_; }
    /// The SDFG that contains this block (for an SDFG, itself).
    SDFG *sdfg();
    const SDFG *sdfg() const { return const_cast<Block *>(this)->sdfg(); }
    /// The incoming and outgoing edges, in the order of the region's list, in which conditions are tested.
    const std::vector<struct InterstateEdge *> &inEdges() const { return in_; }
    const std::vector<InterstateEdge *> &outEdges() const { return out_; }

    std::string label;
    DebugInfo debugInfo;
    Extra extra;

protected:
    explicit Block(BlockKind k) : kind_(k) {}
    Block(const Block &o) : label(o.label), debugInfo(o.debugInfo), extra(o.extra), kind_(o.kind_) {}
    Block &operator=(const Block &) = delete;

private:
    friend class Cloner;
    friend class Region;
    friend class ConditionalBlock;
    BlockKind kind_;
    uint32_t id_ = 0;
    Region *parent_ = nullptr;
    std::vector<InterstateEdge *> in_, out_;
    class ConditionalBlock *conditional_ = nullptr; // set for branch regions; parent_ is then the region that holds the conditional
public:
    /// For the region of a branch: the conditional block that owns it.
    class ConditionalBlock *conditional() const {
        return conditional_;
    }
};

class BreakBlock : public Block {
public:
    BreakBlock() : Block(BlockKind::Break) {}
    static bool classof(const Block *b) { return b->kind() == BlockKind::Break; }
};
class ContinueBlock : public Block {
public:
    ContinueBlock() : Block(BlockKind::Continue) {}
    static bool classof(const Block *b) { return b->kind() == BlockKind::Continue; }
};
class ReturnBlock : public Block {
public:
    ReturnBlock() : Block(BlockKind::Return) {}
    static bool classof(const Block *b) { return b->kind() == BlockKind::Return; }
};

struct ScopeData; // IR/StateGraph.h

class State : public Block {
public:
    State() : Block(BlockKind::State) {}
    ~State() override;
    static bool classof(const Block *b) { return b->kind() == BlockKind::State; }

    bool nosync = false;
    Instrumentation instrument = Instrumentation::No_Instrumentation;
    DataInstrumentation symbolInstrument = DataInstrumentation::No_Instrumentation;
    Code symbolInstrumentCondition{"1", Language::CPP};

    const std::vector<std::unique_ptr<Node>> &nodes() const { return nodes_; }
    const std::vector<std::unique_ptr<Edge>> &edges() const { return edges_; }

    template <class T, class... A> T *add(A &&...args) {
        auto n = std::make_unique<T>(std::forward<A>(args)...);
        T *p = n.get();
        adopt(std::move(n));
        return p;
    }
    Node *adopt(std::unique_ptr<Node> n);
    /// Adds an empty map and its exit. Returns the entry.
    MapEntry *addMap(std::string label, std::vector<Name> params = {}, std::vector<sym::Range> ranges = {},
                     Schedule schedule = Schedule::Default, const DebugInfo &where = {});
    /// Adds a tasklet without connectors.
    Tasklet *addTasklet(std::string label, Code code);
    /// Copies all of one container to another, between new nodes if names are given.
    Edge *copyAll(AccessNode *from, AccessNode *to);
    Edge *copyAll(Name from, Name to);
    /// Adds missing connectors named on the edge to the nodes' lists.
    Edge *connect(Node *src, Name srcConn, Node *dst, Name dstConn, Memlet m);
    /// Like connect, for connectors that are already listed: constant time, however many there are.
    Edge *connectListed(Node *src, Name srcConn, Node *dst, Name dstConn, Memlet m);
    void removeEdge(Edge *e);
    /// Moves an end of an edge to another node.
    void setSource(Edge *e, Node *src, Name conn);
    void setDestination(Edge *e, Node *dst, Name conn);
    /// Removes a node and its edges (not the paired exit of an entry).
    void removeNode(Node *n);
    std::unique_ptr<Node> detachNode(Node *n); // requires that its edges have been removed
    /// Removes several nodes in linear time.
    void removeNodes(const std::vector<Node *> &dead);
    void renumber();

private:
    friend class Cloner;
    friend class ScopeTree;
    State(const State &o)
        : Block(o), nosync(o.nosync), instrument(o.instrument), symbolInstrument(o.symbolInstrument),
          symbolInstrumentCondition(o.symbolInstrumentCondition) {}
    std::vector<std::unique_ptr<Node>> nodes_;
    std::vector<std::unique_ptr<Edge>> edges_;
    mutable std::shared_ptr<const ScopeData> scopes_; // valid until nodes or edges change
};

/// An edge between blocks of one region. The condition is evaluated before the assignments.
struct InterstateEdge {
    Block *src = nullptr, *dst = nullptr; // moved by Region::setSource, setDestination
    Code condition{"1", Language::Python};
    std::vector<std::pair<Name, std::string>> assignments; // Python text
    DebugInfo debugInfo;
    Extra extra;
    /// Is the text `1` or empty?
    bool isUnconditional() const { return condition.text().empty() || condition.text() == "1"; }

private:
    friend class Region;
    uint64_t rank_ = 0; // ascending along the region's list
};

class Region : public Block {
public:
    explicit Region(BlockKind k = BlockKind::Region) : Block(k) {}
    ~Region() override;
    static bool classof(const Block *b) {
        switch (b->kind()) {
        case BlockKind::Region:
        case BlockKind::Loop:
        case BlockKind::Unstructured:
        case BlockKind::Named:
        case BlockKind::FunctionCall:
        case BlockKind::SDFG:
            return true;
        default:
            return false;
        }
    }
    int cfgId = 0; // cfg_list_id, set by SDFG::renumber
    GraphMark graph = GraphMark::Unmarked;
    int64_t graphEntries = 8; // of a formed region: number of executable graphs that the program keeps

    const std::vector<std::unique_ptr<Block>> &blocks() const { return blocks_; }
    const std::vector<std::unique_ptr<InterstateEdge>> &edges() const { return edges_; }
    /// Returns the start block by the rule of format reference 2.4, or null if ambiguous or empty.
    Block *start() const;
    void setStart(Block *b) { storedStart_ = b; }
    Block *storedStart() const { return storedStart_; }

    template <class T, class... A> T *add(A &&...args) {
        auto b = std::make_unique<T>(std::forward<A>(args)...);
        T *p = b.get();
        adopt(std::move(b));
        return p;
    }
    Block *adopt(std::unique_ptr<Block> b);
    std::unique_ptr<Block> detach(Block *b); // requires that its edges have been removed
    InterstateEdge *connect(Block *src, Block *dst, Code condition = {"1", Language::Python},
                            std::vector<std::pair<Name, std::string>> assignments = {});
    /// Appends an edge that is in no region to this region.
    InterstateEdge *adopt(std::unique_ptr<InterstateEdge> e);
    void removeEdge(InterstateEdge *e);
    std::unique_ptr<InterstateEdge> detachEdge(InterstateEdge *e);
    /// Moves an end of an edge to another block; the edge keeps its position in the list.
    void setSource(InterstateEdge *e, Block *src);
    void setDestination(InterstateEdge *e, Block *dst);
    /// Redirects all incoming, or outgoing, edges of a block to another one.
    void moveInEdges(Block *from, Block *to);
    void moveOutEdges(Block *from, Block *to);
    /// Adds a state before a block: edges to the block lead to the state, which becomes the start if the block was.
    State *addStateBefore(Block *b, std::string label);
    /// Adds a state after a block: edges from the block leave the state.
    State *addStateAfter(Block *b, std::string label);
    /// Removes a block and its edges.
    void removeBlock(Block *b);
    /// Removes several blocks in linear time.
    void removeBlocks(const std::vector<Block *> &dead);
    /// The contents of the region, in order. Releasing empties the region; edges keep their ends, but blocks lose their
    /// edges.
    struct Content {
        std::vector<std::unique_ptr<Block>> blocks;
        std::vector<std::unique_ptr<InterstateEdge>> edges;
    };
    Content release();
    /// Adds the released contents of a region.
    void adopt(Content content);
    void renumberBlocks();

protected:
    Region(const Region &o) : Block(o), cfgId(o.cfgId), graph(o.graph) {}

private:
    friend class Cloner;
    std::vector<std::unique_ptr<Block>> blocks_;
    static void forget(InterstateEdge &e);
    static void insert(std::vector<InterstateEdge *> &edges, InterstateEdge *e);
    std::vector<std::unique_ptr<InterstateEdge>> edges_;
    uint64_t nextRank_ = 0;
    Block *storedStart_ = nullptr;
};

class LoopRegion : public Region {
public:
    LoopRegion() : Region(BlockKind::Loop) {}
    static bool classof(const Block *b) { return b->kind() == BlockKind::Loop; }
    std::optional<Code> init, condition, update;
    Name variable;
    bool inverted = false;
    bool updateBeforeCondition = true;
    bool unroll = false;
    int64_t unrollFactor = 0;
    bool optimize = true; // may the optimiser change the loop or its contents?

private:
    friend class Cloner;
    LoopRegion(const LoopRegion &) = default;
};

class ConditionalBlock : public Block {
public:
    ConditionalBlock() : Block(BlockKind::Conditional) {}
    ~ConditionalBlock() override;
    static bool classof(const Block *b) { return b->kind() == BlockKind::Conditional; }
    struct Branch {
        std::optional<Code> condition; // nothing: the else branch
        std::unique_ptr<Region> region;
    };
    int cfgId = 0;
    const std::vector<Branch> &branches() const { return branches_; }
    std::vector<Branch> &branches() { return branches_; }
    Region *addBranch(std::optional<Code> condition, std::unique_ptr<Region> region);

private:
    friend class Cloner;
    ConditionalBlock(const ConditionalBlock &o) : Block(o), cfgId(o.cfgId) {}
    std::vector<Branch> branches_;
};

struct Constant {
    DataDesc desc;
    json::Value value; // a number, string or {type: ndarray}; format reference 2.3
};

struct TargetCode {
    Name target; // `frame`, `cuda`, ...; `null` for every file
    Code code;
    /// Is the code for the entire program, rather than for one target, and not blank?
    bool isForAll() const;
    friend bool operator==(const TargetCode &, const TargetCode &) = default;
};

class SDFG : public Region {
public:
    explicit SDFG(Name name) : Region(BlockKind::SDFG), name(name) {}
    static bool classof(const Block *b) { return b->kind() == BlockKind::SDFG; }

    Name name;
    OrderedMap<Name, DataDesc> arrays;
    OrderedMap<Name, Type> symbols; // declared, sorted by name in files
    sym::Assumptions symbolHints;   // facts recorded in symbolic strings (positive=True, dtype=...)
    OrderedMap<Name, Constant> constants;
    std::vector<Name> argNames;
    std::vector<Name> passedSymbols; // of the root: callers pass them although the optimiser has removed their last uses
    /// Of the root: symbols that only this build needs, to copy arguments to a device. Callers set them on the handle,
    /// because the parameters of a program are the same for every target.
    std::vector<Name> handleSizes;
    std::vector<TargetCode> globalCode, initCode, exitCode;
    std::vector<std::pair<Name, std::string>> callbackMapping;
    Instrumentation instrument = Instrumentation::No_Instrumentation;
    bool openmpSections = false;
    bool usesExplicitControlFlow = false;
    std::string daceVersion; // root only
    Level level = Level::Loaded;

    /// The node that contains this SDFG; null for the root.
    NestedSDFGNode *parentNode = nullptr;
    SDFG *parentSDFG() const;
    SDFG *root();
    bool isRoot() const { return parentNode == nullptr; }

    /// Returns a descriptor by name; dotted names refer to structure members. Null if unknown.
    const DataDesc *desc(Name data) const;
    DataDesc *desc(Name data);
    /// Returns the constant of this or an enclosing SDFG, or null.
    const Constant *constant(Name n) const;
    /// Returns an unused name with this prefix: not a container, symbol or constant of this SDFG.
    Name freshName(std::string_view prefix) const;
    /// Returns the label, with a number appended if a block of this SDFG already has it.
    std::string freshLabel(const std::string &prefix) const;
    /// Adds a container under an unused name derived from `name`; returns that name.
    Name addTransient(std::string_view name, DataDesc d);
    /// Renumbers node, block and region ids (cfgId in pre-order over the whole root, as DaCe's cfg_list_id).
    void renumber();

private:
    friend class Cloner;
    SDFG(const SDFG &) = default;
};

// ---- walking (deterministic: list order, depth first)
/// Returns all regions in an SDFG or another region, pre-order, itself first; excludes those of nested SDFGs.
std::vector<Region *> allRegions(Region &r);
std::vector<const Region *> allRegions(const Region &r);
/// Returns all blocks in an SDFG or another region, pre-order (conditional blocks before their branches).
std::vector<Block *> allBlocks(Region &r);
std::vector<const Block *> allBlocks(const Region &r);
std::vector<State *> allStates(Region &r);
std::vector<const State *> allStates(const Region &r);
/// Returns the nodes of one class in a state. The list is a copy, so the state may change during iteration.
template <class T> std::vector<T *> nodesOf(State &s) {
    std::vector<T *> out;
    for (const auto &n : s.nodes())
        if (auto *t = dyn_cast<T>(n.get()))
            out.push_back(t);
    return out;
}
template <class T> std::vector<const T *> nodesOf(const State &s) {
    std::vector<const T *> out;
    for (const auto &n : s.nodes())
        if (const auto *t = dyn_cast<T>(n.get()))
            out.push_back(t);
    return out;
}
/// Is any container, used or not, stored on a GPU, or does any map have a GPU schedule?
bool mentionsGpu(const SDFG &root);
/// Returns this SDFG and all nested ones, outer before inner, in node order.
std::vector<SDFG *> allSDFGs(SDFG &root);
std::vector<const SDFG *> allSDFGs(const SDFG &root);
/// Returns every interstate edge in an SDFG or another region, in the order of allRegions.
std::vector<InterstateEdge *> allInterstateEdges(Region &r);
std::vector<const InterstateEdge *> allInterstateEdges(const Region &r);

/// Returns a deep copy with the same ids and order.
std::unique_ptr<SDFG> clone(const SDFG &g);
/// Returns a deep copy of a block, in no region. Its blocks keep their labels.
std::unique_ptr<Block> clone(const Block &b);
/// Returns a copy of a node, in no state. Half of a scope refers to the other half of the original.
std::unique_ptr<Node> clone(const Node &n);

/// Returns the stable name of an element in diagnostics and dumps: `f: state main, map _Mult_[i], tasklet mul`.
std::string elementName(const SDFG &g);
std::string elementName(const Block &b);
std::string elementName(const Node &n);
std::string elementName(const Edge &e);
std::string elementName(const InterstateEdge &e, const Region &r);

} // namespace sdfgc::ir
