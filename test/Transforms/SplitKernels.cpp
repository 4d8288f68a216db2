// split-kernels: which nests of device maps become kernels of their own.
#include "GraphBuilder.h"

using namespace sdfgc;
using namespace sdfgc::test;

namespace {

/// map[i] { map[j] { tmp = A }; map[j] { B = tmp } } over N x 32 elements, tmp for all iterations together.
struct Nest {
    SDFG g{"f"};
    State *s;
    MapEntry *outer, *first, *second;
    AccessNode *source, *target;
    Memlet whole(const char *data) { return memlet(data, {range("0", "N - 1"), range("0", "31")}); }
    Memlet row(const char *data) { return memlet(data, {at("i"), range("0", "31")}); }

    explicit Nest(const std::string &tmpIndex = "i") {
        for (const char *name : {"A", "B", "tmp"}) {
            array(g, name, {expr("N"), 32}, true);
            g.desc(Name(name))->storage = Storage::GPU_Global;
        }
        g.desc("tmp")->lifetime = Lifetime::SDFG;
        g.symbols.set("N", ScalarKind::Int64);
        s = state(g);
        outer = map(s, {{"i", range("0", "N - 1")}}, Schedule::GPU_Device);
        source = s->add<AccessNode>("A");
        s->connect(source, "", outer, "IN_A", whole("A"));
        first = map(s, {{"j", range("0", "31")}}, Schedule::GPU_Device);
        s->connect(outer, "OUT_A", first, "IN_x", row("A"));
        Tasklet *t = tasklet(s, "y = x");
        s->connect(first, "OUT_x", t, "x", memlet("A", {at("i"), at("31 - j")}));
        s->connect(t, "y", first->exit, "IN_y", memlet("tmp", {at(tmpIndex), at("j")}));
        auto *tmp = s->add<AccessNode>("tmp");
        const Memlet part = memlet("tmp", {at(tmpIndex), range("0", "31")});
        s->connect(first->exit, "OUT_y", tmp, "", part);
        second = map(s, {{"k", range("0", "31")}}, Schedule::GPU_Device);
        s->connect(tmp, "", second, "IN_x", part);
        Tasklet *u = tasklet(s, "y = x");
        s->connect(second, "OUT_x", u, "x", memlet("tmp", {at(tmpIndex), at("31 - k")}));
        s->connect(u, "y", second->exit, "IN_y", memlet("B", {at("i"), at("k")}));
        s->connect(second->exit, "OUT_y", outer->exit, "IN_B", row("B"));
        target = s->add<AccessNode>("B");
        s->connect(outer->exit, "OUT_B", target, "", whole("B"));
    }
    bool split() {
        PassRun pass(transforms::createSplitKernels());
        return pass(g);
    }
};

} // namespace

TEST_CASE("split-kernels: dependent maps become kernels in order") {
    Nest n;
    const std::size_t before = n.s->nodes().size();
    REQUIRE(n.split());
    CHECK(n.s->nodes().size() == before - 2);
    CHECK(n.first->params == std::vector<Name>{"i", "j"});
    CHECK(n.second->params == std::vector<Name>{"i", "k"});
    CHECK(n.first->inEdge("IN_x")->src == n.source);
    CHECK(n.first->inEdge("IN_x")->memlet.subset->str() == "0:N, 0:32");
    CHECK(n.first->exit->outEdge("OUT_y")->memlet.subset->str() == "0:N, 0:32");
    CHECK(n.second->inEdge("IN_x")->memlet.subset->str() == "0:N, 0:32");
    CHECK(n.second->exit->outEdge("OUT_y")->dst == n.target);
    // What came before the nest comes before both, and what came after it after both.
    CHECK(std::any_of(n.second->inEdges().begin(), n.second->inEdges().end(), [&](const Edge *e) { return e->src == n.source; }));
    CHECK(std::any_of(n.target->inEdges().begin(), n.target->inEdges().end(),
                      [&](const Edge *e) { return e->src == n.first->exit; }));
    CHECK_FALSE(n.split());
}

TEST_CASE("split-kernels: what iterations have for themselves or share stays in loops") {
    Nest own;
    own.g.desc("tmp")->lifetime = Lifetime::Scope;
    CHECK_FALSE(own.split());
    Nest shared("0");
    CHECK_FALSE(shared.split());
    Nest inRegisters;
    inRegisters.g.desc("tmp")->storage = Storage::GPU_Shared;
    CHECK_FALSE(inRegisters.split());
}

TEST_CASE("split-kernels: a remark for every device map that is a loop of a kernel") {
    using Remarks = std::vector<std::string>;
    // A kernel around a nested SDFG with a device map, and that around another one.
    auto remarks = [](Schedule kernel) {
        SDFG g("f");
        State *s = state(g);
        MapEntry *outer = map(s, {{"i", range("0", "N - 1")}}, kernel);
        NestedSDFGNode *n = nested(s, "body");
        s->connect(outer, "", n, "", Memlet::empty());
        s->connect(n, "", outer->exit, "", Memlet::empty());
        State *inside = state(*n->sdfg);
        MapEntry *first = map(inside, {{"j", range("0", "31")}}, Schedule::GPU_Device),
                 *second = map(inside, {{"k", range("0", "3")}}, Schedule::GPU_Device);
        Tasklet *t = tasklet(inside, "pass");
        inside->connect(first, "", second, "", Memlet::empty());
        inside->connect(second, "", t, "", Memlet::empty());
        inside->connect(t, "", second->exit, "", Memlet::empty());
        inside->connect(second->exit, "", first->exit, "", Memlet::empty());
        PassRun pass(transforms::createSplitKernels());
        pass(g);
        Remarks texts;
        for (const pass::Remark &r : pass.context.remarks)
            texts.push_back(r.text);
        return texts;
    };
    CHECK(remarks(Schedule::GPU_Device) == Remarks{"a loop inside of a kernel: it is in a nested SDFG",
                                                   "a loop inside of a kernel: it is not directly below the kernel's map"});
    // In a persistent kernel the first one is spread over the grid, as the graph says.
    CHECK(remarks(Schedule::GPU_Persistent) == Remarks{"a loop inside of a kernel: it is not directly below the kernel's map"});
    CHECK(remarks(Schedule::Sequential) == Remarks{"its device maps are kernels of their own"});
}

TEST_CASE("split-kernels: ranges of a triangle, equal names and other work stay in loops") {
    Nest triangle, names, more, sized, persistent;
    triangle.second->ranges[0].end = expr("i");
    CHECK_FALSE(triangle.split());
    names.second->params[0] = "i";
    CHECK_FALSE(names.split());
    Tasklet *t = tasklet(more.s, "y = 1");
    more.s->connect(more.outer, "", t, "", Memlet::empty());
    more.s->connect(t, "", more.outer->exit, "", Memlet::empty());
    CHECK_FALSE(more.split());
    sized.outer->gpuBlockSize = {32, 1, 1};
    CHECK_FALSE(sized.split());
    persistent.outer->schedule = Schedule::GPU_Persistent;
    CHECK_FALSE(persistent.split());
}
