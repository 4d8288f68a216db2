// Reading the statements of a Code node: those of tasklets and of edges, as Python statements (py::Stmt).
#pragma once

#include "Reader.h"

namespace sdfgc::tree::text {

/// A statement, without the end of its line. Throws SyntaxError on a fault.
py::StmtRef readStatement(Reader &r);
/// The same for an assignment, which does not begin with a keyword.
py::StmtRef readAssignment(Reader &r);
/// Statements in braces, one per line.
std::vector<py::StmtRef> readStatements(Reader &r);

} // namespace sdfgc::tree::text
