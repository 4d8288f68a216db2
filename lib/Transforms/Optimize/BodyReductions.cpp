#include "Transforms/Optimize/BodyReductions.h"

#include "sdfgc/Analysis/Dependences/WcrReductions.h"
#include "sdfgc/Analysis/Flow/AssignedSymbols.h"
#include "sdfgc/Analysis/Flow/Loops.h"
#include "sdfgc/Analysis/Memory/Access.h"
#include "sdfgc/Analysis/Memory/Copies.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/IR/StateGraph.h"
#include "sdfgc/Nest/Conflicts.h"

#include <algorithm>

namespace sdfgc::transforms {

using namespace ir;
using nest::BodyUse;
using nest::UseKind;

namespace {

constexpr const char *maximum = "lambda a, b: max(a, b)", *minimum = "lambda a, b: min(a, b)";

bool isLiteral(const py::Expr &e) {
    const bool isSigned = e.kind == py::ExprKind::Unary && e.op == py::Op::Neg;
    const py::Expr &number = isSigned ? *e.args[0] : e;
    return number.kind == py::ExprKind::Int || number.kind == py::ExprKind::Float || number.kind == py::ExprKind::Bool;
}

std::vector<Edge *> carrying(const std::vector<Edge *> &edges) {
    std::vector<Edge *> out;
    std::copy_if(edges.begin(), edges.end(), std::back_inserter(out),
                 [](const Edge *e) { return !e->memlet.isEmpty() && !analysis::isViewing(*e); });
    return out;
}

bool reads(const std::optional<Code> &c, Name symbol, const SDFG &g) {
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

/// Do two expressions have the same value if they are evaluated one after the other?
bool isSameValue(const py::ExprRef &a, const py::ExprRef &b, const SDFG &g) {
    const auto isContainer = [&g](Name n) { return g.desc(n) != nullptr; };
    const auto x = sym::parse(py::print(*a), nullptr, isContainer), y = sym::parse(py::print(*b), nullptr, isContainer);
    return py::equal(*a, *b) || (x.expr && y.expr && *x.expr == *y.expr);
}

/// The only state of a sequence with contents; null if there are other blocks, or several.
State *onlyState(Region &r) {
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

std::size_t assignmentsIn(const Region &r) {
    std::size_t count = 0;
    for (const auto &e : r.edges())
        count += e->assignments.size();
    return count;
}

bool isIdle(Region &r) {
    const State *s = r.blocks().empty() ? nullptr : onlyState(r);
    return r.blocks().empty() || (s && s->nodes().empty() && assignmentsIn(r) == 0);
}

} // namespace

BodyReductions::BodyReductions(LoopRegion &l, SDFG &g, analysis::Memories &memories, const UpdateOrder &order)
    : loop_(l), g_(g), memories_(memories), order_(order) {}

bool BodyReductions::take(Reduction r) {
    if (r.isSymbol)
        symbols_.insert(r.name);
    all_.push_back(std::move(r));
    return true;
}

/// Notes the function of an update. Returns whether it is that of the others.
bool BodyReductions::agree(Reduction &r, const std::string &wcr) const {
    if (r.wcr.empty())
        r.wcr = wcr;
    return kindOfUpdate(r.wcr) == kindOfUpdate(wcr);
}

// ---------------------------------------------------------------------------------------------------- symbols

bool BodyReductions::addSymbol(Name symbol) {
    const Type *type = g_.symbols.find(symbol);
    if (!type || !isUpdatable(*type) || symbol == loop_.variable || symbols_.count(symbol))
        return false;
    Reduction r;
    r.name = symbol;
    r.isSymbol = true;
    r.type = *type;
    r.assignments = assignmentsOf(symbol);
    if (r.assignments.empty())
        return false;
    for (const auto read : {&BodyReductions::setsSymbol, &BodyReductions::combinesSymbol, &BodyReductions::testsSymbol}) {
        Reduction form = r;
        if ((this->*read)(form) && !isReadOtherwise(form))
            return take(std::move(form));
    }
    return false;
}

std::vector<BodyReductions::Assignment> BodyReductions::assignmentsOf(Name symbol) const {
    std::vector<Assignment> out;
    for (Region *r : allRegions(loop_))
        for (const auto &e : r->edges())
            for (const auto &[name, text] : e->assignments)
                if (name == symbol)
                    out.push_back({r, e.get(), py::parseExprOrRaw(text)});
    return out;
}

bool BodyReductions::setsSymbol(Reduction &r) const {
    r.form = Form::Sets;
    r.constant = r.assignments.front().value;
    return isLiteral(*r.constant) && std::all_of(r.assignments.begin(), r.assignments.end(),
                                                 [&r](const Assignment &a) { return py::equal(*a.value, *r.constant); });
}

bool BodyReductions::combinesSymbol(Reduction &r) const {
    r.form = Form::Combines;
    for (Assignment &a : r.assignments) {
        const auto f = updateFunctionOf(
            a.value, r.name, r.type, [this](const py::ExprRef &e) { return typeOf(e, nullptr); }, order_);
        if (!f || !agree(r, f->wcr))
            return false;
        a.value = f->other;
    }
    return true;
}

bool BodyReductions::testsSymbol(Reduction &r) const {
    r.form = Form::Tests;
    r.tests = testsOf(r.name);
    for (const Test &t : r.tests) {
        Region &arm = *t.block->branches()[t.arm].region;
        const State *s = onlyState(arm);
        if (!s || !s->nodes().empty() || assignmentsIn(arm) != 1 || !agree(r, t.isMaximum ? maximum : minimum))
            return false;
        const auto a =
            std::find_if(r.assignments.begin(), r.assignments.end(), [&](const Assignment &x) { return x.region == &arm; });
        if (a == r.assignments.end() || !isSameValue(a->value, t.value, g_) || !(typeOf(t.value, nullptr) == r.type))
            return false;
    }
    return !r.tests.empty() && r.tests.size() == r.assignments.size() && (!r.type.isFloat() || order_.extrema);
}

/// Does anything in the loop read the symbol, other than the updates themselves?
bool BodyReductions::isReadOtherwise(const Reduction &r) const {
    const auto isTest = [&r](const Block *b) {
        return std::any_of(r.tests.begin(), r.tests.end(), [b](const Test &t) { return t.block == b; });
    };
    for (const auto *header : {&loop_.init, &loop_.condition, &loop_.update})
        if (reads(*header, r.name, g_))
            return true;
    for (const Block *b : allBlocks(std::as_const(loop_))) {
        if (const auto *s = dyn_cast<State>(b); s && mentionsSymbol(*s, r.name))
            return true;
        if (const auto *l = dyn_cast<LoopRegion>(b); l && (l->variable == r.name || reads(l->init, r.name, g_) ||
                                                           reads(l->condition, r.name, g_) || reads(l->update, r.name, g_)))
            return true;
        if (const auto *c = dyn_cast<ConditionalBlock>(b); c && !isTest(c))
            for (const auto &branch : c->branches())
                if (reads(branch.condition, r.name, g_))
                    return true;
    }
    for (const Region *region : allRegions(std::as_const(loop_)))
        for (const auto &e : region->edges()) {
            if (reads(e->condition, r.name, g_))
                return true;
            for (const auto &[name, text] : e->assignments)
                if (name != r.name && analysis::namesInCode({text, Language::Python}, g_).count(r.name))
                    return true;
        }
    return false;
}

// ---------------------------------------------------------------------------------------------------- containers

bool BodyReductions::addContainer(Name container, const nest::LoopBody &body) {
    const DataDesc *d = g_.desc(container);
    if (!analysis::isPlain(d) || !analysis::isOnHost(d) || ownerOf(container) != container || !isUpdatable(d->dtype))
        return false;
    Reduction r;
    r.name = container;
    r.type = d->dtype;
    const analysis::Memory memory = memories_.of(g_, container);
    std::size_t raw = 0; // accesses that do not resolve conflicts
    for (const BodyUse &u : body.uses) {
        if (u.place.memory != memory)
            continue;
        if (u.data != container)
            return false;
        if (u.kind != UseKind::Update)
            ++raw;
        else if (u.wcr.empty() || !agree(r, u.wcr))
            return false;
    }
    const bool isOne = d->numElements().isOne();
    if (!r.wcr.empty()) {
        const py::Reduction kind = kindOfUpdate(r.wcr);
        if (!isOne || !analysis::hasClause(kind, r.type) || (py::orderCounts(kind, r.type) && !order_.openSums))
            return false;
        if (raw == 0)
            return take(std::move(r));
    }
    const Accesses accesses = accessesOf(container);
    Reduction set = r;
    if (r.wcr.empty() && setsContainer(set, accesses) && raw == accesses.writes.size())
        return take(std::move(set));
    if (!isOne)
        return false;
    Reduction combined = r;
    if (combinesContainer(combined, accesses) && raw == accesses.reads.size() + accesses.writes.size())
        return take(std::move(combined));
    return testsContainer(r, accesses) && raw == accesses.writes.size() + r.tests.size() && take(std::move(r));
}

/// Those next to a container's nodes outside of scopes.
BodyReductions::Accesses BodyReductions::accessesOf(Name container) const {
    Accesses out;
    for (State *s : allStates(loop_)) {
        const ScopeTree scopes(*s);
        for (const AccessNode *a : nodesOf<AccessNode>(*s)) {
            if (a->data != container || scopes.scopeOf(a))
                continue;
            for (Edge *e : carrying(a->outEdges()))
                out.reads.push_back(e);
            for (Edge *e : carrying(a->inEdges()))
                if (e->memlet.wcr.empty() && (isa<Tasklet>(e->src) || isa<AccessNode>(e->src)))
                    out.writes.push_back(e);
        }
    }
    return out;
}

bool BodyReductions::setsContainer(Reduction &r, const Accesses &a) const {
    r.form = Form::Sets;
    std::set<Name> moving = analysis::assignedInside(loop_);
    moving.insert(loop_.variable);
    for (Edge *e : a.writes) {
        const auto *t = dyn_cast<Tasklet>(e->src);
        const auto element = destinationSubset(e);
        const py::ExprRef value = t ? valueOf(*t, e->srcConn) : nullptr;
        if (!value || !isLiteral(*value) || !element || !element->isOneElement() || e->dst->inEdges().size() != 1 ||
            !carrying(e->dst->outEdges()).empty() || carrying(t->outEdges()).size() != 1)
            return false;
        if (!r.constant) {
            r.constant = value;
            r.element = *element;
        }
        const std::set<Name> names = element->freeSymbols();
        if (!py::equal(*value, *r.constant) || !(*element == r.element) ||
            std::any_of(names.begin(), names.end(), [&](Name n) { return moving.count(n) || g_.desc(n); }))
            return false;
        r.stores.push_back({e, cast<Tasklet>(e->src), e->srcConn, nullptr, {}, value});
    }
    return r.constant && a.reads.empty();
}

bool BodyReductions::combinesContainer(Reduction &r, const Accesses &a) const {
    r.form = Form::Combines;
    std::set<const Edge *> taken;
    for (Edge *e : a.writes) {
        std::optional<Store> s = storeOf(*e, r);
        if (!s || !taken.insert(s->read).second)
            return false;
        const py::ExprRef value = valueOf(*s->combines, s->output);
        const auto f = updateFunctionOf(
            value, s->value->name, r.type, [this, &s](const py::ExprRef &x) { return typeOf(x, s->combines); }, order_);
        if (!f || !agree(r, f->wcr))
            return false;
        s->value = f->other;
        r.stores.push_back(std::move(*s));
    }
    return !r.stores.empty() && taken.size() == a.reads.size();
}

/// The chain that leads to a store: copies through temporaries, and the tasklet that reads the old value. `value` is then the
/// connector of the old value.
std::optional<BodyReductions::Store> BodyReductions::storeOf(Edge &write, const Reduction &r) const {
    Store out;
    out.write = &write;
    for (const Edge *at = &write;;) {
        const auto *t = dyn_cast<Tasklet>(at->src);
        const AccessNode *from = dyn_cast<AccessNode>(at->src);
        if (t) {
            const py::ExprRef value = valueOf(*t, at->srcConn);
            const Connector *made = t->outConnector(at->srcConn);
            if (!value || carrying(t->outEdges()).size() != 1 || (made && made->type && !(made->type == r.type)))
                return std::nullopt;
            if (value->kind != py::ExprKind::Name || !t->inEdge(value->name)) {
                out.combines = cast<Tasklet>(at->src);
                out.output = at->srcConn;
                return readsOld(*t, r, out) ? std::optional(out) : std::nullopt;
            }
            from = seeType(*t, value->name, at->srcConn, r.type) ? dyn_cast<AccessNode>(t->inEdge(value->name)->src) : nullptr;
        }
        if (!isTemporary(from, r.type))
            return std::nullopt;
        at = from->inEdges().front();
    }
}

/// Finds the connector at which a tasklet reads the old value, directly or through temporaries.
bool BodyReductions::readsOld(const Tasklet &t, const Reduction &r, Store &out) const {
    for (Edge *in : carrying(t.inEdges())) {
        std::vector<Node *> copies;
        Edge *at = in;
        for (;;) {
            auto *from = dyn_cast<AccessNode>(at->src);
            if (const auto *copy = dyn_cast<Tasklet>(at->src)) {
                const py::ExprRef value = valueOf(*copy, at->srcConn);
                const bool copiesOne = value && value->kind == py::ExprKind::Name && carrying(copy->inEdges()).size() == 1 &&
                                       copy->inEdges().size() == 1 && copy->outEdges().size() == 1 &&
                                       copy->inEdges().front()->dstConn == value->name &&
                                       seeType(*copy, value->name, at->srcConn, r.type);
                if (!copiesOne)
                    break;
                copies.push_back(at->src);
                at = copy->inEdges().front();
                continue;
            }
            if (from && from->data == r.name) {
                const Connector *c = t.inConnector(in->dstConn);
                if (out.read || !c || (c->type && !(c->type == r.type)))
                    return false;
                out.read = at;
                out.copies = copies;
                out.value = py::name(in->dstConn);
                break;
            }
            if (!isTemporary(from, r.type))
                break;
            copies.push_back(at->src);
            at = from->inEdges().front();
        }
    }
    return out.read != nullptr;
}

/// Is it the only use of a variable that passes one value on?
bool BodyReductions::isTemporary(const Node *n, Type type) const {
    const auto *a = n ? dyn_cast<AccessNode>(n) : nullptr;
    const DataDesc *d = a ? g_.desc(a->data) : nullptr;
    if (!d || !nest::isScratch(*d) || !d->numElements().isOne() || !(d->dtype == type) || a->inEdges().size() != 1 ||
        a->outEdges().size() != 1 || carrying(a->inEdges()).size() != 1 || carrying(a->outEdges()).size() != 1 ||
        !a->inEdges().front()->memlet.wcr.empty() || analysis::containersReadByControlFlow(g_).count(a->data))
        return false;
    std::size_t uses = 0;
    for (const State *s : allStates(std::as_const(g_)))
        for (const AccessNode *other : nodesOf<AccessNode>(*s))
            uses += ownerOf(other->data) == a->data;
    return uses == 1;
}

bool BodyReductions::testsContainer(Reduction &r, const Accesses &a) const {
    r.form = Form::Tests;
    r.tests = testsOf(r.name);
    if (r.tests.empty() || r.tests.size() != a.writes.size() || !a.reads.empty() || (r.type.isFloat() && !order_.extrema))
        return false;
    for (const Test &t : r.tests) {
        Region &arm = *t.block->branches()[t.arm].region;
        State *s = onlyState(arm);
        if (!s || assignmentsIn(arm) != 0 || !agree(r, t.isMaximum ? maximum : minimum) || !(typeOf(t.value, nullptr) == r.type))
            return false;
        Tasklet *only = nullptr;
        for (const auto &n : s->nodes()) {
            auto *tasklet = dyn_cast<Tasklet>(n.get());
            if ((!tasklet && !isa<AccessNode>(n.get())) || (tasklet && only))
                return false;
            only = tasklet ? tasklet : only;
        }
        const auto write = std::find_if(a.writes.begin(), a.writes.end(), [only](const Edge *e) { return only && e->src == only; });
        if (write == a.writes.end() || carrying(only->outEdges()).size() != 1 || (*write)->dst->inEdges().size() != 1)
            return false;
        const py::ExprRef value = valueOf(*only, (*write)->srcConn);
        const py::ExprRef stored = value
                                       ? py::replace(value,
                                                     [&](const py::ExprRef &e) {
                                                         return e->kind == py::ExprKind::Name ? loadedBy(*only, e->name) : nullptr;
                                                     })
                                       : nullptr;
        const Connector *made = only->outConnector((*write)->srcConn);
        if (!stored || !isSameValue(stored, t.value, g_) || (made && made->type && !(made->type == r.type)))
            return false;
        r.stores.push_back({*write, only, (*write)->srcConn, nullptr, {}, value});
    }
    return true;
}

/// The element that a tasklet reads at a connector, as control flow would write it. Null if the name is no connector; a name that
/// nothing has if the element has no such form.
py::ExprRef BodyReductions::loadedBy(const Tasklet &t, Name connector) const {
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
bool BodyReductions::isShownAlike(Name view) const {
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

// ---------------------------------------------------------------------------------------------------- comparisons

/// Is it the symbol, or the only element of the container?
bool BodyReductions::isValue(const py::Expr &e, Name value) const {
    if (e.kind == py::ExprKind::Subscript)
        return e.args[0]->kind == py::ExprKind::Name && e.args[0]->name == value && g_.desc(value) && g_.desc(value)->isArray();
    const DataDesc *d = g_.desc(value);
    return e.kind == py::ExprKind::Name && e.name == value && (!d || d->isScalar());
}

std::vector<BodyReductions::Test> BodyReductions::testsOf(Name value) const {
    std::vector<Test> out;
    for (Block *b : allBlocks(loop_)) {
        auto *c = dyn_cast<ConditionalBlock>(b);
        const std::optional<Test> t = c ? testOf(*c, value) : std::nullopt;
        if (t)
            out.push_back(*t);
    }
    return out;
}

/// A comparison of the value with something else, which decides about one arm.
std::optional<BodyReductions::Test> BodyReductions::testOf(ConditionalBlock &c, Name value) const {
    const auto &branches = c.branches();
    if (branches.empty() || branches.size() > 2 || !branches[0].condition || branches[0].condition->language != Language::Python ||
        (branches.size() == 2 && branches[1].condition))
        return std::nullopt;
    py::ExprRef condition = py::parseExprOrRaw(branches[0].condition->text);
    bool negated = false;
    for (; condition->kind == py::ExprKind::Unary && condition->op == py::Op::Not; condition = condition->args[0])
        negated = !negated;
    if (condition->kind != py::ExprKind::Compare || condition->ops.size() != 1)
        return std::nullopt;
    const bool left = isValue(*condition->args[0], value);
    const py::ExprRef &other = condition->args[left ? 1 : 0];
    if ((!left && !isValue(*condition->args[1], value)) || py::freeNames(*other).count(value))
        return std::nullopt;
    const std::size_t arm = branches.size() == 2 && isIdle(*branches[0].region) ? 1 : 0;
    if (branches.size() == 2 && !isIdle(*branches[1 - arm].region))
        return std::nullopt;
    const bool inverted = negated != (arm == 1);
    using py::Op;
    const Op op = condition->ops[0];
    const bool isGreater = op == Op::Gt || op == Op::Ge;
    if (!isGreater && op != Op::Lt && op != Op::Le)
        return std::nullopt;
    if (inverted && !typeOf(other, nullptr).isInteger()) // a comparison with a NaN is false, and its negation true
        return std::nullopt;
    return Test{&c, arm, (isGreater != left) != inverted, other};
}

/// The type of an expression of control flow, or of a tasklet.
Type BodyReductions::typeOf(const py::ExprRef &e, const Tasklet *in) const {
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

Type BodyReductions::typeOfName(Name n, const Tasklet *in) const {
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

} // namespace sdfgc::transforms
