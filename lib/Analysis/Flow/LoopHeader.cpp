// Reads loop headers: the initial value, the step, and the tests of a variable.
#include "sdfgc/Analysis/Flow/LoopHeader.h"
#include "sdfgc/IR/Operators.h"
#include "sdfgc/Support/Casting.h"
#include "sdfgc/Tasklet/Ast.h"

#include <algorithm>
#include <set>

namespace sdfgc::analysis {

using namespace ir;

namespace {

bool hasQuotient(const py::Expr &e) {
    return (e.kind == py::ExprKind::Binary && e.op == py::Op::TrueDiv) ||
           std::any_of(e.args.begin(), e.args.end(), [](const py::ExprRef &a) { return a && hasQuotient(*a); });
}

/// A value in a loop's header. Quotients are rounded in code, but not in expressions.
std::optional<sym::Expr> valueOf(const py::Expr &e) {
    if (hasQuotient(e))
        return std::nullopt;
    return sym::parse(py::print(e)).expr;
}

/// The value that code assigns to a variable, if it does nothing else.
std::optional<sym::Expr> assigned(const Code &code, Name variable) {
    const auto block = code.blockOrRaw();
    if (block.size() != 1 || block[0]->kind != py::StmtKind::Assign || block[0]->targets.size() != 1 ||
        block[0]->targets[0]->kind != py::ExprKind::Name || block[0]->targets[0]->name != variable)
        return std::nullopt;
    return valueOf(*block[0]->value);
}

/// An inequality; nothing for other comparisons.
std::optional<sym::SymbolicKind> relationOf(py::Op op) {
    const std::optional<sym::SymbolicKind> k = comparisonOf(op);
    return k == sym::SymbolicKind::Eq || k == sym::SymbolicKind::Is || k == sym::SymbolicKind::IsNot ? std::nullopt : k;
}

/// `b REL' a` for `a REL b`.
sym::SymbolicKind mirrored(sym::SymbolicKind relation) {
    switch (relation) {
    case sym::SymbolicKind::Lt:
        return sym::SymbolicKind::Gt;
    case sym::SymbolicKind::Le:
        return sym::SymbolicKind::Ge;
    case sym::SymbolicKind::Gt:
        return sym::SymbolicKind::Lt;
    case sym::SymbolicKind::Ge:
        return sym::SymbolicKind::Le;
    default:
        return relation;
    }
}

/// `factor * variable REL value` for a factor above 0.
std::optional<LoopTest> divided(sym::SymbolicKind relation, sym::Expr value, int64_t factor) {
    if (factor == 1)
        return LoopTest{relation, value};
    if (relation == sym::SymbolicKind::Ne)
        return std::nullopt; // always true if the factor does not divide the value
    const bool up = relation == sym::SymbolicKind::Lt || relation == sym::SymbolicKind::Ge;
    return LoopTest{relation, up ? sym::ceilDiv(value, factor) : sym::floorDiv(value, factor)};
}

} // namespace

std::optional<LoopTest> testOf(py::Op op, sym::Expr left, sym::Expr right, Name variable) {
    const auto relation = relationOf(op);
    const auto line = sym::affineIn(left - right, variable);
    const auto factor = line ? line->first.asInt() : std::nullopt;
    if (!relation || !factor || *factor == 0 || *factor == INT64_MIN || line->second.dependsOn(variable))
        return std::nullopt;
    return *factor > 0 ? divided(*relation, -line->second, *factor) : divided(mirrored(*relation), line->second, -*factor);
}

namespace {

void addTests(const py::Expr &condition, LoopHeader &h) {
    if (condition.kind == py::ExprKind::Unary && condition.op == py::Op::Not && condition.args[0]->kind == py::ExprKind::Compare &&
        condition.args[0]->ops.size() == 1)
        return addTests(*py::compare(opposite(condition.args[0]->ops[0]).value_or(py::Op::Eq), // which does not count
                                     condition.args[0]->args[0], condition.args[0]->args[1]),
                        h);
    if (condition.kind == py::ExprKind::BoolOp && condition.op == py::Op::And) {
        for (const py::ExprRef &part : condition.args)
            addTests(*part, h);
        return;
    }
    if (condition.kind != py::ExprKind::Compare) {
        h.whole = false;
        return;
    }
    for (std::size_t k = 0; k < condition.ops.size(); ++k) {
        const auto left = valueOf(*condition.args[k]), right = valueOf(*condition.args[k + 1]);
        if (const auto test = left && right ? testOf(condition.ops[k], *left, *right, h.variable) : std::nullopt)
            h.tests.push_back(*test);
        else
            h.whole = false;
    }
}

/// Can an iteration end without taking an edge? A region ends if the conditions of all out-edges fail.
bool endsWithout(const Region &r, const InterstateEdge &edge) {
    const Block *start = r.start();
    if (!start)
        return true;
    std::set<const Block *> seen{start};
    std::vector<const Block *> waiting{start};
    while (!waiting.empty()) {
        const Block *b = waiting.back();
        waiting.pop_back();
        const auto &out = b->outEdges();
        if (b->kind() == BlockKind::Break || b->kind() == BlockKind::Return) // no further iteration
            continue;
        if (std::none_of(out.begin(), out.end(), [](const InterstateEdge *e) { return e->isUnconditional(); }))
            return true;
        for (const InterstateEdge *e : out)
            if (e != &edge && seen.insert(e->dst).second)
                waiting.push_back(e->dst);
    }
    return false;
}

bool comesBack(const InterstateEdge &edge) {
    std::set<const Block *> seen{edge.dst};
    std::vector<const Block *> waiting{edge.dst};
    while (!waiting.empty()) {
        const Block *b = waiting.back();
        waiting.pop_back();
        if (b == edge.src)
            return true;
        for (const InterstateEdge *e : b->outEdges())
            if (seen.insert(e->dst).second)
                waiting.push_back(e->dst);
    }
    return false;
}

/// Does the body contain a continue of this loop, which skips the rest of the body?
bool continues(const Region &r) {
    return std::any_of(r.blocks().begin(), r.blocks().end(), [](const auto &b) {
        if (const auto *c = dyn_cast<ConditionalBlock>(b.get()))
            return std::any_of(c->branches().begin(), c->branches().end(),
                               [](const auto &branch) { return continues(*branch.region); });
        const auto *inner = dyn_cast<Region>(b.get());
        return b->kind() == BlockKind::Continue || (inner && !isa<LoopRegion>(inner) && continues(*inner));
    });
}

/// The step that each iteration adds to a symbol, if the body does nothing else to it.
std::optional<sym::Expr> stepInside(const LoopRegion &l, Name symbol) {
    const InterstateEdge *only = nullptr;
    std::string value;
    for (const Region *r : allRegions(l)) {
        if (const auto *inner = dyn_cast<LoopRegion>(r); inner && inner->variable == symbol)
            return std::nullopt;
        for (const auto &e : r->edges())
            for (const auto &[name, text] : e->assignments) {
                if (name != symbol)
                    continue;
                if (only || r != &l)
                    return std::nullopt;
                only = e.get();
                value = text;
            }
    }
    if (!only || continues(l) || endsWithout(l, *only) || comesBack(*only))
        return std::nullopt;
    const auto parsed = py::parseExpr(value);
    const auto next = parsed.value ? valueOf(**parsed.value) : std::nullopt;
    if (!next)
        return std::nullopt;
    const sym::Expr step = *next - sym::Expr::symbol(symbol);
    return step.dependsOn(symbol) ? std::nullopt : std::optional(step);
}

} // namespace

std::vector<LoopHeader> headersInside(const LoopRegion &l) {
    if (l.init || l.update || l.variable || !l.condition)
        return {};
    const py::ExprRef condition = l.condition->expression();
    std::vector<LoopHeader> out;
    for (Name symbol : condition ? py::freeNames(*condition) : std::set<Name>()) {
        const auto step = stepInside(l, symbol);
        if (!step)
            continue;
        out.push_back({.variable = symbol, .first = sym::Expr::symbol(symbol), .step = *step});
        addTests(*condition, out.back());
    }
    return out;
}

namespace {

/// Reads all but the end.
LoopHeader progressionOf(const LoopRegion &l) {
    LoopHeader h;
    const auto failed = [&h](Uncounted why) {
        h.why = why;
        return h;
    };
    h.variable = l.variable;
    if (!l.variable || !l.init || !l.update || !l.condition)
        return failed(Uncounted::NoVariable);
    for (const auto *code : {&l.init, &l.update, &l.condition})
        if (!(*code)->isPython())
            return failed(Uncounted::OtherLanguage);
    const auto first = assigned(*l.init, l.variable), next = assigned(*l.update, l.variable);
    if (!first || first->dependsOn(l.variable))
        return failed(Uncounted::First);
    h.first = *first;
    if (!next)
        return failed(Uncounted::Step);
    h.step = *next - sym::Expr::symbol(l.variable);
    if (h.step.dependsOn(l.variable))
        return failed(Uncounted::Step);
    if (const py::ExprRef condition = l.condition->expression())
        addTests(*condition, h);
    else
        h.whole = false;
    return h;
}

bool isPlainHeader(const LoopRegion &l, const LoopHeader &h) {
    return !l.inverted && h.why == Uncounted::No && h.whole && h.tests.size() == 1;
}

} // namespace

LoopHeader headerOf(const LoopRegion &l) {
    LoopHeader h = progressionOf(l);
    const auto by = h.step.asInt();
    h.down = by && *by < 0;
    if (isPlainHeader(l, h) && !l.unroll && by && *by != 0 && h.tests[0].bounds(h.down) && isInteger(h.first) &&
        isInteger(h.tests[0].bound))
        h.end = h.tests[0].end();
    return h;
}

bool hasPlainHeader(const LoopRegion &l) { return isPlainHeader(l, progressionOf(l)); }

} // namespace sdfgc::analysis
