// Prints function bodies of the schedule tree as C++. BodyPrinter prints the statements that mean the same on all machines; a
// derived class per kind of code adds the rest:
//
//   HostPrinter     CPU code: OpenMP, instrumentation (HostPrinter.h)
//   QueuePrinter    host code that queues operations on streams of a device (DevicePrinters.h)
//   GraphPrinter    host code that describes these operations as nodes of a graph
//   KernelPrinter   device code
#pragma once

#include "sdfgc/CodeGen/CodeGen.h"
#include "sdfgc/CodeGen/SymPrinter.h"
#include "sdfgc/Support/TextWriter.h"

#include <set>
#include <span>

namespace sdfgc::codegen {

/// `constexpr double weights[] = {0.5, 0.5};`
std::string constantDefinition(const tree::ConstantDef &c);
/// Arguments of a buffer's constructor and of allocate(), without defaults.
std::string allocationArguments(const SymPrinter &symbols, sym::Expr count, sym::Expr startOffset, int64_t alignment);

/// The output of the printers: the text, and the topics and positions that they collect for the file.
struct Output {
    TextWriter &text;
    std::set<std::string> &topics;
    std::vector<MapEntry> &map;
    std::string file;
};

/// Prints one function of a module.
class BodyPrinter {
public:
    /// `inOpenCl`: sizes and values are printed as OpenCL C.
    BodyPrinter(const tree::Module &m, const tree::Function &f, const Output &out, bool inOpenCl = false);
    BodyPrinter(const BodyPrinter &) = delete;
    BodyPrinter &operator=(const BodyPrinter &) = delete;
    virtual ~BodyPrinter() = default;

    /// `static void name(...) {` ... `}`
    virtual void function(const std::string &linkage);
    /// `void name(parameters)` without body.
    virtual std::string signature() const;
    /// What makes a template of the function: `template <class T>`; empty if it is none.
    virtual std::string templateHead() const { return ""; }

protected:
    using Block = tree::Block;
    // One function per kind of statement. Statements that only some kinds of code support are misplaced unless a derived class
    // overrides their function.
#define NODE(K, ...) virtual void print(const tree::K &n);
#include "sdfgc/Tree/Nodes.def"
    /// Aborts the compilation. The tree verifier should have rejected such a statement earlier.
    void misplaced(const tree::Node &n);
    /// The C++ literal of a name, without characters that would end the string or the line.
    static std::string textLiteral(const std::string &text);

    // ---- differences between the kinds of code
    /// What precedes a function's name: `void `.
    virtual std::string head() const { return "void "; }
    virtual std::string linkageOf(const std::string &linkage) const;
    virtual void body() { statements(f_.body); }
    /// Functions that belong to this one and follow it.
    virtual void companions() {}
    /// Is the statement left out?
    virtual bool isLeftOut(const Block &, std::size_t) const { return false; }
    virtual std::string typeName(Type t) const { return t.cppName(); }
    virtual void useType(Type t) const;
    /// The C++ name of a function, including those of tree::number.
    virtual std::string functionName(Name n) const;
    /// The line in front of a loop that is unrolled `times` times.
    virtual std::string unrolled(int64_t times) const { return "#pragma GCC unroll " + std::to_string(times); }
    /// The class of a variable that owns memory, and the topic of its header.
    struct Owner {
        const char *topic, *name;
        bool takesName = false; // its constructor takes the container's name, for reports
    };
    virtual Owner owner(tree::VarKind kind) const = 0;
    /// An update that is atomic, or returns the old value.
    virtual void atomicUpdate(const tree::Update &u) = 0;

    // ---- BodyPrinter.cpp
    void statements(const Block &b);
    void comment(const std::string &text);
    std::string value(const py::ExprRef &e) const { return values_.expr(*e); }
    /// The value as it is stored in memory of a type.
    std::string valueAs(const py::ExprRef &e, Type t) const { return values_.exprAs(*e, t); }
    std::string sym(sym::Expr e, Precedence p = Precedence::Conditional) const { return symbols_.print(e, p); }
    /// `{N, 1}`
    std::string list(std::span<const sym::Expr> values) const;
    void use(std::string_view topic) const { out_.topics.insert(std::string(topic)); }

    // ---- VariablePrinter.cpp
    const tree::Variable &var(tree::VarId v) const { return f_.vars[v]; }
    const tree::MemRef &ref(tree::RefId slot) const { return f_.refs[slot]; }
    virtual std::string varText(tree::VarId v) const;
    virtual std::string declarator(const tree::Variable &v) const;
    /// The address as one of elements of the type that the reference casts to.
    virtual std::string castAddress(const tree::MemRef &r, const std::string &address) const;
    /// The C++ type of its elements.
    std::string typeOf(const tree::Variable &v) const;
    std::string allocation(const tree::Variable &v, sym::Expr count) const;
    /// The element or address that a slot refers to; `args` are the values of its data-dependent indices.
    std::string memory(tree::RefId slot, const std::vector<py::ExprRef> &args = {}) const;
    std::string addressOf(tree::RefId slot, const std::vector<py::ExprRef> &args = {}) const;
    std::string elementOf(tree::RefId slot, const std::vector<py::ExprRef> &args = {}) const;

    // ---- StatementPrinter.cpp
    void plainUpdate(const tree::Update &u);
    /// Does the update use a custom function of two values?
    static bool isCustom(const tree::Update &u);
    void libraryCall(const tree::LibraryCall &c, const std::string &first);
    std::string argument(const tree::Call::Argument &a) const;
    std::string argument(const tree::LibraryCall::Argument &a) const;

    // ---- LoopPrinter.cpp
    void unroll(int64_t times, int64_t automatic);
    void unroll(const tree::For &f);
    void countedLoop(const tree::For &f);
    /// `i < N + 1`: the condition under which a loop continues.
    std::string condition(const tree::For &f) const;

    const tree::Module &m_;
    const tree::Function &f_;
    const Output out_;
    TextWriter &w_;
    py::CppPrinter values_;

private:
    /// The offset that is added to the address. In brackets, a single operation needs no parentheses.
    std::string index(const tree::MemRef &r, const std::vector<py::ExprRef> &args, bool bracketed = true) const;
    std::string simpleStatement(const py::Stmt &s) const;
    std::string assignment(const py::Stmt &s) const;
    bool samePlace(const py::Expr &a, const py::Expr &b) const;
    static bool isOneLine(const Block &b);
    void scoped(const std::string &head, const Block &body);

    SymPrinter symbols_;
};

// ---- Topics.cpp
/// Runtime header (or standard header) of a topic: `math` -> `"sdfgc/rt/math.h"`, `cmath` -> `<cmath>`.
std::string includeOf(std::string_view topic);
/// The topics that a type needs.
std::vector<std::string> topicsOf(Type t);

} // namespace sdfgc::codegen
