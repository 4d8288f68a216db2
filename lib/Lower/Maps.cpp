// Maps and consume scopes: loop nests, OpenMP clauses, reductions.
#include "Lowering.h"

#include "sdfgc/Analysis/Axes.h"

#include <algorithm>
#include <utility>

namespace sdfgc::tree {

using namespace ir;

namespace {

/// Reads well wherever the parameter stood, and costs nothing: a sum or product of symbols and integers.
bool isPlain(sym::Expr e) {
    bool ok = e.isInteger() || e.isSymbol() || e.kind() == sym::Kind::Add || e.kind() == sym::Kind::Mul;
    for (sym::Expr operand : e.operands())
        ok = ok && isPlain(operand);
    return ok;
}

py::Reduction reductionOf(const Edge &e) {
    auto w = py::parseWcr(e.memlet.wcr);
    return w.value ? w.value->kind : py::Reduction::Custom;
}

} // namespace

void Lowering::map(Instance &in, MapEntry &m, tree::Block &out) {
    if (in.fn->device.inside)
        return deviceMap(in, m, out);
    if ((isGpuSchedule(m.schedule) && m.schedule != Schedule::GPU_Device && m.schedule != Schedule::GPU_Persistent) ||
        m.schedule == Schedule::MPI || m.schedule == Schedule::SVE_Map || m.schedule == Schedule::Snitch ||
        m.schedule == Schedule::Snitch_Multicore || m.schedule == Schedule::FPGA_Device) {
        error(diag::Id::LowerUnsupported, analysis::placeOf(m), "a map with schedule " + std::string(name(m.schedule)),
              "code of the host has Sequential, CPU_Multicore and CPU_Persistent maps");
        return;
    }
    auto *block = out.add<tree::Block>();
    block->comment = "map " + m.label;
    tree::Block *body = block;
    if (m.instrument == Instrumentation::Timer) {
        auto *timer = block->add<Timer>();
        timer->name = "Map " + m.label;
        timer->cfg = in.state->parent()->cfgId;
        timer->state = static_cast<int>(in.state->id());
        timer->node = static_cast<int>(m.id());
        body = &timer->body;
        instrumented(in);
    }
    in.fn->names.open();
    SymbolScope symbols(in);
    for (Edge *e : m.inEdges())
        if (isDynamicRange(e->dstConn))
            symbols.define(e->dstConn, 0, Type()); // remembered; dynamicRanges sets the value
    dynamicRanges(in, m, *body);
    if (m.schedule == Schedule::GPU_Device)
        kernel(in, m, *body);
    else if (m.schedule == Schedule::GPU_Persistent)
        persistentKernel(in, m, *body);
    else if (m.schedule == Schedule::CPU_Persistent)
        persistentMap(in, m, *body);
    else
        mapLoops(in, m, *body);
    in.fn->names.close();
    for (const NodePtr &n : body->body)
        if (n->kind == Kind::Declare)
            block->braces = true;
    if (block->body.size() == 1 && block->body[0]->kind == Kind::For) {
        // A lone loop needs no block around it.
        NodePtr loop = std::move(block->body[0]);
        loop->comment = block->comment;
        out.body.pop_back();
        out.body.push_back(std::move(loop));
    }
}

void Lowering::dynamicRanges(Instance &in, ir::Node &entry, tree::Block &out) {
    for (Edge *e : entry.inEdges()) {
        if (!isDynamicRange(e->dstConn))
            continue;
        py::ExprRef value;
        Type type;
        if (auto it = in.edgeValues.find(e); it != in.edgeValues.end()) {
            type = fn(in).vars[it->second].type;
            value = py::name(varName(in, it->second), type);
        } else if (auto *a = dyn_cast<AccessNode>(analysis::pathSource(e))) {
            Place p = placeAt(in, *e, *a);
            auto subset = analysis::sourceSubset(e);
            sym::Expr offset = subset && subset->rank() == p.strides.size() ? startOffset(p, sub(in, *subset)) : p.offset;
            value = read(in, p, offset);
            type = p.type;
        } else {
            error(diag::Id::NoPlace, analysis::placeOf(*e), e->dstConn.str());
            continue;
        }
        Type t = symbolVariableType(type);
        VarId v = declareValue(in, e->dstConn, t, true);
        out.add<Declare>(v)->init = value;
        in.symbols[e->dstConn] = sym::Expr::symbol(varName(in, v));
        in.symbolTypes[e->dstConn] = t;
    }
}

void Lowering::mapLoops(Instance &in, MapEntry &m, tree::Block &out) {
    const bool parallel = m.schedule == Schedule::CPU_Multicore;
    const bool shared = parallel && in.fn->team == analysis::Team::Whole; // the team is awake: it shares the iterations
    Omp omp;
    std::vector<ReductionPlan> plans;
    if (parallel) {
        omp.onlyIf = final(in, sub(in, m.ompIf));
        omp.schedule = m.ompSchedule;
        omp.chunk = m.ompChunkSize;
        omp.numThreads = final(in, sub(in, m.ompNumThreads));
        omp.inParallelRegion = shared;
        if (!shared)
            plans = planReductions(in, m, out, omp);
    }
    SymbolScope symbols(in);
    tree::Block *at = &out;
    int rectangular = 0; // leading loops whose bounds do not depend on each other
    std::vector<Name> variables;
    For *outermost = nullptr;
    for (std::size_t d = 0; d < m.params.size(); ++d) {
        const sym::Range &r = m.ranges[d];
        if (sym::Expr begin = final(in, sub(in, r.begin)); r.steps().isOne() && isPlain(begin) && !shared) {
            symbols.define(m.params[d], begin, ScalarKind::Int64); // one iteration: no loop
            continue;
        }
        auto *loop = at->add<For>();
        loop->begin = final(in, sub(in, r.begin));
        loop->end = final(in, sub(in, r.end));
        loop->step = final(in, sub(in, r.step));
        bool independent = rectangular == static_cast<int>(variables.size());
        for (Name v : variables)
            independent = independent && !loop->begin.dependsOn(v) && !loop->end.dependsOn(v) && !loop->step.dependsOn(v);
        rectangular += independent;
        std::optional<int64_t> constantStep = loop->step.asInt();
        loop->descending = constantStep && *constantStep < 0;
        loop->checkStep = !constantStep && sym::isPositive(loop->step, in.fn->facts) != sym::Truth::True;
        loop->unroll = m.unroll || m.schedule == Schedule::Unrolled;
        loop->unrollFactor = m.unrollFactor;
        in.fn->names.open();
        VarId v = declareValue(in, m.params[d], ScalarKind::Int64);
        loop->var = v;
        sym::SymbolFacts &facts = in.fn->facts[varName(in, v)];
        sym::Expr lowest = loop->descending ? loop->end : loop->begin;
        facts.nonnegative = sym::isNonNegative(lowest, in.fn->facts) == sym::Truth::True;
        symbols.define(m.params[d], sym::Expr::symbol(varName(in, v)), ScalarKind::Int64);
        variables.push_back(varName(in, v));
        if (!outermost)
            outermost = loop;
        at = &loop->body;
    }
    if (parallel && outermost) {
        omp.collapse = static_cast<int>(std::min<int64_t>(m.collapse, rectangular));
        outermost->omp = omp;
    }
    const analysis::Team outer = std::exchange(in.fn->team, analysis::teamInside(m, in.fn->team));
    scope(in, &m, *at);
    in.fn->team = outer;
    for (std::size_t d = 0; d < variables.size(); ++d)
        in.fn->names.close();
    finishReductions(in, plans, out);
}

/// Every thread of a team runs the body once; the first parameter is its number (codegen-semantics 21.1).
void Lowering::persistentMap(Instance &in, MapEntry &m, tree::Block &out) {
    auto *region = out.add<ParallelRegion>();
    region->numThreads = final(in, sub(in, m.ompNumThreads));
    SymbolScope symbols(in);
    in.fn->names.open();
    VarId team = declareValue(in, "__omp_num_threads", ScalarKind::Int64);
    region->teamSizeVar = team;
    symbols.define("__omp_num_threads", sym::Expr::symbol(varName(in, team)), ScalarKind::Int64);
    if (!m.params.empty()) {
        region->threadVar = declareValue(in, m.params[0], ScalarKind::Int64);
        in.fn->facts[varName(in, region->threadVar)].nonnegative = true;
        symbols.define(m.params[0], sym::Expr::symbol(varName(in, region->threadVar)), ScalarKind::Int64);
    }
    const analysis::Team outer = std::exchange(in.fn->team, analysis::Team::Whole);
    scope(in, &m, region->body);
    in.fn->team = outer;
    in.fn->names.close();
}

// ---------------------------------------------------------------------------------------------------- reductions

/// A target that resolve-wcr marked Reduction is named in the pragma's reduction clause: itself if it is a variable of the
/// function, else as a local accumulator with the identity as initial value, which is combined with the target once, after the
/// loop. In a kernel each thread has one, and each block combines once.
std::vector<Lowering::ReductionPlan> Lowering::planReductions(Instance &in, MapEntry &m, tree::Block &out, Omp &omp) {
    std::vector<ReductionPlan> plans;
    if (!m.exit)
        return plans;
    for (Edge *e : m.exit->outEdges()) {
        auto *target = dyn_cast<AccessNode>(analysis::pathDestination(e));
        if (e->memlet.wcr.empty() || e->memlet.wcrMode != WcrMode::Reduction || !target || in.reductions.count(target->data))
            continue;
        ReductionPlan plan;
        plan.container = target->data;
        plan.kind = reductionOf(*e);
        plan.outer = placeAt(in, *e, *target);
        auto identity = py::reductionIdentity(plan.kind, plan.outer.type);
        auto subset = analysis::destinationSubset(e);
        if (!plan.outer.valid() || !identity || !subset)
            continue;
        sym::Subset target0 = sub(in, *subset);
        bool single = target0.isOneElement();
        plan.count = single ? sym::Expr(1) : plan.outer.desc ? sub(in, plan.outer.desc->totalSize) : sym::Expr(0);
        if (!plan.count.asInt() || *plan.count.asInt() < 1)
            continue;
        if (single)
            plan.outer.offset = startOffset(plan.outer, target0);
        // A single variable takes part itself: OpenMP combines what the threads have with what it holds.
        const VarKind kind = fn(in).vars[plan.outer.var].kind;
        const bool variable = kind == VarKind::Value || kind == VarKind::Reference;
        if (single && variable && plan.outer.offset.isZero() && !in.fn->device.inside) {
            omp.reductions.push_back({plan.kind, plan.outer.var, 0});
            plan.local = plan.outer;
        } else {
            accumulate(in, plan, single, out, omp, *identity);
        }
        in.reductions[target->data] = plan.local;
        plans.push_back(plan);
    }
    return plans;
}

/// Declares the accumulator of a plan; for more than one element it mirrors the whole container.
void Lowering::accumulate(Instance &in, ReductionPlan &plan, bool single, tree::Block &out, Omp &omp, const py::ExprRef &identity) {
    Variable v;
    v.type = plan.outer.type;
    v.kind = single ? VarKind::Value : VarKind::Stack;
    v.count = plan.count;
    v.name = in.fn->names.declare(Name(plan.container.str() + "_acc"));
    in.fn->facts[v.name].type = v.type;
    VarId id = fn(in).vars.add(std::move(v));
    auto *declare = out.add<Declare>(id);
    plan.local = plan.outer;
    plan.local.var = id;
    plan.local.offset = 0;
    if (single) {
        declare->init = identity;
        plan.local.strides.assign(plan.local.strides.size(), 0);
    } else {
        auto *fill = out.add<Fill>();
        fill->target = addressAt(in, plan.local, 0);
        fill->count = plan.count;
        fill->type = plan.outer.type;
        fill->value = identity;
    }
    omp.reductions.push_back({plan.kind, id, single ? sym::Expr(0) : plan.count});
}

void Lowering::finishReductions(Instance &in, const std::vector<ReductionPlan> &plans, tree::Block &out) {
    for (const ReductionPlan &plan : plans) {
        in.reductions.erase(plan.container);
        if (plan.local.var == plan.outer.var)
            continue;
        tree::Block *at = &out;
        sym::Expr index = 0;
        in.fn->names.open();
        if (!plan.count.isOne()) {
            auto *loop = out.add<For>();
            loop->var = declareValue(in, "k", ScalarKind::Int64);
            loop->begin = 0;
            loop->end = plan.count - 1;
            index = sym::Expr::symbol(varName(in, loop->var));
            at = &loop->body;
        }
        auto *update = at->add<Update>();
        update->target = elementAt(in, plan.outer, plan.outer.offset + index);
        update->value = read(in, plan.local, index);
        update->reduction = plan.kind;
        update->atomic = update->byBlock = in.fn->device.inside;
        in.fn->names.close();
    }
}

// ---------------------------------------------------------------------------------------------------- consume scopes

void Lowering::consume(Instance &in, ConsumeEntry &c, tree::Block &out) {
    Edge *streamEdge = c.inEdge("IN_stream");
    auto *stream = streamEdge ? dyn_cast<AccessNode>(analysis::pathSource(streamEdge)) : nullptr;
    Place p = stream ? placeAt(in, *streamEdge, *stream) : Place();
    if (!p.valid()) {
        error(diag::Id::NoPlace, analysis::placeOf(c), "the consumed stream");
        return;
    }
    auto *node = out.add<Consume>();
    node->comment = "consume " + c.label;
    auto subset = analysis::sourceSubset(streamEdge);
    node->stream = elementAt(in, p, subset && subset->rank() == p.strides.size() ? startOffset(p, sub(in, *subset)) : p.offset);
    node->numPes = final(in, sub(in, c.numPes));
    node->chunk = c.chunkSize;
    if (c.condition && !c.condition->empty())
        node->condition = expression(in, c.condition->text, c.condition->language, analysis::placeOf(c));
    SymbolScope symbols(in);
    in.fn->names.open();
    if (c.peIndex) {
        node->peVar = declareValue(in, c.peIndex, ScalarKind::Int64);
        in.fn->facts[varName(in, node->peVar)].nonnegative = true;
        symbols.define(c.peIndex, sym::Expr::symbol(varName(in, node->peVar)), ScalarKind::Int64);
    }
    Variable element;
    element.type = p.type;
    element.isConst = true;
    element.kind = c.chunkSize == 1 ? VarKind::Reference : VarKind::Pointer;
    element.name = in.fn->names.declare(Name("__dace_" + c.label + (c.chunkSize == 1 ? "_element" : "_elements")));
    node->elementVar = fn(in).vars.add(std::move(element));
    if (const Name count = c.countName()) {
        node->countVar = declareValue(in, count, ScalarKind::Int64);
        symbols.define(count, sym::Expr::symbol(varName(in, node->countVar)), ScalarKind::Int64);
    }
    for (Edge *e : c.outEdges())
        if (e->srcConn == Name("OUT_stream"))
            in.edgeValues[e] = node->elementVar;
    const analysis::Team outer = std::exchange(in.fn->team, analysis::Team::Member);
    scope(in, &c, node->body);
    in.fn->team = outer;
    in.fn->names.close();
}

} // namespace sdfgc::tree
