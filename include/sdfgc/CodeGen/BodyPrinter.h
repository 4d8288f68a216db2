// Prints function bodies of the schedule tree as C++: the part shared by CPU and GPU hosts.
#pragma once

#include "sdfgc/CodeGen/CodeGen.h"
#include "sdfgc/CodeGen/SymPrinter.h"
#include "sdfgc/Support/TextWriter.h"

#include <set>

namespace sdfgc::codegen {

/// `constexpr double weights[] = {0.5, 0.5};`
std::string constantDefinition(const tree::ConstantDef &c);
/// Arguments of a buffer's constructor and of allocate(), without defaults.
std::string allocationArguments(const SymPrinter &symbols, sym::Expr count, sym::Expr startOffset, int64_t alignment);

/// Prints one function of a module. Collects the needed includes and the position of each element for the file.
class BodyPrinter {
public:
    BodyPrinter(const tree::Module &m, const tree::Function &f, TextWriter &w, std::set<std::string> &topics,
                std::vector<MapEntry> &map, std::string file);

    /// `static void name(...) {` ... `}`
    void function(const std::string &linkage);
    /// `void name(parameters)` without body.
    std::string signature() const;

private:
    using Block = tree::Block;
    void statements(const Block &b);
    void statement(const tree::Node &n);
    void block(const Block &b);
    void call(const tree::Call &c);
    void consume(const tree::Consume &c);
    void fill(const tree::Fill &f);
    void timer(const tree::Timer &t);
    void probe(const tree::DataProbe &p);
    void parallelRegion(const tree::ParallelRegion &p);
    void comment(const std::string &text);
    std::string value(const py::ExprRef &e) const;
    std::string sym(sym::Expr e, Precedence p = Precedence::Conditional) const { return symbols_.print(e, p); }
    void use(std::string_view topic) const { topics_.insert(std::string(topic)); }
    void useType(Type t) const;

    // ---- VariablePrinter.cpp
    const tree::Variable &var(tree::VarId v) const { return f_.vars[v]; }
    const tree::MemRef &ref(tree::RefId slot) const { return f_.refs[slot]; }
    std::string varText(tree::VarId v) const;
    std::string declarator(const tree::Variable &v) const;
    void declare(const tree::Declare &d);
    void allocate(const tree::Allocate &a);
    std::string allocation(const tree::Variable &v, sym::Expr count) const;
    /// The element or address that a slot refers to; `args` are the values of its data-dependent indices.
    std::string memory(tree::RefId slot, const std::vector<py::ExprRef> &args = {}) const;
    std::string addressOf(tree::RefId slot, const std::vector<py::ExprRef> &args = {}) const;
    std::string castAddress(const tree::MemRef &r, const std::string &address) const;
    std::string elementOf(tree::RefId slot, const std::vector<py::ExprRef> &args = {}) const;
    /// The offset that is added to the address. In brackets, a single operation needs no parentheses.
    std::string index(const tree::MemRef &r, const std::vector<py::ExprRef> &args, bool bracketed = true) const;

    // ---- StatementPrinter.cpp
    void code(const tree::Code &c);
    void update(const tree::Update &u);
    void rawTasklet(const tree::RawTasklet &t);
    void libraryCall(const tree::LibraryCall &c);
    void recordedCall(const tree::LibraryCall &c);
    std::string argument(const tree::LibraryCall::Argument &a) const;
    std::string simpleStatement(const py::Stmt &s) const;
    std::string assignment(const py::Stmt &s) const;
    bool samePlace(const py::Expr &a, const py::Expr &b) const;
    static bool isOneLine(const Block &b);

    // ---- LoopPrinter.cpp
    void forLoop(const tree::For &f);
    void loop(const tree::Loop &l);
    void branches(const tree::If &i);
    void scoped(const std::string &head, const Block &body);
    std::string pragma(const tree::Omp &o) const;
    std::string team(sym::Expr numThreads, sym::Expr onlyIf, bool simd = false) const;
    std::string reductions(const std::vector<tree::Omp::Reduction> &list) const;

    // ---- DevicePrinter.cpp
    bool onDevice() const;
    std::string typeName(Type t) const;
    std::string kernelHead() const;
    std::string dimensions(const std::array<sym::Expr, 3> &sizes) const;
    bool deviceOperation(const tree::Node &n);
    void launch(const tree::Launch &l);
    void graphFunction(const std::string &linkage);
    void graphLoop(const tree::Loop &l);
    bool isOfHostPath(const tree::Node &n) const;
    void nodeComment(const tree::Node &n, const tree::GraphNode &g);
    std::string queuedOn(int stream, const tree::GraphNode &g) const;
    void kernelConstants();
    void deviceCopy(const tree::DeviceCopy &c);
    void deviceFill(const tree::DeviceFill &f);
    void spreadLoop(const tree::For &f);
    void deviceUpdate(const tree::Update &u);

    const tree::Module &m_;
    const tree::Function &f_;
    TextWriter &w_;
    std::set<std::string> &topics_;
    std::vector<MapEntry> &map_;
    std::string file_;
    bool describing_ = false;      // operations are described as nodes of a graph instead of queued
    std::set<tree::VarId> looked_; // host copies of flags
    SymPrinter symbols_;
    py::CppPrinter values_;
};

// ---- Topics.cpp
/// Runtime header (or standard header) of a topic: `math` -> `"sdfgc/rt/math.h"`, `cmath` -> `<cmath>`.
std::string includeOf(std::string_view topic);
/// The topics that a type needs.
std::vector<std::string> topicsOf(Type t);

} // namespace sdfgc::codegen
