// Statements of a Python tasklet in the tree: plain code is kept in one node as far as possible, and stores that are more than an
// assignment get separate nodes, with the branches and loops around them.
#pragma once

#include "TaskletBinding.h"

namespace sdfgc::tree::lowering {

/// The statements of one tasklet. Its code has been bound and typed (TaskletBinding.h).
class TaskletStatements {
public:
    /// `olds`: previous values of updated elements, by name in the code. All arguments must outlive this object.
    TaskletStatements(Instance &in, const ir::Tasklet &t, const TaskletConnections &connections, const TaskletBinding &binding,
                      const std::map<Name, VarId> &olds)
        : in_(in), t_(t), connections_(connections), binding_(binding), olds_(olds), localTypes_(binding.localTypes()) {}

    /// Adds statements to `to`. Reports a loop with an update inside that is not over `range`.
    void emit(const std::vector<py::StmtRef> &code, Block &to);

private:
    /// The output that a statement stores to; null if it stores elsewhere or not at all.
    const Connection *storedTo(const py::Stmt &s) const;
    /// Is there a store that is more than an assignment?
    bool containsSpecial(const std::vector<py::StmtRef> &code) const;
    /// Statements whose stores have elements as targets, not conversions of elements.
    std::vector<py::StmtRef> plain(const std::vector<py::StmtRef> &code) const;
    /// Declares, before them, locals that are used by several tree statements.
    void predeclare(Block &to);
    /// A branch or loop around such a store.
    void emitStructured(const py::Stmt &s, Block &to);
    /// `for i in range(a, b, s)` around tree statements.
    void emitRange(const py::Stmt &s, Block &to);
    /// The store itself.
    void emitStore(const Connection &c, const py::Stmt &s, Block &to);

    Instance &in_;
    const ir::Tasklet &t_;
    const TaskletConnections &connections_;
    const TaskletBinding &binding_;
    const std::map<Name, VarId> &olds_;
    std::map<Name, Type> localTypes_; // of locals that are not declared yet, by variable name
};

} // namespace sdfgc::tree::lowering
