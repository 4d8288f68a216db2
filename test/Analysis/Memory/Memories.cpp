// The memory that a container refers to.
#include "Graphs.h"

#include "sdfgc/Analysis/Memory/Memories.h"

#include <catch2/catch.hpp>

using namespace sdfgc;
using namespace sdfgc::test;
using analysis::Memories;

namespace {

/// A nested SDFG with the argument `inner`, whose connector leads to the container.
SDFG &passing(Graph &g, NestedSDFGNode &n, const std::string &inner, const std::string &outer) {
    n.sdfg->arrays.set(Name(inner), DataDesc::array(ScalarKind::Float64, {8}));
    g.edge(g.access(outer), "", &n, inner, outer + "[0:8]");
    return *n.sdfg;
}

} // namespace

TEST_CASE("memories: containers have their own, members that of the structure") {
    Graph g;
    g.array("A", "N");
    g.array("B", "N");
    Memories m(g.g);
    CHECK(m.of(g.g, "A") == m.of(*g.access("A")));
    CHECK(m.apart(m.of(g.g, "A"), m.of(g.g, "B")));
    CHECK_FALSE(m.apart(m.of(g.g, "S.x"), m.of(g.g, "S.y")));
}

TEST_CASE("memories: a view has that of what it looks at") {
    Graph g;
    g.array("A", "N");
    g.view("V", "N");
    auto *v = g.access("V");
    g.edge(g.access("A"), "", v, "views", "A[0:N]");
    Memories m(g.g);
    CHECK(m.of(*v) == m.of(g.g, "A"));
}

TEST_CASE("memories: arguments of nested SDFGs have those of the containers outside") {
    Graph g;
    g.array("A", "16");
    g.array("B", "8");
    NestedSDFGNode *n = g.nested();
    passing(g, *n, "p", "A");
    passing(g, *n, "q", "A");
    SDFG &inside = passing(g, *n, "r", "B");
    inside.arrays.set("A", DataDesc::array(ScalarKind::Float64, {8}, true)); // a different one with the same name
    Memories m(g.g);
    CHECK(m.of(inside, "p") == m.of(g.g, "A"));
    CHECK_FALSE(m.apart(m.of(inside, "p"), m.of(inside, "q")));
    CHECK(m.apart(m.of(inside, "p"), m.of(inside, "r")));
    CHECK(m.apart(m.of(inside, "p"), m.of(inside, "A")));
}

TEST_CASE("memories: a reference has one with everything that it is set to") {
    Graph g;
    g.array("A", "N");
    g.array("B", "N");
    g.array("C", "N");
    g.transient("R", "N").alias = AliasKind::Reference;
    g.edge(g.access("A"), "", g.access("R"), "set", "A[0:N]");
    g.edge(g.access("B"), "", g.access("R"), "set", "B[0:N]");
    Memories m(g.g);
    CHECK_FALSE(m.apart(m.of(g.g, "R"), m.of(g.g, "B")));
    CHECK_FALSE(m.apart(m.of(g.g, "A"), m.of(g.g, "B")));
    CHECK(m.apart(m.of(g.g, "R"), m.of(g.g, "C")));
}

TEST_CASE("memories: two arguments that may alias are not apart") {
    Graph g;
    for (const char *n : {"A", "B", "C"})
        g.array(n, "N").mayAlias = n[0] != 'C';
    Memories m(g.g);
    CHECK_FALSE(m.apart(m.of(g.g, "A"), m.of(g.g, "B")));
    CHECK(m.apart(m.of(g.g, "A"), m.of(g.g, "C")));
}
