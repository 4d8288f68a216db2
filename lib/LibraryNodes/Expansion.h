// Shared by all expanders: the operands of a node, and the nested SDFG that replaces it.
#pragma once

#include "sdfgc/Analysis/Indexing.h"
#include "sdfgc/LibraryNodes/LibraryNodes.h"
#include "sdfgc/Tasklet/Types.h"

#include <map>

namespace sdfgc::libnodes {

/// One operand: the container behind an edge of the node, seen through the subset of the memlet.
struct Operand {
    ir::Edge *edge = nullptr;
    const ir::DataDesc *desc = nullptr; // outer container; null for an absent operand
    Type type;
    sym::Subset subset;                // of the outer container, in symbols of the nested SDFG (Expansion::inside)
    std::vector<sym::Expr> allStrides; // of all dimensions of the subset, step included
    std::vector<sym::Expr> shape;      // sizes of the dimensions that are not provably one
    std::vector<sym::Expr> strides;    // of those dimensions, step included
    std::vector<std::size_t> dims;     // which dimensions of the subset those are
    explicit operator bool() const { return desc != nullptr; }
    std::size_t rank() const { return shape.size(); }
};

/// Are both the same elements of one container?
inline bool sameMemory(const Operand &a, const Operand &b) {
    return a.edge->memlet.data == b.edge->memlet.data && a.subset == b.subset;
}

/// A call of a library's function: arguments as sdfgc/Analysis/LibraryCalls.h has them, over the connectors of its tasklet.
struct LibraryCall {
    std::string environment; // of Platform/Environments.def
    std::string function;
    std::vector<std::string> arguments;
    Name result;                                            // container that gets what the function returns; empty: none does
    std::vector<std::pair<std::string, std::string>> loops; // around the call, outermost first: variable, count
    std::set<Name> byValue;                                 // inputs of one element that the call takes as values
    bool ownComplex = false;                                // the library has its own complex types: LAPACKE
    std::optional<sym::Expr> terms;                         // of each sum; without any, the function returns and writes nothing

    /// `function(arguments)`, in its loops.
    std::string text() const;
};

/// C++ text as an argument.
inline std::string cppWord(const std::string &word) { return '"' + word + '"'; }

/// Builds the nested SDFG that replaces a library node. Containers are named like the connectors; edges of the node move to it.
class Expansion {
public:
    Expansion(ir::State &s, ir::LibraryNode &n, pass::Context &c);

    ir::SDFG &inner() { return *inner_; }
    ir::State &state() { return state_; }
    ir::LibraryNode &node() { return node_; }
    pass::Context &context() { return context_; }
    const pass::Context &context() const { return context_; }

    /// Where the node computes.
    Where where() const { return where_; }

    /// Operand of the edge at a connector (empty name: the only edge). Absent when there is no such edge.
    Operand input(Name connector);
    Operand output(Name connector);
    /// The meaning of the node, in symbols of the nested SDFG.
    analysis::Indexed indexing();
    /// Is an output the only write of a container that had no value before? The old contents that the node would combine with then
    /// count as neutral. DaCe's GPU transformation leaves such outputs: it takes them for overwritten, and does not copy to the
    /// device what the caller gave.
    bool writesFirst(const Operand &out) const;
    /// Adds the operand's container to the nested SDFG under `name`, with the operand's squeezed shape (a scalar when it has one
    /// element).
    void bind(Name name, const Operand &o);
    /// The same with all dimensions of the subset, including unit dimensions.
    void bindFull(Name name, const Operand &o);
    /// A transient inside.
    Name temporary(std::string_view name, Type t, std::vector<sym::Expr> shape, ir::Storage storage = ir::Storage::Default);

    /// A new state after the last one. Labels that repeat get a number.
    ir::State &addState(std::string_view label);
    /// The same, but the state runs only if the condition (in Python) holds.
    ir::State &addStateIf(std::string_view label, std::string condition);
    /// Map over `ranges` (from 0, given sizes) with one Python tasklet: `inputs` and `outputs` are connector -> memlet with subsets
    /// over the parameters. Empty sizes: a bare tasklet. Access nodes are made for each container. Returns the tasklet.
    struct Access {
        std::string connector;
        Name data;
        std::vector<sym::Expr> index; // one element
        std::string wcr;              // outputs
        bool sometimes = false;       // outputs: only one of the iterations of an element writes it
    };
    using Params = std::vector<std::pair<Name, sym::Expr>>; // parameter, size: from 0
    /// The element at the indices given by the parameters; without parameters, the only element of a scalar.
    static std::vector<sym::Expr> elementAt(const Params &params);
    ir::Tasklet *mapped(ir::State &s, std::string_view label, const Params &params, const std::vector<Access> &inputs,
                        const std::vector<Access> &outputs, std::string code, ir::Schedule schedule = ir::Schedule::Default);
    /// Passes an entire container to a tasklet in a map, through a connector.
    void readWhole(ir::State &s, ir::MapEntry &entry, ir::Tasklet &t, Name connector, Name data);
    /// As `mapped`, with nested maps, outermost first. Levels without parameters are omitted.
    struct Level {
        Params params;
        ir::Schedule schedule = ir::Schedule::Default;
    };
    ir::Tasklet *nested(ir::State &s, std::string_view label, const std::vector<Level> &levels, const std::vector<Access> &inputs,
                        const std::vector<Access> &outputs, std::string code);
    /// A reduction in a register: outer maps { acc = `start`; sequential map { acc = wcr(acc, `code`) }; output = acc }. `code`
    /// writes `o`; the output's own `wcr` decides how the register is combined with the output's old contents. With a strip, the
    /// register is an array and the strip's parameter the innermost loop of all three steps: neighbours in memory are accumulated
    /// together.
    struct Strip {
        Name parameter;     // empty: no strip
        int64_t width = 1;  // of the array
        sym::Expr size = 1; // elements in use, at most `width`
    };
    struct Accumulation {
        std::vector<Level> outer;
        Params inner;
        Strip strip;
        std::vector<Access> inputs;
        Access output;
        std::string wcr, start, code;
        std::string write = "o = i"; // from the register to the output
        std::string
            combine; // an operation of runtime-headers/sdfgc/rt/gpu_reduce.h that combines the registers of a block in between
        sym::Expr begin = 0; // of the last inner loop, where that has a step other than one
        int64_t step = 1;
    };
    void accumulated(ir::State &s, std::string_view label, const Accumulation &a);
    /// The same by the threads of a block of the device: the outer maps form the grid, `thread` is the parameter of the threads,
    /// each has a register, `a.combine` combines these, and the first thread writes the output.
    void accumulatedByBlock(ir::State &s, std::string_view label, Accumulation a, Name thread, int64_t threads);
    /// A C++ tasklet whose connectors `_inX`, `_outX` are whole containers: pointers, or values for one element of host memory.
    ir::Tasklet *code(ir::State &s, std::string_view label, const std::vector<Name> &inputs, const std::vector<Name> &outputs,
                      std::string text);
    /// A library call (sdfgc/Analysis/LibraryCalls.h) whose connectors `_inX`, `_outX` are whole containers: pointers, but for that
    /// of the result. On the device the call is host code that queues work on a stream, not a kernel; containers in host memory
    /// then get a copy in device memory, with transfers before and after.
    ir::Tasklet *call(ir::State &s, std::string_view label, const std::vector<Name> &inputs, const std::vector<Name> &outputs,
                      const LibraryCall &c);

    /// Copies an entire container to one with the same number of elements.
    void copied(ir::State &s, Name from, Name to);

    /// An outer expression in symbols of the nested SDFG. Expansions name their parameters `_i0`, `_r1`, ... and their connectors
    /// `i` and `o`: outer symbols of those forms get other names inside.
    sym::Expr inside(sym::Expr e);
    /// An expression over outer symbols as one word of C++ text: a number, a symbol, or a new symbol inside that is mapped to it.
    std::string word(std::string_view hint, sym::Expr e);
    /// May the expansion run in parallel: is the node outside of scopes, and not scheduled to be sequential?
    bool parallel() const;
    /// Renames an input connector of the node, for an input and an output of one name that are different memory.
    void renameInput(Name from, Name to);
    void renameOutput(Name from, Name to);

    /// Replaces the node by the nested SDFG: moves the edges, maps every free symbol to itself, removes the node. With `inputName`
    /// and `outputName` for nodes without connectors (Reduce). Outputs that the nested SDFG lacks are rejected.
    void finish(Name inputName = {}, Name outputName = {});

    /// Property of the node as integer, boolean, text; the default when absent or null.
    int64_t integer(const char *name, int64_t otherwise) const;
    bool boolean(const char *name, bool otherwise) const;
    std::string text(const char *name, std::string otherwise = "") const;

    /// Reports that the node cannot be expanded and why; returns false.
    bool refuse(std::string why, std::string hint = "");
    /// A remark: which implementation was taken and why.
    void took(std::string_view implementation, std::string why);
    /// A remark: a request of the node that is not honoured.
    void missed(const std::string &what, const diag::Reason &why);

private:
    /// `label`, with a number if it repeats.
    std::string freshLabel(std::string_view label);
    void append(ir::Block &b);
    struct Nest; // maps inside each other
    Nest open(ir::State &s, std::string_view label, const std::vector<Level> &levels);
    void read(ir::State &s, const Nest &nest, ir::Node *to, const std::vector<Access> &inputs, ir::AccessNode *given = nullptr);
    void write(ir::State &s, const Nest &nest, ir::Node *from, const Access &a, ir::AccessNode *given = nullptr);
    void accumulate(ir::State &s, std::string_view label, const Accumulation &a, const Nest &around);
    ir::AccessNode *combined(ir::State &s, ir::AccessNode *mine, const std::string &operation);
    ir::Tasklet *python(ir::State &s, std::string_view label, std::string code);
    /// A tasklet whose connectors are whole containers, with connectors of the types that `type` gives.
    ir::Tasklet *onContainers(ir::State &s, std::string_view label, const std::vector<Name> &inputs,
                              const std::vector<Name> &outputs, ir::Code text, const std::function<Type(Name)> &type);
    /// The container that a call uses for another one: itself, or its copy on the device.
    Name reachable(Name n);
    Operand operand(ir::Edge *e, bool input);
    ir::State &state_;
    ir::LibraryNode &node_;
    pass::Context &context_;
    Where where_;
    std::unique_ptr<ir::SDFG> inner_;
    ir::Block *last_ = nullptr;
    std::map<std::string, int> labels_;             // of states: how many there are
    std::map<Name, Name> twins_;                    // container in host memory, in device memory
    std::vector<std::pair<Name, sym::Expr>> words_; // symbol inside, its value in symbols inside
    std::map<Name, sym::Expr> renamed_;             // outer symbol, symbol inside
};

/// `dace.float64(1.5)`: a value in a type, as tasklet text.
std::string typedLiteral(Type t, const std::string &value);
/// The letter of BLAS and LAPACK routines for a type: s, d, c, z; 0 if they do not support it.
char blasLetter(Type t);

} // namespace sdfgc::libnodes
