// A graph made ready: everything that can be known before it runs.
//
//     Graph      an SDFG: its symbols (registers), containers, control flow
//     Scope      what names mean at a place of its dataflow: parameters of the maps around, then the graph
//     Body       the nodes of a state, or directly inside of a map, as steps in order (Steps/)
//     Flow       blocks, edges, loops (Flow/)
//
// Plans live as long as the program; what they point to in the graph as well.
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

/// A node of a state, ready to be executed.
class Step {
public:
    virtual ~Step() = default;
    virtual void run(Machine &m) = 0;
};

/// The nodes of a state, or of a scope, in order.
class Body {
public:
    /// Transients that are new each time.
    std::vector<Container *> fresh;
    std::vector<std::unique_ptr<Step>> steps;

    /// `before[k]`: steps from which an edge leads to step k.
    void order(const std::vector<std::vector<std::size_t>> &before) {
        precedence_ = Precedence(before);
        starts_.resize(before.size());
    }
    void run(Machine &m);

private:
    Precedence precedence_;
    std::vector<Time> starts_;
};

/// Does a container that stands for a part of a container array stand for what one of its elements points to, rather than for elements?
bool isElementOf(const Container &alias, const Container &pointers);

/// What control flow does after a block.
enum class Outcome : uint8_t { Next, Break, Continue, Return };

/// A block of control flow, ready to be executed.
class Flow {
public:
    virtual ~Flow() = default;
    virtual Outcome run(Machine &m) = 0;
};

/// What names mean in a scope of a state, or in control flow.
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
    /// The type that a name has; none for names that are unknown.
    std::optional<Type> typeOf(Name name) const;
    py::Env env() const;
    /// An expression in Python, its names resolved. Null for other code, which the builder refuses.
    py::ExprRef parse(Builder &b, const ir::Code &code) const;

private:
    Scope *outer_;
};

/// An SDFG. There is one for each nested SDFG node, with registers and containers of its own.
class Graph {
public:
    Graph(Planner &planner, const ir::SDFG &sdfg, Graph *outer);
    ~Graph();

    const ir::SDFG &sdfg;
    Graph *const outer;
    std::map<Name, Operand> symbols;
    Scope top{*this, nullptr};

    /// The container of a name, dotted for members; null if there is none. Constants of graphs around are containers.
    Container *container(Name name);
    /// What an access node stands for: a view has a container for each of its nodes, others one for all.
    Container *containerAt(const ir::AccessNode &n);

    /// A container and its members, and their members.
    std::vector<Container *> family(Name owner);
    /// The containers that are new each time that a state, or a scope of it, is executed.
    std::vector<Container *> livingIn(const ir::State &s, const ir::Node *entry) const;
    /// Lets a container have memory, of the size that it has now, before a state that uses it.
    void prepare(Machine &m, Container &c);
    bool needsPreparation(const Container &c) const { return prepared_.count(&c) != 0; }
    /// What is known of memory of the caller.
    enum class Memory {
        Measured, // it is as large as the container
        Open,     // nothing: it is as large as what is accessed
        Pointed   // an element of a container array has its address; it may be that of another container as well
    };
    /// Memory of the caller for a container that has been measured; of a structure for its members, which its fields have or point
    /// to.
    void give(Machine &m, Container &c, std::byte *bytes, Memory memory);

    /// Begins an execution: containers that are arguments, and symbols, have been given.
    void enter(Machine &m);
    void run(Machine &m);
    /// Is as it was before the first execution: only constants have memory.
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
    std::set<const Container *> changing_; // whose size depends on symbols that the graph assigns
    std::set<const Container *> prepared_; // that states prepare
    std::set<Name> homed_;                 // that live in a state or scope
    std::map<std::pair<const ir::State *, const ir::Node *>, std::vector<Container *>> homes_;
};

/// Makes plans. What cannot be interpreted is reported, by element.
class Planner {
public:
    Planner(Machine &machine, diag::Engine &diags) : machine(machine), diags(diags) {}

    Machine &machine;
    diag::Engine &diags;
    /// How many elements an access node got from a stream last: if another stream takes them, it takes as many.
    std::map<const ir::Node *, int64_t> drained;

    std::unique_ptr<Flow> flow(Graph &g, const ir::Block &b);
    void body(Body &out, Graph &g, Scope &scope, const ir::State &s, const ir::Node *entry);

    Builder builder(Names &names, Division division, const Site *site) { return Builder(machine, names, division, site); }
    Division symbolicDivision() const { return machine.options.compatDace ? Division::C : Division::Symbolic; }
    Division pythonDivision() const { return machine.options.compatDace ? Division::C : Division::Python; }
    /// The container at the source of an edge's path, or at its destination; of a structure the member that the edge is about. Null
    /// where that is no access node. Where a path ends at a scope node, because connectors were left out, the memlet names it.
    static Container *containerAtSource(Scope &scope, const ir::Edge &e);
    static Container *containerAtDestination(Scope &scope, const ir::Edge &e);
    static std::optional<sym::Subset> subsetAtSource(const ir::Edge &e);
    static std::optional<sym::Subset> subsetAtDestination(const ir::Edge &e);

    /// The code of a builder; what it refused is reported.
    Code finish(Builder &b, const std::string &element);
    void refuse(const std::string &element, const std::string &why);

    const Site *site(const ir::Node &n, const ir::Memlet *m = nullptr);
    /// An access at the first element of a subset; the indices are computed by `b`.
    Access *access(Builder &b, Container &c, const std::optional<sym::Subset> &subset, const Site *site);
    void layOut(Container &c, Scope &scope, const std::string &element);

    // ---- the steps, one file each
    std::unique_ptr<Step> tasklet(Scope &scope, const ir::Tasklet &t);
    std::unique_ptr<Step> map(Scope &scope, const ir::MapEntry &m);
    std::unique_ptr<Step> consume(Scope &scope, const ir::ConsumeEntry &c);
    std::unique_ptr<Step> nested(Scope &scope, const ir::NestedSDFGNode &n);
    std::unique_ptr<Step> copy(Scope &scope, const ir::Edge &e);
    std::unique_ptr<Step> view(Scope &scope, const ir::AccessNode &n, const ir::Edge &e);
    std::unique_ptr<Step> setReference(Scope &scope, const ir::Edge &e);
    /// Lets a container of a graph stand for what an element of a container array points to; null, and refused, where that is
    /// something else.
    std::unique_ptr<Step> element(Scope &scope, Graph &g, Container &alias, Container &pointers,
                                  const std::optional<sym::Subset> &subset, const ir::Node &n, const ir::Memlet &memlet);
    std::unique_ptr<Step> library(Scope &scope, const ir::LibraryNode &n);

    std::vector<Graph *> graphs; // the outermost one first; they live as long as the program
    NativeCode native;
    /// Values of edges between code nodes, by source and connector.
    std::map<std::pair<const ir::Node *, Name>, Operand> values;
};

} // namespace sdfgc::interpret
