// resolve-wcr with --reductions ordered.
#include "Transforms/Optimize/UpdatingMap.h"

using namespace sdfgc;
using namespace sdfgc::test;

namespace {

/// The pass with --reductions ordered.
struct OrderedRun : PassRun {
    OrderedRun() : PassRun(transforms::createResolveWcr()) { options.reductions = pass::ReductionOrder::Ordered; }
    /// The update mode of the map's inner edge after the pass.
    WcrMode operator()(UpdatingMap &x) {
        PassRun::operator()(x.g);
        return x.inner->memlet.wcrMode;
    }
};

} // namespace

TEST_CASE("ordered reductions: a map whose sums have an order runs on one thread") {
    UpdatingMap x;
    x.scalar("r");
    x.m->ompNumThreads = 4;
    OrderedRun run;
    CHECK(run(x.add("r[0]", "r[0]")) == WcrMode::Plain);
    CHECK(x.outer->memlet.wcrMode == WcrMode::Plain);
    CHECK(x.m->schedule == Schedule::Sequential);
    CHECK(x.m->ompNumThreads.isZero());
    CHECK(run.diags.all().empty());
}

TEST_CASE("ordered reductions: what has the same bits in any order stays parallel") {
    UpdatingMap minimum, count, own;
    minimum.scalar("r");
    minimum.add("r[0]", "r[0]", "lambda a, b: min(a, b)");
    count.array("h", "N", ScalarKind::Int64);
    count.add("h[0:N]", "h[0:N]");
    own.array("B", "N");
    own.add("B[i]", "B[0:N]");
    CHECK(OrderedRun()(minimum) == WcrMode::Reduction);
    CHECK(OrderedRun()(count) == WcrMode::Atomic);
    CHECK(OrderedRun()(own) == WcrMode::Plain);
    for (const UpdatingMap *x : {&minimum, &count, &own})
        CHECK(x->m->schedule == Schedule::CPU_Multicore);
}

TEST_CASE("ordered reductions: parts of a state no longer run at the same time") {
    UpdatingMap x(Schedule::Sequential);
    x.scalar("r");
    x.add("r[0]", "r[0]").add("r[0]", "r[0]");
    x.g.openmpSections = true;
    CHECK(OrderedRun()(x) == WcrMode::Plain);
    CHECK_FALSE(x.g.openmpSections);
}

TEST_CASE("ordered reductions: kernels and teams as a whole cannot be put in an order") {
    for (const Schedule schedule : {Schedule::GPU_Device, Schedule::CPU_Persistent}) {
        UpdatingMap x(schedule);
        x.scalar("r");
        x.add("r[0]", "r[0]");
        OrderedRun run;
        run(x);
        CHECK(run.reported(diag::Id::UpdatesUnordered));
        CHECK(x.m->schedule == schedule);
    }
}
