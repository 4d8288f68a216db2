#include "Transforms/Normalise/ControlFlow/Conditions.h"

#include "sdfgc/IR/Operators.h"

#include <algorithm>

namespace sdfgc::transforms::flow {
namespace {

using ir::Code;

bool isNot(const py::ExprRef &e) { return e->kind == py::ExprKind::Unary && e->op == py::Op::Not; }

bool areOppositeComparisons(const py::ExprRef &a, const py::ExprRef &b, const std::function<bool(Name)> &canBeNaN) {
    if (a->kind != py::ExprKind::Compare || b->kind != py::ExprKind::Compare || a->ops.size() != 1 || b->ops.size() != 1)
        return false;
    if (ir::opposite(a->ops[0]) != b->ops[0] || !py::equal(*a->args[0], *b->args[0]) || !py::equal(*a->args[1], *b->args[1]))
        return false;
    std::set<Name> names = py::freeNames(*a);
    return std::none_of(names.begin(), names.end(), canBeNaN);
}

} // namespace

bool isAlwaysTrue(const Code &condition) {
    if (condition.text().empty() || condition.text() == "1")
        return true;
    const py::ExprRef e = condition.expression();
    return e && e->kind == py::ExprKind::Bool && e->text == "True";
}

bool areComplementary(const Code &a, const Code &b, const std::function<bool(Name)> &canBeNaN) {
    const py::ExprRef x = a.expression(), y = b.expression();
    if (!x || !y)
        return false;
    if (isNot(x) && py::equal(*x->args[0], *y))
        return true;
    if (isNot(y) && py::equal(*y->args[0], *x))
        return true;
    return areOppositeComparisons(x, y, canBeNaN);
}

std::optional<Code> negated(const Code &condition) {
    const py::ExprRef e = condition.expression();
    if (!e)
        return std::nullopt;
    py::ExprRef result = isNot(e) ? e->args[0] : py::unary(py::Op::Not, e, ScalarKind::Bool);
    return Code(*result);
}

std::optional<std::set<Name>> namesRead(const std::string &expression) {
    auto result = py::parseExpr(expression);
    if (!result.value)
        return std::nullopt;
    return py::freeNames(**result.value);
}

} // namespace sdfgc::transforms::flow
