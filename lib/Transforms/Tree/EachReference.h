// All references to memory in a statement and inside it, for passes that replace some.
#pragma once

#include "sdfgc/Tree/Fields.h"
#include "sdfgc/Tree/Walk.h"

#include <utility>

namespace sdfgc::transforms {

/// Calls `function(RefId &)` for each reference in a statement (the visitor of rebind), or with `in` also for those in the blocks of
/// the statement.
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

    void in(tree::Node &n) {
        tree::rebind(n, *this);
        tree::forEachBlock(n, [&](tree::Block &b) {
            for (tree::NodePtr &inner : b.body)
                in(*inner);
        });
    }

private:
    F function_;
};

} // namespace sdfgc::transforms
