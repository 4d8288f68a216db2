// Symbols of the graph in terms of variables of the generated function.
//
// Sizes, subsets and ranges of a graph are over symbols of its SDFG. In a function they are over variables: of a symbol that the
// SDFG was given, of one that it assigns, of the parameter of a map. Everything after inVariables() is in those terms and is only
// passed on, until printable() makes it ready for a node of the tree.
#pragma once

#include "Lower/Program/Instance.h"

#include "sdfgc/Tree/SymbolicToPython.h"

namespace sdfgc::tree::lowering {

/// Type of the variable that holds a symbol of a declared type: integers are widened to 64 bits.
Type symbolVariableType(Type declared);

/// Symbols of the SDFG replaced by variables, scalars that symbolic text mentions likewise; approximations dropped.
sym::Expr inVariables(const Instance &in, sym::Expr e);
sym::Subset inVariables(const Instance &in, const sym::Subset &s);
sym::Range inVariables(const Instance &in, const sym::Range &r);

/// An expression over variables as a node of the tree has it: divisions whose operands are known nonnegative are C divisions. That
/// a size in it is unknown (`?`) is noted in the program.
sym::Expr printable(const Instance &in, sym::Expr e);

/// Variables for the symbols that the SDFG assigns itself, the variables of its loop regions among them; declared at the end of
/// `out`. A symbol that the SDFG was also given starts with that value.
void declareSymbols(Instance &in, Block &out);
/// An assignment to the variable of such a symbol; null for a name that is none.
py::StmtRef symbolAssignment(Instance &in, Name symbol, py::ExprRef value);

} // namespace sdfgc::tree::lowering
