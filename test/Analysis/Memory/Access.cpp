#include "Graphs.h"

#include "sdfgc/Analysis/Memory/Access.h"

#include <catch2/catch.hpp>

using namespace sdfgc;
using namespace sdfgc::test;

namespace {

std::string accessOf(Graph &g, const char *name) { return analysis::containerAccess(g.g).at(Name(name)).str(); }

} // namespace

TEST_CASE("members belong to their structure") {
    CHECK(analysis::ownerOf("A.indptr") == Name("A"));
    CHECK(analysis::ownerOf("A.b.c") == Name("A"));
    CHECK(analysis::ownerOf("A") == Name("A"));
}

TEST_CASE("arguments are read, written, both, or neither") {
    Graph g;
    for (const char *name : {"A", "B", "C", "D"})
        g.array(name, "N");
    g.transient("tmp", "N");
    g.edge(g.access("A"), "", g.access("tmp"), "", "A[0:N]");
    g.edge(g.access("tmp"), "", g.access("B"), "", "tmp[0:N]");
    Memlet update = memlet("C[0:N]");
    update.wcr = "lambda a, b: a + b";
    g.s->connect(g.access("tmp"), Name(), g.access("C"), Name(), update);
    CHECK(accessOf(g, "A") == "in");
    CHECK(accessOf(g, "B") == "out");
    CHECK(accessOf(g, "C") == "inout");
    CHECK(accessOf(g, "D") == "unused");
    CHECK(analysis::containerAccess(g.g).count(Name("tmp")) == 0);
}

TEST_CASE("an empty memlet orders and moves nothing") {
    Graph g;
    g.array("A", "N");
    g.order(g.access("A"), g.access("A"));
    CHECK(accessOf(g, "A") == "unused");
}

TEST_CASE("conditions read") {
    Graph g;
    g.array("A", "1");
    State *first = g.s, *second = g.state("second");
    g.g.connect(first, second, Code{"A[0] > 1", Language::Python});
    CHECK(accessOf(g, "A") == "in");
}

TEST_CASE("what a reference is set to may be written through it") {
    Graph g;
    g.array("A", "N");
    g.transient("r", "N").alias = AliasKind::Reference;
    g.edge(g.access("A"), "", g.access("r"), "set", "A[0]");
    CHECK(accessOf(g, "A") == "inout");
}
