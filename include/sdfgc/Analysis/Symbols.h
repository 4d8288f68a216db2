// Free symbols and the argument list: which names a program or a nested SDFG needs from outside (format reference 8.1, 8.2).
#pragma once

#include "sdfgc/IR/Sdfg.h"

#include <set>

namespace sdfgc::analysis {

/// Names that the code of an element reads (identifiers; connectors, locals and known functions excluded).
std::set<Name> namesInCode(const ir::Code &code, const ir::SDFG &scope);

/// Free symbols of one SDFG by the exact rule of 8.2 (recursing into nested SDFGs through their symbol mappings). Containers,
/// constants, map parameters and loop variables are excluded. Sorted.
std::set<Name> freeSymbols(const ir::SDFG &g);

/// Free symbols needed by one node / one memlet / one descriptor, as 8.2 counts them.
std::set<Name> freeSymbols(const ir::Node &n);

struct Argument {
    Name name;
    Type type;                            // of a scalar or symbol; element type of an array
    const ir::DataDesc *desc = nullptr;   // container, null for a symbol
    bool isSymbol() const { return desc == nullptr; }
};
struct ArgumentList {
    std::vector<Argument> program;  // order of the C call: containers by name, then scalars and symbols by name
    std::vector<Argument> init;     // parameters of the initialiser: free symbols by name, without names starting with __dace
    std::vector<Name> undefined;    // symbols used but neither declared nor typed anywhere
};
/// The ABI of a root SDFG (8.1). Call on the expanded graph.
ArgumentList argumentList(const ir::SDFG &root);

/// Symbols defined inside `g` rather than passed in: assigned on inter-state edges or as loop variables, with the joined type of all
/// assignments (a declared type wins). In order of first definition.
std::vector<std::pair<Name, Type>> definedSymbols(const ir::SDFG &g);

/// Type of a symbol where `n` stands: map parameter or dynamic connector of an enclosing scope, declared symbol, defined symbol; void if
/// unknown.
Type symbolType(const ir::SDFG &g, Name symbol);

} // namespace sdfgc::analysis
