// Decides which connectors of a Python tasklet become variables. The rules are in TaskletPython.h.
#pragma once

#include "TaskletConnections.h"

namespace sdfgc::tree::lowering {

/// The variables of one tasklet; the connections record them.
class TaskletPlan {
public:
    /// Initially undecided. Variables will be declared at the end of `out`.
    TaskletPlan(Instance &in, TaskletConnections &connections, Block &out) : in_(in), connections_(connections), out_(out) {}

    /// Makes the decisions for the code of the tasklet.
    void make(const std::vector<py::StmtRef> &code);

    /// Previous values of updated elements: name in the code -> variable.
    const std::map<Name, VarId> &olds() const { return olds_; }

private:
    /// Counts reads and writes of connectors.
    void survey(const std::vector<py::StmtRef> &code, bool inLoop);
    /// Counts the same in one target of a statement.
    void surveyTarget(Connection &c, const py::Stmt &s, const py::Expr &target, bool inLoop);
    /// The variable for the previous value of a statement's target.
    void declareOld(const py::Stmt &s);
    /// Decides for one connector.
    void planOutput(Connection &c);
    void planInput(Connection &c, bool storesComeLast);
    /// A variable for a connector; constant if the code does not write it.
    VarId declareLocal(const Connection &c, py::ExprRef init);
    /// The variable that contains a member of a structure; for other variables, the variable itself.
    VarId rootVariable(VarId v) const;

    Instance &in_;
    TaskletConnections &connections_;
    Block &out_;
    std::map<Name, VarId> olds_;
};

} // namespace sdfgc::tree::lowering
