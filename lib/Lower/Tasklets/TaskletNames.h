// Names in the code of a tasklet.
#pragma once

#include "sdfgc/Tasklet/Ast.h"

namespace sdfgc::tree::lowering {

/// How often an expression reads a name.
int countMentions(const py::Expr &e, Name n);

/// Name that a target stores to: `x`, `x[i]`, `x.f`; an empty one if it is none of these.
Name targetName(const py::Expr &target);

/// Parameters of lambdas get names of their own, so that replacing a connector of the same name leaves them alone.
std::vector<py::StmtRef> renameLambdaParameters(const std::vector<py::StmtRef> &code);

} // namespace sdfgc::tree::lowering
