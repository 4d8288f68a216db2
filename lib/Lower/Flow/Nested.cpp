// Nested SDFGs.
#include "Nested.h"

#include "Blocks.h"
#include "ControlFlow.h"
#include "Lower/Expressions/Expressions.h"
#include "Lower/Expressions/SymbolicToPython.h"
#include "Lower/Expressions/Symbols.h"
#include "Lower/Memory/Containers.h"
#include "Lower/Memory/Elements.h"
#include "Lower/Memory/Places.h"
#include "Lower/Memory/Views.h"
#include "Lower/Program/Measurements.h"
#include "Reductions.h"

#include "sdfgc/Analysis/Memory/Allocation.h"
#include "sdfgc/Analysis/Scopes.h"
#include "sdfgc/Analysis/Symbols/ArgumentTypes.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/Analysis/Verify.h"
#include "sdfgc/Tasklet/Conversions.h"

#include <algorithm>

namespace sdfgc::tree::lowering {

using namespace ir;

namespace {

/// Edges of a nested SDFG node, one per container name (an in/out connector has two edges to the same container).
std::vector<std::pair<Name, Edge *>> connections(NestedSDFGNode &n) {
    std::vector<std::pair<Name, Edge *>> out;
    auto add = [&](Name c, Edge *e) {
        if (c && std::none_of(out.begin(), out.end(), [&](const auto &p) { return p.first == c; }))
            out.emplace_back(c, e);
    };
    for (Edge *e : n.inEdges())
        add(e->dstConn, e);
    for (Edge *e : n.outEdges())
        add(e->srcConn, e);
    std::sort(out.begin(), out.end(), [](const auto &a, const auto &b) { return a.first < b.first; });
    return out;
}

/// If the mapping lacks a symbol of a nested SDFG, the outer symbol of the same name is used.
std::vector<Name> symbolNames(NestedSDFGNode &n) {
    std::set<Name> names = analysis::freeSymbols(*n.sdfg);
    for (const auto &[s, e] : n.symbolMapping)
        names.insert(s);
    return {names.begin(), names.end()};
}

/// The outer value of a symbol of a nested SDFG.
struct OuterValue {
    sym::Expr graph;    // in terms of the graph
    sym::Expr value;    // in terms of variables
    bool reads = false; // does it read containers, which may change while the nested SDFG runs?
};

/// Nothing for a constant, and for a name that only matters to the verifier.
std::optional<OuterValue> outerValue(const Instance &in, const NestedSDFGNode &n, Name symbol) {
    const sym::Expr *mapped = n.mapped(symbol);
    if (!mapped && !in.symbols.count(symbol))
        return std::nullopt;
    OuterValue outer;
    outer.graph = mapped ? *mapped : sym::Expr::symbol(symbol);
    outer.value = inVariables(in, outer.graph);
    const std::vector<Name> &names = outer.graph.freeSymbols();
    outer.reads = std::any_of(names.begin(), names.end(), [&](Name f) { return in.g->arrays.contains(f) && !in.symbols.count(f); });
    return outer;
}

/// The value, ready to print.
py::ExprRef printed(Instance &in, const OuterValue &outer, const NestedSDFGNode &n) {
    return outer.reads ? mappedValue(in, outer.graph, analysis::placeOf(n)) : lowered(in, pythonOf(in, outer.value));
}

/// Type of the variable for a symbol of a nested SDFG.
Type innerType(const Instance &inner, Name symbol) {
    const Type *declared = inner.g->symbols.find(symbol);
    return declared && *declared ? symbolVariableType(*declared) : Type(ScalarKind::Int64);
}

/// The outer counterpart of a connector: a place of the outer SDFG, and the start of the memlet's subset in it.
struct Outer {
    MemoryPlace place;
    sym::Expr start;
    bool accumulates = false; // the place is an accumulator for a single element
};

/// Updates of the container inside also go to the accumulator.
void setAccumulator(Instance &inner, Name container) {
    MemoryPlace &place = inner.places[container];
    place.strides.assign(place.strides.size(), 0);
    inner.reductions[container] = place;
}

/// The element that a consume scope popped from its queue, converted to the argument's type.
Outer takenElement(Instance &in, VarId element, const DataDesc &argument, Name container, tree::Block &block) {
    Outer taken;
    taken.place.var = element;
    taken.place.type = in.function().vars[element].type;
    taken.place.strides = {1};
    if (!argument.isScalar() || !argument.dtype.isNumeric() || !analysis::differ(argument.dtype, taken.place.type))
        return taken;
    taken.place.var = in.declareValue(container, argument.dtype, true);
    block.add<Declare>(taken.place.var)->init = py::inType(argument.dtype, py::name(in.varName(element), taken.place.type));
    taken.place.type = argument.dtype;
    return taken;
}

/// The outer counterpart of a connector: the element that a consume scope popped from its queue, or the memory of an access node;
/// an invalid place if there is neither at the other end. Declares variables at the end of `block`.
Outer outerContainer(Instance &in, const NestedSDFGNode &n, Edge &edge, const DataDesc &argument, Name container,
                     tree::Block &block) {
    if (const auto element = in.edgeValues.find(&edge); element != in.edgeValues.end())
        return takenElement(in, element->second, argument, container, block);
    const bool input = edge.dst == &n;
    const auto *a = dyn_cast<AccessNode>(input ? analysis::pathSource(&edge) : analysis::pathDestination(&edge));
    Outer outer;
    if (!a)
        return outer;
    if (const MemoryPlace *accumulator = input ? nullptr : accumulatorOf(in, edge, a->data)) {
        outer.place = *accumulator;
        outer.accumulates = true;
        return outer;
    }
    outer.place = placeAt(in, edge, *a);
    outer.start = startAt(in, outer.place, edge, input);
    return outer;
}

/// Calls `bind(container, descriptor inside, edge, outer counterpart)` for each argument of a nested SDFG, and reports arguments
/// without a counterpart. Declares variables for values without a container at the end of `block`.
template <class F> void forEachArgument(Instance &in, const Instance &inner, NestedSDFGNode &n, tree::Block &block, F &&bind) {
    for (auto &[container, edge] : connections(n)) {
        const DataDesc *d = inner.g->arrays.find(container);
        if (!d)
            continue;
        const Outer outer = outerContainer(in, n, *edge, *d, container, block);
        if (outer.place.valid())
            bind(container, *d, *edge, outer);
        else
            in.error(diag::Id::NoPlace, analysis::placeOf(*edge), container.str());
    }
}

// ---------------------------------------------------------------------------------------------------- in place

/// Is it a quotient, which is truncated when it becomes an inner symbol? Twice such a symbol does not equal a sum of outer
/// quotients.
bool isQuotient(sym::Expr e) { return !sym::asFraction(e).second.isOne(); }

/// Inner symbols become outer expressions; a mapped value that reads containers, or that is a quotient, becomes a constant of the
/// block.
void bindSymbols(Instance &in, Instance &inner, NestedSDFGNode &n, tree::Block &block) {
    for (Name s : symbolNames(n)) {
        const std::optional<OuterValue> outer = outerValue(in, n, s);
        if (!outer)
            continue;
        Type type = innerType(inner, s);
        if (outer->value.isSymbol())
            if (auto f = in.fn->facts.find(outer->value.name()); f != in.fn->facts.end() && f->second.type)
                type = f->second.type;
        inner.symbols[s] = outer->value;
        inner.symbolTypes[s] = type;
        if (!outer->reads && !isQuotient(outer->value))
            continue;
        py::ExprRef value = printed(in, *outer, n);
        const VarId v = in.declareValue(s, type, true);
        block.add<Declare>(v)->init = std::move(value);
        inner.symbols[s] = sym::Expr::symbol(in.varName(v));
    }
}

/// Inner containers become other names for outer memory.
void bindContainers(Instance &in, Instance &inner, NestedSDFGNode &n, tree::Block &block) {
    forEachArgument(in, inner, n, block, [&](Name container, const DataDesc &d, const Edge &, const Outer &outer) {
        const bool sameType = outer.place.type == d.dtype || d.isStructure() || d.isStream() || d.dtype.isVoid();
        if (!sameType || isBehindElement(outer.place, d)) {
            inner.places[container] = pointerView(in, inner, container, d, outer.place, outer.start, block);
            return;
        }
        inner.places[container] = placeFor(inner, outer.place.var, d, outer.start);
        inner.places[container].memory = outer.place.memory;
        if (d.isStructure())
            inner.places[container].type = outer.place.type;
        if (outer.accumulates)
            setAccumulator(inner, container);
    });
}

/// The contents of a nested SDFG as a block.
void lowerInPlace(Instance &in, NestedSDFGNode &n, tree::Block &out) {
    auto *block = out.add<tree::Block>();
    block->comment = "nested SDFG " + n.label;
    in.fn->names.open();
    Instance inner(*n.sdfg, *in.fn, &in);
    bindSymbols(in, inner, n, *block);
    bindContainers(in, inner, n, *block);
    tree::Block &body = measuredSdfg(inner, *inner.g, *block);
    declareSymbols(inner, body);
    declareTop(inner, body);
    lowerRegion(inner, *inner.g, body);
    in.fn->names.close();
    braceIfDeclaring(*block);
}

// ---------------------------------------------------------------------------------------------------- functions

/// Adds parameters for the symbols of a function, and the arguments of the call for them.
void passSymbols(Instance &in, Instance &inner, NestedSDFGNode &n, Call &call) {
    const std::set<Name> needed = analysis::freeSymbols(*n.sdfg);
    for (Name s : symbolNames(n)) {
        const std::optional<OuterValue> outer = outerValue(in, n, s);
        // A symbol that only occurs in the shape of an argument may have no value here.
        if (!outer || (!needed.count(s) && !outer->reads && !isKnown(in, outer->value)))
            continue;
        const Type type = innerType(inner, s);
        const VarId v = inner.declareValue(s, type);
        inner.function().params.push_back(v);
        inner.symbols[s] = sym::Expr::symbol(inner.varName(v));
        inner.symbolTypes[s] = type;
        inner.fn->facts[inner.varName(v)].nonnegative = sym::isNonNegative(outer->value, in.fn->facts) == sym::Truth::True;
        Call::Argument a;
        a.value = printable(in, outer->value);
        a.expr = printed(in, *outer, n);
        call.arguments.push_back(std::move(a));
    }
}

/// Adds parameters for the containers of a function, and the arguments of the call for them, at the end of `block`.
void passContainers(Instance &in, Instance &inner, NestedSDFGNode &n, Call &call, tree::Block &block) {
    forEachArgument(in, inner, n, block, [&](Name container, const DataDesc &d, const Edge &edge, const Outer &outer) {
        Variable v;
        v.name = inner.fn->names.declare(container);
        v.type = variableType(d);
        v.kind = d.isStream()      ? VarKind::StreamRef
                 : d.isStructure() ? VarKind::StructPtr
                 : d.isScalar()    ? VarKind::Reference
                                   : VarKind::Pointer;
        v.isConst = v.kind == VarKind::Reference && edge.dst == &n && !n.outEdge(container);
        const bool isPointer = v.kind == VarKind::Pointer || v.kind == VarKind::StructPtr;
        const bool address = isPointer && !isBehindElement(outer.place, d);
        const VarId id = inner.function().vars.add(std::move(v));
        inner.function().params.push_back(id);
        Call::Argument arg;
        arg.ref = address ? addressAt(in, outer.place, outer.start) : elementAt(in, outer.place, outer.start);
        if (outer.place.type != d.dtype && address && !d.isStructure())
            in.function().refs[arg.ref].castTo = d.dtype;
        call.arguments.push_back(arg);
        inner.places[container] = placeFor(inner, id, d);
        if (outer.accumulates)
            setAccumulator(inner, container);
    });
}

/// The contents of a nested SDFG as a function of the module, and the call. The function does not know the loops and scopes around
/// the call.
void callFunction(Instance &in, NestedSDFGNode &n, tree::Block &out) {
    auto function = std::make_unique<Function>();
    FunctionContext context(in.program(), *function);
    context.team = in.fn->team;
    function->name = in.program().functionNames.take(n.uniqueName.empty() ? n.sdfg->name.str() : n.uniqueName, "_function");
    function->comment = "nested SDFG " + n.label;
    context.names.declare(function->name);
    Instance inner(*n.sdfg, context);
    auto call = std::make_unique<Call>();
    call->comment = "nested SDFG " + n.label;
    passSymbols(in, inner, n, *call);
    passContainers(in, inner, n, *call, out);
    tree::Block &body = measuredSdfg(inner, *inner.g, function->body);
    declareSymbols(inner, body);
    context.top = &body;
    context.topAt = body.body.size();
    declareTop(inner, body);
    lowerRegion(inner, *inner.g, body);
    in.function().needsState |= function->needsState;
    call->function = in.module().functions.add(std::move(function));
    out.body.push_back(std::move(call));
}

} // namespace

void lowerNested(Instance &in, NestedSDFGNode &n, tree::Block &out) {
    if (!n.sdfg) {
        in.error(diag::Id::LowerUnsupported, analysis::placeOf(n), "a nested SDFG without content",
                 "its file `" + n.externalPath + "` was not loaded");
        return;
    }
    if (analysis::becomesFunction(*n.sdfg))
        callFunction(in, n, out);
    else
        lowerInPlace(in, n, out);
}

} // namespace sdfgc::tree::lowering
