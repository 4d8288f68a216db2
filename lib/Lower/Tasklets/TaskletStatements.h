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
    /// The output that a statement stores through; null for a statement that stores elsewhere or not at all.
    const Connection *storedTo(const py::Stmt &s) const;
    /// Is there a store that is more than an assignment?
    bool containsSpecial(const std::vector<py::StmtRef> &code) const;
    /// Locals that live across several statements of the tree are declared in front of them.
    void predeclare(Block &to);
    /// A branch or loop around such a store.
    void emitStructured(const py::Stmt &s, Block &to);
    /// `for i in range(a, b, s)` around statements of the tree.
    void emitRange(const py::Stmt &s, Block &to);
    /// Such a store itself.
    void emitStore(const Connection &c, const py::Stmt &s, Block &to);

    Instance &in_;
    const ir::Tasklet &t_;
    const TaskletConnections &connections_;
    const TaskletBinding &binding_;
    const std::map<Name, VarId> &olds_;
    std::map<Name, Type> localTypes_; // of locals that are not declared yet, by variable name
};

} // namespace sdfgc::tree::lowering
