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
/// Does nothing follow such a block: is it a break, continue or return?
inline bool isJump(BlockKind k) { return k == BlockKind::Break || k == BlockKind::Continue || k == BlockKind::Return; }

/// A control-flow block. Regions own their blocks; positions are ids. Copy constructors of blocks copy what a block says, without
/// what is inside of it: only clone, which adds that, may use them.
class Block {
public:
    virtual ~Block();
    BlockKind kind() const { return kind_; }
    Region *parent() const { return parent_; } // null for the root SDFG, for a nested SDFG and never for others
    uint32_t id() const { return id_; }
    /// The SDFG that this block belongs to (itself for an SDFG).
    SDFG *sdfg();
    const SDFG *sdfg() const { return const_cast<Block *>(this)->sdfg(); }
    /// The edges that lead to it, and those that leave it, in the order of the region's list: conditions are tested in it.
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
    /// Connectors named on the edge are added to the nodes' lists when missing.
    Edge *connect(Node *src, Name srcConn, Node *dst, Name dstConn, Memlet m);
    /// As connect, for connectors that are in the lists already: constant time however many there are.
    Edge *connectListed(Node *src, Name srcConn, Node *dst, Name dstConn, Memlet m);
    void removeEdge(Edge *e);
    /// Moves an end of an edge.
    void setSource(Edge *e, Node *src, Name conn);
    void setDestination(Edge *e, Node *dst, Name conn);
    /// Removes a node and its edges (not the paired exit of an entry).
    void removeNode(Node *n);
    std::unique_ptr<Node> detachNode(Node *n); // edges must be gone
    /// Removes many at once, in linear time.
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
    mutable std::shared_ptr<const ScopeData> scopes_; // as long as nodes and edges are what they were when a ScopeTree asked
};

/// Edge between blocks of one region. The condition is evaluated first, then the assignments.
struct InterstateEdge {
    Block *src = nullptr, *dst = nullptr; // Region::setSource, setDestination move them
    Code condition{"1", Language::Python};
    std::vector<std::pair<Name, std::string>> assignments; // Python text
    DebugInfo debugInfo;
    Extra extra;
    /// Text `1` or empty.
    bool isUnconditional() const { return condition.text.empty() || condition.text == "1"; }

private:
    friend class Region;
    uint64_t rank_ = 0; // grows along the list of the region
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
    int cfgId = 0; // cfg_list_id, renumbered by SDFG::renumber
    GraphMark graph = GraphMark::Unmarked;
    int64_t graphEntries = 8; // of a formed region: executable graphs that the program keeps

    const std::vector<std::unique_ptr<Block>> &blocks() const { return blocks_; }
    const std::vector<std::unique_ptr<InterstateEdge>> &edges() const { return edges_; }
    /// Start block by the rule of format reference 2.4, or null when ambiguous or empty.
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
    std::unique_ptr<Block> detach(Block *b); // edges at `b` must be gone
    InterstateEdge *connect(Block *src, Block *dst, Code condition = {"1", Language::Python},
                            std::vector<std::pair<Name, std::string>> assignments = {});
    /// An edge that no region has becomes the last one of this region.
    InterstateEdge *adopt(std::unique_ptr<InterstateEdge> e);
    void removeEdge(InterstateEdge *e);
    std::unique_ptr<InterstateEdge> detachEdge(InterstateEdge *e);
    /// Moves an end of an edge, which keeps its place in the list.
    void setSource(InterstateEdge *e, Block *src);
    void setDestination(InterstateEdge *e, Block *dst);
    /// Moves the ends of all edges that lead to a block, or leave it, to another one.
    void moveInEdges(Block *from, Block *to);
    void moveOutEdges(Block *from, Block *to);
    /// A new state in front of a block: the edges to the block lead to the state, which is the start if the block was.
    State *addStateBefore(Block *b, std::string label);
    /// A new state after a block: the edges from the block leave the state.
    State *addStateAfter(Block *b, std::string label);
    /// Removes a block and its edges.
    void removeBlock(Block *b);
    /// Removes many at once, in linear time.
    void removeBlocks(const std::vector<Block *> &dead);
    /// Everything in the region, in order. Afterwards the region is empty; edges know their ends, but blocks do not know their edges.
    struct Content {
        std::vector<std::unique_ptr<Block>> blocks;
        std::vector<std::unique_ptr<InterstateEdge>> edges;
    };
    Content release();
    /// Adds all that a region had.
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
    bool optimize = true; // may the optimiser change it, or what is in it?

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
        std::optional<Code> condition; // nothing: else
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
    /// Is it for the program as a whole, not for the code of one target, and not blank?
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
    sym::Assumptions symbolHints;   // facts that symbolic strings carried (positive=True, dtype=...)
    OrderedMap<Name, Constant> constants;
    std::vector<Name> argNames;
    std::vector<Name> passedSymbols; // of the root: callers pass them, though the optimiser took their last uses away
    std::vector<TargetCode> globalCode, initCode, exitCode;
    std::vector<std::pair<Name, std::string>> callbackMapping;
    Instrumentation instrument = Instrumentation::No_Instrumentation;
    bool openmpSections = false;
    bool usesExplicitControlFlow = false;
    std::string daceVersion; // root only
    Level level = Level::Loaded;

    /// The node that holds this SDFG, null for the root.
    NestedSDFGNode *parentNode = nullptr;
    SDFG *parentSDFG() const;
    SDFG *root();
    bool isRoot() const { return parentNode == nullptr; }

    /// Descriptor by name; dotted names walk structure members. Null if unknown.
    const DataDesc *desc(Name data) const;
    DataDesc *desc(Name data);
    /// Is it a constant here or in an enclosing SDFG?
    const Constant *constant(Name n) const;
    /// A fresh name with this prefix that is no container, symbol or constant of this SDFG.
    Name freshName(std::string_view prefix) const;
    /// The label, or one with a number after it, that no block of this SDFG has.
    std::string freshLabel(const std::string &prefix) const;
    /// Adds a container under a fresh name derived from `name`; returns the name.
    Name addTransient(std::string_view name, DataDesc d);
    /// Renumbers node, block and region ids (cfgId in pre-order over the whole root, as DaCe's cfg_list_id).
    void renumber();

private:
    friend class Cloner;
    SDFG(const SDFG &) = default;
};

// ---- walking (deterministic: list order, depth first)
/// All regions in an SDFG or another region, pre-order, itself first; not those of nested SDFGs.
std::vector<Region *> allRegions(Region &r);
std::vector<const Region *> allRegions(const Region &r);
/// All blocks in an SDFG or another region, pre-order (conditional blocks before their branches).
std::vector<Block *> allBlocks(Region &r);
std::vector<const Block *> allBlocks(const Region &r);
std::vector<State *> allStates(Region &r);
std::vector<const State *> allStates(const Region &r);
/// The nodes of one class in a state. The list is made at once: the state may be changed while it is walked.
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
/// Is a container of the graph stored on a GPU, used or not, or the schedule of a map one for GPUs?
bool mentionsGpu(const SDFG &root);
/// This SDFG and all nested ones, outer before inner, node order.
std::vector<SDFG *> allSDFGs(SDFG &root);
std::vector<const SDFG *> allSDFGs(const SDFG &root);
/// Every inter-state edge in an SDFG or another region, in the order of allRegions.
std::vector<InterstateEdge *> allInterstateEdges(Region &r);
std::vector<const InterstateEdge *> allInterstateEdges(const Region &r);

/// Deep copy (ids and order kept).
std::unique_ptr<SDFG> clone(const SDFG &g);
/// The same of a block with all that is in it, in no region. Its blocks have the labels that they had.
std::unique_ptr<Block> clone(const Block &b);
/// A node of the same kind that says the same, in no state. Half of a scope names the other half of the one that was copied.
std::unique_ptr<Node> clone(const Node &n);

/// `f: state main, map _Mult_[i], tasklet mul`: the stable name of an element in diagnostics and dumps.
std::string elementName(const SDFG &g);
std::string elementName(const Block &b);
std::string elementName(const Node &n);
std::string elementName(const Edge &e);
std::string elementName(const InterstateEdge &e, const Region &r);

} // namespace sdfgc::ir
