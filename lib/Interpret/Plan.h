// A graph prepared for execution: everything that can be computed before it runs.
//
//     Graph      an SDFG: its symbols (registers), containers, control flow
//     Scope      the meaning of names at a point of its dataflow: parameters of the surrounding maps, then the graph
//     Body       the nodes of a state, or directly inside a map, as steps in order (Steps/)
//     Flow       blocks, edges, loops (Flow/)
//
// Plans live as long as the program, and so must the parts of the graph that they refer to.
#pragma once

#include "Code/Builder.h"
#include "Machine.h"
#include "Native/Code.h"

#include "sdfgc/Analysis/Scopes.h"
#include "sdfgc/IR/Identifier.h"
#include "sdfgc/Tasklet/Types.h"

namespace sdfgc::interpret {

class Graph;
class Planner;

/// A node of a state, ready for execution.
class NodeStep {
public:
    virtual ~NodeStep() = default;
    virtual void run(Machine &m) = 0;
};

/// The nodes of a state or of a scope, in order.
class Body {
public:
    /// Transients created anew each time.
    std::vector<Container *> fresh;
    std::vector<std::unique_ptr<NodeStep>> steps;

    /// `before[k]`: steps with an edge to step k.
    void order(const std::vector<std::vector<std::size_t>> &before) {
        precedence_ = Precedence(before);
        starts_.resize(before.size());
    }
    void run(Machine &m);

private:
    Precedence precedence_;
    std::vector<Time> starts_;
};

/// Does an alias for part of a container array refer to the memory that one of its elements points to, rather than to elements?
bool isElementOf(const Container &alias, const Container &pointers);

/// How control flow continues after a block.
enum class Outcome : uint8_t { Next, Break, Continue, Return };

/// A block of control flow, ready for execution.
class Flow {
public:
    virtual ~Flow() = default;
    virtual Outcome run(Machine &m) = 0;
};

/// The meaning of names in a scope of a state, or in control flow.
class Scope : public Names {
public:
    Scope(Graph &graph, Scope *outer) : graph(graph), outer_(outer) {}
    Graph &graph;
    std::map<Name, Operand> parameters; // of the map, and dynamic ranges

    Operand read(Builder &b, Name name) override;
    Operand element(Builder &b, const py::Expr &e) override;
    bool store(Builder &, const py::Expr &, Operand) override { return false; }
    bool knows(Name name) const override;
    Operand address(Builder &b, Name name) override;
    std::optional<Type> structure(Name name) const override;
    /// The type of a name; none for unknown names.
    std::optional<Type> typeOf(Name name) const;
    py::Env env() const;
    /// A Python expression with resolved names. Null for other code, which the builder rejects.
    py::ExprRef parse(Builder &b, const ir::Code &code) const;

private:
    Scope *outer_;
};

/// An SDFG. There is one for each nested SDFG node, with separate registers and containers.
class Graph {
public:
    Graph(Planner &planner, const ir::SDFG &sdfg, Graph *outer);
    ~Graph();

    const ir::SDFG &sdfg;
    Graph *const outer;
    std::map<Name, Operand> symbols;
    Scope top{*this, nullptr};

    /// The container with that name (dotted for members); null if there is none. Constants of surrounding graphs are containers.
    Container *container(Name name);
    /// The container of an access node: each node of a view has a separate one, while other containers have one for all nodes.
    Container *containerAt(const ir::AccessNode &n);

    /// A container, its members, and their members.
    std::vector<Container *> family(Name owner);
    /// The containers created anew whenever a state, or a scope of it, is executed.
    std::vector<Container *> livingIn(const ir::State &s, const ir::Node *entry) const;
    /// Allocates memory of a container's current size, before a state that uses it.
    void prepare(Machine &m, Container &c);
    bool needsPreparation(const Container &c) const { return prepared_.count(&c) != 0; }
    /// The known size of memory of the caller.
    enum class Memory {
        Measured, // as large as the container
        Open,     // unknown: as large as the accesses to it
        Pointed   // its address is an element of a container array; another container may have the same one
    };
    /// Sets the memory of the caller for a measured container; for a structure, also for its members, which its fields contain or
    /// point to.
    void give(Machine &m, Container &c, std::byte *bytes, Memory memory);

    /// Begins an execution; arguments and symbols must have been set.
    void enter(Machine &m);
    void run(Machine &m);
    /// Resets it to the state before the first execution: only constants have memory.
    void forget();

private:
    void findHomes();
    void defineSymbols(Machine &m);
    void defineContainers(Planner &p);
    void defineConstants(Planner &p);
    Container *make(Name name, const ir::DataDesc &d);

    std::map<Name, std::unique_ptr<Container>> containers_;
    std::map<const ir::AccessNode *, std::unique_ptr<Container>> views_;
    std::unique_ptr<Flow> flow_;
    std::vector<Container *> arguments_, ownEachTime_, kept_;
    std::set<const Container *> changing_; // their size depends on symbols that the graph assigns
    std::set<const Container *> prepared_; // prepared by states
    std::set<Name> homed_;                 // those that live in a state or scope
    std::map<std::pair<const ir::State *, const ir::Node *>, std::vector<Container *>> homes_;
};

/// Creates plans. Anything that cannot be interpreted is reported, by element.
class Planner {
public:
    Planner(Machine &machine, diag::Engine &diags) : machine(machine), diags(diags) {}

    Machine &machine;
    diag::Engine &diags;
    /// The number of elements that an access node last got from a stream: another stream takes the same number.
    std::map<const ir::Node *, int64_t> drained;

    std::unique_ptr<Flow> flow(Graph &g, const ir::Block &b);
    void body(Body &out, Graph &g, Scope &scope, const ir::State &s, const ir::Node *entry);

    Builder builder(Names &names, Division division, const Site *site) { return Builder(machine, names, division, site); }
    Division symbolicDivision() const { return machine.options.compatDace ? Division::C : Division::Symbolic; }
    Division pythonDivision() const { return machine.options.compatDace ? Division::C : Division::Python; }
    /// The container at the source or destination of an edge's path; for a structure, the member that the edge refers to. Null if
    /// there is no access node. If a path ends at a scope node because connectors were omitted, the memlet names it.
    static Container *containerAtSource(Scope &scope, const ir::Edge &e);
    static Container *containerAtDestination(Scope &scope, const ir::Edge &e);
    static std::optional<sym::Subset> subsetAtSource(const ir::Edge &e);
    static std::optional<sym::Subset> subsetAtDestination(const ir::Edge &e);

    /// The code of a builder; reports what the builder rejected.
    Code finish(Builder &b, const std::string &element);
    void refuse(const std::string &element, const std::string &why);

    const Site *site(const ir::Node &n, const ir::Memlet *m = nullptr);
    /// An access at the first element of a subset; the indices are computed by `b`.
    Access *access(Builder &b, Container &c, const std::optional<sym::Subset> &subset, const Site *site);
    void layOut(Container &c, Scope &scope, const std::string &element);

    // ---- the steps, one file each
    std::unique_ptr<NodeStep> tasklet(Scope &scope, const ir::Tasklet &t);
    std::unique_ptr<NodeStep> map(Scope &scope, const ir::MapEntry &m);
    std::unique_ptr<NodeStep> consume(Scope &scope, const ir::ConsumeEntry &c);
    std::unique_ptr<NodeStep> nested(Scope &scope, const ir::NestedSDFGNode &n);
    std::unique_ptr<NodeStep> copy(Scope &scope, const ir::Edge &e);
    std::unique_ptr<NodeStep> view(Scope &scope, const ir::AccessNode &n, const ir::Edge &e);
    std::unique_ptr<NodeStep> setReference(Scope &scope, const ir::Edge &e);
    /// Binds a container of a graph to the memory that an element of a container array points to; rejects anything else and returns
    /// null.
    std::unique_ptr<NodeStep> element(Scope &scope, Graph &g, Container &alias, Container &pointers,
                                      const std::optional<sym::Subset> &subset, const ir::Node &n, const ir::Memlet &memlet);
    std::unique_ptr<NodeStep> library(Scope &scope, const ir::LibraryNode &n);

    std::vector<Graph *> graphs; // outermost first; they live as long as the program
    NativeCode native;
    /// Values of edges between code nodes, by source and connector.
    std::map<std::pair<const ir::Node *, Name>, Operand> values;
};

} // namespace sdfgc::interpret
