// Reductions: containers into which all iterations of a map only accumulate.
#include "Reductions.h"

#include "Loops.h"
#include "Lower/Expressions/Symbols.h"
#include "Lower/Memory/Elements.h"
#include "Lower/Memory/Places.h"

#include "sdfgc/Analysis/Scopes.h"

namespace sdfgc::tree::lowering {

using namespace ir;

namespace {

/// The kind of conflict resolution of a memlet; Custom if OpenMP does not know it or it cannot be parsed.
py::Reduction reductionOf(const Edge &e) {
    auto w = py::parseWcr(e.memlet.wcr);
    return w.value ? w.value->kind : py::Reduction::Custom;
}

/// Declares the accumulator of a plan; for more than one element, it mirrors the entire container.
void accumulate(Instance &in, ReductionPlan &plan, bool single, tree::Block &out, Omp &omp, const py::ExprRef &identity) {
    Variable v;
    v.type = plan.outer.type;
    v.kind = single ? VarKind::Value : VarKind::Stack;
    v.count = plan.count;
    v.name = in.fn->names.declare(Name(plan.container.str() + "_acc"));
    in.fn->facts[v.name].type = v.type;
    VarId id = in.function().vars.add(std::move(v));
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

} // namespace

const MemoryPlace *accumulatorOf(const Instance &in, const Edge &write, Name container) {
    if (write.memlet.wcr.empty() || write.memlet.wcrMode != WcrMode::Reduction)
        return nullptr;
    const auto it = in.reductions.find(container);
    return it == in.reductions.end() ? nullptr : &it->second;
}

std::vector<ReductionPlan> planReductions(Instance &in, const MapEntry &m, tree::Block &out, Omp &omp) {
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
        sym::Subset target0 = inVariables(in, *subset);
        bool single = target0.isOneElement();
        plan.count = single ? sym::Expr(1) : plan.outer.desc ? inVariables(in, plan.outer.desc->totalSize) : sym::Expr(0);
        if (!plan.count.asInt() || *plan.count.asInt() < 1)
            continue;
        if (single)
            plan.outer.offset = startOffset(plan.outer, target0);
        // A single variable is listed itself: OpenMP combines its value with those of the threads.
        const VarKind kind = in.function().vars[plan.outer.var].kind;
        const bool variable = kind == VarKind::Value || kind == VarKind::Reference;
        if (single && variable && plan.outer.offset.isZero() && !in.fn->device.inside) {
            omp.reductions.push_back({plan.kind, plan.outer.var, 0});
            plan.local = plan.outer;
            plan.local.strides.assign(plan.local.strides.size(), 0);
        } else {
            accumulate(in, plan, single, out, omp, *identity);
        }
        in.reductions[target->data] = plan.local;
        plans.push_back(plan);
    }
    return plans;
}

void finishReductions(Instance &in, const std::vector<ReductionPlan> &plans, tree::Block &out) {
    for (const ReductionPlan &plan : plans) {
        in.reductions.erase(plan.container);
        if (plan.local.var == plan.outer.var)
            continue;
        tree::Block *at = &out;
        sym::Expr index = 0;
        in.fn->names.open();
        if (!plan.count.isOne()) {
            For &loop = countingLoop(in, "k", plan.count, out);
            index = sym::Expr::symbol(in.varName(loop.var));
            at = &loop.body;
        }
        auto *update = at->add<Update>();
        update->target = elementAt(in, plan.outer, plan.outer.offset + index);
        update->value = read(in, plan.local, index);
        update->reduction = plan.kind;
        update->byBlock = in.fn->device.inside;
        update->atomic = update->byBlock && !isOfThread(in, plan.outer);
        in.fn->names.close();
    }
}

} // namespace sdfgc::tree::lowering
