// States: nodes in execution order, scopes, access nodes.
#include "Lowering.h"

#include "sdfgc/Analysis/Copies.h"
#include "sdfgc/Analysis/Streams.h"

#include <algorithm>
#include <utility>

namespace sdfgc::tree {

using namespace ir;

void Lowering::state(Instance &in, State &s, tree::Block &out) {
    if (s.nodes().empty())
        return;
    auto *block = out.add<tree::Block>();
    block->comment = s.label.empty() ? "" : "state " + s.label;
    if (s.debugInfo.known())
        block->comment += " (" + s.debugInfo.file.str() + ":" + std::to_string(s.debugInfo.startLine) + ")";
    block->origin = {s.parent() ? s.parent()->cfgId : 0, static_cast<int>(s.id())};
    tree::Block *body = block;
    if (s.instrument == Instrumentation::Timer) {
        auto *timer = block->add<Timer>();
        timer->name = "State " + s.label;
        timer->cfg = s.parent()->cfgId;
        timer->state = static_cast<int>(s.id());
        body = &timer->body;
        instrumented(in);
    }
    analysis::ScopeTree scopes(s);
    const State *outerState = in.state;
    const analysis::ScopeTree *outerScopes = in.scopes;
    in.state = &s;
    in.scopes = &scopes;
    in.fn->names.open();
    if (analysis::runsAsSections(s, scopes))
        sections(in, s, *body);
    else
        scope(in, nullptr, *body);
    in.fn->names.close();
    in.state = outerState;
    in.scopes = outerScopes;
    // A C++ scope is needed only where something was declared directly in it.
    for (const NodePtr &n : block->body)
        if (n->kind == Kind::Declare)
            block->braces = true;
}

/// Independent parts of a state run as OpenMP sections, if the graph asks for it.
void Lowering::sections(Instance &in, State &s, tree::Block &out) {
    const auto &children = in.scopes->children(nullptr);
    if (auto at = in.declarations.local.find(&s); at != in.declarations.local.end())
        if (auto names = at->second.find(nullptr); names != at->second.end())
            declareAt(in, names->second, out);
    resolveViews(in, children, out);
    auto node = std::make_unique<Sections>();
    const analysis::Team outer = std::exchange(in.fn->team, analysis::Team::Member);
    for (const std::vector<ir::Node *> &part : analysis::independentParts(s, *in.scopes)) {
        node->sections.push_back(std::make_unique<tree::Block>());
        in.fn->names.open();
        for (ir::Node *n : part)
            this->node(in, *n, *node->sections.back());
        in.fn->names.close();
    }
    in.fn->team = outer;
    out.body.push_back(std::move(node));
}

void Lowering::scope(Instance &in, const ir::Node *entry, tree::Block &out) {
    const auto &children = in.scopes->children(entry);
    if (auto at = in.declarations.local.find(in.state); at != in.declarations.local.end())
        if (auto names = at->second.find(entry); names != at->second.end())
            declareAt(in, names->second, out);
    resolveViews(in, children, out);
    for (ir::Node *n : children)
        node(in, *n, out);
}

bool Lowering::writesBeyond(const ir::Node &n, Storage own) {
    for (const Edge *e : n.outEdges())
        if (const auto *a = dyn_cast<AccessNode>(analysis::pathDestination(e))) {
            const DataDesc *d = a->state()->sdfg()->desc(a->data);
            if (!d || (d->storage != Storage::Register && d->storage != own))
                return true;
        }
    return false;
}

tree::Block &Lowering::onlyFirst(const std::vector<py::ExprRef> &numbers, tree::Block &out) {
    std::vector<py::ExprRef> first;
    for (const py::ExprRef &number : numbers) {
        py::Expr is;
        is.kind = py::ExprKind::Compare;
        is.type = ScalarKind::Bool;
        is.args = {number, py::intLit(0)};
        is.ops = {py::Op::Eq};
        first.push_back(std::make_shared<const py::Expr>(std::move(is)));
    }
    py::Expr all;
    all.kind = py::ExprKind::BoolOp;
    all.op = py::Op::And;
    all.type = ScalarKind::Bool;
    all.args = first;
    auto *only = out.add<If>();
    only->branches.push_back(
        {first.size() == 1 ? first[0] : std::make_shared<const py::Expr>(std::move(all)), std::make_unique<tree::Block>()});
    return *only->branches.back().body;
}

/// Code that is not in a map over threads runs once for each block, or for the grid: one thread does it.
void Lowering::blockTasklet(Instance &in, Tasklet &t, tree::Block &out) {
    const bool once = in.fn->device.level == analysis::Executor::Grid && writesBeyond(t, Storage::GPU_Shared);
    tasklet(in, t, onlyFirst({py::call(once ? number::threadInGrid : number::threadInBlock, {})}, out));
}

void Lowering::node(Instance &in, ir::Node &n, tree::Block &out) {
    std::size_t before = out.body.size();
    switch (n.kind()) {
    case NodeKind::Access:
        accessNode(in, static_cast<AccessNode &>(n), out);
        break;
    case NodeKind::Tasklet:
        if (in.fn->device.inside && in.fn->device.level != analysis::Executor::Thread && writesBeyond(n, Storage::Register))
            blockTasklet(in, static_cast<Tasklet &>(n), out);
        else
            tasklet(in, static_cast<Tasklet &>(n), out);
        break;
    case NodeKind::NestedSDFG:
        nested(in, static_cast<NestedSDFGNode &>(n), out);
        break;
    case NodeKind::MapEntry:
        map(in, static_cast<MapEntry &>(n), out);
        break;
    case NodeKind::ConsumeEntry:
        consume(in, static_cast<ConsumeEntry &>(n), out);
        break;
    case NodeKind::Library:
        libraryNode(in, static_cast<LibraryNode &>(n), out);
        break;
    case NodeKind::MapExit:
    case NodeKind::ConsumeExit:
        break;
    }
    for (std::size_t i = before; i < out.body.size(); ++i)
        if (out.body[i]->origin.empty() && in.state && in.state->parent())
            out.body[i]->origin = {in.state->parent()->cfgId, static_cast<int>(in.state->id()), static_cast<int>(n.id())};
}

/// Saves or restores a container where its node is reached and what is copied into it has been. Device memory goes through a copy
/// on the host, which waits for all streams before and for the copies behind: streams need not know of probes.
void Lowering::dataProbe(Instance &in, AccessNode &n, tree::Block &out) {
    Place p = placeOfNode(in, n);
    const sym::Expr count = p.desc ? sub(in, p.desc->totalSize) : sym::Expr(1);
    const bool staged = !in.fn->device.inside && onDevice(p);
    tree::Block *at = &out;
    RefId ref = addressAt(in, p, p.offset), device = ref;
    auto copy = [&](DeviceCopy::Direction direction, RefId from, RefId to) {
        auto *c = at->add<DeviceCopy>();
        c->direction = direction;
        c->source = from;
        c->target = to;
        c->type = p.type;
        c->width = final(in, count);
        usesStream(in, 0);
        at->add<Synchronise>()->stream = 0;
    };
    if (staged) {
        at = out.add<tree::Block>();
        at->braces = true;
        at->add<Synchronise>()->stream = Synchronise::all;
        Variable v;
        v.name = in.fn->names.declare(Name("host_" + n.data.str()));
        v.type = p.type;
        v.kind = VarKind::Buffer;
        v.count = final(in, count);
        VarId id = fn(in).vars.add(std::move(v));
        at->add<Declare>(id);
        MemRef host;
        host.var = id;
        host.address = true;
        ref = fn(in).refs.add(std::move(host));
        copy(DeviceCopy::DeviceToHost, device, ref);
    }
    auto *probe = at->add<DataProbe>();
    probe->restore = n.dataInstrument == DataInstrumentation::Restore;
    probe->container = n.data.str();
    probe->key = std::to_string(in.state->parent()->cfgId) + "_" + std::to_string(in.state->id()) + "_" + std::to_string(n.id());
    probe->ref = ref;
    probe->type = p.type;
    probe->shape = p.shape;
    probe->strides = p.strides;
    probe->count = count;
    const ir::Code &condition = n.dataInstrumentCondition;
    if (!condition.empty() && condition.text != "1")
        probe->condition = expression(in, condition.text, condition.language, analysis::placeOf(n));
    if (staged && probe->restore)
        copy(DeviceCopy::HostToDevice, ref, device);
    module_->dataInstrumented = true;
    fn(in).needsState = true;
}

/// Copies have no node of their own: one leaves its source as soon as the source is complete, unless an ordering edge into the
/// destination asks to wait.
void Lowering::accessNode(Instance &in, AccessNode &n, tree::Block &out) {
    // Data that comes from outside through a scope entry is copied in once per iteration, when its node is reached.
    for (Edge *e : n.inEdges())
        if ((e->src->isEntry() || analysis::copiesAtDestination(n)) && analysis::isTransfer(*e))
            copyEdge(in, *e, out);
    if (n.dataInstrument != DataInstrumentation::No_Instrumentation)
        dataProbe(in, n, out);
    for (Edge *e : n.outEdges())
        if ((e->dst->isExit() || !analysis::copiesAtDestination(*e->dst)) && analysis::isTransfer(*e))
            copyEdge(in, *e, out);
}

} // namespace sdfgc::tree
