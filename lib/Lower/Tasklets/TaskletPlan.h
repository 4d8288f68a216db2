// Which connectors of a Python tasklet become variables. The rules are in TaskletPython.h.
#pragma once

#include "TaskletConnections.h"

namespace sdfgc::tree::lowering {

/// The variables of one tasklet; the connections say which one they have.
class TaskletPlan {
public:
    /// Nothing is decided yet. Variables will be declared at the end of `out`.
    TaskletPlan(Instance &in, TaskletConnections &connections, Block &out) : in_(in), connections_(connections), out_(out) {}

    /// Decides for the code of the tasklet.
    void make(const std::vector<py::StmtRef> &code);

    /// What updated elements held before: name in the code -> variable.
    const std::map<Name, VarId> &olds() const { return olds_; }

private:
    /// Counts reads and writes of connectors.
    void survey(const std::vector<py::StmtRef> &code, bool inLoop);
    /// Counts the same in one target of a statement.
    void surveyTarget(Connection &c, const py::Stmt &s, const py::Expr &target, bool inLoop);
    /// The variable for what the target of a statement held before.
    void declareOld(const py::Stmt &s);
    /// Decides for one connector.
    void planOutput(Connection &c);
    void planInput(Connection &c, bool storesComeLast);
    /// A variable for a connector; constant where the code does not write it.
    VarId declareLocal(const Connection &c, py::ExprRef init);
    /// The variable that a member of a structure is in; others are in themselves.
    VarId rootVariable(VarId v) const;

    Instance &in_;
    TaskletConnections &connections_;
    Block &out_;
    std::map<Name, VarId> olds_;
};

} // namespace sdfgc::tree::lowering
