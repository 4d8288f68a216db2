// Data instrumentation.
#include "DataProbes.h"

#include "Lower/Expressions/Expressions.h"
#include "Lower/Expressions/Symbols.h"
#include "Lower/Memory/Elements.h"
#include "Lower/Memory/Places.h"

#include "sdfgc/Analysis/Verify.h"

namespace sdfgc::tree::lowering {

using namespace ir;

namespace {

/// Adds a copy of `count` elements between device and host, for which the host waits.
void copyNow(const Instance &in, DeviceCopy::Direction direction, RefId from, RefId to, Type type, sym::Expr count,
             tree::Block &out) {
    auto *c = out.add<DeviceCopy>();
    c->direction = direction;
    c->source = from;
    c->target = to;
    c->type = type;
    c->width = printable(in, count);
    in.usesStream(0);
    out.add<Synchronise>()->stream = 0;
}

/// Declares host memory for `count` elements. Returns its address.
RefId hostMemory(Instance &in, Name name, Type type, sym::Expr count, tree::Block &out) {
    Variable v;
    v.name = in.fn->names.declare(name);
    v.type = type;
    v.kind = VarKind::Buffer;
    v.count = printable(in, count);
    const VarId id = in.function().vars.add(std::move(v));
    out.add<Declare>(id);
    MemRef host;
    host.var = id;
    host.address = true;
    return in.function().refs.add(std::move(host));
}

} // namespace

void dataProbe(Instance &in, const AccessNode &n, tree::Block &out) {
    const MemoryPlace p = placeOfNode(in, n);
    const sym::Expr count = p.desc ? inVariables(in, p.desc->totalSize) : sym::Expr(1);
    const bool staged = !in.fn->device.inside && p.onDevice();
    tree::Block *at = &out;
    RefId ref = addressAt(in, p, p.offset);
    const RefId device = ref;
    if (staged) {
        at = out.add<tree::Block>();
        at->braces = true;
        at->add<Synchronise>()->stream = Synchronise::all;
        ref = hostMemory(in, Name("host_" + n.data.str()), p.type, count, *at);
        copyNow(in, DeviceCopy::DeviceToHost, device, ref, p.type, count, *at);
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
    if (!condition.empty() && condition.text() != "1")
        probe->condition = expression(in, condition, analysis::placeOf(n));
    if (staged && probe->restore)
        copyNow(in, DeviceCopy::HostToDevice, ref, device, p.type, count, *at);
    in.module().dataInstrumented = true;
    in.function().needsState = true;
}

} // namespace sdfgc::tree::lowering
