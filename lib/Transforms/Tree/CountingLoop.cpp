#include "CountingLoop.h"

namespace sdfgc::transforms {

using py::ExprKind;
using py::ExprRef;

namespace {

bool isAssignment(const py::StmtRef &s) {
    return s && s->kind == py::StmtKind::Assign && s->targets.size() == 1 && s->targets[0]->kind == ExprKind::Name;
}

} // namespace

std::optional<CountingLoop> countingLoopOf(const tree::Loop &l) {
    if (l.form != tree::Loop::Normal || l.flag || !isAssignment(l.init) || !isAssignment(l.update) || !l.condition)
        return std::nullopt;
    const Name name = l.init->targets[0]->name;
    const auto isVariable = [name](const ExprRef &e) { return e->kind == ExprKind::Name && e->name == name; };
    const py::Expr &test = *l.condition, &next = *l.update->value;
    const bool isTest = test.kind == ExprKind::Compare && test.ops.size() == 1 && isVariable(test.args[0]) &&
                        (test.ops[0] == py::Op::Lt || test.ops[0] == py::Op::Le);
    const bool isStep = isVariable(l.update->targets[0]) && next.kind == ExprKind::Binary && next.op == py::Op::Add &&
                        isVariable(next.args[0]) && next.args[1]->kind == ExprKind::Int;
    if (!isTest || !isStep)
        return std::nullopt;
    return CountingLoop{name, l.init->value, test.args[1], next.args[1], test.ops[0] == py::Op::Le};
}

} // namespace sdfgc::transforms
