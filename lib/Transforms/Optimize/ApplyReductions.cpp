// Turns the updates that BodyReductions found into writes with conflict resolution.
#include "Transforms/Edits/FlowEdits.h"
#include "Transforms/Edits/Nodes.h"
#include "Transforms/Optimize/BodyReductions.h"

#include "sdfgc/Nest/Build.h"

#include <algorithm>

namespace sdfgc::transforms {

using namespace ir;

namespace {

constexpr const char *anyOf = "lambda a, b: a or b";

/// The ending of the name of a scalar that collects values.
std::string endingFor(py::Reduction kind) {
    switch (kind) {
    case py::Reduction::Sum:
        return "_sum";
    case py::Reduction::Product:
        return "_product";
    case py::Reduction::Min:
        return "_min";
    case py::Reduction::Max:
        return "_max";
    case py::Reduction::LogicalAnd:
        return "_all";
    case py::Reduction::LogicalOr:
        return "_any";
    default:
        return "_bits";
    }
}

std::string identityOf(const std::string &wcr, Type t) { return py::print(**py::reductionIdentity(kindOfUpdate(wcr), t)); }

} // namespace

void BodyReductions::apply(nest::LoopBody &body) {
    for (Reduction &r : all_)
        apply(r, body);
}

void BodyReductions::apply(Reduction &r, nest::LoopBody &body) {
    const bool decides = staysTest(r);
    const bool isApart = r.isSymbol || decides || r.form == Form::Sets;
    const bool sets = r.form == Form::Sets;
    Name scalar = r.name;
    const auto collects = std::find_if(r.assignments.begin(), r.assignments.end(), [](const Assignment &x) { return x.begins; });
    if (isApart) {
        scalar = collects != r.assignments.end() ? collects->collected
                                                 : addScalar(r.name.str() + (sets ? "_set" : endingFor(kindOfUpdate(r.wcr))),
                                                             sets ? Type(ScalarKind::Bool) : r.type);
        State &before = *loop_.parent()->addStateBefore(&loop_, g_.freshLabel(scalar.str() + "_init"));
        assign(before, sets ? "False" : decides ? identityOf(r.wcr, r.type) : r.name.str(), scalar, g_.desc(scalar)->fullSubset());
    }
    if (sets)
        r.wcr = anyOf;
    applyStores(r, scalar);
    applyAssignments(r, scalar, body);
    applyTests(r);
    if (isApart)
        finish(r, scalar);
    if (r.isSymbol)
        body.assigned.erase(r.name);
}

/// Does a comparison remain? That of real numbers does, unless there are no NaNs.
bool BodyReductions::staysTest(const Reduction &r) const { return r.form == Form::Tests && r.type.isFloat() && !order_.sums; }

/// Stores become updates, and no longer read the old value.
void BodyReductions::applyStores(const Reduction &r, Name scalar) {
    for (const Store &s : r.stores) {
        State &state = *s.combines->state();
        if (s.read) {
            auto *old = cast<AccessNode>(s.read->src);
            std::set<Name> unused;
            for (Node *n : s.copies)
                if (const auto *temporary = dyn_cast<AccessNode>(n))
                    unused.insert(temporary->data);
            const auto reads = s.combines->inEdges();
            for (Edge *e : reads)
                if (e == s.read || (!s.copies.empty() && e->src == s.copies.front())) {
                    const Name connector = e->dstConn;
                    state.removeEdge(e);
                    s.combines->removeIn(connector);
                }
            state.removeNodes(s.copies);
            for (const Name n : unused)
                g_.arrays.erase(n);
            if (!old->inEdges().empty()) // keep the order of everything else
                tie(state, old, s.combines);
            else if (old->outEdges().empty())
                state.removeNode(old);
        }
        if (r.form == Form::Combines)
            s.combines->code = s.output.str() + " = " + py::print(*s.value);
        if (r.form == Form::Sets) {
            s.combines->code = s.output.str() + " = True";
            s.combines->addOut(s.output, ScalarKind::Bool);
        }
        if (scalar != r.name) {
            cast<AccessNode>(s.write->dst)->data = scalar;
            s.write->memlet = Memlet::simple(scalar, g_.desc(scalar)->fullSubset());
        }
        s.write->memlet.wcr = r.wcr;
    }
}

/// An assignment becomes that of the other value to a new symbol, with which the next state updates the scalar.
void BodyReductions::applyAssignments(const Reduction &r, Name scalar, nest::LoopBody &body) {
    Name next;
    for (const Assignment &a : r.assignments) {
        if (a.begins) {
            applyCollected(a, scalar);
            continue;
        }
        const bool isPlain = r.form == Form::Sets || a.value->kind == py::ExprKind::Int;
        const auto made =
            std::find_if(a.edge->assignments.begin(), a.edge->assignments.end(), [&r](const auto &x) { return x.first == r.name; });
        if (isPlain) {
            a.edge->assignments.erase(made);
        } else {
            if (next.empty()) {
                next = g_.freshName(r.name.str() + "_next");
                g_.symbols.set(next, r.type);
                body.assigned.insert(next);
            }
            *made = {next, py::print(*a.value)};
        }
        const std::string code = r.form == Form::Sets ? "True" : isPlain ? py::print(*a.value) : next.str();
        assign(*stateOn(*a.region, *a.edge, scalar), code, scalar, g_.desc(scalar)->fullSubset(), r.wcr);
    }
}

/// A map updates the scalar of the outer loop instead of one that it gets and returns.
void BodyReductions::applyCollected(const Assignment &a, Name scalar) {
    std::erase_if(a.edge->assignments, [&a](const auto &x) { return x.second == a.collected.str(); });
    while (!a.begins->nodes().empty())
        a.begins->removeNode(a.begins->nodes().back().get());
    if (a.collected == scalar)
        return;
    for (State *s : allStates(loop_)) {
        for (AccessNode *n : nodesOf<AccessNode>(*s))
            if (n->data == a.collected)
                n->data = scalar;
        for (const auto &e : s->edges())
            if (e->memlet.data == a.collected)
                e->memlet.data = scalar;
    }
    g_.arrays.erase(a.collected);
    memories_ = analysis::Memories(*g_.root()); // nested SDFGs have another argument
}

void BodyReductions::applyTests(const Reduction &r) {
    FlowEdits edits(g_);
    for (const Test &t : r.tests) {
        if (!staysTest(r)) {
            edits.putInPlaceOf(*t.block, *t.block->branches()[t.arm].region);
            continue;
        }
        const py::ExprRef identity = *py::reductionIdentity(kindOfUpdate(r.wcr), r.type);
        Code &condition = *t.block->branches()[0].condition;
        const auto isOld = [&](const py::ExprRef &e) { return isValue(*e, r.name) ? identity : nullptr; };
        condition = Code(*py::replace(condition.expressionOrRaw(), isOld));
    }
}

/// The value after the loop.
void BodyReductions::finish(const Reduction &r, Name scalar) {
    Region &around = *loop_.parent();
    State *after = around.addStateAfter(&loop_, g_.freshLabel(scalar.str() + "_end"));
    const bool isDecided = r.form == Form::Sets || staysTest(r);
    if (!isDecided) {
        loop_.outEdges().front()->assignments.emplace_back(r.name, scalar.str());
        return;
    }
    auto *test = around.add<ConditionalBlock>();
    test->label = g_.freshLabel(scalar.str() + "_test");
    test->debugInfo = loop_.debugInfo;
    around.setDestination(loop_.outEdges().front(), test);
    around.connect(test, after);
    const bool sets = r.form == Form::Sets, isMaximum = kindOfUpdate(r.wcr) == py::Reduction::Max;
    const std::string old = r.isSymbol || g_.desc(r.name)->isScalar() ? r.name.str() : r.name.str() + "[0]";
    const std::string condition = sets ? scalar.str() : scalar.str() + (isMaximum ? " > " : " < ") + old;
    Region *arm = test->addBranch(Code{condition, Language::Python}, std::make_unique<Region>());
    arm->label = g_.freshLabel(scalar.str() + "_store");
    auto *store = arm->add<State>();
    store->label = g_.freshLabel(scalar.str() + "_stored");
    const std::string value = sets ? py::print(*r.constant) : scalar.str();
    if (r.isSymbol) {
        auto *last = arm->add<State>();
        last->label = g_.freshLabel(scalar.str() + "_last");
        arm->connect(store, last, {"1", Language::Python}, {{r.name, value}});
    } else if (sets) {
        assign(*store, value, r.name, r.element);
    } else {
        store->copyAll(scalar, r.name);
    }
}

Name BodyReductions::addScalar(const std::string &name, Type t) {
    DataDesc d = DataDesc::scalar(t, true);
    d.storage = Storage::Register;
    return nest::addContainer(g_, name, std::move(d), nest::connectorsOf(g_));
}

/// A new state between the ends of an edge, after its assignments.
State *BodyReductions::stateOn(Region &r, InterstateEdge &e, Name scalar) {
    auto *s = r.add<State>();
    s->label = g_.freshLabel(scalar.str() + "_update");
    Block *to = e.dst;
    r.setDestination(&e, s);
    r.connect(s, to);
    return s;
}

/// Adds a tasklet that writes, or updates, one element.
void BodyReductions::assign(State &s, const std::string &code, Name container, sym::Subset at, const std::string &wcr) const {
    const Name out = g_.freshName("__out");
    Tasklet *t = s.addTasklet((wcr.empty() ? "set_" : "update_") + container.str(), {out.str() + " = " + code, Language::Python});
    t->addOut(out, g_.desc(container)->dtype);
    t->debugInfo = loop_.debugInfo;
    auto *to = s.add<AccessNode>(container);
    to->debugInfo = loop_.debugInfo;
    Memlet m = Memlet::simple(container, std::move(at));
    m.wcr = wcr;
    s.connect(t, out, to, {}, std::move(m));
}

} // namespace sdfgc::transforms
