#include "sdfgc/Nest/LoopHeader.h"

#include "sdfgc/Nest/Nest.h"
#include "sdfgc/Tasklet/Ast.h"

#include <algorithm>

namespace sdfgc::nest {

using namespace ir;

namespace {

/// A value of integers in a loop's header; nothing where it is more than symbols and arithmetic.
std::optional<sym::Expr> valueOf(const py::Expr &e) {
    const std::string text = py::print(e);
    if (hasQuotient(text)) // rounded in code, but not in expressions
        return std::nullopt;
    return sym::parse(text).expr;
}

/// The value that code assigns to a variable, if that is all it does.
py::ExprRef assigned(const std::optional<Code> &code, Name variable) {
    if (!code || code->language != Language::Python)
        return nullptr;
    const auto block = py::parseBlockOrRaw(code->text);
    if (block.size() != 1 || block[0]->kind != py::StmtKind::Assign || block[0]->targets.size() != 1 ||
        block[0]->targets[0]->kind != py::ExprKind::Name || block[0]->targets[0]->name != variable)
        return nullptr;
    return block[0]->value;
}

} // namespace

std::optional<LoopHeader> headerOf(const LoopRegion &l) {
    if (l.inverted || l.unroll || !l.variable || !l.condition || l.condition->language != Language::Python)
        return std::nullopt;
    const py::ExprRef first = assigned(l.init, l.variable), next = assigned(l.update, l.variable);
    const auto condition = py::parseExpr(l.condition->text);
    if (!first || !next || !condition.value)
        return std::nullopt;
    const py::Expr &test = **condition.value;
    if (test.kind != py::ExprKind::Compare || test.ops.size() != 1 || test.args[0]->kind != py::ExprKind::Name ||
        test.args[0]->name != l.variable)
        return std::nullopt;
    const auto begin = valueOf(*first), following = valueOf(*next), end = valueOf(*test.args[1]);
    if (!begin || !following || !end || begin->dependsOn(l.variable) || end->dependsOn(l.variable))
        return std::nullopt;
    const sym::Expr step = *following - sym::Expr::symbol(l.variable);
    const auto by = step.asInt();
    const py::Op op = test.ops[0];
    if (by && *by >= 1 && (op == py::Op::Lt || op == py::Op::Le))
        return LoopHeader{{*begin, op == py::Op::Lt ? *end - 1 : *end, step, 1}, false};
    if (!by || *by >= 0 || (op != py::Op::Gt && op != py::Op::Ge))
        return std::nullopt;
    const sym::Expr bound = op == py::Op::Gt ? *end + 1 : *end;
    const sym::Expr lowest = *by == -1 ? bound : *begin + step * sym::floorDiv(*begin - bound, -step);
    return LoopHeader{{lowest, *begin, -step, 1}, true};
}

sym::Range LoopHeader::walk() const { return descending ? sym::Range{range.end, range.begin, -range.step, 1} : range; }

sym::Expr LoopHeader::last() const {
    if (range.step.isOne())
        return descending ? sym::min({range.end, range.begin - 1}) : sym::max({range.begin, range.end + 1});
    const sym::Range w = walk();
    return w.begin + w.step * sym::max({sym::Expr(0), range.steps()});
}

bool isOfIntegers(const sym::Range &r, const SDFG &g) {
    const auto isInteger = [&g](Name n) {
        const Type *t = g.symbols.find(n);
        return !g.desc(n) && (!t || t->isInteger());
    };
    const auto fits = [&](sym::Expr e) {
        const auto names = e.freeSymbols();
        return std::all_of(names.begin(), names.end(), isInteger);
    };
    return fits(r.begin) && fits(r.end);
}

} // namespace sdfgc::nest
