// Reading the statements of a Code node: those of tasklets and of edges, as Python statements (py::Stmt).
#pragma once

#include "TreeReader.h"

namespace sdfgc::tree::text {

/// A statement, without the end of its line. Throws SyntaxError on a fault.
py::StmtRef readStatement(TreeReader &r);
/// The same for an assignment, which does not begin with a keyword.
py::StmtRef readAssignment(TreeReader &r);
/// Statements in braces, one per line.
std::vector<py::StmtRef> readStatements(TreeReader &r);

} // namespace sdfgc::tree::text
