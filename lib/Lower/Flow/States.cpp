// Dataflow: nodes of a state in execution order, scope by scope.
#include "States.h"

#include "Blocks.h"
#include "Consume.h"
#include "Lower/Copies/Copies.h"
#include "Lower/Copies/LibraryNodes.h"
#include "Lower/Kernels/KernelBodies.h"
#include "Lower/Memory/Containers.h"
#include "Lower/Memory/Views.h"
#include "Lower/Program/DataProbes.h"
#include "Lower/Program/Measurements.h"
#include "Lower/Tasklets/Tasklets.h"
#include "Maps.h"
#include "Nested.h"

#include "sdfgc/Analysis/Memory/Copies.h"
#include "sdfgc/Analysis/Scopes.h"
#include "sdfgc/Analysis/Streams/Streams.h"
#include "sdfgc/Analysis/Teams.h"

#include <utility>

namespace sdfgc::tree::lowering {

using namespace ir;

namespace {

/// Copies have no node of their own: one is made as soon as its source is complete, unless an ordering edge into the destination
/// makes it wait.
void lowerAccess(Instance &in, AccessNode &n, tree::Block &out) {
    // Data from outside the scope entry is copied in once per iteration, when its node is reached.
    for (Edge *e : n.inEdges())
        if ((e->src->isEntry() || analysis::copiesAtDestination(n)) && analysis::isTransfer(*e))
            copyEdge(in, *e, out);
    if (n.dataInstrument != DataInstrumentation::No_Instrumentation)
        dataProbe(in, n, out);
    for (Edge *e : n.outEdges())
        if ((e->dst->isExit() || !analysis::copiesAtDestination(*e->dst)) && analysis::isTransfer(*e))
            copyEdge(in, *e, out);
}

/// One node with its contents; the generated statements record the node that they came from.
void lowerNode(Instance &in, ir::Node &n, tree::Block &into) {
    std::size_t before = into.body.size();
    tree::Block &out = measuredNode(in, n, into);
    switch (n.kind()) {
    case NodeKind::Access:
        lowerAccess(in, static_cast<AccessNode &>(n), out);
        break;
    case NodeKind::Tasklet:
        if (in.fn->device.inside)
            lowerKernelTasklet(in, static_cast<Tasklet &>(n), out);
        else
            lowerTasklet(in, static_cast<Tasklet &>(n), out);
        break;
    case NodeKind::NestedSDFG:
        lowerNested(in, static_cast<NestedSDFGNode &>(n), out);
        break;
    case NodeKind::MapEntry:
        lowerMap(in, static_cast<MapEntry &>(n), out);
        break;
    case NodeKind::ConsumeEntry:
        lowerConsume(in, static_cast<ConsumeEntry &>(n), out);
        break;
    case NodeKind::Library:
        lowerLibraryNode(in, static_cast<LibraryNode &>(n), out);
        break;
    case NodeKind::MapExit:
    case NodeKind::ConsumeExit:
        break;
    }
    for (std::size_t i = before; i < into.body.size(); ++i)
        if (into.body[i]->origin.empty() && in.state && in.state->parent())
            into.body[i]->origin = {in.state->parent()->cfgId, static_cast<int>(in.state->id()), static_cast<int>(n.id())};
}

/// Independent parts of a state run as OpenMP sections, if the graph requests it.
void sections(Instance &in, State &s, tree::Block &out) {
    const auto &children = in.scopes->children(nullptr);
    declareInScope(in, nullptr, out);
    resolveViews(in, children, out);
    auto node = std::make_unique<Sections>();
    const analysis::Team outer = std::exchange(in.fn->team, analysis::Team::Member);
    for (const std::vector<ir::Node *> &part : analysis::independentParts(s, *in.scopes)) {
        node->sections.push_back(std::make_unique<tree::Block>());
        in.fn->names.open();
        for (ir::Node *n : part)
            lowerNode(in, *n, *node->sections.back());
        in.fn->names.close();
    }
    in.fn->team = outer;
    out.body.push_back(std::move(node));
}

} // namespace

void lowerState(Instance &in, State &s, tree::Block &out) {
    if (s.nodes().empty() && s.instrument == Instrumentation::No_Instrumentation)
        return;
    auto *block = out.add<tree::Block>();
    block->comment = s.label.empty() ? "" : "state " + s.label;
    if (s.debugInfo.known())
        block->comment += " (" + s.debugInfo.file.str() + ":" + std::to_string(s.debugInfo.startLine) + ")";
    block->origin = {s.parent() ? s.parent()->cfgId : 0, static_cast<int>(s.id())};
    tree::Block *body = &measuredState(in, s, *block);
    analysis::ScopeTree scopes(s);
    const State *outerState = in.state;
    const analysis::ScopeTree *outerScopes = in.scopes;
    in.state = &s;
    in.scopes = &scopes;
    in.fn->names.open();
    if (analysis::runsAsSections(s, scopes))
        sections(in, s, *body);
    else
        lowerScope(in, nullptr, *body);
    in.fn->names.close();
    in.state = outerState;
    in.scopes = outerScopes;
    // A C++ scope is needed only if there are declarations directly in it.
    braceIfDeclaring(*block);
}

void lowerScope(Instance &in, const ir::Node *entry, tree::Block &out) {
    const auto &children = in.scopes->children(entry);
    declareInScope(in, entry, out);
    resolveViews(in, children, out);
    for (ir::Node *n : children)
        lowerNode(in, *n, out);
}

} // namespace sdfgc::tree::lowering
