// lower-device-queues: to which streams kernels can push, directly or through a buffer, and why others are unchanged.
#include "Transforms/PassRun.h"

#include <algorithm>

using namespace sdfgc;
using namespace sdfgc::test;

namespace {

void queue(Graph &x, const char *name, bool transient) {
    DataDesc &d = x.array(name, "1");
    d.transient = transient;
    d.kind = DataKind::Stream;
}

/// A kernel that pushes to S, which is then emptied into B, all in one state.
struct Pushed : Graph {
    MapEntry *m = map(Schedule::GPU_Device, "i", "0:8");
    Tasklet *t = tasklet("q = 1");
    AccessNode *stream = access("S");
    std::string why; // the remark's end

    Pushed() {
        transient("B", "8").storage = Storage::GPU_Global;
        queue(*this, "S", true);
        order(m, t);
        edge(t, "q", m->exit, "IN_S", "S[0]");
        edge(m->exit, "OUT_S", stream, "", "S[0]");
    }
    /// Empties S into B, starting with a certain element, in the current state.
    Pushed &empty(const std::string &begin = "0") {
        edge(s == stream->state() ? stream : access("S"), "", access("B"), "", "B[" + begin + ":8]");
        return *this;
    }
    Pushed &next() {
        State *before = s;
        g.connect(before, state("next"));
        return *this;
    }
    /// Containers that the pass adds; a stream that is not lowered is one of them.
    std::set<std::string> lowered() {
        std::set<std::string> before, names;
        for (const auto &[name, d] : g.arrays)
            before.insert(name.str());
        PassRun run(transforms::createLowerDeviceQueues());
        const bool changed = run(g);
        for (const auto &[name, d] : g.arrays)
            if (!before.count(name.str()) || d.isStream())
                names.insert(name.str());
        CHECK(changed == !g.arrays.contains("S"));
        why = run.context.remarks.empty() ? "" : run.context.remarks.back().text;
        return names;
    }
    bool stays(const char *reason) {
        INFO(why);
        return lowered().count("S") && why.find(reason) != std::string::npos;
    }
};

using Names = std::set<std::string>;
const Names inPlace{"S_count"}, buffered{"S_count", "S_elements"};

} // namespace

TEST_CASE("a queue that one state fills and empties is lowered in place") { CHECK(Pushed().empty().lowered() == inPlace); }

TEST_CASE("a queue needs a buffer when it is emptied elsewhere, or its array is in use") {
    Pushed later;
    CHECK(later.next().empty().lowered() == buffered);
    CHECK(later.g.start()->label == "S_count");

    Pushed read;
    read.empty().order(read.access("B"), read.m);
    CHECK(read.lowered() == buffered);

    Pushed twice; // large enough for the larger one
    CHECK(twice.empty("4").next().empty().lowered() == buffered);
    CHECK(twice.g.desc("S_elements")->shape[0] == sym::Expr(8));
}

TEST_CASE("elements that are copied to a queue are pushed by a tasklet") {
    Pushed p;
    p.transient("A", "8");
    AccessNode *a = p.access("A");
    p.edge(p.m, "OUT_A", a, "", "A[0:8]");
    Edge *copy = p.edge(a, "", p.m->exit, "IN_S_1", "A[i]");
    p.edge(p.m->exit, "OUT_S_1", p.stream, "", "S[0]");
    SECTION("one element") {
        CHECK(p.empty().lowered() == inPlace);
        CHECK(std::count_if(p.s->nodes().begin(), p.s->nodes().end(),
                            [](const auto &n) { return isa<Tasklet>(n.get()) && n->label == "push"; }) == 1);
    }
    SECTION("all of a container of one, by a memlet of the queue") {
        p.g.desc("A")->shape = {1};
        copy->memlet = memlet("S[0]");
        CHECK(p.empty().lowered() == inPlace);
    }
    SECTION("several") {
        copy->memlet.subset = subset("0:8");
        CHECK(p.empty().stays("more than one element is copied to it"));
    }
}

TEST_CASE("a nested SDFG that only pushes gets the array and the counter") {
    Pushed p;
    NestedSDFGNode *n = p.nested("inner");
    n->outConnectors.push_back({"q", Type()});
    p.order(p.m, n);
    p.edge(n, "q", p.m->exit, "IN_S_1", "S[0]");
    p.edge(p.m->exit, "OUT_S_1", p.stream, "", "S[0]");
    Graph inner(*n->sdfg, "main");
    queue(inner, "q", false);
    AccessNode *q = inner.access("q");
    Tasklet *t = inner.tasklet("q_count = 2\nv = q_count");
    inner.edge(t, "v", q, "", "q[0]");
    SECTION("it pushes") {
        CHECK(p.empty().lowered() == inPlace);
        CHECK(n->sdfg->desc("q")->isArray());
        CHECK(n->sdfg->desc("q")->shape[0] == sym::Expr::symbol("q_size"));
        REQUIRE(n->outEdge("q_count"));
        CHECK(n->outEdge("q_count")->memlet.data == Name("S_count"));
        CHECK(n->outEdge("q_count")->memlet.wcr.empty()); // the write inside updates
        CHECK(t->code.text() == "q_count = 2\nv_count = 1\nv[v_count] = q_count");
    }
    SECTION("it also reads") {
        inner.transient("x", "1");
        inner.edge(q, "", inner.access("x"), "", "q[0]");
        CHECK(p.empty().stays("a nested SDFG does not only push to it"));
    }
}

TEST_CASE("streams that stay: why") {
    CHECK(Pushed().stays("it is never emptied"));
    Pushed host;
    host.empty().g.desc("B")->storage = Storage::CPU_Heap;
    CHECK(host.stays("it has uses other than being emptied into a one-dimensional array in device memory"));
    Pushed argument;
    argument.empty().g.arrays.find("S")->transient = false;
    CHECK(argument.stays("it is an argument, or an array of streams"));
    Pushed cpp;
    cpp.empty().t->code = {"q.push(1);", Language::CPP};
    CHECK(cpp.stays("something other than a Python tasklet pushes to it"));
    Pushed both;
    both.edge(both.tasklet("q = 2"), "q", both.stream, "", "S[0]");
    CHECK(both.empty().stays("the host also pushes to it"));
    Pushed onHost;
    onHost.m->schedule = Schedule::CPU_Multicore;
    CHECK(onHost.empty().lowered() == Names{"S"}); // unchanged, without a remark
    CHECK(onHost.why.empty());
}
