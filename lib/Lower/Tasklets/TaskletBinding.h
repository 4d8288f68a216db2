// Python code of a tasklet in terms of memory references: connectors, symbols and locals replaced by what they stand for.
#pragma once

#include "TaskletConnections.h"

namespace sdfgc::tree::lowering {

/// The names in the code of one tasklet. Connections have been planned (TaskletPlan.h).
class TaskletBinding {
public:
    /// Nothing is replaced yet. `olds`: what updated elements held before, by name in the code. All live as long as this does.
    TaskletBinding(Instance &in, const ir::Tasklet &t, const TaskletConnections &connections, const std::map<Name, VarId> &olds);

    /// The code with names replaced, each once: a variable that stands for a symbol may be called as another symbol, a connector or a
    /// local is. Names that the code gives a value itself become locals. Subscripts of the wrong rank and callbacks in a kernel are
    /// reported.
    std::vector<py::StmtRef> bind(const std::vector<py::StmtRef> &code);

    /// That code with types and ready to print. `env`: types of the names in it. Types that do not fit are reported.
    std::vector<py::StmtRef> typed(const std::vector<py::StmtRef> &code, py::Env env);

    /// Types of the locals, by variable name; known when the code is typed.
    const std::map<Name, Type> &localTypes() const { return localTypes_; }

    /// What a reference in the code was made from; null for one that stands for no connector.
    const Connection *connectionOf(RefId slot) const;

private:
    /// The connector that an expression names, if code may count its elements; null otherwise.
    const Connection *pointerConnection(const py::Expr &base) const;
    /// A callback gets the address of what a pointer connector stands for, also where that is one element. It is a function of the
    /// host.
    py::ExprRef bindCallback(const py::ExprRef &e);
    /// An expression as a whole, where it is more than its parts; null where only these are bound.
    py::ExprRef bound(const py::ExprRef &e);
    py::ExprRef bindAll(const py::ExprRef &e);
    /// A subscript of a connector or constant as an element; null for others.
    py::ExprRef bindSubscript(const py::ExprRef &e);
    /// The element at some indices, of which those that are known become part of the offset.
    py::ExprRef element(const Connection &c, const std::vector<py::ExprRef> &indices, const std::vector<sym::Expr> &strides);
    /// Only names of symbols and loop-invariant variables may enter offsets: locals of the code change while it runs.
    bool isFixed(const py::Expr &e) const;
    /// A name as a local, as what an element held before, as a connector or as a symbol.
    py::ExprRef bindBareName(const py::ExprRef &e);
    /// The value or the address that a connector stands for.
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
