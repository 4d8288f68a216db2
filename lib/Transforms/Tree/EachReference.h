// All references to memory in a statement and inside it, for passes that replace some.
#pragma once

#include "sdfgc/Tree/Rebind.h"

#include <utility>

namespace sdfgc::transforms {

/// A visitor of rebind() that calls `function(RefId &)` for each reference.
template <class F> class EachReference {
public:
    explicit EachReference(F function) : function_(std::move(function)) {}
    void var(tree::VarId &) {}
    void sym(sym::Expr &) {}
    void slot(tree::RefId &r) {
        if (r)
            function_(r);
    }
    void expr(py::ExprRef &e) { tree::rebindMemory(e, function_); }
    void stmt(py::StmtRef &s) { tree::rebindMemory(s, function_); }

private:
    F function_;
};

} // namespace sdfgc::transforms
