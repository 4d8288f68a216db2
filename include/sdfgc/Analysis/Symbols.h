// Free symbols and the argument list: which names a program or a nested SDFG needs from outside (format reference 8.1, 8.2).
#pragma once

#include "sdfgc/Analysis/Scopes.h"
#include "sdfgc/Tasklet/Types.h"

#include <set>
#include <unordered_map>
#include <unordered_set>

namespace sdfgc::analysis {

/// Words of C++ (or other non-Python) text that count as its symbols, in order of first occurrence. The rule is DaCe's, on which
/// the interface of programs depends (8.2): only exponents of numbers are left out; comments, strings, members, suffixes (`10L`)
/// and digits (`0x1F`) are words as well. What text really names, sdfgc/Support/CppWords.h tells.
std::vector<Name> identifiers(std::string_view cpp);

/// Names that the code of an element reads. Python: names read before they are assigned (modules, functions and the constants
/// `inf` and `nan` excluded), and callbacks that `scope` declares. Other languages, and Python that does not parse: identifiers
/// that `scope` declares as symbols.
std::set<Name> namesInCode(const ir::Code &code, const ir::SDFG &scope);
/// The same for the code of a tasklet, where the base of an attribute is a connector or a built-in variable (`threadIdx.x`), never
/// a symbol. Connectors are among the result.
std::set<Name> namesInTasklet(const ir::Code &code, const ir::SDFG &scope);

/// Containers of `g` that code, an inter-state edge, a loop's header or the conditions of a conditional block read, in that order;
/// a name may occur more than once.
std::vector<Name> containersRead(const ir::Code &code, const ir::SDFG &g);
std::vector<Name> containersRead(const ir::InterstateEdge &e, const ir::SDFG &g);
std::vector<Name> containersRead(const ir::LoopRegion &l, const ir::SDFG &g);
std::vector<Name> containersRead(const ir::ConditionalBlock &c, const ir::SDFG &g);
/// All of them in one SDFG, nested ones excluded.
std::set<Name> containersReadByControlFlow(const ir::SDFG &g);

/// Free symbols of one SDFG by the exact rule of 8.2 (recursing into nested SDFGs through their symbol mappings). Containers,
/// constants, map parameters and loop variables are excluded. Sorted.
std::set<Name> freeSymbols(const ir::SDFG &g);
/// All symbols that must be given to the SDFG for it to be complete: those of freeSymbols, all declared ones that it does not
/// assign itself, and those that occur only in sizes of arguments, outer memlets and volumes. What the symbol mapping of a nested
/// SDFG must cover (format reference 6.4).
std::set<Name> requiredSymbols(const ir::SDFG &g);

/// Free symbols needed by one node, as 8.2 counts them: code, ranges, the container of an access node, mapped symbols that the
/// nested SDFG uses. Memlets around it are not included.
std::set<Name> freeSymbols(const ir::Node &n);
/// Symbols of one edge's memlet as 8.2 counts them: all of both subsets; next to a tasklet, a nested SDFG or a connector of an
/// access node only those of the range starts; none for an outer edge of a scope (its leaves count).
std::set<Name> freeSymbols(const ir::Edge &e);
/// Symbols that a container needs when it is used: strides and offset, and for transients that are no views sizes as well.
std::set<Name> freeSymbols(const ir::DataDesc &d);

/// Free symbols of many SDFGs of one graph, each computed once. Valid until the graph changes.
class SymbolUse {
public:
    /// `all`: as requiredSymbols, else as freeSymbols.
    explicit SymbolUse(bool all = false) : all_(all) {}
    const std::unordered_set<Name> &of(const ir::SDFG &g);
    /// Adds the symbols of one node / edge to `out`.
    void add(const ir::Node &n, std::unordered_set<Name> &out);
    void add(const ir::Edge &e, std::unordered_set<Name> &out) const;
    void add(const ir::DataDesc &d, std::unordered_set<Name> &out) const;

private:
    struct Flow;
    void region(const ir::Region &r, Flow &f);
    void block(const ir::Block &b, Flow &f, std::unordered_set<Name> &ofBlock);
    void loop(const ir::LoopRegion &l, Flow &f);
    void conditional(const ir::ConditionalBlock &c, Flow &f);
    void state(const ir::State &s, std::unordered_set<Name> &out);
    bool all_;
    std::unordered_map<const ir::SDFG *, std::unordered_set<Name>> done_;
};

struct Argument {
    Name name;
    Type type;                          // of a scalar or symbol; element type of an array
    const ir::DataDesc *desc = nullptr; // container, null for a symbol
    bool isSymbol() const { return desc == nullptr; }
};
struct ArgumentList {
    std::vector<Argument> program; // order of the C call: containers by name, then scalars and symbols by name
    std::vector<Argument> init;    // parameters of the initialiser: free symbols by name, without names starting with __dace
    std::vector<Name> undefined;   // symbols used but neither declared nor typed anywhere; not in the lists above
};
/// The ABI of a root SDFG (8.1). Call on the expanded graph.
ArgumentList argumentList(const ir::SDFG &root);

/// Symbols defined inside `g` rather than passed in: assigned on inter-state edges or as loop variables, with the joined type of
/// all assignments (a declared type wins; void when nothing is known). A loop variable joins start, step and the bounds it is
/// compared with. In order of first definition: regions in pre-order, a loop's variable before its content's. `meaning`: of the
/// operators in the values; later callers find the types declared (infer-types) and need not give it.
std::vector<std::pair<Name, Type>> definedSymbols(const ir::SDFG &g, py::Semantics meaning = py::Semantics::Symbolic);

/// Symbols of its SDFG that a tasklet in Python changes: `i *= 2`, where no connector is called i and nothing in the code gives it
/// a value before. Python has no other meaning for it, and DaCe's output does it.
std::set<Name> changedSymbols(const ir::Tasklet &t);
/// Those that any tasklet of an SDFG changes, nested ones not included.
std::set<Name> changedSymbols(const ir::SDFG &g);

/// What is known about the values of symbols where containers of `g` are used: as declared, and that sizes are positive (an empty
/// container is never read or written).
sym::Assumptions factsOf(const ir::SDFG &g);

/// Type of a symbol in `g`: declared, constant, defined inside (definedSymbols), or as symbolic strings say; void if unknown.
/// Computes definedSymbols when needed: ask for many symbols with SymbolTypes.
Type symbolType(const ir::SDFG &g, Name symbol);
/// The same where `n` stands: map parameter (64 bits unless declared) or dynamic connector of an enclosing scope first.
Type symbolType(const ir::Node &n, const ScopeTree &scopes, Name symbol);

/// Types of the symbols of one SDFG; valid until it changes.
class SymbolTypes {
public:
    explicit SymbolTypes(const ir::SDFG &g);
    Type of(Name symbol) const;

private:
    const ir::SDFG &g_;
    std::unordered_map<Name, Type> defined_;
};

} // namespace sdfgc::analysis
