#include "Transforms/Optimize/FoldConditions.h"

#include "sdfgc/Analysis/Symbols/Mentions.h"
#include "sdfgc/IR/StateGraph.h"
#include "sdfgc/Tasklet/Ast.h"

#include <algorithm>

namespace sdfgc::transforms {

using namespace ir;

namespace {

/// A branch, and the edge in front of it that computes its condition.
struct FoldedCondition {
    ConditionalBlock *block;
    InterstateEdge *edge;
    Name symbol;
    py::ExprRef condition; // without the symbol
    Code code;             // the condition as it was
};

/// Is the value always true or false, rather than a number?
bool isTruthValue(const py::Expr &e) {
    if (e.kind == py::ExprKind::Compare)
        return true;
    if (e.kind == py::ExprKind::Unary)
        return e.op == py::Op::Not && isTruthValue(*e.args[0]);
    return e.kind == py::ExprKind::BoolOp &&
           std::all_of(e.args.begin(), e.args.end(), [](const py::ExprRef &a) { return isTruthValue(*a); });
}

bool isNamed(const py::Expr &e, Name n) { return e.kind == py::ExprKind::Name && e.name == n; }

/// The condition with a truth value in place of the symbol that has it: tests of the symbol are its value or the opposite. Null if
/// the symbol is used in another way.
py::ExprRef withValue(const py::ExprRef &condition, Name symbol, const py::ExprRef &value) {
    if (isNamed(*condition, symbol))
        return value;
    if (condition->kind == py::ExprKind::Unary && condition->op == py::Op::Not) {
        const py::ExprRef inner = withValue(condition->args[0], symbol, value);
        return inner ? py::unary(py::Op::Not, inner) : nullptr;
    }
    if (condition->kind == py::ExprKind::BoolOp) {
        std::vector<py::ExprRef> operands;
        for (const py::ExprRef &a : condition->args) {
            operands.push_back(withValue(a, symbol, value));
            if (!operands.back())
                return nullptr;
        }
        return py::boolOp(condition->op, std::move(operands));
    }
    if (condition->kind == py::ExprKind::Compare && condition->ops.size() == 1 && isNamed(*condition->args[0], symbol)) {
        const py::Expr &other = *condition->args[1];
        const bool isOne =
            (other.kind == py::ExprKind::Int && other.text == "1") || (other.kind == py::ExprKind::Bool && other.text == "True");
        const bool isZero =
            (other.kind == py::ExprKind::Int && other.text == "0") || (other.kind == py::ExprKind::Bool && other.text == "False");
        const bool isEqual = condition->ops[0] == py::Op::Eq;
        if ((isOne || isZero) && (isEqual || condition->ops[0] == py::Op::Ne))
            return isEqual == isOne ? value : py::unary(py::Op::Not, value);
    }
    return py::freeNames(*condition).count(symbol) ? nullptr : condition;
}

/// The edges on the only path to a block, through empty states, the last one first.
std::vector<InterstateEdge *> edgesBefore(const Block &b) {
    std::vector<InterstateEdge *> out;
    for (const Block *at = &b; at->inEdges().size() == 1; at = at->inEdges().front()->src) {
        const auto *s = dyn_cast<State>(at);
        if (at != &b && (!s || !s->nodes().empty() || s->instrument != Instrumentation::No_Instrumentation))
            break;
        out.push_back(at->inEdges().front());
    }
    return out;
}

std::optional<FoldedCondition> foldedConditionOf(ConditionalBlock &c, const SDFG &g) {
    const auto &condition = c.branches().empty() ? std::nullopt : c.branches().front().condition;
    if (!condition || !condition->isPython())
        return std::nullopt;
    const py::ExprRef test = condition->expressionOrRaw();
    const std::set<Name> tested = py::freeNames(*test);
    std::set<Name> later; // assigned since
    for (InterstateEdge *e : edgesBefore(c)) {
        for (const auto &[symbol, text] : e->assignments) {
            const Type *type = g.symbols.find(symbol);
            if (!tested.count(symbol) || later.count(symbol) || !type || !(type->isInteger() || type->isBool()))
                continue;
            const py::ExprRef value = py::parseExprOrRaw(text);
            const std::set<Name> names = py::freeNames(*value);
            const auto keeps = [&](Name n) { return !later.count(n) && n != symbol; };
            const bool isSeen = std::all_of(names.begin(), names.end(), keeps) &&
                                std::none_of(e->assignments.begin(), e->assignments.end(),
                                             [&names](const auto &other) { return names.count(other.first) != 0; });
            const bool isOnly = later.empty() && e->assignments.size() == 1 && test->kind != py::ExprKind::BoolOp;
            if (!isTruthValue(*value) || !isSeen || (analysis::callsFunctions(text) && !isOnly))
                continue;
            if (py::ExprRef folded = withValue(test, symbol, value))
                return FoldedCondition{&c, e, symbol, std::move(folded), *condition};
        }
        for (const auto &[symbol, text] : e->assignments)
            later.insert(symbol);
    }
    return std::nullopt;
}

void findFolded(Region &r, const SDFG &g, std::vector<FoldedCondition> &out) {
    for (const auto &b : r.blocks()) {
        if (auto *c = dyn_cast<ConditionalBlock>(b.get())) {
            if (auto folded = foldedConditionOf(*c, g))
                out.push_back(std::move(*folded));
            for (auto &branch : c->branches())
                findFolded(*branch.region, g, out);
        } else if (auto *inner = dyn_cast<Region>(b.get());
                   inner && !(isa<LoopRegion>(inner) && !cast<LoopRegion>(inner)->optimize)) {
            findFolded(*inner, g, out);
        }
    }
}

} // namespace

bool foldConditions(SDFG &g, pass::Context &context) {
    std::vector<FoldedCondition> all;
    findFolded(g, g, all);
    if (all.empty())
        return false;
    const auto conditionOf = [](const FoldedCondition &f) -> Code & { return *f.block->branches().front().condition; };
    for (const FoldedCondition &f : all)
        conditionOf(f) = Code("1");
    const analysis::Mentions others(g); // than by the conditions
    for (const FoldedCondition &f : all)
        conditionOf(f) = f.code;
    bool changed = false;
    for (const FoldedCondition &f : all) {
        if (others.all() || others.contain(f.symbol) ||
            !context.mayChange(*f.block, "tests `" + py::print(*f.condition) + "` itself"))
            continue;
        conditionOf(f) = Code(*f.condition);
        std::erase_if(f.edge->assignments, [&f](const auto &a) { return a.first == f.symbol; });
        changed = true;
    }
    return changed;
}

} // namespace sdfgc::transforms
