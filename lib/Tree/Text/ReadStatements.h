// Reading the statements of a Code node: those of tasklets and of edges, which are Python's (py::Stmt).
#pragma once

#include "Reader.h"

namespace sdfgc::tree::text {

/// A statement, without the end of its line. A fault is thrown (SyntaxError).
py::StmtRef readStatement(Reader &r);
/// The same of an assignment, which no keyword begins.
py::StmtRef readAssignment(Reader &r);
/// Statements in braces, each on a line.
std::vector<py::StmtRef> readStatements(Reader &r);

} // namespace sdfgc::tree::text
