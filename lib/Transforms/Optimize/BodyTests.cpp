#include "Transforms/Optimize/BodyTests.h"

#include "sdfgc/Analysis/Flow/AssignedSymbols.h"
#include "sdfgc/Analysis/Flow/Loops.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/IR/StateGraph.h"

#include <algorithm>

namespace sdfgc::transforms {

using namespace ir;

namespace {

bool codeReads(const std::optional<Code> &c, Name symbol, const SDFG &g) {
    return c && analysis::namesInCode(*c, g).count(symbol) != 0;
}

/// Does anything in a state mention a symbol?
bool mentionsSymbol(const State &s, Name symbol) {
    for (const auto &n : s.nodes()) {
        if (analysis::freeSymbols(*n).count(symbol))
            return true;
        if (const auto *nested = dyn_cast<NestedSDFGNode>(n.get()))
            for (const auto &[inner, value] : nested->symbolMapping)
                if (value.dependsOn(symbol))
                    return true;
    }
    return std::any_of(s.edges().begin(), s.edges().end(), [symbol](const auto &e) {
        const Memlet &m = e->memlet;
        return m.volume.dependsOn(symbol) || (m.subset && m.subset->freeSymbols().count(symbol)) ||
               (m.otherSubset && m.otherSubset->freeSymbols().count(symbol));
    });
}

/// `A[i, j]`, or `s` of a scalar.
std::string elementText(Name data, const sym::Subset &at, const SDFG &g) {
    if (g.desc(data)->isScalar())
        return data.str();
    std::string text;
    for (const sym::Expr &index : at.begins())
        text += (text.empty() ? "" : ", ") + index.str();
    return data.str() + "[" + text + "]";
}

} // namespace

bool BodyTests::isLiteral(const py::Expr &e) {
    const bool isSigned = e.kind == py::ExprKind::Unary && e.op == py::Op::Neg;
    const py::Expr &number = isSigned ? *e.args[0] : e;
    return number.kind == py::ExprKind::Int || number.kind == py::ExprKind::Float || number.kind == py::ExprKind::Bool;
}

/// Do two expressions have the same value if they are evaluated one after the other?
bool BodyTests::isSameValue(const py::ExprRef &a, const py::ExprRef &b) const {
    const auto isContainer = [this](Name n) { return g_.desc(n) != nullptr; };
    const auto x = sym::parse(py::print(*a), nullptr, isContainer), y = sym::parse(py::print(*b), nullptr, isContainer);
    return py::equal(*a, *b) || (x.expr && y.expr && *x.expr == *y.expr);
}

/// The only state of a sequence with contents; null if there are other blocks, or several.
State *BodyTests::onlyState(Region &r) {
    State *out = nullptr;
    if (r.blocks().empty() || analysis::sequenceOf(r).empty())
        return nullptr;
    for (const auto &b : r.blocks()) {
        auto *s = dyn_cast<State>(b.get());
        if (!s || (out && !out->nodes().empty() && !s->nodes().empty()))
            return nullptr;
        out = out && !out->nodes().empty() ? out : s;
    }
    return out;
}

std::size_t BodyTests::assignmentsIn(const Region &r) {
    std::size_t count = 0;
    for (const auto &e : r.edges())
        count += e->assignments.size();
    return count;
}

bool BodyTests::isIdle(Region &r) {
    const State *s = r.blocks().empty() ? nullptr : onlyState(r);
    return r.blocks().empty() || (s && s->nodes().empty() && assignmentsIn(r) == 0);
}

/// Is it the symbol, or the only element of the container?
bool BodyTests::isValue(const py::Expr &e, Name value) const {
    if (e.kind == py::ExprKind::Subscript)
        return e.args[0]->kind == py::ExprKind::Name && e.args[0]->name == value && g_.desc(value) && g_.desc(value)->isArray();
    const DataDesc *d = g_.desc(value);
    return e.kind == py::ExprKind::Name && e.name == value && (!d || d->isScalar());
}

std::vector<BodyTests::Test> BodyTests::testsOf(Name value, bool amongOthers) const {
    std::vector<Test> out;
    for (Block *b : allBlocks(loop_)) {
        auto *c = dyn_cast<ConditionalBlock>(b);
        const std::optional<Test> t = c ? testOf(*c, value, amongOthers) : std::nullopt;
        if (t)
            out.push_back(*t);
    }
    return out;
}

/// A comparison of the value with something else, which decides about one arm.
std::optional<BodyTests::Test> BodyTests::testOf(ConditionalBlock &c, Name value, bool amongOthers) const {
    const auto &branches = c.branches();
    if (branches.empty() || branches.size() > 2 || !branches[0].condition || !branches[0].condition->isPython() ||
        (branches.size() == 2 && branches[1].condition))
        return std::nullopt;
    const std::size_t arm = branches.size() == 2 && isIdle(*branches[0].region) ? 1 : 0;
    if (branches.size() == 2 && !isIdle(*branches[1 - arm].region))
        return std::nullopt;
    py::ExprRef condition = branches[0].condition->expressionOrRaw();
    if (amongOthers && arm == 0 && condition->kind == py::ExprKind::BoolOp && condition->op == py::Op::And) {
        const auto reads = [value](const py::ExprRef &e) { return py::freeNames(*e).count(value) != 0; };
        const auto first = std::find_if(condition->args.begin(), condition->args.end(), reads);
        if (first == condition->args.end() || std::any_of(first + 1, condition->args.end(), reads))
            return std::nullopt;
        condition = *first;
    }
    bool inverted = arm == 1;
    for (; condition->kind == py::ExprKind::Unary && condition->op == py::Op::Not; condition = condition->args[0])
        inverted = !inverted;
    if (condition->kind != py::ExprKind::Compare || condition->ops.size() != 1)
        return std::nullopt;
    const bool left = isValue(*condition->args[0], value);
    const py::ExprRef &other = condition->args[left ? 1 : 0];
    if ((!left && !isValue(*condition->args[1], value)) || py::freeNames(*other).count(value))
        return std::nullopt;
    using py::Op;
    const Op op = condition->ops[0];
    const bool isGreater = op == Op::Gt || op == Op::Ge, isStrict = op == Op::Gt || op == Op::Lt;
    if (!isGreater && op != Op::Lt && op != Op::Le)
        return std::nullopt;
    if (inverted && !typeOf(other, nullptr).isInteger()) // a comparison with a NaN is false, and its negation true
        return std::nullopt;
    return Test{&c, arm, (isGreater != left) != inverted, isStrict != inverted, other};
}

std::string BodyTests::functionOf(const Test &t) { return t.isMaximum ? "lambda a, b: max(a, b)" : "lambda a, b: min(a, b)"; }

/// The type of an expression of control flow, or of a tasklet.
Type BodyTests::typeOf(const py::ExprRef &e, const Tasklet *in) const {
    py::Env env;
    env.typeOf = [this, in](Name n) -> std::optional<Type> {
        const Type t = typeOfName(n, in);
        return t ? std::optional(t) : std::nullopt;
    };
    const py::ExprRef known = in ? e : py::replace(e, [this](const py::ExprRef &x) -> py::ExprRef {
        const DataDesc *d = x->kind == py::ExprKind::Subscript ? g_.desc(Name(py::print(*x->args[0]))) : nullptr;
        return d ? py::castTo(d->dtype, py::intLit(0)) : nullptr;
    });
    return py::inferTypes(py::resolveModules(known, env), env, in ? py::Semantics::Python : py::Semantics::Symbolic)->type;
}

Type BodyTests::typeOfName(Name n, const Tasklet *in) const {
    if (const Connector *c = in ? in->inConnector(n) : nullptr) {
        const Edge *e = in->inEdge(n);
        const DataDesc *d = e ? g_.desc(e->memlet.data) : nullptr;
        return c->type ? c->type : d && e->memlet.subset && e->memlet.subset->isOneElement() ? d->dtype : Type();
    }
    if (const DataDesc *d = in ? nullptr : g_.desc(n))
        return d->isScalar() ? d->dtype : Type();
    const Type *declared = g_.symbols.find(n);
    return declared ? *declared : analysis::symbolType(g_, n);
}

/// The element that a tasklet reads at a connector, as control flow would write it. Null if the name is no connector; a name that
/// nothing has if the element has no such form.
py::ExprRef BodyTests::loadedBy(const Tasklet &t, Name connector) const {
    if (!t.inConnector(connector))
        return nullptr;
    const py::ExprRef unknown = py::name(Name("?"));
    const Edge *e = t.inEdge(connector);
    const auto *from = e ? dyn_cast<AccessNode>(e->src) : nullptr;
    const DataDesc *d = from ? g_.desc(from->data) : nullptr;
    const Connector *c = t.inConnector(connector);
    if (!d || e->memlet.data != from->data || !e->memlet.subset || !e->memlet.subset->isOneElement() ||
        (c->type && !(c->type == d->dtype)) || (d->isView() && !isShownAlike(from->data)))
        return unknown;
    const auto parsed = py::parseExpr(elementText(from->data, *e->memlet.subset, g_));
    return parsed.value ? *parsed.value : unknown;
}

/// Does a view show the same elements everywhere in the loop?
bool BodyTests::isShownAlike(Name view) const {
    const std::set<Name> assigned = analysis::assignedInside(loop_);
    const Edge *first = nullptr;
    for (const State *s : allStates(std::as_const(loop_)))
        for (const AccessNode *a : nodesOf<AccessNode>(*s)) {
            if (a->data != view)
                continue;
            const Edge *e = viewEdge(a);
            const AccessNode *base = viewedNode(a);
            if (!e || !base || !g_.desc(base->data) || g_.desc(base->data)->alias != AliasKind::None || !e->memlet.subset ||
                (first && (e->memlet.data != first->memlet.data || !(*e->memlet.subset == *first->memlet.subset))))
                return false;
            const std::set<Name> names = e->memlet.subset->freeSymbols();
            if (std::any_of(names.begin(), names.end(),
                            [&](Name n) { return n == loop_.variable || assigned.count(n) || g_.desc(n); }))
                return false;
            first = e;
        }
    return first != nullptr;
}

bool BodyTests::readsSymbol(Name symbol, const std::function<bool(const Block &)> &isExempt, bool byItself) const {
    for (const auto *header : {&loop_.init, &loop_.condition, &loop_.update})
        if (codeReads(*header, symbol, g_))
            return true;
    for (const Block *b : allBlocks(std::as_const(loop_))) {
        if (const auto *s = dyn_cast<State>(b); s && !isExempt(*s) && mentionsSymbol(*s, symbol))
            return true;
        if (const auto *l = dyn_cast<LoopRegion>(b); l && (l->variable == symbol || codeReads(l->init, symbol, g_) ||
                                                           codeReads(l->condition, symbol, g_) || codeReads(l->update, symbol, g_)))
            return true;
        if (const auto *c = dyn_cast<ConditionalBlock>(b); c && !isExempt(*c))
            for (const auto &branch : c->branches())
                if (codeReads(branch.condition, symbol, g_))
                    return true;
    }
    for (const Region *region : allRegions(std::as_const(loop_)))
        for (const auto &e : region->edges()) {
            if (codeReads(e->condition, symbol, g_))
                return true;
            for (const auto &[name, text] : e->assignments)
                if ((byItself || name != symbol) && analysis::namesInCode({text, Language::Python}, g_).count(symbol))
                    return true;
        }
    return false;
}

} // namespace sdfgc::transforms
