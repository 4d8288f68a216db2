#include "GraphBuilder.h"

using namespace sdfgc;
using namespace sdfgc::test;

namespace {

/// An argument A and gpu_A, which comes back in the last state.
struct Offloaded {
    SDFG g{"f"};
    State *work;
    AccessNode *twin;

    Offloaded() {
        array(g, "A", {8});
        array(g, "gpu_A", {8}, true);
        g.desc("A")->storage = Storage::CPU_Heap;
        g.desc("gpu_A")->storage = Storage::GPU_Global;
        work = state(g);
        twin = work->add<AccessNode>("gpu_A");
    }
    Memlet all(const char *data) { return memlet(data, {range("0", "7")}); }
    /// `writer` is where the values of the kernel come from.
    Edge *kernel(Node *writer, const char *connector, const char *end = "7") {
        MapEntry *m = map(work, {{"i", range("0", end)}}, Schedule::GPU_Device);
        work->connect(m, "", writer, "", Memlet::empty());
        work->connect(writer, connector, m->exit, "IN_y", memlet("gpu_A", {at("i")}));
        return work->connect(m->exit, "OUT_y", twin, "", memlet("gpu_A", {range("0", end)}));
    }
    void back(State *s) {
        AccessNode *from = s == work ? twin : s->add<AccessNode>("gpu_A");
        Memlet m = all("gpu_A");
        m.otherSubset = m.subset;
        s->connect(from, "", s->add<AccessNode>("A"), "", m);
    }
    /// Labels of the states that the pass adds, in their order.
    std::vector<std::string> added() {
        std::set<State *> before;
        for (State *s : allStates(g))
            before.insert(s);
        PassRun run(transforms::createCompleteTwins());
        const bool changed = run(g);
        std::vector<std::string> labels;
        for (State *s : allStates(g))
            if (!before.count(s))
                labels.push_back(s->label);
        std::sort(labels.begin(), labels.end());
        CHECK(changed == !labels.empty());
        CHECK_FALSE(run(g)); // a second run finds nothing
        return labels;
    }
};

using Labels = std::vector<std::string>;
const Labels none, fill{"fill"}, copyBack{"copy_back"}, both{"copy_back", "fill"};

} // namespace

TEST_CASE("a twin that is always written as a whole needs no copy") {
    Offloaded x;
    x.kernel(tasklet(x.work, "y = 1"), "y");
    x.back(x.work);
    CHECK(x.added() == none);
}

TEST_CASE("what is written in part, sometimes, or by combining starts as a copy of the argument") {
    Offloaded x;
    SECTION("in part") { x.kernel(tasklet(x.work, "y = 1"), "y", "5"); }
    SECTION("sometimes, says the memlet") { x.kernel(tasklet(x.work, "y = 1"), "y")->memlet.dynamic = true; }
    SECTION("sometimes, says the memlet inside") {
        x.kernel(tasklet(x.work, "y = 1"), "y");
        analysis::memletLeaves(x.twin->inEdges().front()).front()->memlet.dynamic = true;
    }
    SECTION("sometimes, says a nested SDFG") {
        NestedSDFGNode *n = nested(x.work, "inner");
        array(*n->sdfg, "y", {1});
        x.kernel(n, "y");
        auto *choice = n->sdfg->add<ConditionalBlock>();
        State *s = choice->addBranch(Code{"p", Language::Python}, std::make_unique<Region>(BlockKind::Region))->add<State>();
        s->connect(tasklet(s, "z = 1"), "z", s->add<AccessNode>("y"), "", memlet("y", {at("0")}));
    }
    SECTION("perhaps, says a tasklet that has the array in hand") {
        x.work->connect(tasklet(x.work, "y[3] = 1"), "y", x.twin, "", x.all("gpu_A"));
    }
    SECTION("by combining") { x.kernel(tasklet(x.work, "y = 1"), "y")->memlet.wcr = "lambda a, b: a + b"; }
    SECTION("through a view") {
        array(x.g, "v", {4, 2}, true);
        x.g.desc("v")->alias = AliasKind::View;
        auto *view = x.work->add<AccessNode>("v");
        x.work->connect(tasklet(x.work, "y = 1"), "y", view, "", memlet("v", {at("0"), at("0")}));
        x.work->connect(view, "", x.twin, "", x.all("gpu_A"));
    }
    x.back(x.work);
    CHECK(x.added() == fill);
}

TEST_CASE("a nested SDFG that always writes is as good as a tasklet") {
    Offloaded x;
    NestedSDFGNode *n = nested(x.work, "inner");
    array(*n->sdfg, "y", {1});
    x.kernel(n, "y");
    State *first = state(*n->sdfg), *second = state(*n->sdfg);
    n->sdfg->connect(first, second);
    second->connect(tasklet(second, "z = 1"), "z", second->add<AccessNode>("y"), "", memlet("y", {at("0")}));
    x.back(x.work);
    CHECK(x.added() == none);
}

TEST_CASE("a return in front of the copy back gets one") {
    Offloaded x;
    x.kernel(tasklet(x.work, "y = 1"), "y");
    auto *choice = x.g.add<ConditionalBlock>();
    choice->addBranch(Code{"p", Language::Python}, std::make_unique<Region>(BlockKind::Region))->add<ReturnBlock>();
    x.g.connect(x.work, choice);
    State *end = state(x.g);
    x.g.connect(choice, end);
    x.back(end);
    SECTION("of what is on the device") { CHECK(x.added() == copyBack); }
    SECTION("but not where it came back already") {
        x.back(x.work);
        CHECK(x.added() == none);
    }
}

TEST_CASE("other containers than twins are left alone") {
    Offloaded x;
    x.kernel(tasklet(x.work, "y = 1"), "y", "5");
    x.back(x.work);
    SECTION("memory of another shape") { x.g.desc("gpu_A")->shape = {16}; }
    SECTION("an argument on the device") { x.g.desc("A")->storage = Storage::GPU_Global; }
    SECTION("memory of the caller") { x.g.desc("gpu_A")->transient = false; }
    CHECK(x.added() == none);
}
