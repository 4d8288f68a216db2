// Nested SDFGs: lowered in place where they are, or as functions of their own where C++ needs one.
//
// In place is the rule: the inner containers are other names for outer memory (base variable, offset, inner strides), inner symbols
// are outer expressions, and nothing is passed or copied. A function is needed for an early return, and wanted where the graph says
// so or the body is large and would otherwise be repeated.
#include "Lowering.h"

#include <algorithm>

namespace sdfgc::tree {

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

/// Symbols that a nested SDFG passes through are looked up by the same name outside when the mapping does not have them.
std::vector<Name> symbolNames(NestedSDFGNode &n) {
    std::set<Name> names = analysis::freeSymbols(*n.sdfg);
    for (const auto &[s, e] : n.symbolMapping)
        names.insert(s);
    return {names.begin(), names.end()};
}

} // namespace

void Lowering::nested(Instance &in, NestedSDFGNode &n, tree::Block &out) {
    if (!n.sdfg) {
        error(diag::Id::LowerUnsupported, analysis::placeOf(n), "a nested SDFG without content",
              "its file `" + n.externalPath + "` was not loaded");
        return;
    }
    if (analysis::becomesFunction(*n.sdfg))
        callNested(in, n, out);
    else
        inlineNested(in, n, out);
}

void Lowering::bindSymbols(Instance &in, Instance &inner, NestedSDFGNode &n, tree::Block &) {
    for (Name s : symbolNames(n)) {
        const sym::Expr *mapped = n.mapped(s);
        sym::Expr value = mapped ? sub(in, *mapped) : sub(in, sym::Expr::symbol(s));
        if (!mapped && !in.symbols.count(s))
            continue; // a constant, or a name that only the verifier minds
        const Type *declared = inner.g->symbols.find(s);
        Type type = declared && *declared ? symbolVariableType(*declared) : Type(ScalarKind::Int64);
        if (value.isSymbol())
            if (auto f = in.fn->facts.find(value.name()); f != in.fn->facts.end() && f->second.type)
                type = f->second.type;
        inner.symbols[s] = value;
        inner.symbolTypes[s] = type;
    }
}

void Lowering::inlineNested(Instance &in, NestedSDFGNode &n, tree::Block &out) {
    auto *block = out.add<tree::Block>();
    block->comment = "nested SDFG " + n.label;
    in.fn->names.open();
    Instance inner;
    inner.g = n.sdfg.get();
    inner.parent = &in;
    inner.fn = in.fn;
    inner.declarations = analysis::declarationsOf(*inner.g);
    bindSymbols(in, inner, n, *block);
    // Mapped values that read containers, or whose printing would repeat work, become constants of the block.
    for (auto &[symbol, value] : inner.symbols) {
        bool readsData = false;
        for (Name f : value.freeSymbols())
            readsData |= in.g->arrays.contains(f) && !in.symbols.count(f);
        if (!readsData)
            continue;
        py::ExprRef e = bindNames(in, toPy(in, value), analysis::placeOf(n));
        VarId v = declareValue(in, symbol, inner.symbolTypes[symbol], true);
        block->add<Declare>(v)->init = py::lowerOperators(py::inferTypes(e, environment(in)), semantics());
        value = sym::Expr::symbol(varName(in, v));
    }
    for (auto &[container, edge] : connections(n)) {
        const DataDesc *d = inner.g->arrays.find(container);
        if (!d)
            continue;
        bool input = edge->dst == &n;
        Place outer;
        sym::Expr start;
        if (auto it = in.edgeValues.find(edge); it != in.edgeValues.end()) {
            outer.var = it->second;
            outer.type = fn(in).vars[it->second].type;
            outer.strides = {1};
        } else if (auto *a = dyn_cast<AccessNode>(input ? analysis::pathSource(edge) : analysis::pathDestination(edge))) {
            outer = placeAt(in, *edge, *a);
            auto subset = input ? analysis::sourceSubset(edge) : analysis::destinationSubset(edge);
            start = outer.offset;
            if (outer.valid() && outer.desc) {
                sym::Subset s = subset && subset->rank() == outer.strides.size() ? *subset : outer.desc->fullSubset();
                start = startOffset(outer, sub(in, s));
            }
        }
        if (!outer.valid()) {
            error(diag::Id::NoPlace, analysis::placeOf(*edge), container.str());
            continue;
        }
        bool sameType = outer.type == d->dtype || d->isStructure() || d->isStream() || d->dtype.isVoid();
        if (sameType) {
            inner.places[container] = placeFor(inner, outer.var, *d, start);
            if (d->isStructure())
                inner.places[container].type = outer.type;
            continue;
        }
        Variable v; // seen through another element type inside
        v.name = in.fn->names.declare(container);
        v.type = d->dtype;
        v.kind = VarKind::Pointer;
        VarId id = fn(in).vars.add(std::move(v));
        auto *declare = block->add<Declare>(id);
        declare->target = addressAt(in, outer, start);
        fn(in).refs[declare->target].castTo = d->dtype;
        inner.places[container] = placeFor(inner, id, *d);
    }
    declareSymbols(inner, *block);
    declareTop(inner, *block);
    LoopContext *loops = loops_;
    loops_ = nullptr;
    region(inner, *inner.g, *block);
    loops_ = loops;
    in.fn->names.close();
    for (const NodePtr &child : block->body)
        if (child->kind == Kind::Declare)
            block->braces = true;
}

// ---------------------------------------------------------------------------------------------------- functions

void Lowering::callNested(Instance &in, NestedSDFGNode &n, tree::Block &out) {
    auto function = std::make_unique<Function>();
    FunctionContext context;
    context.function = function.get();
    context.team = in.fn->team;
    context.names.open();
    function->name = functionName(n.uniqueName.empty() ? n.sdfg->name.str() : n.uniqueName, "_function");
    function->comment = "nested SDFG " + n.label;
    context.names.declare(function->name);

    Instance inner;
    inner.g = n.sdfg.get();
    inner.fn = &context;
    inner.declarations = analysis::declarationsOf(*inner.g);
    auto call = std::make_unique<Call>();
    call->comment = "nested SDFG " + n.label;

    for (Name s : symbolNames(n)) {
        const sym::Expr *mapped = n.mapped(s);
        if (!mapped && !in.symbols.count(s))
            continue;
        const Type *declared = inner.g->symbols.find(s);
        Type type = declared && *declared ? symbolVariableType(*declared) : Type(ScalarKind::Int64);
        VarId v = declareValue(inner, s, type);
        function->params.push_back(v);
        inner.symbols[s] = sym::Expr::symbol(varName(inner, v));
        inner.symbolTypes[s] = type;
        sym::Expr value = sub(in, mapped ? *mapped : sym::Expr::symbol(s));
        context.facts[varName(inner, v)].nonnegative = sym::isNonNegative(value, in.fn->facts) == sym::Truth::True;
        Call::Argument a;
        a.value = final(in, value);
        a.expr =
            py::lowerOperators(py::inferTypes(bindNames(in, toPy(in, value), analysis::placeOf(n)), environment(in)), semantics());
        call->arguments.push_back(std::move(a));
    }
    for (auto &[container, edge] : connections(n)) {
        const DataDesc *d = inner.g->arrays.find(container);
        if (!d)
            continue;
        bool input = edge->dst == &n;
        auto *a = dyn_cast<AccessNode>(input ? analysis::pathSource(edge) : analysis::pathDestination(edge));
        Place outer = a ? placeAt(in, *edge, *a) : Place();
        if (!outer.valid()) {
            error(diag::Id::NoPlace, analysis::placeOf(*edge), container.str());
            continue;
        }
        auto subset = input ? analysis::sourceSubset(edge) : analysis::destinationSubset(edge);
        sym::Expr start = outer.offset;
        if (outer.desc)
            start =
                startOffset(outer, sub(in, subset && subset->rank() == outer.strides.size() ? *subset : outer.desc->fullSubset()));
        Variable v;
        v.name = context.names.declare(container);
        v.type = d->dtype;
        v.kind = d->isStream()      ? VarKind::StreamRef
                 : d->isStructure() ? VarKind::StructPtr
                 : d->isScalar()    ? VarKind::Reference
                                    : VarKind::Pointer;
        if (d->isStructure() && d->dtype.isPointer())
            v.type = d->dtype.element();
        v.isConst = v.kind == VarKind::Reference && input && !n.outEdge(container);
        bool address = v.kind == VarKind::Pointer;
        VarId id = function->vars.add(std::move(v));
        function->params.push_back(id);
        Call::Argument arg;
        arg.ref = address ? addressAt(in, outer, start) : elementAt(in, outer, start);
        if (outer.type != d->dtype && address)
            fn(in).refs[arg.ref].castTo = d->dtype;
        call->arguments.push_back(arg);
        inner.places[container] = placeFor(inner, id, *d);
    }
    LoopContext *loops = loops_;
    loops_ = nullptr;
    declareSymbols(inner, function->body);
    context.top = &function->body;
    context.topAt = function->body.body.size();
    declareTop(inner, function->body);
    region(inner, *inner.g, function->body);
    loops_ = loops;
    fn(in).needsState |= function->needsState;
    call->function = module_->functions.add(std::move(function));
    out.body.push_back(std::move(call));
}

} // namespace sdfgc::tree
