// Nodes that combine their result with the previous contents of the output, for outputs without previous contents.
#include "../Graphs.h"

#include "sdfgc/LibraryNodes/LibraryNodes.h"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace sdfgc;
using namespace sdfgc::test;

namespace {

/// A -> Reduce without identity -> T
struct Combining : Graph {
    LibraryNode *n;

    Combining() : n(library("dace.libraries.standard.nodes.reduce.Reduce", "node")) {
        array("A", "4, 5");
        transient("T", "4");
        n->properties.set("wcr", json::Value("lambda a, b: a + b"));
        n->properties.set("axes", json::Value::array({json::Value(1)}));
        s->connect(access("A"), {}, n, {}, memlet("A[0:4, 0:5]"));
    }
    void write(const std::string &to = "T", const std::string &subset = "[0:4]") {
        s->connect(n, {}, access(to), {}, memlet(to + subset));
    }

    /// Does the expanded node update its output instead of overwriting it?
    bool updates() {
        diag::Engine diags;
        const pass::CompileOptions options;
        pass::Context context(diags, options);
        State &state = *n->state();
        REQUIRE(libnodes::find(*n)->expand(state, *n, context));
        for (SDFG *inner : allSDFGs(g))
            for (State *in : allStates(*inner))
                for (const auto &e : in->edges())
                    if (auto *to = dyn_cast<AccessNode>(e->dst);
                        to && !inner->isRoot() && !inner->desc(to->data)->transient && !e->memlet.wcr.empty())
                        return true;
        return false;
    }
};

} // namespace

TEST_CASE("a transient that nothing else writes has no value to combine with") {
    Combining c;
    SECTION("as it is") {
        c.write();
        CHECK_FALSE(c.updates());
    }
    SECTION("an argument has a value") {
        c.g.arrays.find("T")->transient = false;
        c.write();
        CHECK(c.updates());
    }
    SECTION("what lives longer than a call may have one") {
        c.g.arrays.find("T")->lifetime = Lifetime::Persistent;
        c.write();
        CHECK(c.updates());
    }
    SECTION("another state writes it") {
        c.write();
        c.state("more");
        c.s->connect(c.tasklet("t = 1"), "t", c.access("T"), {}, memlet("T[0]"));
        CHECK(c.updates());
    }
    SECTION("through a view") {
        c.view("V", "4");
        c.write("V");
        auto *view = c.n->outEdges().front()->dst;
        c.s->connect(view, {}, c.access("T"), {}, memlet("T[0:4]"));
        SECTION("alone") { CHECK_FALSE(c.updates()); }
        SECTION("beside a write") {
            c.s->connect(c.tasklet("t = 1"), "t", c.access("T"), {}, memlet("T[0]"));
            CHECK(c.updates());
        }
    }
}

TEST_CASE("what runs again finds the value of before") {
    Combining c;
    auto *loop = c.g.add<LoopRegion>();
    State *inside = c.state("inside", loop);
    auto *n = c.library("dace.libraries.standard.nodes.reduce.Reduce", "again");
    n->properties = c.n->properties;
    inside->connect(c.access("A"), {}, n, {}, memlet("A[0:4, 0:5]"));
    c.n = n;
    c.write();
    CHECK(c.updates());
}

TEST_CASE("iterations of parallel maps write different elements, those of sequential ones come after each other") {
    for (const Schedule schedule : {Schedule::CPU_Multicore, Schedule::GPU_Device, Schedule::Sequential}) {
        Combining c;
        auto [entry, exit] = c.map("i", "0:4");
        entry->schedule = schedule;
        Edge *in = c.n->inEdges().front();
        c.s->connect(in->src, {}, entry, "IN_A", memlet("A[0:4, 0:5]"));
        c.s->connect(entry, "OUT_A", c.n, {}, memlet("A[i, 0:5]"));
        c.s->removeEdge(in);
        c.s->connect(c.n, {}, exit, "IN_T", memlet("T[i]"));
        c.s->connect(exit, "OUT_T", c.access("T"), {}, memlet("T[0:4]"));
        CHECK(c.updates() == (schedule == Schedule::Sequential));
    }
}

TEST_CASE("beta of a product without an addend counts for nothing there") {
    for (const bool transient : {true, false}) {
        Combining c;
        c.g.arrays.find("T")->transient = transient;
        auto *n = c.library("dace.libraries.blas.nodes.einsum.Einsum", "product");
        n->implementation = "pure";
        n->properties.set("einsum_str", json::Value("ij,ij->i"));
        n->properties.set("beta", json::Value(1));
        n->addIn("x");
        n->addIn("y");
        for (const char *connector : {"x", "y"})
            c.s->connect(c.access("A"), {}, n, connector, memlet("A[0:4, 0:5]"));
        c.s->connect(n, "_out", c.access("T"), {}, memlet("T[0:4]"));
        c.n = n;
        CHECK(c.updates() == !transient);
    }
}
