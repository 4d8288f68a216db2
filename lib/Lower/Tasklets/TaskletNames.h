// Names in the code of a tasklet.
#pragma once

#include "sdfgc/Tasklet/Ast.h"

namespace sdfgc::tree::lowering {

/// The number of times that an expression reads a name.
int countMentions(const py::Expr &e, Name n);

/// Name that a target stores to: `x`, `x[i]`, `x.f`; empty for other targets.
Name targetName(const py::Expr &target);

/// Renames parameters of lambdas, so that replacing a connector of the same name does not affect them.
std::vector<py::StmtRef> renameLambdaParameters(const std::vector<py::StmtRef> &code);

} // namespace sdfgc::tree::lowering
