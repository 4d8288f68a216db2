#include "Transforms/PassRun.h"

using namespace sdfgc;
using namespace sdfgc::test;

namespace {

/// An argument A and gpu_A, which is copied back in the last state.
struct Offloaded : Graph {
    State *work = s;
    AccessNode *twin;

    Offloaded() {
        array("A", "8").storage = Storage::CPU_Heap;
        transient("gpu_A", "8").storage = Storage::GPU_Global;
        twin = access("gpu_A");
    }
    /// `writer` provides the values of the kernel.
    Edge *kernel(Node *writer, const char *connector, const std::string &size = "8") {
        MapEntry *m = map(Schedule::GPU_Device, "i", "0:" + size);
        order(m, writer);
        edge(writer, connector, m->exit, "IN_y", "gpu_A[i]");
        return edge(m->exit, "OUT_y", twin, "", "gpu_A[0:" + size + "]");
    }
    void back() {
        AccessNode *from = s == work ? twin : access("gpu_A");
        s->connect(from, "", access("A"), "", copy("gpu_A[0:8]", "0:8"));
    }
    /// A branch that is sometimes taken.
    static Region *branch(Region &in) {
        return in.add<ConditionalBlock>()->addBranch(Code{"p", Language::Python}, std::make_unique<Region>(BlockKind::Region));
    }
    /// Labels of the states that the pass adds, in order.
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
        CHECK_FALSE(run(g)); // a second run changes nothing
        return labels;
    }
};

using Labels = std::vector<std::string>;
const Labels none, fill{"fill"}, copyBack{"copy_back"}, both{"copy_back", "fill"};

} // namespace

TEST_CASE("a twin that is always written as a whole needs no copy") {
    Offloaded x;
    x.kernel(x.tasklet("y = 1"), "y");
    x.back();
    CHECK(x.added() == none);
}

TEST_CASE("what is written in part, sometimes, or by combining starts as a copy of the argument") {
    Offloaded x;
    SECTION("in part") { x.kernel(x.tasklet("y = 1"), "y", "6"); }
    SECTION("sometimes, says the memlet") { x.kernel(x.tasklet("y = 1"), "y")->memlet.dynamic = true; }
    SECTION("sometimes, says the memlet inside") {
        x.kernel(x.tasklet("y = 1"), "y");
        analysis::memletLeaves(x.twin->inEdges().front()).front()->memlet.dynamic = true;
    }
    SECTION("sometimes, says a nested SDFG") {
        NestedSDFGNode *n = x.nested("inner");
        x.kernel(n, "y");
        Graph inner(*n->sdfg);
        inner.array("y", "1");
        inner.state("sometimes", Offloaded::branch(inner.g));
        inner.edge(inner.tasklet("z = 1"), "z", inner.access("y"), "", "y[0]");
    }
    SECTION("perhaps, says a tasklet that has the array in hand") { x.edge(x.tasklet("y[3] = 1"), "y", x.twin, "", "gpu_A[0:8]"); }
    SECTION("by combining") { x.kernel(x.tasklet("y = 1"), "y")->memlet.wcr = "lambda a, b: a + b"; }
    SECTION("through a view") {
        x.view("v", "4, 2");
        AccessNode *view = x.access("v");
        x.edge(x.tasklet("y = 1"), "y", view, "", "v[0, 0]");
        x.edge(view, "", x.twin, "", "gpu_A[0:8]");
    }
    x.back();
    CHECK(x.added() == fill);
}

TEST_CASE("a nested SDFG that always writes is as good as a tasklet") {
    Offloaded x;
    NestedSDFGNode *n = x.nested("inner");
    x.kernel(n, "y");
    Graph inner(*n->sdfg);
    inner.array("y", "1");
    State *first = inner.state("first");
    inner.g.connect(first, inner.state("second"));
    inner.edge(inner.tasklet("z = 1"), "z", inner.access("y"), "", "y[0]");
    x.back();
    CHECK(x.added() == none);
}

TEST_CASE("a return in front of the copy back gets one") {
    Offloaded x;
    Labels labels = copyBack;
    x.kernel(x.tasklet("y = 1"), "y");
    SECTION("of what is on the device") {}
    SECTION("but not where it came back already") {
        x.back();
        labels = none;
    }
    Region *branch = Offloaded::branch(x.g);
    branch->add<ReturnBlock>();
    Block *choice = x.g.blocks().back().get();
    x.g.connect(x.work, choice);
    x.g.connect(choice, x.state("end"));
    x.back();
    CHECK(x.added() == labels);
}

TEST_CASE("other containers than twins are left alone") {
    Offloaded x;
    x.kernel(x.tasklet("y = 1"), "y", "6");
    x.back();
    SECTION("memory of another shape") { x.g.desc("gpu_A")->shape = {16}; }
    SECTION("an argument on the device") { x.g.desc("A")->storage = Storage::GPU_Global; }
    SECTION("memory of the caller") { x.g.desc("gpu_A")->transient = false; }
    CHECK(x.added() == none);
}
