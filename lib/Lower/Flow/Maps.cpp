// Maps: loop nests, parallel regions, kernels.
#include "Maps.h"

#include "Blocks.h"
#include "Loops.h"
#include "Lower/Expressions/Expressions.h"
#include "Lower/Expressions/SymbolicToPython.h"
#include "Lower/Expressions/Symbols.h"
#include "Lower/Kernels/GridKernels.h"
#include "Lower/Kernels/KernelBodies.h"
#include "Lower/Kernels/Kernels.h"
#include "Lower/Memory/Elements.h"
#include "Lower/Memory/Places.h"
#include "Reductions.h"
#include "States.h"

#include "sdfgc/Analysis/Scopes.h"
#include "sdfgc/Analysis/Teams.h"
#include "sdfgc/Analysis/Verify.h"
#include "sdfgc/Pass/TargetTraits.h"

#include <algorithm>
#include <utility>

namespace sdfgc::tree::lowering {

using namespace ir;

namespace {

/// Can host code run such a map, or launch it as a kernel?
bool isOfHost(Schedule s, pass::Family family) {
    return pass::accepted(s, family).isAllowed() &&
           (!isGpuSchedule(s) || s == Schedule::GPU_Device || s == Schedule::GPU_Persistent);
}

/// Is it a sum or product of symbols and integers, which is readable and cheap enough to substitute for the parameter everywhere?
bool isPlain(sym::Expr e) {
    bool ok = e.isInteger() || e.isSymbol() || e.kind() == sym::SymbolicKind::Add || e.kind() == sym::SymbolicKind::Mul;
    for (sym::Expr operand : e.operands())
        ok = ok && isPlain(operand);
    return ok;
}

/// Every thread of a team runs the body once; the first parameter is the index of the thread (codegen-semantics 21.1).
void persistentMap(Instance &in, MapEntry &m, tree::Block &out) {
    auto *region = out.add<ParallelRegion>();
    region->numThreads = printable(in, inVariables(in, m.ompNumThreads));
    SymbolScope symbols(in);
    in.fn->names.open();
    VarId team = in.declareValue("__omp_num_threads", ScalarKind::Int64);
    region->teamSizeVar = team;
    symbols.define("__omp_num_threads", sym::Expr::symbol(in.varName(team)), ScalarKind::Int64);
    if (!m.params.empty()) {
        region->threadVar = in.declareValue(m.params[0], ScalarKind::Int64);
        in.fn->facts[in.varName(region->threadVar)].nonnegative = true;
        symbols.define(m.params[0], sym::Expr::symbol(in.varName(region->threadVar)), ScalarKind::Int64);
    }
    const analysis::Team outer = std::exchange(in.fn->team, analysis::Team::Whole);
    lowerScope(in, &m, region->body);
    in.fn->team = outer;
    in.fn->names.close();
}

/// The map's OpenMP clauses, except for reductions. `shared`: the team of threads already exists.
Omp clausesOf(const Instance &in, const MapEntry &m, bool shared) {
    Omp omp;
    omp.onlyIf = printable(in, inVariables(in, m.ompIf));
    omp.schedule = m.ompSchedule;
    omp.chunk = m.ompChunkSize;
    omp.numThreads = printable(in, inVariables(in, m.ompNumThreads));
    omp.inParallelRegion = shared;
    return omp;
}

/// Adds the loop over one parameter of a map and opens a scope of names for its variable.
For &addLoop(Instance &in, const MapEntry &m, std::size_t d, tree::Block &out) {
    auto *loop = out.add<For>();
    in.fn->names.open();
    setLoop(in, *loop, m.params[d], boundsOf(in, m.ranges[d]));
    loop->checkStep = !loop->step.asInt() && sym::isPositive(loop->step, in.fn->facts) != sym::Truth::True;
    loop->unroll = m.unroll || m.schedule == Schedule::Unrolled;
    loop->unrollFactor = m.unrollFactor;
    return *loop;
}

/// Adds the conditions under which a range contains its only value: `i >= 1`, `i < N`, `i == 0`.
void addConditions(Instance &in, const sym::OnlyValue &only, std::vector<py::ExprRef> &to) {
    sym::Expr constant = only.value.isInteger() ? only.value : sym::Expr(0);
    if (only.value.kind() == sym::SymbolicKind::Add)
        for (const sym::Expr term : only.value.operands())
            if (term.isInteger())
                constant = term;
    const auto printed = [&](sym::Expr e) { return lowered(in, pythonOf(in, printable(in, e - constant))); };
    const auto isMost = [&](sym::Expr e) { return std::find(only.most.begin(), only.most.end(), e) != only.most.end(); };
    for (const sym::Expr e : only.least)
        to.push_back(py::compare(isMost(e) ? py::Op::Eq : py::Op::Ge, printed(only.value), printed(e)));
    for (const sym::Expr e : only.most)
        if (std::find(only.least.begin(), only.least.end(), e) == only.least.end())
            to.push_back(py::compare(py::Op::Lt, printed(only.value), printed(e + 1)));
}

/// The value of a loop with one iteration. A sum with an extremum is the extremum of sums: `min(i, N - 2)`.
py::ExprRef singleValue(const Instance &in, sym::Expr e) {
    const auto isExtremum = [](sym::Expr term) {
        return term.kind() == sym::SymbolicKind::Min || term.kind() == sym::SymbolicKind::Max;
    };
    if (e.kind() != sym::SymbolicKind::Add || e.operands().size() != 2 ||
        !e.operands()[0].isInteger() == !e.operands()[1].isInteger())
        return pythonOf(in, e);
    const sym::Expr constant = e.operands()[e.operands()[0].isInteger() ? 0 : 1], extremum = e - constant;
    if (!isExtremum(extremum))
        return pythonOf(in, e);
    std::vector<py::ExprRef> values;
    for (const sym::Expr operand : extremum.operands())
        values.push_back(singleValue(in, operand + constant));
    return py::call(Name(extremum.kind() == sym::SymbolicKind::Min ? "min" : "max"), values, ScalarKind::Int64);
}

/// Adds a branch with these conditions, if there are any, and removes them from the list. Returns its body.
tree::Block &branchOn(std::vector<py::ExprRef> &conditions, tree::Block &out) {
    if (conditions.empty())
        return out;
    auto *branch = out.add<If>();
    branch->branches.push_back(
        {conditions.size() == 1 ? conditions[0] : py::boolOp(py::Op::And, conditions), std::make_unique<tree::Block>()});
    conditions.clear();
    return *branch->branches.back().body;
}

} // namespace

void lowerMap(Instance &in, MapEntry &m, tree::Block &out) {
    if (in.fn->device.inside)
        return lowerKernelMap(in, m, out);
    if (!isOfHost(m.schedule, in.options().target.family())) {
        in.error(diag::Id::LowerUnsupported, analysis::placeOf(m), "a map with schedule " + std::string(name(m.schedule)),
                 std::string(pass::insteadOf(m.schedule)));
        return;
    }
    auto *block = out.add<tree::Block>();
    block->comment = "map " + m.label;
    in.fn->names.open();
    SymbolScope symbols(in);
    dynamicRanges(in, m, symbols, *block, m.schedule == Schedule::GPU_Device ? std::optional(false) : std::nullopt);
    if (m.schedule == Schedule::GPU_Device)
        lowerKernel(in, m, *block);
    else if (m.schedule == Schedule::GPU_Persistent)
        lowerGridKernel(in, m, *block);
    else if (m.schedule == Schedule::CPU_Persistent)
        persistentMap(in, m, *block);
    else
        mapLoops(in, m, *block);
    in.fn->names.close();
    braceIfDeclaring(*block);
    if (block->body.size() == 1 && block->body[0]->kind == TreeKind::For) {
        // A single loop needs no block around it.
        NodePtr loop = std::move(block->body[0]);
        loop->comment = block->comment;
        out.body.pop_back();
        out.body.push_back(std::move(loop));
    }
}

void mapLoops(Instance &in, MapEntry &m, tree::Block &out) {
    const bool parallel = m.schedule == Schedule::CPU_Multicore;
    const bool shared = parallel && in.fn->team == analysis::Team::Whole; // the team is running: it shares the iterations
    Omp omp;
    std::vector<ReductionPlan> plans;
    if (parallel) {
        omp = clausesOf(in, m, shared);
        if (!shared)
            plans = planReductions(in, m, out, omp);
    }
    SymbolScope symbols(in);
    tree::Block *at = &out;
    int rectangular = 0; // leading loops whose bounds do not depend on each other
    std::vector<Name> variables;
    For *outermost = nullptr, *last = nullptr; // the loop over the last parameter, if there is one
    std::vector<py::ExprRef> conditions;       // of the following loops and the body
    for (std::size_t d = 0; d < m.params.size(); ++d) {
        const sym::Range &r = m.ranges[d];
        if (const auto only = parallel ? std::nullopt : sym::onlyValueOf(boundsOf(in, r)); only && isPlain(only->value)) {
            symbols.define(m.params[d], only->value, ScalarKind::Int64);
            addConditions(in, *only, conditions);
            continue;
        }
        if (sym::Expr begin = printable(in, inVariables(in, r.begin)); r.steps().isOne() && isPlain(begin) && !shared) {
            symbols.define(m.params[d], begin, ScalarKind::Int64); // one iteration: no loop
            continue;
        }
        if (r.isPoint() && !parallel) { // a value that is worth a name
            auto *block = branchOn(conditions, *at).add<tree::Block>();
            block->braces = true;
            in.fn->names.open();
            const VarId v = in.declareValue(m.params[d], ScalarKind::Int64, true);
            block->add<Declare>(v)->init = lowered(in, singleValue(in, printable(in, boundsOf(in, r).begin)));
            symbols.define(m.params[d], v);
            variables.push_back(in.varName(v));
            at = block;
            continue;
        }
        For &loop = addLoop(in, m, d, branchOn(conditions, *at));
        symbols.define(m.params[d], loop.var);
        bool independent = rectangular == static_cast<int>(variables.size());
        for (Name v : variables)
            independent = independent && !loop.begin.dependsOn(v) && !loop.end.dependsOn(v) && !loop.step.dependsOn(v);
        rectangular += independent;
        variables.push_back(in.varName(loop.var));
        if (!outermost)
            outermost = &loop;
        if (d + 1 == m.params.size())
            last = &loop;
        at = &loop.body;
    }
    if (parallel && outermost) {
        omp.collapse = static_cast<int>(std::min<int64_t>(m.collapse, rectangular));
        outermost->omp = omp;
    }
    if (last && (!parallel || static_cast<int>(variables.size()) > omp.collapse)) // loops shared by threads have another pragma
        last->simd = m.simd;
    const analysis::Team outer = std::exchange(in.fn->team, analysis::teamInside(m, in.fn->team));
    lowerScope(in, &m, branchOn(conditions, *at));
    in.fn->team = outer;
    for (std::size_t d = 0; d < variables.size(); ++d)
        in.fn->names.close();
    finishReductions(in, plans, out);
}

namespace {

bool isInDeviceMemory(const Edge &e) {
    const auto *a = dyn_cast<AccessNode>(analysis::pathSource(&e));
    const DataDesc *d = a ? a->state()->sdfg()->desc(a->data) : nullptr;
    return d && d->storage == Storage::GPU_Global;
}

} // namespace

void dynamicRanges(Instance &in, ir::Node &entry, SymbolScope &symbols, tree::Block &out, std::optional<bool> byKernel) {
    std::vector<std::pair<Name, VarId>> values; // names are bound after all values were read: `n <- L[n]` reads the outer n
    for (Edge *e : entry.inEdges()) {
        if (!isDynamicRange(e->dstConn) || (byKernel && *byKernel != isInDeviceMemory(*e)))
            continue;
        py::ExprRef value;
        if (auto it = in.edgeValues.find(e); it != in.edgeValues.end()) {
            value = py::name(in.varName(it->second), in.function().vars[it->second].type);
        } else if (auto *a = dyn_cast<AccessNode>(analysis::pathSource(e))) {
            const MemoryPlace p = placeAt(in, *e, *a);
            value = read(in, p, startAt(in, p, *e, true));
            if (const std::optional<sym::Subset> subset = analysis::sourceSubset(e))
                recordElement(in, refOf(*value), p, inVariables(in, *subset));
        } else {
            in.error(diag::Id::NoPlace, analysis::placeOf(*e), e->dstConn.str());
            continue;
        }
        Type type = symbolVariableType(value->type);
        if (type.isFloat()) { // indices are integers
            type = ScalarKind::Int64;
            const Type wide = ScalarKind::Float64;
            value = value->type == wide ? value : py::castTo(wide, value);
            value = py::castTo(type, py::call(Name("floor"), {value}, wide));
        }
        const VarId v = in.declareValue(e->dstConn, type, true);
        out.add<Declare>(v)->init = value;
        values.emplace_back(e->dstConn, v);
    }
    for (const auto &[name, v] : values)
        symbols.define(name, sym::Expr::symbol(in.varName(v)), in.function().vars[v].type);
}

} // namespace sdfgc::tree::lowering
