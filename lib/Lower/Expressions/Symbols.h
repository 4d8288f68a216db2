// Symbols of the graph, in terms of variables of the generated function.
//
// Sizes, subsets and ranges of a graph are over symbols of its SDFG. In a function they are over variables: of a symbol passed to
// the SDFG, of one that it assigns, or of a map parameter. After inVariables(), everything is in these terms and only passed on,
// until printable() prepares it for a tree node.
#pragma once

#include "Lower/Program/Instance.h"

#include "sdfgc/Tree/SymbolicToPython.h"

namespace sdfgc::tree::lowering {

/// Type of the variable for a symbol of a declared type: integers are widened to 64 bits.
Type symbolVariableType(Type declared);

/// Replaces symbols of the SDFG, and scalars in symbolic text, with variables; drops approximations.
sym::Expr inVariables(const Instance &in, sym::Expr e);
sym::Subset inVariables(const Instance &in, const sym::Subset &s);
sym::Range inVariables(const Instance &in, const sym::Range &r);

/// An expression over variables in the form of tree nodes: divisions become C divisions if their operands are known to be
/// nonnegative. Records in the program if it contains an unknown size (`?`).
sym::Expr printable(const Instance &in, sym::Expr e);

/// Variables for the symbols that the SDFG assigns itself, including the variables of its loop regions; declared at the end of
/// `out`. A symbol that is also passed to the SDFG starts with that value.
void declareSymbols(Instance &in, Block &out);
/// An assignment to the variable of such a symbol; null for any other name.
py::StmtRef symbolAssignment(Instance &in, Name symbol, py::ExprRef value);

} // namespace sdfgc::tree::lowering
