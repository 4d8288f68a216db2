// Examines short loops, statement by statement.
#include "ShortLoops.h"

#include "sdfgc/Tree/Effects.h"
#include "sdfgc/Tree/Fields.h"

#include <algorithm>

namespace sdfgc::transforms {

using namespace tree;

using diag::Reason;
using diag::Why;
using py::ExprKind;
using py::ExprRef;

namespace {

/// The value of a short integer literal.
std::optional<int64_t> constantOf(const ExprRef &e) {
    int64_t value = 0;
    if (!e || e->kind != ExprKind::Int || e->text.size() > 6)
        return std::nullopt;
    for (const char c : e->text)
        value = 10 * value + (c - '0');
    return value;
}

bool isNamed(const ExprRef &e, Name n) { return e && e->kind == ExprKind::Name && e->name == n; }

/// Does a loop region count from one constant up to another?
std::optional<ShortLoop> countedBy(const Function &f, Loop &l) {
    if (l.unroll || l.form != Loop::Normal || !l.declares || !l.init || !l.update || !l.condition || l.flag ||
        !l.continueLabel.empty())
        return std::nullopt;
    const Name name = f.vars[l.declares].name;
    const py::Expr &test = *l.condition;
    const ExprRef &next = l.update->value;
    if (l.init->kind != py::StmtKind::Assign || l.update->kind != py::StmtKind::Assign || test.kind != ExprKind::Compare ||
        test.ops.size() != 1 || test.ops[0] != py::Op::Lt || !isNamed(test.args[0], name) || next->kind != ExprKind::Binary ||
        next->op != py::Op::Add || !isNamed(next->args[0], name) || constantOf(next->args[1]) != 1)
        return std::nullopt;
    const std::optional<int64_t> begin = constantOf(l.init->value), end = constantOf(test.args[1]);
    if (!begin || !end)
        return std::nullopt;
    return ShortLoop{l.declares, *begin, *end - *begin, &l.body};
}

/// Collects what statements of a short loop do, and why it must stay.
class LaneExaminer {
public:
    LaneExaminer(const Function &f, const ShortLoop &loop) : f_(f), loop_(loop) {}

    LanePlan run() {
        block(*loop_.body, false);
        return std::move(plan_);
    }

private:
    void fail(Why code, std::string text) {
        if (!plan_.why)
            plan_.why = {code, std::move(text)};
    }

    void block(Block &b, bool inLoop);
    void inner(Node &n);
    void header(const ExprRef &e);
    void header(sym::Expr e);
    void statement(Node &n, bool inLoop);
    void declaration(const Declare &d, bool inLoop);
    void value(const ExprRef &e, bool inLoop);
    void use(Name n);
    void change(const ExprRef &target, bool inLoop);
    void keep(Name n, bool inLoop);
    void access(RefId r, bool writes, bool inLoop);

    const Function &f_;
    const ShortLoop &loop_;
    LanePlan plan_;
};

void LaneExaminer::block(Block &b, bool inLoop) {
    if (hasLabel(b) || !b.raises.empty() || !b.catches.empty())
        fail(Why::ControlFlow, "it contains a label, or catches errors");
    for (const NodePtr &n : b.body) {
        if (plan_.why)
            return;
        if (n->kind == TreeKind::For || n->kind == TreeKind::Loop) {
            ++plan_.groups;
            inner(*n);
            ++plan_.groups;
        } else {
            statement(*n, inLoop);
        }
    }
}

/// A loop inside the short one.
void LaneExaminer::inner(Node &n) {
    if (auto *l = dyn_cast<For>(&n)) {
        if (l->omp || l->spread || l->simd || !l->accumulators.empty() || l->checkStep)
            return fail(Why::ControlFlow, "a loop inside is shared by a team, or vectorised");
        for (const sym::Expr e : {l->begin, l->end, l->step})
            header(e);
        return block(l->body, true);
    }
    auto &l = static_cast<Loop &>(n);
    if (l.form != Loop::Normal || !l.declares || !l.init || !l.update || !l.condition || l.flag || !l.continueLabel.empty() ||
        l.init->kind != py::StmtKind::Assign || l.update->kind != py::StmtKind::Assign)
        return fail(Why::LoopForm, "a loop inside does not count");
    for (const ExprRef &e : {l.init->value, l.condition, l.update->value})
        header(e);
    block(l.body, true);
}

void LaneExaminer::header(sym::Expr e) { plan_.inHeaders.insert(e.freeSymbols().begin(), e.freeSymbols().end()); }

void LaneExaminer::header(const ExprRef &e) {
    if (e->kind == ExprKind::Name)
        plan_.inHeaders.insert(e->name);
    else if (e->kind == ExprKind::MemRef)
        return fail(Why::Opaque, "the bound of a loop inside is in memory");
    else if (e->kind != ExprKind::Int && e->kind != ExprKind::Binary && e->kind != ExprKind::Unary && e->kind != ExprKind::Compare)
        return fail(Why::Opaque, "the bound of a loop inside is not arithmetic");
    for (const ExprRef &a : e->args)
        header(a);
}

void LaneExaminer::statement(Node &n, bool inLoop) {
    switch (n.kind) {
    case TreeKind::Comment:
        return;
    case TreeKind::Declare:
        return declaration(static_cast<Declare &>(n), inLoop);
    case TreeKind::Code: {
        const auto &code = static_cast<Code &>(n);
        if (!code.locals.empty() || code.braces)
            return fail(Why::Opaque, "a tasklet has variables of its own");
        for (const py::StmtRef &s : code.stmts) {
            if (s->kind != py::StmtKind::Assign || s->targets.size() != 1 || !s->old.empty())
                return fail(Why::ControlFlow, "a tasklet does more than assign values");
            value(s->value, inLoop);
            change(s->targets[0], inLoop);
        }
        return;
    }
    case TreeKind::Update: {
        const auto &u = static_cast<Update &>(n);
        if (u.atomic || u.byBlock || u.old || u.lambda || !u.targetIndices.empty() ||
            (u.reduction != py::Reduction::Sum && u.reduction != py::Reduction::Product))
            return fail(Why::Update, "an update is atomic, or neither a sum nor a product");
        value(u.value, inLoop);
        return access(u.target, true, inLoop);
    }
    default:
        fail(Why::ControlFlow, "it contains more than loops and arithmetic");
    }
}

void LaneExaminer::declaration(const Declare &d, bool inLoop) {
    const Variable &v = f_.vars[d.var];
    if (d.target || v.kind != VarKind::Value || !v.type.isScalar() || !v.type.bytes() || v.alignment != 0)
        return fail(Why::Container, "`" + v.name.str() + "` is not a plain value");
    if (d.init)
        value(d.init, inLoop);
    if (!plan_.home.emplace(v.name, plan_.groups).second)
        fail(Why::Names, "two variables have the name `" + v.name.str() + "`");
    plan_.variables.emplace(v.name, d.var);
}

/// An expression whose value a statement uses.
void LaneExaminer::value(const ExprRef &e, bool inLoop) {
    switch (e->kind) {
    case ExprKind::Name:
        use(e->name);
        return;
    case ExprKind::MemRef:
        if (!e->args.empty())
            return fail(Why::NotAffine, "an index depends on data");
        return access(refOf(*e), false, inLoop);
    case ExprKind::Int:
    case ExprKind::Float:
    case ExprKind::Bool:
    case ExprKind::Unary:
    case ExprKind::Binary:
    case ExprKind::Compare:
    case ExprKind::IfExp:
    case ExprKind::Cast:
        for (const ExprRef &a : e->args)
            value(a, inLoop);
        return;
    default:
        fail(Why::Opaque, "an expression is more than arithmetic");
    }
}

void LaneExaminer::use(Name n) {
    if (const auto found = plan_.home.find(n); found != plan_.home.end() && found->second != plan_.groups)
        plan_.expanded.insert(n);
}

void LaneExaminer::change(const ExprRef &target, bool inLoop) {
    if (target->kind == ExprKind::MemRef && target->args.empty())
        return access(refOf(*target), true, inLoop);
    const auto found = target->kind == ExprKind::Name ? plan_.home.find(target->name) : plan_.home.end();
    if (found == plan_.home.end())
        return fail(Why::LiveOut, "it changes a variable that is declared outside");
    use(target->name);
    keep(found->first, inLoop);
}

/// A variable that is declared in the short loop changes.
void LaneExaminer::keep(Name n, bool inLoop) {
    if (inLoop && plan_.home.at(n) != plan_.groups && f_.vars[plan_.variables.at(n)].type.isFloat())
        plan_.accumulates = true;
}

void LaneExaminer::access(RefId r, bool writes, bool inLoop) {
    const MemRef &m = f_.refs[r];
    const Name n = f_.vars[m.var].name;
    if (m.address || m.pop || !m.castTo.isVoid() || m.element)
        return fail(Why::Opaque, "`" + n.str() + "` is more than an element");
    if (const auto found = plan_.home.find(n); found != plan_.home.end()) {
        use(n);
        if (writes)
            keep(n, inLoop);
    } else {
        plan_.accesses.push_back({r, plan_.groups, writes, inLoop});
    }
}

} // namespace

std::optional<ShortLoop> shortLoopOf(const Function &f, Node &n) {
    if (n.kind == TreeKind::Loop)
        return countedBy(f, static_cast<Loop &>(n));
    auto *l = dyn_cast<For>(&n);
    if (!l || l->omp || l->unroll || l->spread || l->simd || !l->accumulators.empty() || l->descending || !l->step.isOne())
        return std::nullopt;
    const std::optional<int64_t> begin = l->begin.asInt(), end = l->end.asInt();
    if (!begin || !end || *begin < 0)
        return std::nullopt;
    return ShortLoop{l->var, *begin, *end - *begin + 1, &l->body};
}

LanePlan examine(const Function &f, const ShortLoop &loop) { return LaneExaminer(f, loop).run(); }

} // namespace sdfgc::transforms
