#include "Transforms/Optimize/BodyReductions.h"

#include "sdfgc/Analysis/Dependences/WcrReductions.h"
#include "sdfgc/Analysis/Flow/AssignedSymbols.h"
#include "sdfgc/Analysis/Flow/Loops.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/IR/StateGraph.h"
#include "sdfgc/Nest/Conflicts.h"

#include <algorithm>

namespace sdfgc::transforms {

using namespace ir;
using nest::BodyUse;
using nest::UseKind;

namespace {

bool readsSymbol(const std::optional<Code> &c, Name symbol, const SDFG &g) {
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
bool BodyReductions::agree(Reduction &r, const std::string &wcr) {
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
        if (collectsSymbol(a, r))
            continue;
        const auto f = updateFunctionOf(
            a.value, r.name, r.type, [this](const py::ExprRef &e) { return typeOf(e, nullptr); }, order_);
        if (!f || !agree(r, f->wcr))
            return false;
        a.value = f->other;
    }
    return std::none_of(r.assignments.begin(), r.assignments.end(), [&](const Assignment &a) {
        return a.begins && std::any_of(r.assignments.begin(), r.assignments.end(),
                                       [&](const Assignment &other) { return &other != &a && isBetween(other, a); });
    });
}

namespace {

/// The block of a region that contains another one.
const Block *blockIn(const Block *b, const Region &r) {
    while (b && b->parent() != &r)
        b = b->parent();
    const auto *arm = b && isa<Region>(b) ? cast<Region>(b)->conditional() : nullptr;
    return arm ? arm : b;
}

/// The position in a sequence of the block that contains another one; that of its end if there is none.
std::ptrdiff_t placeIn(const std::vector<Block *> &sequence, const Block *b, const Region &r) {
    return std::find(sequence.begin(), sequence.end(), blockIn(b, r)) - sequence.begin();
}

} // namespace

/// Does an assignment come between the beginning of another one, which collects values, and its end?
bool BodyReductions::isBetween(const Assignment &other, const Assignment &a) {
    const std::vector<Block *> blocks = analysis::sequenceOf(*a.region);
    const auto at = placeIn(blocks, other.edge->src, *a.region);
    return at >= placeIn(blocks, a.begins, *a.region) && at < placeIn(blocks, a.edge->src, *a.region);
}

/// Is it the end of `t = s; updates of t; s = t`, of which nothing but the updates may be left out?
bool BodyReductions::collectsSymbol(Assignment &a, const Reduction &r) const {
    const DataDesc *d = a.value->kind == py::ExprKind::Name ? g_.desc(a.value->name) : nullptr;
    auto *end = dyn_cast<State>(a.edge->src);
    if (!d || !end || !nest::isScratch(*d) || !d->isScalar() || !(d->dtype == r.type))
        return false;
    const Name scalar = a.value->name;
    State *begins = nullptr;
    for (State *s : allStates(loop_))
        for (const AccessNode *n : nodesOf<AccessNode>(*s)) {
            const auto *t = n->data == scalar && n->inEdges().size() == 1 ? dyn_cast<Tasklet>(n->inEdges().front()->src) : nullptr;
            if (!t || !n->inEdges().front()->memlet.wcr.empty())
                continue;
            const py::ExprRef value = valueOf(*t, n->inEdges().front()->srcConn);
            if (begins || !value || value->kind != py::ExprKind::Name || value->name != r.name || t->inConnector(r.name) ||
                s->nodes().size() != 2 || s->parent() != a.region)
                return false;
            begins = s;
        }
    if (!begins || !isUsedOnlyBetween(scalar, *begins, *end, *a.region))
        return false;
    a.begins = begins;
    a.collected = scalar;
    return true;
}

/// Are all uses of a scalar in the blocks of a sequence from one of its states to another one, and on the edge after that?
bool BodyReductions::isUsedOnlyBetween(Name scalar, const State &begins, const State &end, const Region &r) const {
    const std::vector<Block *> blocks = analysis::sequenceOf(const_cast<Region &>(r));
    const auto first = placeIn(blocks, &begins, r), last = placeIn(blocks, &end, r);
    if (blocks.empty() || first >= last)
        return false;
    for (const State *s : allStates(std::as_const(g_)))
        for (const AccessNode *n : nodesOf<AccessNode>(*s)) {
            const auto at = n->data == scalar ? placeIn(blocks, s, r) : last;
            if (at < first || at > last)
                return false;
        }
    std::size_t controlReads = 0;
    analysis::forEachControlRead(g_, [&](Name n, const Region &) { controlReads += n == scalar; });
    return controlReads == 1;
}

bool BodyReductions::isCollected(Name container) const {
    return std::any_of(all_.begin(), all_.end(), [container](const Reduction &r) {
        return std::any_of(r.assignments.begin(), r.assignments.end(),
                           [container](const Assignment &a) { return a.collected == container; });
    });
}

Name BodyReductions::incomplete() const {
    for (const Reduction &r : all_)
        for (const Assignment &a : r.assignments)
            if (!a.collected.empty() && !a.isCollectedOnly)
                return r.name;
    return {};
}

/// The scalar is assigned at the beginning, read at the end, and otherwise updated by one function.
bool BodyReductions::addCollected(Name scalar, const nest::LoopBody &body) {
    for (Reduction &r : all_)
        for (Assignment &a : r.assignments) {
            if (a.collected != scalar)
                continue;
            const analysis::Memory memory = memories_.of(g_, scalar);
            std::size_t written = 0, read = 0;
            for (const BodyUse &u : body.uses) {
                if (u.place.memory != memory)
                    continue;
                written += u.kind == UseKind::Write;
                read += u.kind == UseKind::Read;
                if (u.data != scalar || (u.kind == UseKind::Update && (u.wcr.empty() || !agree(r, u.wcr))))
                    return false;
            }
            a.isCollectedOnly = written == 1 && read == 1 && !r.wcr.empty() && analysis::hasClause(kindOfUpdate(r.wcr), r.type);
            return a.isCollectedOnly;
        }
    return false;
}

bool BodyReductions::testsSymbol(Reduction &r) const {
    r.form = Form::Tests;
    r.tests = testsOf(r.name);
    for (const Test &t : r.tests) {
        Region &arm = *t.block->branches()[t.arm].region;
        const State *s = onlyState(arm);
        if (!s || !s->nodes().empty() || assignmentsIn(arm) != 1 || !agree(r, functionOf(t)))
            return false;
        const auto a =
            std::find_if(r.assignments.begin(), r.assignments.end(), [&](const Assignment &x) { return x.region == &arm; });
        if (a == r.assignments.end() || !isSameValue(a->value, t.value) || !(typeOf(t.value, nullptr) == r.type))
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
        if (readsSymbol(*header, r.name, g_))
            return true;
    const auto begins = [&r](const Block *b) {
        return std::any_of(r.assignments.begin(), r.assignments.end(), [b](const Assignment &a) { return a.begins == b; });
    };
    for (const Block *b : allBlocks(std::as_const(loop_))) {
        if (const auto *s = dyn_cast<State>(b); s && !begins(s) && mentionsSymbol(*s, r.name))
            return true;
        if (const auto *l = dyn_cast<LoopRegion>(b);
            l && (l->variable == r.name || readsSymbol(l->init, r.name, g_) || readsSymbol(l->condition, r.name, g_) ||
                  readsSymbol(l->update, r.name, g_)))
            return true;
        if (const auto *c = dyn_cast<ConditionalBlock>(b); c && !isTest(c))
            for (const auto &branch : c->branches())
                if (readsSymbol(branch.condition, r.name, g_))
                    return true;
    }
    for (const Region *region : allRegions(std::as_const(loop_)))
        for (const auto &e : region->edges()) {
            if (readsSymbol(e->condition, r.name, g_))
                return true;
            for (const auto &[name, text] : e->assignments)
                if (name != r.name && analysis::namesInCode({text, Language::Python}, g_).count(r.name))
                    return true;
        }
    return false;
}

// ---------------------------------------------------------------------------------------------------- comparisons

bool BodyReductions::isLiteral(const py::Expr &e) {
    const bool isSigned = e.kind == py::ExprKind::Unary && e.op == py::Op::Neg;
    const py::Expr &number = isSigned ? *e.args[0] : e;
    return number.kind == py::ExprKind::Int || number.kind == py::ExprKind::Float || number.kind == py::ExprKind::Bool;
}

/// Do two expressions have the same value if they are evaluated one after the other?
bool BodyReductions::isSameValue(const py::ExprRef &a, const py::ExprRef &b) const {
    const auto isContainer = [this](Name n) { return g_.desc(n) != nullptr; };
    const auto x = sym::parse(py::print(*a), nullptr, isContainer), y = sym::parse(py::print(*b), nullptr, isContainer);
    return py::equal(*a, *b) || (x.expr && y.expr && *x.expr == *y.expr);
}

/// The only state of a sequence with contents; null if there are other blocks, or several.
State *BodyReductions::onlyState(Region &r) {
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

std::size_t BodyReductions::assignmentsIn(const Region &r) {
    std::size_t count = 0;
    for (const auto &e : r.edges())
        count += e->assignments.size();
    return count;
}

bool BodyReductions::isIdle(Region &r) {
    const State *s = r.blocks().empty() ? nullptr : onlyState(r);
    return r.blocks().empty() || (s && s->nodes().empty() && assignmentsIn(r) == 0);
}

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

std::string BodyReductions::functionOf(const Test &t) { return t.isMaximum ? "lambda a, b: max(a, b)" : "lambda a, b: min(a, b)"; }

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
