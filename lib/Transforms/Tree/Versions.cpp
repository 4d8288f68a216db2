#include "Versions.h"

#include "sdfgc/Symbolic/Factor.h"
#include "sdfgc/Tasklet/Types.h"
#include "sdfgc/Tree/Fields.h"
#include "sdfgc/Tree/Walk.h"

#include <algorithm>
#include <map>

namespace sdfgc::transforms {

using namespace tree;

namespace {

/// Does the expression only have sums, products and small powers of integers and symbols?
bool isPolynomial(sym::Expr e) {
    switch (e.kind()) {
    case sym::SymbolicKind::Integer:
    case sym::SymbolicKind::Symbol:
        return true;
    case sym::SymbolicKind::Add:
    case sym::SymbolicKind::Mul:
        return std::all_of(e.operands().begin(), e.operands().end(), isPolynomial);
    case sym::SymbolicKind::Pow: {
        const auto exponent = e.operands()[1].asInt();
        return isPolynomial(e.operands()[0]) && exponent && *exponent >= 1 && *exponent <= 4;
    }
    default:
        return false;
    }
}

/// The only statement of a branch, if it is a loop; otherwise null.
For *onlyLoop(Block &b) { return b.body.size() == 1 ? dyn_cast<For>(b.body[0].get()) : nullptr; }

/// Is it a loop shared by a team, and the same loop for one thread?
bool isVersionPair(const Function &f, const For &team, const For &alone) {
    const bool isTeam =
        team.omp && !team.omp->simd && !team.omp->inParallelRegion && team.omp->collapse == 1 && team.omp->reductions.empty();
    const bool isPlain = !alone.omp && !alone.simd && alone.accumulators.empty() && !alone.spread;
    return isTeam && isPlain && f.vars[team.var].name == f.vars[alone.var].name && team.begin == alone.begin &&
           team.end == alone.end && team.step == alone.step && team.descending == alone.descending &&
           team.checkStep == alone.checkStep && same(f, team.body, alone.body);
}

/// The variables declared by a statement and its inner statements.
void addDeclared(Node &n, std::vector<VarId> &out) {
    visit(n, [&out](auto &node) {
        forEachField(node, [&out](const auto &each, auto &owner) {
            constexpr Role role = std::decay_t<decltype(each)>::role;
            if constexpr (role == Role::Declares || role == Role::Iterates)
                if (each.of(owner))
                    out.push_back(each.of(owner));
        });
    });
    forEachBlock(n, [&out](Block &b) {
        for (const NodePtr &inner : b.body)
            addDeclared(*inner, out);
    });
}

std::unique_ptr<Block> asBlock(NodePtr n) {
    if (n->kind == TreeKind::Block)
        return std::unique_ptr<Block>(static_cast<Block *>(n.release()));
    auto out = std::make_unique<Block>();
    out->body.push_back(std::move(n));
    return out;
}

} // namespace

std::optional<py::ExprRef> codeOf(sym::Expr e) {
    if (!isPolynomial(e))
        return std::nullopt;
    std::string text;
    for (const sym::Expr factor : sym::factors(e))
        text += (text.empty() ? "(" : " * (") + factor.str() + ")";
    const py::Parsed<py::ExprRef> parsed = py::parseExpr(text);
    if (!parsed.value)
        return std::nullopt;
    const py::Env integers{[](Name) { return std::optional<Type>(ScalarKind::Int64); }};
    return py::lowerOperators(py::inferTypes(*parsed.value, integers), py::Semantics::Symbolic);
}

std::optional<py::ExprRef> conditionOf(sym::Expr e) {
    static const std::map<sym::SymbolicKind, py::Op> operators{{sym::SymbolicKind::Ge, py::Op::Ge},
                                                               {sym::SymbolicKind::Gt, py::Op::Gt},
                                                               {sym::SymbolicKind::Le, py::Op::Le},
                                                               {sym::SymbolicKind::Lt, py::Op::Lt}};
    const auto op = operators.find(e.kind());
    if (op == operators.end())
        return std::nullopt;
    const auto left = codeOf(e.operands()[0]), right = codeOf(e.operands()[1]);
    return left && right ? std::optional(py::compare(op->second, *left, *right)) : std::nullopt;
}

void forEachUpdate(Node &n, const std::function<void(Update &)> &f) {
    if (n.kind == TreeKind::Update)
        f(static_cast<Update &>(n));
    if (n.kind == TreeKind::RawTasklet)
        for (NodePtr &after : static_cast<RawTasklet &>(n).after)
            forEachUpdate(*after, f);
    forEachBlock(n, [&f](Block &b) {
        for (NodePtr &inner : b.body)
            forEachUpdate(*inner, f);
    });
}

void forEachShared(Node &n, const std::function<void(For &)> &f) {
    if (n.kind == TreeKind::For && static_cast<For &>(n).omp)
        f(static_cast<For &>(n));
    forEachBlock(n, [&f](Block &b) {
        for (NodePtr &inner : b.body)
            forEachShared(*inner, f);
    });
}

bool isMentionedElsewhere(const Node &n, Name array, const std::vector<Update *> &updates, EffectTable &table) {
    const auto inExpr = [&](const py::ExprRef &e) { return table.inExpr(e).has(array); };
    if (std::find(updates.begin(), updates.end(), &n) != updates.end()) {
        const auto &u = static_cast<const Update &>(n);
        return inExpr(u.value) || std::any_of(u.targetIndices.begin(), u.targetIndices.end(), inExpr);
    }
    if (table.own(n).has(array))
        return true;
    bool found = false;
    const auto look = [&](const std::vector<NodePtr> &body) {
        for (const NodePtr &inner : body)
            found = found || isMentionedElsewhere(*inner, array, updates, table);
    };
    if (const auto *raw = dyn_cast<RawTasklet>(&n))
        look(raw->after);
    forEachBlock(n, [&](const Block &b) { look(b.body); });
    return found;
}

void makeSequential(Node &n) {
    forEachShared(n, [](For &loop) {
        if (loop.omp->simd)
            loop.accumulators = loop.omp->reductions;
        loop.omp.reset();
    });
    forEachUpdate(n, [](Update &u) { u.atomic = false; });
}

std::optional<py::ExprRef> worthATeam(sym::Expr onlyIf, bool atomic) {
    std::optional<py::ExprRef> condition = conditionOf(onlyIf);
    if (!atomic || (!condition && onlyIf != sym::Expr::boolean(true)))
        return condition;
    const Type integer(ScalarKind::Int64);
    py::ExprRef team = py::compare(py::Op::Gt, py::call(number::teamSize, {}, integer), py::intLit(1));
    return condition ? py::boolOp(py::Op::And, {std::move(team), *condition}) : team;
}

NodePtr twin(const Node &n, Function &f) {
    NodePtr copy = clone(n);
    std::vector<VarId> declared;
    addDeclared(*copy, declared);
    for (const VarId v : declared)
        replaceVariable(f, *copy, v, f.vars.add(Variable(f.vars[v])));
    return copy;
}

NodePtr choice(const py::ExprRef &condition, NodePtr yes, NodePtr no) {
    auto out = std::make_unique<If>();
    std::swap(out->comment, no->comment);
    out->origin = no->origin;
    yes->comment.clear();
    out->branches.push_back({condition, asBlock(std::move(yes))});
    out->branches.push_back({nullptr, asBlock(std::move(no))});
    return out;
}

LoopVersions loopVersions(const Function &f, If &choice) {
    if (choice.branches.size() != 2 || !choice.branches[0].condition || choice.branches[1].condition)
        return {};
    For *team = onlyLoop(*choice.branches[0].body), *alone = onlyLoop(*choice.branches[1].body);
    return team && alone && isVersionPair(f, *team, *alone) ? LoopVersions{team, alone} : LoopVersions();
}

} // namespace sdfgc::transforms
