// Names in the code of a tasklet.
#include "TaskletNames.h"

#include <map>

namespace sdfgc::tree::lowering {

using py::ExprKind;
using py::ExprRef;

int countMentions(const py::Expr &e, Name n) {
    int count = e.kind == ExprKind::Name && e.name == n;
    for (const ExprRef &a : e.args)
        if (a)
            count += countMentions(*a, n);
    for (const py::Keyword &k : e.keywords)
        if (k.value)
            count += countMentions(*k.value, n);
    return count;
}

Name targetName(const py::Expr &target) {
    const py::Expr *t = &target;
    while ((t->kind == ExprKind::Subscript || t->kind == ExprKind::Attribute) && !t->args.empty())
        t = t->args[0].get();
    return t->kind == ExprKind::Name ? t->name : Name();
}

std::vector<py::StmtRef> renameLambdaParameters(const std::vector<py::StmtRef> &code) {
    return py::rewrite(code, [](const ExprRef &e) -> ExprRef {
        if (e->kind != ExprKind::Lambda)
            return e;
        auto copy = std::make_shared<py::Expr>(*e);
        std::map<Name, ExprRef> renamed;
        for (Name &p : copy->params) {
            Name fresh("lambda_" + p.str());
            renamed[p] = py::name(fresh);
            p = fresh;
        }
        copy->args[0] = py::substitute(copy->args[0], renamed);
        return copy;
    });
}

} // namespace sdfgc::tree::lowering
