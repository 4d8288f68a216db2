// Examines loops, statement by statement.
#include "ShortLoops.h"

#include "CountingLoop.h"

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

constexpr int64_t mostTrips = 8;        // of a loop that is unrolled
constexpr int64_t mostUnrolled = 96;    // statements of all iterations
constexpr int64_t mostOwnElements = 16; // of an array

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

/// Is it a loop region in the form of a `for` loop?
bool counts(const Loop &l) {
    return l.form == Loop::Normal && l.init && l.update && l.condition && !l.flag && l.continueLabel.empty() &&
           l.init->kind == py::StmtKind::Assign && l.init->targets.size() == 1 && l.init->targets[0]->kind == ExprKind::Name &&
           l.update->kind == py::StmtKind::Assign && l.update->targets.size() == 1 &&
           isNamed(l.update->targets[0], l.init->targets[0]->name);
}

/// Does a loop region count from one constant up to another? Returns the first number, and how many there are.
std::optional<std::pair<int64_t, int64_t>> constantRangeOf(const Loop &l) {
    const std::optional<CountingLoop> c = countingLoopOf(l);
    if (!c || !c->countsByOne() || c->includesEnd)
        return std::nullopt;
    const std::optional<int64_t> begin = constantOf(c->begin), end = constantOf(c->end);
    return begin && end ? std::optional(std::pair(*begin, *end - *begin)) : std::nullopt;
}

/// The number of iterations of a loop that may be unrolled.
std::optional<int64_t> constantTripsOf(const Node &n) {
    if (const auto *l = dyn_cast<Loop>(&n)) {
        const auto range = constantRangeOf(*l);
        return range ? std::optional(range->second) : std::nullopt;
    }
    const auto &l = static_cast<const For &>(n);
    const std::optional<int64_t> begin = l.begin.asInt(), end = l.end.asInt();
    return begin && end && l.step.isOne() && !l.omp && !l.spread && !l.simd && l.accumulators.empty() && !l.checkStep
               ? std::optional(*end - *begin + 1)
               : std::nullopt;
}

/// The number of statements that unrolling a statement leaves; too many if it contains other loops.
int64_t unrolledStatements(const Node &n) {
    int64_t count = n.kind == TreeKind::Comment ? 0 : 1, trips = 1;
    if (n.kind == TreeKind::For || n.kind == TreeKind::Loop) {
        trips = constantTripsOf(n).value_or(mostUnrolled + 1);
        if (trips < 0 || trips > mostTrips)
            return mostUnrolled + 1;
    }
    forEachBlock(n, [&count](const Block &b) {
        for (const NodePtr &inner : b.body)
            count = std::min(count + unrolledStatements(*inner), mostUnrolled + 1);
    });
    return std::min(trips * count, mostUnrolled + 1);
}

/// Finds variables that only count: all statements that mention one are loops that set it first, and their contents.
class Counters {
public:
    explicit Counters(const Function &f) : f_(f), table_(f) {}

    std::map<Name, VarId> in(const Block &b) {
        block(b);
        for (const Name n : others_)
            declared_.erase(n);
        return declared_;
    }

private:
    void block(const Block &b) {
        for (const NodePtr &n : b.body)
            statement(*n);
    }

    void statement(const Node &n) {
        const auto *d = dyn_cast<Declare>(&n);
        if (d && !d->init && !d->target && f_.vars[d->var].kind == VarKind::Value && f_.vars[d->var].type.isInteger() &&
            declared_.emplace(f_.vars[d->var].name, d->var).second)
            return;
        const auto *l = dyn_cast<Loop>(&n);
        const Name own = l && !l->declares && counts(*l) ? l->init->targets[0]->name : Name();
        const bool sets = !own.empty() && !counting_.count(own) && !table_.inExpr(l->init->value).has(own);
        if (sets)
            counting_.insert(own);
        for (const Name used : table_.own(n).names)
            if (!counting_.count(used) || (!sets && used == own))
                others_.insert(used);
        forEachBlock(n, [this](const Block &b) { block(b); });
        if (sets)
            counting_.erase(own);
    }

    const Function &f_;
    EffectTable table_;
    std::map<Name, VarId> declared_;
    std::set<Name> counting_, others_;
};

/// Is it a call of a function that compilers compute in vectors, with the same results?
bool isExactFunction(const py::Expr &e) {
    static constexpr std::string_view exact[] = {"abs", "fabs", "fmax", "fmin", "max", "min", "sqrt"};
    const py::Expr &callee = *e.args[0];
    return e.keywords.empty() && !e.type.isComplex() && callee.kind == ExprKind::Name &&
           std::find(std::begin(exact), std::end(exact), callee.name.view()) != std::end(exact);
}

/// Collects what statements of a loop do, and why it must stay.
class LaneExaminer {
public:
    LaneExaminer(const Function &f, const ShortLoop &loop, const LaneRules &rules) : f_(f), loop_(loop), rules_(rules) {}

    LanePlan run() {
        plan_.counters = Counters(f_).in(*loop_.body);
        block(*loop_.body, false);
        for (const Name n : wandering_)
            if (!plan_.expanded.count(n))
                fail(Why::Container, "indices of `" + n.str() + "` are not constant");
        return std::move(plan_);
    }

private:
    void fail(Why code, std::string text) {
        if (!plan_.why)
            plan_.why = {code, std::move(text)};
    }

    void block(Block &b, bool inLoop);
    void inner(Node &n);
    void unrolled(Node &n, bool inLoop);
    void header(const ExprRef &e);
    void header(sym::Expr e);
    void statement(Node &n, bool inLoop);
    void declaration(const Declare &d, bool inLoop);
    void value(const ExprRef &e, bool inLoop);
    void use(Name n);
    void read(Name n);
    void change(const ExprRef &target, bool inLoop);
    void keep(Name n, bool inLoop);
    void access(RefId r, bool writes, bool inLoop);
    void accessOwn(const MemRef &m, Name n);

    const Function &f_;
    const ShortLoop &loop_;
    const LaneRules rules_;
    std::set<Name> moving_;    // variables of the loops around the statement that are not unrolled
    std::set<Name> unrolled_;  // of those that are
    std::set<Name> wandering_; // arrays with indices that are not constant when loops are unrolled
    std::set<Name> readFirst_; // variables of the iteration that this iteration of the loop inside has read before writing them
    std::set<Name> written_;   // variables that it has written
    LanePlan plan_;
};

void LaneExaminer::block(Block &b, bool inLoop) {
    if (hasLabel(b) || !b.raises.empty() || !b.catches.empty())
        fail(Why::ControlFlow, "it contains a label, or catches errors");
    for (const NodePtr &n : b.body) {
        if (plan_.why)
            return;
        if (n->kind != TreeKind::For && n->kind != TreeKind::Loop) {
            statement(*n, inLoop);
        } else if (rules_.unrolled && unrolledStatements(*n) <= mostUnrolled) {
            unrolled(*n, inLoop);
        } else {
            ++plan_.groups;
            inner(*n);
            ++plan_.groups;
        }
    }
}

/// A loop inside the one that is examined, around groups.
void LaneExaminer::inner(Node &n) {
    Name variable;
    Block *body = nullptr;
    if (auto *l = dyn_cast<For>(&n)) {
        if (l->omp || l->spread || l->simd || !l->accumulators.empty() || l->checkStep)
            return fail(Why::ControlFlow, "a loop inside is shared by a team, or vectorised");
        for (const sym::Expr e : {l->begin, l->end, l->step})
            header(e);
        variable = f_.vars[l->var].name;
        body = &l->body;
    } else {
        auto &region = static_cast<Loop &>(n);
        if (!counts(region) || (!region.declares && !plan_.counters.count(region.init->targets[0]->name)))
            return fail(Why::LoopForm, "a loop inside does not count");
        for (const ExprRef &e : {region.init->value, region.condition, region.update->value})
            header(e);
        variable = region.init->targets[0]->name;
        body = &region.body;
    }
    const bool isNew = moving_.insert(variable).second;
    std::set<Name> readBefore, writtenBefore;
    std::swap(readBefore, readFirst_);
    std::swap(writtenBefore, written_);
    block(*body, true);
    for (const Name read : readFirst_)
        if (!writtenBefore.count(read))
            readBefore.insert(read);
    readFirst_ = std::move(readBefore);
    written_ = std::move(writtenBefore);
    if (isNew)
        moving_.erase(variable);
}

/// A short loop that is a statement of a group.
void LaneExaminer::unrolled(Node &n, bool inLoop) {
    auto *l = dyn_cast<For>(&n);
    auto *region = dyn_cast<Loop>(&n);
    const Name variable = l ? f_.vars[l->var].name : region->init->targets[0]->name;
    if (region && !region->declares && !plan_.counters.count(variable))
        return fail(Why::LiveOut, "a loop inside counts in a variable that is declared outside");
    const Block &body = l ? l->body : region->body;
    if (!body.raises.empty() || !body.catches.empty())
        return fail(Why::ControlFlow, "it contains a label, or catches errors");
    plan_.unrolled.emplace(&n, *constantTripsOf(n));
    unrolled_.insert(variable);
    for (const NodePtr &inner : body.body) {
        if (inner->kind == TreeKind::For || inner->kind == TreeKind::Loop)
            unrolled(*inner, inLoop);
        else
            statement(*inner, inLoop);
    }
    unrolled_.erase(variable);
}

void LaneExaminer::header(sym::Expr e) { plan_.inHeaders.insert(e.freeSymbols().begin(), e.freeSymbols().end()); }

void LaneExaminer::header(const ExprRef &e) {
    if (e->kind == ExprKind::Name) {
        plan_.inHeaders.insert(e->name);
    } else if (e->kind == ExprKind::MemRef) {
        const MemRef &m = f_.refs[refOf(*e)];
        const Variable &v = f_.vars[m.var];
        if (v.kind != VarKind::Value || !v.type.isInteger() || !e->args.empty() || m.address || !m.castTo.isVoid() || m.element)
            return fail(Why::Opaque, "the bound of a loop inside is in memory");
        plan_.inHeaders.insert(v.name);
    } else if (e->kind != ExprKind::Int && e->kind != ExprKind::Binary && e->kind != ExprKind::Unary &&
               e->kind != ExprKind::Compare) {
        return fail(Why::Opaque, "the bound of a loop inside is not arithmetic");
    }
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
        access(u.target, false, inLoop);
        return access(u.target, true, inLoop);
    }
    default:
        fail(Why::ControlFlow, "it contains more than loops and arithmetic");
    }
}

void LaneExaminer::declaration(const Declare &d, bool inLoop) {
    const Variable &v = f_.vars[d.var];
    if (plan_.counters.count(v.name))
        return;
    const bool isArray =
        v.kind == VarKind::Stack && rules_.arrays && !v.zeroed && v.count.asInt() && *v.count.asInt() <= mostOwnElements;
    if (d.target || (v.kind != VarKind::Value && !isArray) || !v.type.isScalar() || !v.type.bytes() || v.alignment != 0)
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
        read(e->name);
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
    case ExprKind::Call:
        if (e->kind == ExprKind::Call && (!rules_.functions || !isExactFunction(*e)))
            break;
        for (const ExprRef &a : e->args)
            value(a, inLoop);
        return;
    default:
        break;
    }
    fail(Why::Opaque, "an expression is more than arithmetic");
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

/// A variable that is declared in the loop is read.
void LaneExaminer::read(Name n) {
    use(n);
    if (!written_.count(n))
        readFirst_.insert(n);
}

/// A variable that is declared in the loop changes.
void LaneExaminer::keep(Name n, bool inLoop) {
    written_.insert(n);
    if (inLoop && plan_.home.at(n) != plan_.groups && f_.vars[plan_.variables.at(n)].type.isFloat()) {
        plan_.accumulates = true;
        plan_.recurs = plan_.recurs || readFirst_.count(n) != 0;
    }
}

void LaneExaminer::access(RefId r, bool writes, bool inLoop) {
    const MemRef &m = f_.refs[r];
    const Name n = f_.vars[m.var].name;
    if (m.address || m.pop || !m.castTo.isVoid() || m.element)
        return fail(Why::Opaque, "`" + n.str() + "` is more than an element");
    if (plan_.home.count(n)) {
        writes ? use(n) : read(n);
        accessOwn(m, n);
        return writes ? keep(n, inLoop) : void();
    }
    const auto depends = [&m](Name v) { return m.offset.dependsOn(v); };
    const bool moves = std::any_of(moving_.begin(), moving_.end(), depends);
    const bool steps = std::any_of(unrolled_.begin(), unrolled_.end(), depends);
    plan_.accesses.push_back({r, plan_.groups, writes, inLoop, moves, steps});
}

/// A variable or an array of the iteration.
void LaneExaminer::accessOwn(const MemRef &m, Name n) {
    for (const Name v : m.offset.freeSymbols()) {
        if (v == f_.vars[loop_.var].name || plan_.home.count(v) || !m.strides.empty())
            return fail(Why::NotAffine, "an index of `" + n.str() + "` depends on values of the iteration");
        if (!unrolled_.count(v))
            wandering_.insert(n);
    }
}

} // namespace

std::optional<ShortLoop> shortLoopOf(Node &n) {
    if (auto *region = dyn_cast<Loop>(&n)) {
        const auto range = region->declares && !region->unroll ? constantRangeOf(*region) : std::nullopt;
        return range ? std::optional(ShortLoop{region->declares, range->first, range->second, &region->body}) : std::nullopt;
    }
    auto *l = dyn_cast<For>(&n);
    if (!l || l->omp || l->unroll || l->spread || l->simd || !l->accumulators.empty() || l->descending || !l->step.isOne())
        return std::nullopt;
    const std::optional<int64_t> begin = l->begin.asInt(), end = l->end.asInt();
    if (!begin || !end || *begin < 0)
        return std::nullopt;
    return ShortLoop{l->var, *begin, *end - *begin + 1, &l->body};
}

LanePlan examine(const Function &f, const ShortLoop &loop, const LaneRules &rules) { return LaneExaminer(f, loop, rules).run(); }

} // namespace sdfgc::transforms
