// lower-device-queues: which streams kernels can push to, in place or through a buffer, and why others stay.
#include "GraphBuilder.h"

#include <algorithm>

using namespace sdfgc;
using namespace sdfgc::test;

namespace {

DataDesc queue(bool transient) {
    DataDesc d = DataDesc::array(ScalarKind::Float64, {1}, transient);
    d.kind = DataKind::Stream;
    return d;
}

/// map[i] GPU_Device { t } -> S -> B, all in one state.
struct Pushed {
    SDFG g{"f"};
    State *s = state(g);
    MapEntry *m = map(s, {{"i", range("0", "7")}}, Schedule::GPU_Device);
    Tasklet *t = tasklet(s, "q = 1");
    AccessNode *stream = s->add<AccessNode>("S"), *into = nullptr;
    Edge *push = nullptr;
    std::string why; // the remark's end

    Pushed() {
        array(g, "B", {8}, true);
        g.desc("B")->storage = Storage::GPU_Global;
        g.arrays.set("S", queue(true));
        s->connect(m, "", t, "", Memlet::empty());
        push = s->connect(t, "q", m->exit, "IN_S", memlet("S", {at("0")}));
        s->connect(m->exit, "OUT_S", stream, "", memlet("S", {at("0")}));
    }
    Pushed &empty(State *in = nullptr, const char *begin = "0") {
        AccessNode *from = in ? in->add<AccessNode>("S") : stream;
        State *where = in ? in : s;
        into = where->add<AccessNode>("B");
        where->connect(from, "", into, "", memlet("B", {range(begin, "7")}));
        return *this;
    }
    State *next() {
        State *other = state(g, "next");
        g.connect(s, other);
        return other;
    }
    /// Containers that the pass adds; a stream that stays is one of them.
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
    later.empty(later.next());
    CHECK(later.lowered() == buffered);
    CHECK(later.g.start()->label == "S_count");

    Pushed read;
    read.empty();
    read.s->connect(read.s->add<AccessNode>("B"), "", read.m, "", Memlet::empty());
    CHECK(read.lowered() == buffered);

    Pushed twice; // room for the larger one
    State *other = twice.next();
    twice.empty(nullptr, "4").empty(other);
    CHECK(twice.lowered() == buffered);
    CHECK(twice.g.desc("S_elements")->shape[0] == sym::Expr(8));
}

TEST_CASE("elements that are copied to a queue are pushed by a tasklet") {
    Pushed p;
    array(p.g, "A", {8}, true);
    auto *a = p.s->add<AccessNode>("A");
    p.s->connect(p.m, "OUT_A", a, "", memlet("A", {range("0", "7")}));
    Edge *copy = p.s->connect(a, "", p.m->exit, "IN_S_1", memlet("A", {at("i")}));
    p.s->connect(p.m->exit, "OUT_S_1", p.stream, "", memlet("S", {at("0")}));
    SECTION("one element") {
        CHECK(p.empty().lowered() == inPlace);
        CHECK(std::count_if(p.s->nodes().begin(), p.s->nodes().end(),
                            [](const auto &n) { return isa<Tasklet>(n.get()) && n->label == "push"; }) == 1);
    }
    SECTION("all of a container of one, by a memlet of the queue") {
        p.g.desc("A")->shape = {1};
        copy->memlet = memlet("S", {at("0")});
        CHECK(p.empty().lowered() == inPlace);
    }
    SECTION("several") {
        copy->memlet.subset = sym::Subset{{range("0", "7")}};
        CHECK(p.empty().stays("more than an element is copied to it"));
    }
}

TEST_CASE("a nested SDFG that only pushes gets the array and the counter") {
    Pushed p;
    NestedSDFGNode *n = nested(p.s, "inner");
    n->sdfg->arrays.set("q", queue(false));
    n->outConnectors.push_back({"q", Type()});
    State *in = state(*n->sdfg);
    p.s->connect(p.m, "", n, "", Memlet::empty());
    p.s->connect(n, "q", p.m->exit, "IN_S_1", memlet("S", {at("0")}));
    p.s->connect(p.m->exit, "OUT_S_1", p.stream, "", memlet("S", {at("0")}));
    auto *q = in->add<AccessNode>("q");
    Tasklet *t = tasklet(in, "q_count = 2\nv = q_count");
    in->connect(t, "v", q, "", memlet("q", {at("0")}));
    SECTION("it pushes") {
        CHECK(p.empty().lowered() == inPlace);
        CHECK(n->sdfg->desc("q")->isArray());
        CHECK(n->sdfg->desc("q")->shape[0] == sym::Expr::symbol("q_size"));
        REQUIRE(n->outEdge("q_count"));
        CHECK(n->outEdge("q_count")->memlet.data == Name("S_count"));
        CHECK(n->outEdge("q_count")->memlet.wcr.empty()); // the write inside updates
        CHECK(t->code.text == "q_count = 2\nv_count = 1\nv[v_count] = q_count");
    }
    SECTION("it also reads") {
        array(*n->sdfg, "x", {1}, true);
        in->connect(q, "", in->add<AccessNode>("x"), "", memlet("q", {at("0")}));
        CHECK(p.empty().stays("a nested SDFG does more than push to it"));
    }
}

TEST_CASE("streams that stay: why") {
    CHECK(Pushed().stays("nothing empties it"));
    Pushed host;
    host.empty().g.desc("B")->storage = Storage::CPU_Heap;
    CHECK(host.stays("it is used otherwise than emptied into an array of one dimension in device memory"));
    Pushed argument;
    argument.empty().g.arrays.find("S")->transient = false;
    CHECK(argument.stays("it is an argument, or an array of streams"));
    Pushed cpp;
    cpp.empty().t->code = {"q.push(1);", Language::CPP};
    CHECK(cpp.stays("something else than a tasklet in Python pushes to it"));
    Pushed both;
    both.s->connect(tasklet(both.s, "q = 2"), "q", both.stream, "", memlet("S", {at("0")}));
    CHECK(both.empty().stays("the host pushes to it, too"));
    Pushed onHost;
    onHost.m->schedule = Schedule::CPU_Multicore;
    CHECK(onHost.empty().lowered() == Names{"S"}); // as it was, without a word
    CHECK(onHost.why.empty());
}
