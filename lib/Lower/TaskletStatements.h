// Statements of a Python tasklet in the tree: plain code in one node as far as possible, and nodes of their own for stores that are
// more than an assignment, with the branches and loops around them.
#pragma once

#include "TaskletBinding.h"

namespace sdfgc::tree::lowering {

/// The statements of one tasklet. Its code has been bound and typed (TaskletBinding.h).
class TaskletStatements {
public:
    /// `olds`: what updated elements held before, by name in the code. All live as long as this does.
    TaskletStatements(Instance &in, const ir::Tasklet &t, const TaskletConnections &connections, const TaskletBinding &binding,
                      const std::map<Name, VarId> &olds)
        : in_(in), t_(t), connections_(connections), binding_(binding), olds_(olds), localTypes_(binding.localTypes()) {}

    /// Adds statements to `to`. A loop with an update inside that is not over `range` is reported.
    void emit(const std::vector<py::StmtRef> &code, Block &to);

private:
    const Connection *storedTo(const py::Stmt &s) const;
    bool containsSpecial(const std::vector<py::StmtRef> &code) const;
    void predeclare(Block &to);
    void emitStructured(const py::Stmt &s, Block &to);
    void emitRange(const py::Stmt &s, Block &to);
    void emitStore(const Connection &c, const py::Stmt &s, Block &to);

    Instance &in_;
    const ir::Tasklet &t_;
    const TaskletConnections &connections_;
    const TaskletBinding &binding_;
    const std::map<Name, VarId> &olds_;
    std::map<Name, Type> localTypes_; // of locals that are not declared yet, by variable name
};

} // namespace sdfgc::tree::lowering
