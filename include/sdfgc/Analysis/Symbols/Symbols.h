// Free symbols and the argument list: the names that a program or a nested SDFG needs from outside (format reference
// 8.1, 8.2).
#pragma once

#include "sdfgc/Analysis/Scopes.h"
#include "sdfgc/Tasklet/Types.h"

#include <functional>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace sdfgc::analysis {

/// Returns the words of C++ (or other non-Python) text that count as its symbols, in order of first occurrence. The
/// rule is DaCe's, because interfaces of programs depend on it (8.2): only exponents of numbers are skipped; comments,
/// strings, members, suffixes (`10L`) and digits (`0x1F`) count as words. sdfgc/Support/CppWords.h finds the names that
/// text really uses.
std::vector<Name> identifiers(std::string_view cpp);

/// Returns the names that the code of an element reads. For Python, names that are read before they are assigned
/// (excluding modules, functions and the constants `inf` and `nan`), and callbacks that `scope` declares. For other
/// languages, and for Python that does not parse, identifiers that `scope` declares as symbols.
std::set<Name> namesInCode(const ir::Code &code, const ir::SDFG &scope);
/// The same for the code of a tasklet, in which the base of an attribute is a connector or a built-in variable
/// (`threadIdx.x`), never a symbol. The result includes connectors.
std::set<Name> namesInTasklet(const ir::Code &code, const ir::SDFG &scope);

/// Returns the containers of `g` that code, an interstate edge, a loop's header or the conditions of a conditional
/// block read, in that order, with possible repetitions.
std::vector<Name> containersRead(const ir::Code &code, const ir::SDFG &g);
std::vector<Name> containersRead(const ir::InterstateEdge &e, const ir::SDFG &g);
std::vector<Name> containersRead(const ir::LoopRegion &l, const ir::SDFG &g);
std::vector<Name> containersRead(const ir::ConditionalBlock &c, const ir::SDFG &g);
/// Calls `f` for the containers that control flow inside a region reads, with the region whose code it is: that around a
/// loop for the loop's header. Repeats containers, and leaves out nested SDFGs and the region's own header.
void forEachControlRead(const ir::Region &inside, const std::function<void(Name, const ir::Region &)> &f);
/// Returns all of them in one SDFG, excluding nested ones.
std::set<Name> containersReadByControlFlow(const ir::SDFG &g);

/// Returns the free symbols of one SDFG by the exact rule of 8.2, which follows nested SDFGs through their symbol
/// mappings. Excludes containers, constants, map parameters and loop variables. Sorted.
std::set<Name> freeSymbols(const ir::SDFG &g);
/// Returns all symbols that must be passed to the SDFG: those of freeSymbols, all declared ones that it does not assign
/// itself, and those that occur only in sizes of arguments, outer memlets and volumes. The symbol mapping of a nested
/// SDFG must cover these (format reference 6.4).
std::set<Name> requiredSymbols(const ir::SDFG &g);

/// Returns the free symbols that one node needs, as counted by 8.2: in code, ranges, the container of an access node,
/// and mapped symbols that the nested SDFG uses. Excludes memlets around it.
std::set<Name> freeSymbols(const ir::Node &n);
/// Returns the symbols of one edge's memlet, as counted by 8.2: all symbols of both subsets; next to a tasklet, a
/// nested SDFG or a connector of an access node, only those of the start of each range; none for an outer edge of a
/// scope, whose leaves count instead.
std::set<Name> freeSymbols(const ir::Edge &e);
/// Returns the symbols that a container needs when it is used: strides and offset and, for transients other than views,
/// sizes.
std::set<Name> freeSymbols(const ir::DataDesc &d);

/// Caches the free symbols of many SDFGs of one graph. Valid until the graph changes.
class SymbolUse {
public:
    /// `all`: like requiredSymbols, otherwise like freeSymbols.
    explicit SymbolUse(bool all = false) : all_(all) {}
    const std::unordered_set<Name> &of(const ir::SDFG &g);
    /// Adds the symbols of one node or edge to `out`.
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
    std::vector<Argument> sizes;   // symbols that callers set on the handle (SDFG::handleSizes), by name; not in the lists above
    std::vector<Name> undefined;   // symbols used but neither declared nor typed anywhere; not in the lists above
};
/// Returns the ABI of a root SDFG (8.1). Call it on the expanded graph.
ArgumentList argumentList(const ir::SDFG &root);

/// Returns the symbols that `g` defines itself, on interstate edges or as loop variables, with the joined type of all
/// assignments (a declared type wins; void if nothing is known). A loop variable joins its start, its step and the
/// bounds that it is compared with. In order of first definition: regions in pre-order, a loop's variable before its
/// contents'. `meaning`: the semantics of operators in the values; after infer-types the types are declared, so later
/// callers can omit it.
std::vector<std::pair<Name, Type>> definedSymbols(const ir::SDFG &g, py::Semantics meaning = py::Semantics::Symbolic);

/// Returns the symbols of its SDFG that a Python tasklet changes: `i *= 2`, if no connector is called i and the code
/// does not assign it earlier. Python gives this no other meaning, and DaCe's output does it.
std::set<Name> changedSymbols(const ir::Tasklet &t);
/// Returns those that any tasklet of an SDFG changes, excluding nested SDFGs.
std::set<Name> changedSymbols(const ir::SDFG &g);

/// Returns what is known about symbols where containers of `g` are used: their declarations, and that sizes are
/// positive (an empty container is never read or written).
sym::Assumptions factsOf(const ir::SDFG &g);
/// Returns what is known about symbols everywhere: their declarations, and that sizes are not negative.
sym::Assumptions factsEverywhere(const ir::SDFG &g);

/// Returns the type of a symbol in `g`: declared, of a constant, defined inside (definedSymbols), or recorded in
/// symbolic strings; void if unknown. May compute definedSymbols: use SymbolTypes for many symbols.
Type symbolType(const ir::SDFG &g, Name symbol);
/// The same at a node: a map parameter (64 bits unless declared) or a dynamic connector of an enclosing scope takes
/// precedence.
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

/// Returns the struct types that containers of an SDFG mention, by name.
std::map<Name, Type> structTypes(const ir::SDFG &g);

} // namespace sdfgc::analysis
