// Tasklets: connectors become memory references, so that `c = a + b` prints as `C[i] = A[i] + B[i]`.
//
// A connector becomes a variable only where the memory model needs one (docs/design.md):
//   inputs   read once before the code. Substituted in place when nothing that the tasklet writes earlier can change the value: the
//            variable they live in is not written, or every store is the last thing the code does. Long subscripts that are used
//            often get a constant for readability. Dynamic inputs are read where they are used.
//   outputs  written where the code assigns them. A local variable only when the code reads its own output or accumulates into it.
// Conflict resolution, stream pushes and references are statements of the tree; an `if` around them becomes one of the tree too.
// C++ tasklets are taken as written, with a variable for each connector.
#include "Tasklets.h"

#include "sdfgc/Analysis/Copies.h"

#include <algorithm>

namespace sdfgc::tree {

namespace {

/// Is the container one of the host's around a kernel, rather than one of the kernel's own?
bool belongsToHost(const ir::SDFG &g, Name data) {
    const bool hostSdfg = !g.parentNode || analysis::executorOf(*g.parentNode) == analysis::Executor::Host;
    return hostSdfg && analysis::sharedContainers(g).count(data) != 0;
}

} // namespace

void TaskletLowering::run() {
    if (t_.code.text.find("__state") != std::string::npos)
        l_.fn(in_).needsState = true;
    if (!connect())
        return;
    if (t_.code.language == Language::Python) {
        auto parsed = py::parseBlock(t_.code.text);
        if (parsed.value)
            return python(*parsed.value);
        l_.error(diag::Id::BadCode, analysis::placeOf(t_), parsed.error.message);
        return;
    }
    if (t_.code.language != Language::CPP) {
        l_.error(diag::Id::LowerUnsupported, analysis::placeOf(t_), "a tasklet in " + std::string(name(t_.code.language)),
                 "target cpu compiles Python and CPP tasklets");
        return;
    }
    cpp();
}

bool TaskletLowering::connect() {
    for (Edge *e : t_.inEdges())
        if (e->dstConn && !connectInput(*e))
            return false;
    for (Edge *e : t_.outEdges())
        if (e->srcConn && !connectOutput(*e))
            return false;
    return true;
}

bool TaskletLowering::connectInput(Edge &e) {
    Connection c;
    c.conn = e.dstConn;
    c.edge = &e;
    const Connector *connector = t_.inConnector(e.dstConn);
    Type type = connector ? connector->type : Type();
    c.dynamic = e.memlet.dynamic;
    if (auto it = in_.edgeValues.find(&e); it != in_.edgeValues.end()) {
        const Variable &v = l_.fn(in_).vars[it->second];
        c.place.var = it->second;
        c.place.type = v.type;
        c.type = v.type;
        c.single = true;
        c.pointer = v.kind == VarKind::Pointer;
        c.strides = c.allStrides = {1};
        inputs_.push_back(c);
        return true;
    }
    auto *source = dyn_cast<AccessNode>(analysis::pathSource(&e));
    if (!source || !bindPlace(c, e, *source, true, type))
        return fail(e);
    inputs_.push_back(c);
    return true;
}

bool TaskletLowering::connectOutput(Edge &e) {
    Connection c;
    c.conn = e.srcConn;
    c.edge = &e;
    const Connector *connector = t_.outConnector(e.srcConn);
    Type type = connector ? connector->type : Type();
    c.dynamic = e.memlet.dynamic;
    ir::Node *end = analysis::pathDestination(&e);
    auto *target = dyn_cast<AccessNode>(end);
    if (!target) {
        if (!end || (!end->isCode() && !end->isEntry()))
            return fail(e);
        bool hides = t_.code.language != Language::Python; // C++ text declares the connector's own name
        Name wanted = hides ? Name(t_.label + "_" + e.srcConn.str()) : e.srcConn;
        VarId v = l_.declareValue(in_, wanted, type ? type : Type(ScalarKind::Float64));
        out_->add<Declare>(v);
        in_.edgeValues[&e] = v;
        c.place.var = v;
        c.place.type = c.type = l_.fn(in_).vars[v].type;
        c.single = true;
        c.strides = c.allStrides = {1};
        outputs_.push_back(c);
        return true;
    }
    std::vector<Edge *> path = analysis::memletPath(&e);
    if (path.back()->dstConn == Name("set")) {
        if (in_.fn->device.inside && belongsToHost(*in_.g, target->data)) {
            l_.error(diag::Id::KernelWritesValue, analysis::placeOf(t_), t_.label, target->data.str());
            return false;
        }
        c.setsReference = true;
        c.place = l_.placeOfNode(in_, *target);
        c.pointer = true;
        c.type = c.place.type;
        outputs_.push_back(c);
        return c.place.valid() || fail(e);
    }
    if (!bindPlace(c, e, *target, false, type))
        return fail(e);
    if (!e.memlet.wcr.empty())
        bindWcr(c, e, *target);
    outputs_.push_back(c);
    return true;
}

bool TaskletLowering::bindPlace(Connection &c, Edge &e, AccessNode &node, bool source, Type type) {
    c.place = l_.placeAt(in_, e, node);
    if (!c.place.valid())
        return false;
    const DataDesc *d = c.place.desc;
    c.stream = d && d->isStream();
    auto subset = source ? analysis::sourceSubset(&e) : analysis::destinationSubset(&e);
    sym::Subset s = subset ? l_.sub(in_, *subset) : d ? l_.sub(in_, d->fullSubset()) : sym::Subset();
    if (s.rank() != c.place.strides.size())
        s = d ? l_.sub(in_, d->fullSubset()) : s;
    c.start = l_.startOffset(c.place, s);
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

void TaskletLowering::bindWcr(Connection &c, Edge &e, AccessNode &target) {
    c.wcr = true;
    auto wcr = py::parseWcr(e.memlet.wcr);
    if (!wcr.value) {
        l_.error(diag::Id::BadCode, analysis::placeOf(e), wcr.error.message);
        return;
    }
    c.reduction = wcr.value->kind;
    c.lambda = l_.resolution(in_, wcr.value->lambda, c.place.type);
    if (e.memlet.wcrMode == WcrMode::Reduction) {
        if (auto it = in_.reductions.find(target.data); it != in_.reductions.end()) {
            bool single = l_.fn(in_).vars[it->second.var].kind == VarKind::Value;
            sym::Subset s = l_.sub(in_, *analysis::destinationSubset(&e));
            c.place = it->second;
            c.start = single ? sym::Expr(0) : l_.startOffset(c.place, s);
            return;
        }
    }
    c.atomic = e.memlet.wcrMode != WcrMode::Plain;
}

bool TaskletLowering::fail(const Edge &e) {
    l_.error(diag::Id::NoPlace, analysis::placeOf(e), e.memlet.data ? e.memlet.data.str() : "value");
    return false;
}

Connection *TaskletLowering::find(std::vector<Connection> &list, Name n) {
    for (Connection &c : list)
        if (c.conn == n)
            return &c;
    return nullptr;
}

void Lowering::tasklet(Instance &in, Tasklet &t, tree::Block &out) {
    // An unlabelled or empty tasklet emits nothing (format reference 6.3).
    if (t.label.empty() || t.code.empty())
        return;
    if (!t.codeGlobal.empty())
        module_->globalCode.push_back(t.codeGlobal.text);
    if (!t.codeInit.empty())
        module_->initCode.push_back(t.codeInit.text);
    if (!t.codeExit.empty())
        module_->exitCode.push_back(t.codeExit.text);
    for (const std::string &f : t.stateFields)
        refuseForeignRuntime(f, analysis::placeOf(t));
    for (const ir::Code *c : {&t.code, &t.codeInit, &t.codeExit})
        if (c->language == Language::CPP)
            refuseForeignRuntime(c->text, analysis::placeOf(t));
    module_->rawCpp |= !t.codeGlobal.empty() || !t.codeInit.empty() || !t.codeExit.empty();
    for (const std::string &f : t.stateFields)
        module_->rawFields.push_back(f);
    for (Name e : t.environments)
        if (std::find(module_->environments.begin(), module_->environments.end(), e) == module_->environments.end())
            module_->environments.push_back(e);
    tree::Block *body = &out;
    if (t.instrument == Instrumentation::Timer) {
        auto *timer = out.add<Timer>();
        timer->cfg = in.state->parent()->cfgId;
        timer->state = static_cast<int>(in.state->id());
        timer->node = static_cast<int>(t.id());
        timer->name =
            "Tasklet " + std::to_string(timer->cfg) + "_" + std::to_string(timer->state) + "_" + std::to_string(timer->node);
        body = &timer->body;
        instrumented(in);
    }
    TaskletLowering(*this, in, t, *body).run();
}

} // namespace sdfgc::tree
