// vectorise-short-loops: let the iterations of a short loop run side by side in the loops inside it.
//
//     for (o = 0; o < 8; ++o) {                               double s_lanes[8];
//         double s = 0.0;                                     for (o = 0; o < 8; ++o)  s_lanes[o] = 0.0;       // simd
//         for (k = 0; k < K; ++k)                      ->     for (k = 0; k < K; ++k)
//             s += w[8 * k + o] * x[k];                           for (o = 0; o < 8; ++o)                      // simd
//         out[8 * i + o] = s;                                         s_lanes[o] += w[8 * k + o] * x[k];
//     }                                                       for (o = 0; o < 8; ++o)  out[8 * i + o] = s_lanes[o];   // simd
//
// Under strict rules, a compiler cannot vectorise the loop over k, because the order of a sum is part of its result, and it does not
// exchange the loops. The sums of different iterations of the loop over o are independent, and neighbours in memory. A convolution
// with 8 channels takes a quarter of the time.
//
//   1. Find a loop with a constant number of iterations, 4 to 16, around other loops (`examine`).
//   2. Every run of plain statements between the inner loops is a group, which becomes a loop over o of its own.
//   3. Variables of an iteration that several groups use become arrays with an element for each iteration; variables of a single
//      group stay.
//
// Legal when:
//   - the loop contains only declarations of values, assignments of arithmetic, updates that are not atomic, and counted or other
//     loops without jumps, whose headers use neither o nor what an iteration computes. So all iterations take the same path;
//   - it changes nothing but variables that are declared inside it, and elements of arrays that are `restrict` parameters without
//     other names;
//   - such an array is accessed in one group only, outside of inner loops, and only at one index that grows by one with o. Then each
//     iteration has an element of its own, and no value goes from one iteration to another;
// The same operations compute each value, in the same order: class F0. Inner loops that run no iteration change nothing.
//
// Profitable when an inner loop changes a variable of the iteration, which prevents the vectorisation of that loop, and accesses in
// inner loops are the same or neighbours for neighbouring iterations; the new arrays must fit in registers.
//
// Not handled: branches; calls of functions; data-dependent indices; loops that a team shares; kernels; strips of long loops, which
// vectorise-outer-loops takes.
#include "Bindings.h"
#include "FunctionNames.h"
#include "LaneGroups.h"

#include "sdfgc/Transforms/Passes.h"
#include "sdfgc/Tree/Effects.h"
#include "sdfgc/Tree/Fields.h"

#include <algorithm>

namespace sdfgc::transforms {
namespace {

using namespace tree;

using diag::Reason;
using diag::Why;

constexpr int64_t fewestLanes = 4, mostLanes = 16;
constexpr int64_t leastBytes = 4;      // of a value; narrower ones are not computed in their own type
constexpr int64_t vectorBytes = 16;    // of the smallest vectors
constexpr int64_t registerBytes = 512; // of vectors of 32 bytes in 16 registers

class ShortLoopVectoriser {
public:
    ShortLoopVectoriser(const Module &m, Function &f, pass::Context &context)
        : module_(m), f_(f), context_(context), bindings_(f) {}

    /// Returns whether anything changed.
    bool run() {
        block(f_.body, 0);
        return changed_;
    }

private:
    /// `collapsed`: loops that must stay perfectly nested in the one around the block.
    void block(Block &b, int collapsed) {
        for (std::size_t k = 0; k < b.body.size(); ++k) {
            Node &n = *b.body[k];
            const For *loop = dyn_cast<For>(&n);
            if (const std::optional<ShortLoop> found = shortLoopOf(n); found && collapsed == 0 && vectorises(n, *found)) {
                std::vector<NodePtr> parts = partsOf(*found);
                b.body.erase(b.body.begin() + static_cast<std::ptrdiff_t>(k));
                k = insert(b, k, std::move(parts)) - 1;
                continue;
            }
            if (loop && (loop->simd || (loop->omp && loop->omp->simd)))
                continue;
            const int inside = loop && loop->omp ? loop->omp->collapse - 1 : std::max(collapsed - 1, 0);
            forEachBlock(n, [&](Block &inner) { block(inner, inside); });
        }
    }

    bool vectorises(const Node &n, const ShortLoop &loop);
    Reason obstacle(const ShortLoop &loop) const;
    Reason obstacleInAccesses(Name lane) const;
    bool isSeparate(const LaneAccess &write, Name lane) const;
    std::vector<NodePtr> partsOf(const ShortLoop &loop);
    NodePtr laneLoop(const ShortLoop &loop, std::vector<NodePtr> statements);

    const Module &module_;
    Function &f_;
    pass::Context &context_;
    const Bindings bindings_;
    std::optional<NameScopes> names_;
    LanePlan plan_; // of the loop that is looked at
    bool changed_ = false;
};

/// Is the element of a write apart from those of other iterations, and from all other accesses?
bool ShortLoopVectoriser::isSeparate(const LaneAccess &write, Name lane) const {
    const MemRef &m = f_.refs[write.ref];
    const Variable &v = f_.vars[m.var];
    const auto affine = sym::affineIn(m.offset, lane);
    return v.kind == VarKind::Pointer && v.isRestrict && v.type.isScalar() && !bindings_.isKept(m.var) &&
           std::find(f_.params.begin(), f_.params.end(), m.var) != f_.params.end() && affine && affine->first.isOne() &&
           !affine->second.dependsOn(lane) && !write.inLoop &&
           std::all_of(plan_.accesses.begin(), plan_.accesses.end(), [&](const LaneAccess &a) {
               const MemRef &other = f_.refs[a.ref];
               return other.var != m.var || (a.group == write.group && other.offset == m.offset);
           });
}

Reason ShortLoopVectoriser::obstacleInAccesses(Name lane) const {
    bool neighbours = false;
    for (const LaneAccess &a : plan_.accesses) {
        const MemRef &m = f_.refs[a.ref];
        const std::string array = "`" + f_.vars[m.var].name.str() + "`";
        const auto affine = sym::affineIn(m.offset, lane);
        const bool isNext = affine && affine->first.isOne();
        if (a.writes && !isSeparate(a, lane))
            return {Why::Dependence, array + " is written in more than one place, or in a loop inside, or may have another name"};
        if (std::any_of(plan_.home.begin(), plan_.home.end(), [&](const auto &h) { return m.offset.dependsOn(h.first); }) ||
            !m.strides.empty() || !affine || affine->second.dependsOn(lane))
            return {Why::NotAffine, "an index of " + array + " depends on values of the iteration"};
        if (a.inLoop && !isNext && !affine->first.isZero())
            return {Why::Unprofitable, "iterations use elements of " + array + " that are not neighbours"};
        neighbours = neighbours || (a.inLoop && isNext);
    }
    return neighbours ? Reason() : Reason{Why::Unprofitable, "no iterations use neighbouring elements in loops inside"};
}

/// Why the iterations of a loop cannot run side by side.
Reason ShortLoopVectoriser::obstacle(const ShortLoop &loop) const {
    if (plan_.why)
        return plan_.why;
    const Name lane = f_.vars[loop.var].name;
    for (const Name n : plan_.inHeaders)
        if (n == lane || plan_.home.count(n) != 0)
            return {Why::LoopForm, "a loop inside depends on `" + n.str() + "`"};
    int64_t bytes = 0;
    for (const Name n : plan_.expanded) {
        const Type type = f_.vars[plan_.variables.at(n)].type;
        const int64_t size = *type.bytes() * loop.count;
        bytes += size;
        if (size % vectorBytes != 0 || *type.bytes() < leastBytes || !(type.isFloat() || type.isSigned()))
            return {Why::Unprofitable, "the values of `" + n.str() + "` do not fill vectors"};
    }
    if (bytes > registerBytes)
        return {Why::Unprofitable, "its values do not fit in registers"};
    return obstacleInAccesses(lane);
}

bool ShortLoopVectoriser::vectorises(const Node &n, const ShortLoop &loop) {
    if (loop.count < fewestLanes || loop.count > mostLanes)
        return false;
    plan_ = examine(f_, loop);
    if (!plan_.accumulates)
        return false;
    if (const Reason why = obstacle(loop)) {
        context_.missed(context_.loop(f_, n), "its iterations do not run side by side in the loops inside", why);
        return false;
    }
    return context_.mayChange(context_.loop(f_, n), "its iterations run side by side in the loops inside");
}

std::vector<NodePtr> ShortLoopVectoriser::partsOf(const ShortLoop &loop) {
    if (!names_)
        names_.emplace(namesOf(module_, f_, effectsOf(f_)));
    Lanes lanes;
    lanes.count = loop.count;
    lanes.number = sym::Expr::symbol(f_.vars[loop.var].name) - loop.begin;
    lanes.arrays = laneArrays(f_, *names_, plan_, loop.count);
    lanes.loop = [&](std::vector<NodePtr> statements) { return laneLoop(loop, std::move(statements)); };
    changed_ = true;
    return laneGroups(f_, *loop.body, plan_, lanes);
}

NodePtr ShortLoopVectoriser::laneLoop(const ShortLoop &loop, std::vector<NodePtr> statements) {
    Variable v = f_.vars[loop.var];
    auto out = std::make_unique<For>();
    out->origin = statements.front()->origin;
    out->begin = loop.begin;
    out->end = loop.begin + loop.count - 1;
    out->simd = true;
    out->body.body = std::move(statements);
    out->var = f_.vars.add(std::move(v));
    replaceVariable(f_, *out, loop.var, out->var);
    return out;
}

class VectoriseShortLoops : public pass::FunctionPass {
    bool run(Function &f, const Module &m, pass::Context &context) override {
        return !f.kernel && !f.device && ShortLoopVectoriser(m, f, context).run();
    }
};

} // namespace

std::unique_ptr<pass::Pass> createVectoriseShortLoops() { return std::make_unique<VectoriseShortLoops>(); }

} // namespace sdfgc::transforms
