// infer-types: give every symbol and every connector that carries data a concrete type.
//
//   before:  i = 0 on an edge, no symbol i         after:  symbol i: int64
//            A -> t.a (A[i]), a: ?                         a: float64
//            A -> n.b (A[0:N]), b: ?                       b: pointer(float64)
//            t.__out -> u.x, both ?                        both: what t's code computes
//            A -> n.p (A[i]), p: a scalar of float32       A -> p_value -> n.p, p_value: float32
//
// Rules: format reference 6.11 (connectors) and 5.4, 5.2 (symbols), semantics reference 5 and 12.
//
// For each SDFG, from the outside in:
//   0. A scalar of a nested SDFG whose type differs from that of the outer container gets a separate value
//      (ConvertArguments.h).
//   1. An undeclared symbol of a nested SDFG takes the type of the expression that it is mapped to.
//   2. A symbol that is assigned on edges or by loops takes the joined type of all its assignments. A symbol that is
//      only read takes the type recorded in its symbolic strings. A declared type overrides both, except that a symbol
//      declared as a real number becomes an int64 if it only holds integers (RealSymbols.h): loop passes need that.
//   3. Connectors are typed state by state, in execution order, so that the source of an edge between two code nodes is
//      typed before its target. A connector of a nested SDFG follows the inner descriptor. With a container on the
//      memlet, one element is a value and several elements are a pointer (an output that is written a dynamic number of
//      times without conflict resolution is a pointer, too). Without a container, an input takes the type of the
//      connector at the other end, and an output the type that the tasklet's code computes.
//   4. OUT_x of an entry has the type of IN_x, and IN_x of an exit that of OUT_x.
//
// Not handled: types that the file states. Map parameters are always int64 and are not stored.
#include "Transforms/Edits/Completion.h"
#include "Transforms/Normalise/ConvertArguments.h"
#include "Transforms/Normalise/TypeEnvironment.h"

#include "sdfgc/Analysis/Memory/Connectors.h"
#include "sdfgc/Analysis/Symbols/RealSymbols.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/Analysis/Verify.h"
#include "sdfgc/IR/ScopeConnectors.h"
#include "sdfgc/Pass/Pass.h"
#include "sdfgc/Tasklet/Types.h"
#include "sdfgc/Transforms/Passes.h"

#include <algorithm>

namespace sdfgc::transforms {
namespace {

using namespace ir;

// ---- symbols

bool declare(SDFG &g, Name symbol, Type type) {
    Type &declared = g.symbols[symbol];
    if (declared || !type)
        return false;
    declared = type;
    return true;
}

/// Files list symbols by name; added names are inserted in that order.
void sortSymbols(SDFG &g) {
    std::vector<std::pair<Name, Type>> items(g.symbols.begin(), g.symbols.end());
    std::sort(items.begin(), items.end(), [](const auto &a, const auto &b) { return a.first < b.first; });
    g.symbols.clear();
    for (auto &[name, type] : items)
        g.symbols.set(name, type);
}

bool isUntyped(const SDFG &g, Name symbol) {
    const Type *t = g.symbols.find(symbol);
    return !t || !*t;
}

/// Step 1. `around` has the meaning of names at the node.
bool typeMappedSymbols(const NestedSDFGNode &node, const TypeEnvironment &around) {
    bool changed = false;
    for (const auto &[inner, expr] : node.symbolMapping)
        if (isUntyped(*node.sdfg, inner))
            if (Type t = around.typeOf(expr))
                changed |= declare(*node.sdfg, inner, t);
    return changed;
}

/// Step 2.
bool typeOwnSymbols(SDFG &g, pass::Context &context) {
    bool changed = false;
    const auto meaning = context.options.hasDaceMeaning() ? py::Semantics::Dace : py::Semantics::Symbolic;
    for (const auto &[symbol, type] : analysis::definedSymbols(g, meaning)) {
        if (!isUntyped(g, symbol))
            continue;
        if (type)
            changed |= declare(g, symbol, type);
        else
            context.diags.report(diag::Id::SymbolTypeUnknown, {.element = elementName(g)}, symbol.str());
    }
    for (const Name n : analysis::integersDeclaredReal(g)) {
        g.symbols[n] = Type(ScalarKind::Int64);
        changed = true;
    }
    // The strings also contain types of map parameters, which belong to their scopes.
    const std::set<Name> free = analysis::freeSymbols(g);
    for (const auto &[symbol, facts] : g.symbolHints)
        if (free.count(symbol) && isUntyped(g, symbol) && facts.type && !g.desc(symbol))
            changed |= declare(g, symbol, facts.type);
    return changed;
}

// ---- connectors

class ConnectorInference {
public:
    ConnectorInference(SDFG &g, pass::Context &c) : sdfg_(g), context_(c), structs_(analysis::structTypes(g)) {}

    bool run(State &s) {
        analysis::ScopeTree scopes(s);
        for (Node *n : scopes.order()) {
            inferInputs(*n);
            inferOutputs(*n, scopes);
            if (auto *nested = dyn_cast<NestedSDFGNode>(n); nested && nested->sdfg)
                changed_ |= typeMappedSymbols(*nested, TypeEnvironment(sdfg_, scopes, *n));
        }
        return changed_;
    }

private:
    void set(Connector &c, Type t) {
        c.type = t;
        changed_ = true;
    }

    void inferInputs(Node &n) {
        for (const Edge *e : n.inEdges()) {
            Connector *c = n.inConnector(e->dstConn);
            if (!c || c->type)
                continue;
            if (Type t = inputType(n, *e))
                set(*c, t);
            else
                report(n, *e, c->name);
        }
    }

    void inferOutputs(Node &n, const analysis::ScopeTree &scopes) {
        for (const Edge *e : n.outEdges()) {
            Connector *c = n.outConnector(e->srcConn);
            if (!c || c->type)
                continue;
            Type t = outputType(n, *e);
            if (!t && isa<Tasklet>(&n) && e->memlet.data.empty()) {
                inferFromCode(*cast<Tasklet>(&n), scopes);
                t = c->type ? c->type : statedAtConsumer(*e);
            }
            if (t)
                set(*c, t);
            else
                report(n, *e, c->name);
        }
    }

    Type inputType(const Node &n, const Edge &e) const {
        if (const DataDesc *inner = innerDescriptor(n, e.dstConn))
            return analysis::containerType(*inner);
        if (n.isExit() && isScopeInput(e.dstConn))
            if (const Edge *out = n.outEdge(pairedConnector(e.dstConn)))
                if (Type t = memletType(n, *out, true))
                    return t;
        if (e.memlet.data)
            return memletType(n, e, false);
        const Connector *source = e.src->outConnector(e.srcConn);
        return source ? source->type : Type();
    }

    Type outputType(const Node &n, const Edge &e) const {
        if (const DataDesc *inner = innerDescriptor(n, e.srcConn))
            return analysis::containerType(*inner);
        if ((n.isEntry() || n.isExit()) && isScopeOutput(e.srcConn))
            if (const Connector *in = n.inConnector(pairedConnector(e.srcConn)); in && in->type)
                return in->type;
        return e.memlet.data ? memletType(n, e, true) : Type();
    }

    const DataDesc *innerDescriptor(const Node &n, Name connector) const {
        const auto *nested = dyn_cast<NestedSDFGNode>(&n);
        return nested && nested->sdfg ? nested->sdfg->desc(connector) : nullptr;
    }

    /// The type according to the container and the number of elements; void if the container is unknown.
    Type memletType(const Node &n, const Edge &e, bool output) const {
        const Memlet &m = e.memlet;
        const DataDesc *d = sdfg_.desc(m.data);
        if (!d)
            return Type();
        if (n.isEntry() && !output && isDynamicRange(e.dstConn))
            return d->dtype; // a dynamic map range is always a single value
        bool value = m.subset ? m.subset->isOneElement() : d->fullSubset().isOneElement();
        if (output && m.dynamic && m.wcr.empty())
            value = false;
        value |= d->isScalar();
        if (isa<LibraryNode>(&n) && d->storage == Storage::GPU_Global)
            value = false;
        return value ? d->dtype : Type::pointer(d->dtype);
    }

    /// Infers, from a tasklet's code, the types of outputs without a typed memlet.
    void inferFromCode(Tasklet &t, const analysis::ScopeTree &scopes) {
        if (!t.code.isPython())
            return;
        const Code::Block *parsed = t.code.block();
        if (!parsed)
            return;
        TypeEnvironment names(sdfg_, scopes, t, &structs_);
        py::Env env = names.forCode(t);
        auto isOutput = [&](Name n) { return t.outConnector(n) != nullptr; };
        const auto semantics = context_.options.hasDaceMeaning() ? py::Semantics::Dace : py::Semantics::Python;
        py::TypedBlock typed = py::inferTypes(py::resolveModules(*parsed, env), env, isOutput, semantics);
        for (Connector &c : t.outConnectors)
            if (auto it = typed.assigned.find(c.name); !c.type && it != typed.assigned.end() && it->second)
                set(c, it->second);
    }

    static Type statedAtConsumer(const Edge &e) {
        const Connector *c = e.dst->inConnector(e.dstConn);
        return c ? c->type : Type();
    }

    void report(const Node &n, const Edge &e, Name connector) {
        if (e.memlet.isEmpty() && !e.srcConn)
            return; // an ordering edge that names a connector carries no data
        if (e.memlet.data && !sdfg_.desc(e.memlet.data))
            context_.diags.report(diag::Id::ConnectorDataUnknown, analysis::placeOf(n), connector.str(), e.memlet.data.str());
        else
            context_.diags.report(diag::Id::ConnectorTypeUnknown, analysis::placeOf(n), connector.str());
    }

    SDFG &sdfg_;
    pass::Context &context_;
    std::map<Name, Type> structs_;
    bool changed_ = false;
};

class InferTypes : public pass::GraphPass {
public:
    bool run(SDFG &root, pass::Context &context) override { return inferTypes(root, context); }
};

} // namespace

bool inferTypes(SDFG &root, pass::Context &context) {
    bool changed = false;
    for (SDFG *g : allSDFGs(root)) {
        std::size_t before = g->symbols.size();
        changed |= convertArguments(*g, context);
        changed |= typeOwnSymbols(*g, context);
        ConnectorInference connectors(*g, context);
        for (State *s : allStates(*g))
            changed |= connectors.run(*s);
        if (g->symbols.size() != before)
            sortSymbols(*g);
    }
    return changed;
}

std::unique_ptr<pass::Pass> createInferTypes() { return std::make_unique<InferTypes>(); }

} // namespace sdfgc::transforms
