// Connectors of a tasklet and their referents.
#include "TaskletConnections.h"

#include "Lower/Expressions/Expressions.h"
#include "Lower/Expressions/Symbols.h"
#include "Lower/Flow/Reductions.h"
#include "Lower/Memory/Elements.h"
#include "Lower/Memory/Places.h"

#include "sdfgc/Analysis/Memory/Allocation.h"
#include "sdfgc/Analysis/Memory/Copies.h"
#include "sdfgc/Analysis/Scopes.h"
#include "sdfgc/Analysis/Verify.h"
#include "sdfgc/Tasklet/Conversions.h"

namespace sdfgc::tree::lowering {

using namespace ir;

namespace {

/// Does the container belong to the host code around a kernel rather than to the kernel?
bool belongsToHost(const ir::SDFG &g, Name data) {
    const bool hostSdfg = !g.parentNode || analysis::executorOf(*g.parentNode) == analysis::Executor::Host;
    return hostSdfg && analysis::sharedContainers(g).count(data) != 0;
}

} // namespace

const Connection *TaskletConnections::find(const std::vector<Connection> &list, Name n) {
    for (const Connection &c : list)
        if (c.conn == n)
            return &c;
    return nullptr;
}

bool TaskletConnections::connect(tree::Block &out) {
    for (Edge *e : t_.inEdges())
        if (e->dstConn && !connectInput(*e))
            return false;
    for (Edge *e : t_.outEdges())
        if (e->srcConn && !connectOutput(*e, out))
            return false;
    return true;
}

bool TaskletConnections::connectInput(Edge &e) {
    Connection c;
    c.conn = e.dstConn;
    const Connector *connector = t_.inConnector(e.dstConn);
    Type type = connector ? connector->type : Type();
    c.dynamic = e.memlet.dynamic;
    if (auto it = in_.edgeValues.find(&e); it != in_.edgeValues.end()) {
        const Variable &v = in_.function().vars[it->second];
        c.place.var = it->second;
        c.place.type = v.type;
        c.type = type.isNumeric() && v.type.isNumeric() ? type : v.type;
        c.single = true;
        c.pointer = v.kind == VarKind::Pointer;
        c.strides = c.allStrides = {1};
        inputs.push_back(c);
        return true;
    }
    auto *source = dyn_cast<AccessNode>(analysis::pathSource(&e));
    if (!source || !bindPlace(c, e, *source, true, type))
        return fail(e);
    inputs.push_back(c);
    return true;
}

void TaskletConnections::connectTasklet(Edge &e, Type type, tree::Block &out) {
    const bool hides = !t_.code.isPython(); // C++ text declares the connector's own name
    const Name wanted = hides ? Name(t_.label + "_" + e.srcConn.str()) : e.srcConn;
    const VarId v = in_.declareValue(wanted, type ? type : Type(ScalarKind::Float64));
    out.add<Declare>(v);
    in_.edgeValues[&e] = v;
    Connection c;
    c.conn = e.srcConn;
    c.dynamic = e.memlet.dynamic;
    c.place.var = v;
    c.place.type = c.type = in_.function().vars[v].type;
    c.single = true;
    c.strides = c.allStrides = {1};
    outputs.push_back(std::move(c));
}

bool TaskletConnections::connectReference(Edge &e, const AccessNode &target) {
    if (in_.fn->device.inside && belongsToHost(*in_.g, target.data)) {
        in_.error(diag::Id::KernelWritesValue, analysis::placeOf(t_), t_.label, target.data.str());
        return false;
    }
    Connection c;
    c.conn = e.srcConn;
    c.dynamic = e.memlet.dynamic;
    c.setsReference = true;
    c.place = placeOfNode(in_, target);
    c.pointer = true;
    c.type = c.place.type;
    outputs.push_back(c);
    return c.place.valid() || fail(e);
}

bool TaskletConnections::connectOutput(Edge &e, tree::Block &out) {
    const Connector *connector = t_.outConnector(e.srcConn);
    const Type type = connector ? connector->type : Type();
    ir::Node *end = analysis::pathDestination(&e);
    auto *target = dyn_cast<AccessNode>(end);
    if (!target) {
        if (!end || (!end->isCode() && !end->isEntry()))
            return fail(e);
        connectTasklet(e, type, out);
        return true;
    }
    if (analysis::setsReference(&e))
        return connectReference(e, *target);
    Connection c;
    c.conn = e.srcConn;
    c.dynamic = e.memlet.dynamic;
    if (!bindPlace(c, e, *target, false, type))
        return fail(e);
    if (!e.memlet.wcr.empty())
        bindWcr(c, e, *target);
    outputs.push_back(c);
    return true;
}

bool TaskletConnections::bindPlace(Connection &c, Edge &e, AccessNode &node, bool source, Type type) {
    c.place = placeAt(in_, e, node);
    if (!c.place.valid())
        return false;
    const DataDesc *d = c.place.desc;
    c.stream = d && d->isStream();
    auto subset = source ? analysis::sourceSubset(&e) : analysis::destinationSubset(&e);
    sym::Subset s = subset ? inVariables(in_, *subset) : d ? inVariables(in_, d->fullSubset()) : sym::Subset();
    if (s.rank() != c.place.strides.size())
        s = d ? inVariables(in_, d->fullSubset()) : s;
    c.start = startOffset(c.place, s);
    c.subset = s;
    c.single = s.isOneElement() || (d && d->isScalar());
    c.pointer = type.isPointer() && type != c.place.type;
    c.type = c.pointer ? type.element() : type ? type : c.place.type;
    if (c.type.isVoid())
        c.type = c.place.type;
    for (std::size_t dim = 0; dim < c.place.strides.size(); ++dim) {
        c.allStrides.push_back(c.place.strides[dim] * s.dims[dim].step);
        if (!s.dims[dim].steps().isOne())
            c.strides.push_back(c.allStrides.back());
        if (!s.dims[dim].tile.isOne())
            c.tileStrides.push_back(c.place.strides[dim]);
    }
    return true;
}

void TaskletConnections::bindWcr(Connection &c, Edge &e, AccessNode &target) {
    c.wcr = true;
    auto wcr = py::parseWcr(e.memlet.wcr);
    if (!wcr.value) {
        in_.error(diag::Id::BadCode, analysis::placeOf(e), wcr.error.message);
        return;
    }
    c.reduction = wcr.value->kind;
    c.lambda = resolution(in_, wcr.value->lambda, c.place.type);
    if (const MemoryPlace *accumulator = accumulatorOf(in_, e, target.data)) {
        c.place = *accumulator;
        c.subset = {};
        c.start = startOffset(c.place, inVariables(in_, *analysis::destinationSubset(&e)));
        return;
    }
    c.atomic = needsAtomics(in_, c.place, e.memlet);
}

bool TaskletConnections::fail(const Edge &e) const {
    in_.error(diag::Id::NoPlace, analysis::placeOf(e), e.memlet.data ? e.memlet.data.str() : "value");
    return false;
}

py::ExprRef readOf(const Instance &in, const Connection &c) {
    RefId slot = elementAt(in, c.place, c.start);
    recordElement(in, slot, c.place, c.subset);
    MemRef &r = in.function().refs[slot];
    r.pop = c.stream;
    if (c.type.isVector() && !c.place.type.isVector())
        r.castTo = c.type;
    py::ExprRef e = memRef(slot, r.castTo ? r.castTo : c.place.type);
    bool convert = c.type != e->type && c.type.isNumeric() && e->type.isNumeric();
    return convert ? py::castTo(c.type, e) : e;
}

void checkPointers(const Instance &in, const TaskletConnections &connections, Block &out) {
    for (const auto *list : {&connections.inputs, &connections.outputs})
        for (const Connection &c : *list)
            if (!c.stream && !c.setsReference && !c.dynamic)
                checkRegion(in, c.place, c.subset, out);
}

py::ExprRef converted(const Connection &c, py::ExprRef value) {
    const bool differs = c.type.isNumeric() && c.place.type.isNumeric() && !(c.type == c.place.type);
    return differs ? py::inType(c.type, value) : value;
}

} // namespace sdfgc::tree::lowering
