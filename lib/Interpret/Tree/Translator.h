// Translates a tree to instructions. Each call is replaced with the function's code, like nested SDFGs in a graph: functions are
// not recursive, so every variable of every call has its own location.
//
//     Location     the location of a variable: a register, or memory
//     Frame        the variables, labels and loops of a function that is called
//     Translator   one function per kind of statement, with one file per group:
//                  Statements.cpp   blocks, code, updates, copies, calls     Loops.cpp     loops, branches, jumps
//                  Variables.cpp    declarations, memory                     Threads.cpp   regions, sections
//                  Names.cpp        references to memory, names              Device.cpp    kernels, streams, events
//                  Libraries.cpp    library calls                            Queues.cpp    streams of the graph
//
// A variable that is never reassigned is a register. Everything else is memory, including scalars, so that unwritten values and
// conflicting writes are found.
#pragma once

#include "../Code/Builder.h"
#include "Machine.h"

#include "sdfgc/Diag/Diag.h"
#include "sdfgc/Tree/Effects.h"
#include "sdfgc/Tree/Statements.h"

namespace sdfgc::interpret {

struct Location {
    Type type;       // of an element
    Operand value;   // the register of a variable that is never reassigned
    Operand pointer; // to the first element, for others
    Operand queue;   // of a stream
    Slot *slot = nullptr;
    explicit operator bool() const { return value || pointer || queue; }
};

struct Frame {
    explicit Frame(const tree::Function &f) : function(f), changed(tree::effectsOf(f).changed), places(f.vars.size()) {}
    struct Label {
        std::optional<std::size_t> at;
        std::vector<std::size_t> jumps; // jumps to it from before its position was known
    };
    struct Loop {
        std::vector<std::size_t> breaks, continues;
    };
    const tree::Function &function;
    const std::unordered_set<Name> changed; // variables that are reassigned
    std::vector<Location> places;           // by variable index
    std::map<Name, tree::VarId> visible;
    std::map<Name, Operand> locals; // of code
    std::map<Name, Label> labels;
    std::vector<Loop> loops;
    std::vector<std::size_t> returns;
};

class Translator final : public Names {
public:
    Translator(TreeMachine &m, const tree::Module &module, diag::Engine &diags) : m_(m), module_(module), diags_(diags) {}

    /// Translates the program; afterwards, parameters() has its parameters in order. Anything that cannot be interpreted is
    /// reported.
    Code program();
    const std::vector<Location> &parameters() const { return parameters_; }
    /// Memory that lives as long as the program, by field of the state.
    const std::map<Name, Location> &fields() const { return fields_; }

    // ---- names and references in expressions
    Operand read(Builder &b, Name name) override;
    Operand element(Builder &b, const py::Expr &e) override;
    bool store(Builder &b, const py::Expr &target, Operand value) override;
    bool knows(Name name) const override;
    Operand address(Builder &b, Name name) override;
    Operand call(Builder &b, Name function, const std::vector<Operand> &arguments) override;

private:
    // ---- Statements.cpp
    // One function for each kind of statement.
#define NODE(K, ...) void translate(const tree::K &n);
#include "sdfgc/Tree/Nodes.def"
    bool isCopy(const tree::Code &c) const;
    Operand combined(py::Reduction r, const py::ExprRef &lambda, Operand old, Operand value);
    void copyElements(Operand to, Operand from, Operand count, Type t);
    void fillElements(Operand to, Operand count, Operand element);
    Operand filling(const py::ExprRef &value, Type t);
    void body(const tree::Function &callee, std::vector<Location> parameters);
    std::vector<Location> arguments(const tree::Function &callee, const std::vector<tree::Call::Argument> &given);
    Operand libraryArgument(const tree::LibraryCall::Argument &a, Type t);
    /// The threads of a block that get the result of a reduction: the first one, or all; or all, each that of its index along x.
    enum class Together : uint8_t { First, All, Columns };
    void blockReduce(const tree::LibraryCall &c, Together who);
    void refuse(const std::string &what) { b().refuse(what); }

    // ---- Variables.cpp
    const tree::Variable &variable(tree::VarId v) const { return frame().function.vars[v]; }
    const tree::MemRef &reference(tree::RefId r) const { return frame().function.refs[r]; }
    Location &place(tree::VarId v);
    Location member(const tree::Variable &v);
    bool isConstant(const tree::Variable &v) const;
    const tree::ConstantDef *constantNamed(Name name) const;
    Location constant(const tree::Variable &v);
    Location field(const tree::Variable &v);
    Location memory(const tree::Variable &v, bool isOfThread);
    void declareValue(const tree::Variable &v, Location &p, const py::ExprRef &init);
    void makeMemory(const Location &p, Operand count, Operand start);
    Location keeping(Type t, Operand value);
    void refine(Operand at, int64_t bytes);

    // ---- Names.cpp
    void assign(tree::VarId v, Operand value);
    Operand valueOf(const Location &p);
    Operand pointerTo(const Location &p);
    Operand pointerTo(tree::RefId r, const std::vector<py::ExprRef> &indices = {});
    Operand valueAt(tree::RefId r, const std::vector<py::ExprRef> &indices = {});
    Type typeAt(tree::RefId r) const;
    std::optional<Type> elementType(const py::Expr &e) const;
    Operand elementAddress(const py::Expr &e);
    bool isKernel(Name name) const;

    // ---- Loops.cpp
    /// `for (x = begin; x <= end; x += step)`; `make` translates the body.
    void iterate(const tree::For &f, const Location &counter, Operand begin, const std::function<Operand()> &step,
                 const std::function<void()> &make);
    bool isFixed(sym::Expr size, tree::VarId counter) const;
    void spreadLoop(const tree::For &f, Location &counter);
    Operand blockThreads();
    void jumpTo(Name label);
    void simple(const py::StmtRef &s);
    struct Reducing {
        py::Reduction reduction;
        tree::VarId variable;
        Location outer, own; // own: the loop's accumulator, which replaces the variable
        Operand count;
    };
    std::vector<Reducing> beginReductions(const std::vector<tree::Omp::Reduction> &list);
    void endReductions(const std::vector<Reducing> &list);
    Operand neutral(py::Reduction r, Type t);

    // ---- Threads.cpp
    void meet(Meeting meeting);
    /// Code for threads, which `make` translates.
    void translateThreads(ThreadCode &out, const std::function<void()> &make);

    // ---- Device.cpp
    void onStream(int stream, bool begins);

    // ---- Queues.cpp
    void declareQueues(const tree::Declare &d, const tree::Variable &v, Location &p);
    Operand queueAt(tree::RefId r, const std::vector<py::ExprRef> &indices = {});
    Operand pop(Operand queue, Type t);

    Frame &frame() { return *frames_.back(); }
    const Frame &frame() const { return *frames_.back(); }
    Builder &b() { return *builder_; }
    /// Translates the output of `make` to separate code.
    Code separately(const std::function<void()> &make);
    const Site *siteOf(const tree::Node &n);
    TreeMachine &m_;
    const tree::Module &module_;
    diag::Engine &diags_;
    Builder *builder_ = nullptr;
    std::vector<std::unique_ptr<Frame>> frames_;
    std::vector<Location> parameters_;
    std::map<Name, Location> fields_, constants_;
    std::string element_;    // of the graph, for reports
    int collapsed_ = 0;      // further loops that are collapsed into a surrounding parallel loop
    bool inThreads_ = false; // in a region or a kernel: declarations are private to a thread
    bool meets_ = false;     // has there been a barrier in the code of threads?
};

} // namespace sdfgc::interpret
