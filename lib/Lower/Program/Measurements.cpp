// Measurements of elements.
#include "Measurements.h"

#include "Lower/Expressions/Symbols.h"
#include "Lower/Memory/Elements.h"

#include "sdfgc/Analysis/Costs/Traffic.h"
#include "sdfgc/Analysis/Device/Async.h"
#include "sdfgc/Analysis/Verify.h"

#include <algorithm>

namespace sdfgc::tree::lowering {

using namespace ir;

namespace {

using Wish = Instrumentation;

bool asksForAll(const Instance &in) { return in.options().instrument == pass::Instrument::All; }

/// What the graph asks for, as far as the options allow it.
Wish wishOf(const Instance &in, Instrumentation i) {
    return in.options().instrument == pass::Instrument::None ? Wish::No_Instrumentation : i;
}

/// Is the SDFG outside of all scopes, so that its parts run as often as control flow says?
bool isOutsideScopes(const SDFG &g) {
    for (const SDFG *at = &g; at->parentNode; at = at->parentSDFG())
        if (analysis::ScopeTree(*at->parentNode->state()).scopeOf(at->parentNode))
            return false;
    return true;
}

bool isInLoop(const ir::Block &b) {
    for (const Region *r = b.parent(); r; r = r->parent())
        if (r->kind() == BlockKind::Loop)
            return true;
    return false;
}

/// Does --instrument ask for nodes like this one? Python tasklets are too short to be measured, and nested SDFGs have parts that
/// are measured.
bool isWorthMeasuring(const ir::Node &n) {
    switch (n.kind()) {
    case NodeKind::MapEntry:
    case NodeKind::ConsumeEntry:
        return true;
    case NodeKind::Library:
        return !analysis::asyncOp(static_cast<const LibraryNode &>(n));
    case NodeKind::Tasklet: {
        const auto &t = static_cast<const Tasklet &>(n);
        return !t.code.empty() && !t.label.empty() && !t.code.isPython();
    }
    default:
        return false;
    }
}

/// The kind of a node in reports (DaCe's class names), and in messages.
std::pair<std::string, std::string> kindOf(const ir::Node &n) {
    switch (n.kind()) {
    case NodeKind::MapEntry:
        return {"Map", "map"};
    case NodeKind::ConsumeEntry:
        return {"Consume", "consume scope"};
    case NodeKind::Tasklet:
        return {"Tasklet", "tasklet"};
    case NodeKind::NestedSDFG:
        return {"NestedSDFG", "nested SDFG"};
    default: {
        const auto &path = static_cast<const LibraryNode &>(n).classPath;
        return {path.substr(path.rfind('.') + 1), "library node"};
    }
    }
}

/// Does a value of the node go directly to another node, as a variable that a scope around the node would hide?
bool passesValues(const ir::Node &n) {
    const ir::Node *last = exitOf(&n);
    return std::any_of(last->outEdges().begin(), last->outEdges().end(),
                       [](const Edge *e) { return e->srcConn && !isa<AccessNode>(e->dst) && !e->dst->isExit(); });
}

/// A number in terms of variables. 0, unknown, if a symbol has no value here: memlets around a scope may name sizes that callers do not
/// pass, and variables of loops elsewhere.
sym::Expr valueHere(const Instance &in, const std::optional<sym::Expr> &number) {
    const sym::Expr value = number ? inVariables(in, *number) : sym::Expr(0);
    return isKnown(in, value) ? printable(in, value) : sym::Expr(0);
}

Measure &add(Instance &in, Wish wish, std::string name, Block &out) {
    auto *m = out.add<Measure>();
    m->by = wish;
    m->name = std::move(name);
    in.recordsTimes();
    return *m;
}

} // namespace

tree::Block &measuredSdfg(Instance &in, const SDFG &g, tree::Block &out) {
    const Wish wish = wishOf(in, g.instrument);
    const bool chosen = wish == Wish::No_Instrumentation && asksForAll(in) && g.isRoot();
    if (wish == Wish::No_Instrumentation && !chosen)
        return out;
    const std::string element = (g.isRoot() ? "program `" : "SDFG `") + g.name.str() + "`";
    if (in.fn->device.inside) {
        in.program().ignoreInKernel(wish, element, analysis::placeOf(g));
        return out;
    }
    Measure &m = add(in, chosen ? Wish::Timer : wish, "SDFG " + g.name.str(), out);
    m.element = element;
    m.chosen = chosen;
    m.cfg = g.cfgId;
    return m.body;
}

tree::Block &measuredState(Instance &in, const State &s, tree::Block &out) {
    const Wish wish = wishOf(in, s.instrument);
    if (wish == Wish::No_Instrumentation)
        return out;
    const std::string element = "state `" + s.label + "`";
    if (in.fn->device.inside) {
        in.program().ignoreInKernel(wish, element, analysis::placeOf(s));
        return out;
    }
    Measure &m = add(in, wish, "State " + s.label, out);
    m.element = element;
    m.cfg = s.parent()->cfgId;
    m.state = static_cast<int>(s.id());
    return m.body;
}

tree::Block &measuredNode(Instance &in, const ir::Node &n, tree::Block &out) {
    if (isa<AccessNode>(&n) || n.isExit())
        return out;
    const Wish wish = wishOf(in, n.instrument);
    const bool chosen = wish == Wish::No_Instrumentation && asksForAll(in) && isWorthMeasuring(n) && !in.fn->device.inside &&
                        !in.fn->isInGraph && !in.scopes->scopeOf(&n) && isOutsideScopes(*in.g) && !passesValues(n);
    if (wish == Wish::No_Instrumentation && !chosen)
        return out;
    const auto [kind, word] = kindOf(n);
    const std::string element = word + " `" + n.label + "`";
    if (in.fn->device.inside) {
        in.program().ignoreInKernel(wish, element, analysis::placeOf(n));
        return out;
    }
    if (!chosen && passesValues(n)) {
        in.program().ignored.instrumentation("`" + std::string(name(wish)) + "`", element, analysis::placeOf(n),
                                             "its value goes directly to another node", "measure the state or the scope");
        return out;
    }
    const int cfg = in.state->parent()->cfgId, state = static_cast<int>(in.state->id()), id = static_cast<int>(n.id());
    const bool hasLabel = chosen || isa<MapEntry>(&n) || isa<ConsumeEntry>(&n);
    const std::string place = std::to_string(cfg) + "_" + std::to_string(state) + "_" + std::to_string(id);
    Measure &m = add(in, chosen ? Wish::Timer : wish, kind + " " + (hasLabel ? n.label : place), out);
    m.element = element;
    m.chosen = chosen;
    m.cfg = cfg;
    m.state = state;
    m.node = id;
    m.bytes = valueHere(in, analysis::bytesMoved(n));
    if (const auto *map = dyn_cast<MapEntry>(&n))
        m.operations = valueHere(in, analysis::floatOperations(*map, *in.scopes));
    return m.body;
}

tree::Block &measuredRegion(Instance &in, const Region &r, tree::Block &out) {
    const bool isLoop = r.kind() == BlockKind::Loop;
    if (!asksForAll(in) || in.fn->device.inside || in.fn->isInGraph || (isLoop && isInLoop(r)) || !isOutsideScopes(*in.g))
        return out;
    Measure &m = add(in, Wish::Timer, (isLoop ? "Loop " : "Graph ") + r.label, out);
    m.element = (isLoop ? "loop `" : "graph `") + r.label + "`";
    m.chosen = true;
    m.cfg = r.cfgId;
    return m.body;
}

} // namespace sdfgc::tree::lowering
