// vectorise-outer-loops: compute strips of independent iterations in vectors if the loops inside it sum in order.
//
//     parallel for (i = 0; i < N; ++i) {            inline void strip(x, m, f, N, i_first, lanes) {
//         double s = 0.0;                               double s_lanes[8];
//         for (j = 0; j < N; ++j) {                     for (lane = 0; lane < lanes; ++lane)  s_lanes[lane] = 0.0;       // simd
//             const double d = x[j] - x[i];             for (j = 0; j < N; ++j)
//             s += m[j] / (d * d);                          for (lane = 0; lane < lanes; ++lane) {                       // simd
//         }                                      ->             const int64_t i = i_first + lane;
//         f[i] = s;                                             const double d = x[j] - x[i];
//     }                                                         s_lanes[lane] += m[j] / (d * d);
//                                                           }
//                                                       for (lane = 0; lane < lanes; ++lane)  f[i_first + lane] = s_lanes[lane];
//                                                   }
//                                                   parallel for (i_first = 0; i_first < N; i_first += 8)
//                                                       if (N - i_first >= 8)  strip(x, m, f, N, i_first, 8);
//                                                       else for (i = i_first; i < N; ++i)  strip(x, m, f, N, i, 1);
//
// Under strict rules, a compiler cannot vectorise the loop over j, because the order of a sum is part of its result. GCC exchanges
// the loops itself, but not in the body of a team, and Clang does not. The sums of different i are independent. Inlining makes
// `lanes` a constant, so that sums stay in registers; with a minimum in place of it, a strip takes 1.3 times as long. The remaining
// iterations run one by one, as before: short loops, which have no strips, take up to 3.7 times as long with fewer lanes.
//
//   1. Find a parallel loop with loops inside that accumulate a value of the iteration (`examine`).
//   2. Every run of plain statements between the loops inside is a group, which becomes a loop over the lanes. Short constant loops
//      belong to a group and are unrolled.
//   3. Variables and small arrays of an iteration that several groups use become arrays with an element for each lane.
//
// Legal when:
//   - a team shares the loop, so that its iterations may run in any order, and in turns, or each iteration changes an element of
//     its own: indices of what it changes are those of the iteration, times a constant, and the same in the loops inside. The loop
//     has steps of one, no reduction, and no memory that a thread keeps between iterations;
//   - it contains only declarations of values and of small arrays, assignments of arithmetic and of functions that are exact in
//     vectors too, updates that are not atomic, and counted loops without jumps, whose headers use neither i nor what an iteration
//     computes. So all lanes take the same path;
//   - it changes nothing but variables that are declared inside it, and elements of arrays that have no other names. Such an array
//     is accessed at one index only, or at indices that are closer than those of neighbouring iterations, so that no lane reads what
//     another one writes;
//   - everything that it uses can be passed to a function.
// The same operations compute each value, in the same order: class F0.
//
// Profitable when a loop inside carries a sum or a recurrence of the iteration, that is, reads a value before it changes it, and
// neighbouring iterations access the same element or neighbouring ones there. Elements that stay the same in the loops inside may be
// anywhere. Loops of few iterations stay, for the sake of the team.
//
// Not handled: branches; calls of other functions; data-dependent indices; minima and maxima as updates; loops over several
// dimensions that a team shares; programs with several sources; kernels.
#include "Bindings.h"
#include "FunctionNames.h"
#include "LaneGroups.h"
#include "MovedFunctions.h"
#include "Versions.h"

#include "sdfgc/Transforms/Passes.h"
#include "sdfgc/Tree/Effects.h"
#include "sdfgc/Tree/SymbolicToPython.h"

#include <algorithm>
#include <cstdlib>

namespace sdfgc::transforms {
namespace {

using namespace tree;

using diag::Reason;
using diag::Why;

constexpr int64_t bytesOfStrip = 64;    // of the widest sum: a large vector, or several small ones
constexpr int64_t leastStrips = 4;      // of a loop, if their number is known
constexpr int64_t leastLaneBytes = 4;   // of a value; narrower ones are not computed in their own type
constexpr int64_t mostLaneBytes = 1024; // of all arrays of a strip

class OuterLoopVectoriser {
public:
    OuterLoopVectoriser(const Module &m, Function &f, pass::Context &context, int64_t lanes, MovedFunctions &parts)
        : module_(m), f_(f), context_(context), wanted_(lanes), parts_(parts), bindings_(f) {}

    void run() { block(f_.body, 0); }

private:
    /// `collapsed`: loops that must stay perfectly nested in the one around the block.
    void block(Block &b, int collapsed) {
        for (const NodePtr &n : b.body) {
            auto *choice = dyn_cast<If>(n.get());
            const LoopVersions versions = choice ? loopVersions(f_, *choice) : LoopVersions{dyn_cast<For>(n.get()), nullptr};
            if (versions.team && collapsed == 0 && vectorises(*versions.team))
                replace(*versions.team, choice ? choice->comment : n->comment);
            else if (!versions.alone)
                inside(*n, collapsed);
            else if (const std::size_t before = parts_.size(); inside(*versions.team, 0), parts_.size() == before)
                continue;
            if (versions.alone)
                follow(*versions.alone, *versions.team);
        }
    }

    void inside(Node &n, int collapsed) {
        const For *loop = dyn_cast<For>(&n);
        const int inner = loop && loop->omp ? loop->omp->collapse - 1 : std::max(collapsed - 1, 0);
        forEachBlock(n, [&](Block &b) { block(b, inner); });
    }

    bool vectorises(For &loop);
    Reason obstacle(const For &loop) const;
    Reason obstacleInAccesses(const For &loop) const;
    bool isApart(const LaneAccess &write, Name index) const;
    void replace(For &loop, const std::string &comment);
    void follow(For &alone, const For &team);
    NodePtr laneLoop(const For &loop, VarId first, std::vector<NodePtr> statements);

    const Module &module_;
    Function &f_;
    pass::Context &context_;
    const int64_t wanted_; // lanes; 0: decided here
    MovedFunctions &parts_;
    const Bindings bindings_;
    std::optional<NameScopes> names_;
    LanePlan plan_;      // of the loop that is looked at
    int64_t count_ = 0;  // of lanes
    VarId lane_, lanes_; // the same for all loops
};

/// Is an element that changes apart from those of other iterations, and from all other accesses? Those of one iteration may differ
/// by less than the distance between iterations.
bool OuterLoopVectoriser::isApart(const LaneAccess &write, Name index) const {
    const MemRef &m = f_.refs[write.ref];
    const Variable &v = f_.vars[m.var];
    const auto affine = sym::affineIn(m.offset, index);
    const int64_t step = std::abs(affine ? affine->first.asInt().value_or(0) : 0);
    const bool isArray = (v.kind == VarKind::Pointer && v.isRestrict) || v.kind == VarKind::Buffer;
    return isArray && !bindings_.isKept(m.var) &&
           std::all_of(plan_.accesses.begin(), plan_.accesses.end(), [&](const LaneAccess &a) {
               const MemRef &other = f_.refs[a.ref];
               const auto apart = other.var == m.var ? (other.offset - m.offset).asInt() : 0;
               return apart && (*apart == 0 || std::abs(*apart) < step);
           });
}

Reason OuterLoopVectoriser::obstacleInAccesses(const For &loop) const {
    const Name index = f_.vars[loop.var].name;
    for (const LaneAccess &a : plan_.accesses) {
        const MemRef &m = f_.refs[a.ref];
        const Variable &v = f_.vars[m.var];
        const std::string array = "`" + v.name.str() + "`";
        const auto affine = sym::affineIn(m.offset, index);
        if (a.writes && !isApart(a, index))
            return {Why::Dependence, array + " is changed and accessed in other places, or may have another name"};
        if (std::any_of(plan_.home.begin(), plan_.home.end(), [&](const auto &h) { return m.offset.dependsOn(h.first); }) ||
            !m.strides.empty() || !affine || affine->second.dependsOn(index))
            return {Why::NotAffine, "an index of " + array + " depends on values of the iteration"};
        if (a.writes && affine->first.isZero())
            return {Why::Dependence, "all iterations change an element of " + array};
        if (a.writes && !loop.omp && (a.moves || a.steps || !affine->first.asInt()))
            return {Why::Dependence, "iterations may change the same element of " + array};
        if (a.inLoop && (a.moves || a.writes) && !affine->first.isOne() && !affine->first.isZero())
            return {Why::Unprofitable, "iterations use elements of " + array + " that are not neighbours"};
        if (!v.type.isFloat() && !v.type.isInteger())
            return {Why::Unprofitable, array + " has no real numbers"};
    }
    return {};
}

/// Why strips of a loop cannot run in vectors.
Reason OuterLoopVectoriser::obstacle(const For &loop) const {
    if (plan_.why)
        return plan_.why;
    const Name index = f_.vars[loop.var].name;
    for (const Name n : plan_.inHeaders)
        if (n == index || plan_.home.count(n) != 0)
            return {Why::LoopForm, "a loop inside depends on `" + n.str() + "`"};
    int64_t bytes = 0;
    for (const Name n : plan_.expanded) {
        const Variable &v = f_.vars[plan_.variables.at(n)];
        bytes += *v.type.bytes() * count_ * (v.kind == VarKind::Stack ? *v.count.asInt() : 1);
        if (*v.type.bytes() < leastLaneBytes || !(v.type.isFloat() || v.type.isSigned()))
            return {Why::Unprofitable, "the values of `" + n.str() + "` do not fill vectors"};
    }
    if (bytes > mostLaneBytes)
        return {Why::Unprofitable, "its values do not fit in registers"};
    if (const auto trips = (loop.end - loop.begin + 1).asInt(); trips && *trips < leastStrips * count_)
        return {Why::Small, "it has too few iterations"};
    if (Reason why = obstacleInAccesses(loop))
        return why;
    return isPassable(f_, loop.body) ? Reason() : Reason{Why::Opaque, "its body cannot become a function"};
}

bool OuterLoopVectoriser::vectorises(For &loop) {
    const bool isPlain = loop.omp ? !loop.omp->simd && !loop.omp->inParallelRegion && loop.omp->collapse == 1 &&
                                        loop.omp->reductions.empty() && loop.omp->chunk == 0
                                  : !loop.spread && !loop.simd && !loop.unroll && loop.accumulators.empty();
    if (!isPlain || loop.descending || loop.checkStep || !loop.step.isOne())
        return false;
    LaneRules rules;
    rules.arrays = rules.functions = rules.unrolled = true;
    plan_ = examine(f_, ShortLoop{loop.var, 0, 0, &loop.body}, rules);
    if (!plan_.recurs)
        return false;
    int64_t widest = leastLaneBytes;
    for (const Name n : plan_.expanded)
        widest = std::max(widest, f_.vars[plan_.variables.at(n)].type.bytes().value_or(0));
    count_ = wanted_ > 0 ? wanted_ : std::max<int64_t>(bytesOfStrip / widest, 1);
    if (const Reason why = obstacle(loop)) {
        context_.missed(context_.loop(f_, loop), "its iterations do not run side by side in the loops inside", why);
        return false;
    }
    return context_.mayChange(context_.loop(f_, loop), "strips of its iterations run side by side in the loops inside");
}

/// Replaces a loop by one over strips, and its body by calls of a new function.
void OuterLoopVectoriser::replace(For &loop, const std::string &comment) {
    if (!names_)
        names_.emplace(namesOf(module_, f_, effectsOf(f_)));
    const auto variable = [&](const std::string &name) {
        Variable v;
        v.name = names_->declare(Name(name));
        v.type = Type(ScalarKind::Int64);
        return f_.vars.add(std::move(v));
    };
    const std::string index = f_.vars[loop.var].name.str();
    const VarId first = variable(index + "_first");
    if (!lane_) {
        lane_ = variable("lane");
        lanes_ = variable("lanes");
    }
    const sym::Expr begin = sym::Expr::symbol(f_.vars[first].name), left = loop.end + 1 - begin;
    Lanes lanes;
    lanes.count = count_;
    lanes.number = sym::Expr::symbol(f_.vars[lane_].name);
    lanes.arrays = laneArrays(f_, *names_, plan_, count_);
    lanes.loop = [&](std::vector<NodePtr> statements) { return laneLoop(loop, first, std::move(statements)); };
    Block body;
    body.body = laneGroups(f_, loop.body, plan_, lanes);
    Outlined made = outline(
        f_, std::move(body), parts_.freshName(f_, "_strip"), [this](Name n) { return passedType(f_, n); },
        [](const Variable &, Obstacle) {}, Handover::ByReference);
    made.function->comment = (comment.empty() ? "" : comment + ": ") + "a strip of the iterations " + index;
    made.function->inlined = true;
    const auto pass = [&params = made.function->params, &vars = made.function->vars](Node &call, Name parameter, sym::Expr value) {
        for (std::size_t k = 0; k < params.size(); ++k)
            if (vars[params[k]].name == parameter) {
                Call::Argument &a = static_cast<Call &>(call).arguments[k];
                a.expr = nullptr;
                a.value = value;
            }
    };
    auto call = std::make_unique<Call>();
    call->arguments = made.arguments;
    NodePtr one = clone(*call);
    pass(*call, f_.vars[lanes_].name, count_);
    pass(*one, f_.vars[lanes_].name, 1);
    pass(*one, f_.vars[first].name, sym::Expr::symbol(Name(index)));
    static_cast<Call &>(*one).function = call->function = parts_.add(std::move(made))->function;
    auto rest = std::make_unique<For>();
    rest->var = loop.var;
    rest->begin = begin;
    rest->end = loop.end;
    rest->body.body.push_back(std::move(one));
    loop.body.body.clear();
    const auto integer = [](Name n) { return py::name(n, Type(ScalarKind::Int64)); };
    loop.body.body.push_back(
        choice(py::compare(py::Op::Ge, pythonOf(left, integer), pythonOf(count_, integer)), std::move(call), std::move(rest)));
    loop.var = first;
    loop.step = count_;
}

/// Makes the version for one thread the same as that for a team.
void OuterLoopVectoriser::follow(For &alone, const For &team) {
    alone.body.body.clear();
    for (const NodePtr &n : team.body.body)
        alone.body.body.push_back(twin(*n, f_));
    alone.var = f_.vars.add(Variable(f_.vars[team.var]));
    replaceVariable(f_, alone, team.var, alone.var);
    alone.step = team.step;
}

/// The loop over the lanes around a group, which first computes the number of the iteration.
NodePtr OuterLoopVectoriser::laneLoop(const For &loop, VarId first, std::vector<NodePtr> statements) {
    auto out = std::make_unique<For>();
    out->origin = statements.front()->origin;
    out->begin = 0;
    out->end = sym::Expr::symbol(f_.vars[lanes_].name) - 1;
    out->simd = true;
    out->var = f_.vars.add(Variable(f_.vars[lane_]));
    out->body.body = std::move(statements);
    if (EffectTable(f_).of(*out).has(f_.vars[loop.var].name)) {
        Variable v = f_.vars[loop.var];
        v.isConst = true;
        auto index = std::make_unique<Declare>(f_.vars.add(std::move(v)));
        const Type type(ScalarKind::Int64);
        index->init = py::binary(py::Op::Add, py::name(f_.vars[first].name, type), py::name(f_.vars[lane_].name, type), type);
        const VarId own = index->var;
        out->body.body.insert(out->body.body.begin(), std::move(index));
        replaceVariable(f_, *out, loop.var, own);
    }
    return out;
}

class VectoriseOuterLoops : public pass::TreePass {
    bool run(Module &m, pass::Context &context) override {
        const auto lanes = option<int64_t>("lanes");
        return moveHostFunctions(
            m, [&](Function &f, MovedFunctions &parts) { OuterLoopVectoriser(m, f, context, lanes, parts).run(); });
    }
};

} // namespace

std::unique_ptr<pass::Pass> createVectoriseOuterLoops() { return std::make_unique<VectoriseOuterLoops>(); }

} // namespace sdfgc::transforms
