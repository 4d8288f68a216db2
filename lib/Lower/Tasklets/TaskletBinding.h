// Python code of a tasklet, in terms of memory references: replaces connectors, symbols and locals with their values.
#pragma once

#include "TaskletConnections.h"

namespace sdfgc::tree::lowering {

/// The names in the code of one tasklet. Connections must have been planned (TaskletPlan.h).
class TaskletBinding {
public:
    /// Nothing is replaced yet. `olds`: previous values of updated elements, by name in the code. All arguments must outlive this
    /// object.
    TaskletBinding(Instance &in, const ir::Tasklet &t, const TaskletConnections &connections, const std::map<Name, VarId> &olds);

    /// The code with names replaced, each exactly once: the variable of a symbol may have the name of another symbol, a connector
    /// or a local. Names that the code itself assigns become locals. Reports subscripts of the wrong rank and callbacks in a
    /// kernel.
    std::vector<py::StmtRef> bind(const std::vector<py::StmtRef> &code);

    /// The same code, typed and ready to print. `env`: types of the names in it. Reports type mismatches.
    std::vector<py::StmtRef> typed(const std::vector<py::StmtRef> &code, py::Env env);

    /// Types of the locals, by variable name; available once the code is typed.
    const std::map<Name, Type> &localTypes() const { return localTypes_; }

    /// The connection that a reference in the code was created from; null if there is none.
    const Connection *connectionOf(RefId slot) const;

private:
    /// The connector that an expression names, if code may index its elements; null otherwise.
    const Connection *pointerConnection(const py::Expr &base) const;
    /// A callback gets the address of a pointer connector's memory, even if that is a single element. It is a host function.
    py::ExprRef bindCallback(const py::ExprRef &e);
    /// Binds an expression that must be handled as a unit; null if binding its parts is enough.
    py::ExprRef bound(const py::ExprRef &e);
    py::ExprRef bindAll(const py::ExprRef &e);
    /// A subscript of a connector or constant as an element; null for others.
    py::ExprRef bindSubscript(const py::ExprRef &e);
    /// The element at the given indices; indices with known values become part of the offset.
    py::ExprRef element(const Connection &c, const std::vector<py::ExprRef> &indices, const std::vector<sym::Expr> &strides);
    /// Only names of symbols and loop-invariant variables may be part of offsets: locals of the code change while it runs.
    bool isFixed(const py::Expr &e) const;
    /// Binds a name as a local, as an element's previous value, as a connector or as a symbol.
    py::ExprRef bindBareName(const py::ExprRef &e);
    /// The value or the address of a connector.
    py::ExprRef bindConnector(const Connection &c, const py::ExprRef &e);

    Instance &in_;
    const ir::Tasklet &t_;
    const TaskletConnections &connections_;
    const std::map<Name, VarId> &olds_;
    const std::function<bool(Name)> isCallback_;
    std::map<Name, Name> locals_; // name in the code -> variable
    std::map<Name, Type> localTypes_;
    std::map<RefId, const Connection *> slots_;
};

} // namespace sdfgc::tree::lowering
