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

/// Descriptors of structures: `$State` has the arrays `u` and `w`, the scalar `n`, and the structure `e` with `start` and `size`.
const Values structures = {
    {"$State", "Structure pointer($S) (members = $M, name = S)"},
    {"$Array", "ContainerArray pointer($S)[M] (stype = {type: Structure, attributes: {dtype: {type: pointer, dtype: $S}, members: "
               "$M, name: S}})"},
    {"$Edges", "Structure pointer($E) (members = $N, name = E)"},
    {"$S", "{type: struct, name: S, data: [[u, {type: pointer, dtype: float64}], [w, {type: pointer, dtype: float64}], [n, int64], "
           "[e, {type: pointer, dtype: $E}]], length: [], bytes: 32}"},
    {"$M", "[[u, $A], [w, $A], [n, {type: Scalar, attributes: {dtype: int64, shape: [1]}}], [e, {type: Structure, attributes: "
           "{dtype: {type: pointer, dtype: $E}, members: $N, name: E}}]]"},
    {"$V", "{type: struct, name: V, data: [[x, float32], [y, float32]], length: [], bytes: 8}"},
    {"$E", "{type: struct, name: E, data: [[start, {type: pointer, dtype: float64}], [size, int64]], length: [], bytes: 16}"},
    {"$N", "[[start, $A], [size, {type: Scalar, attributes: {dtype: int64, shape: [1]}}]]"},
    {"$A", "{type: Array, attributes: {strides: [1], total_size: N, offset: [0], dtype: float64, shape: [N]}}"},
};

/// A graph with these structures, and its memories.
struct Structures : Graph {
    explicit Structures(const std::string &text, const std::string &inState = "")
        : Graph("sdfg f {\n symbol M, N: int64\n" + text + "\n state s {\n" + inState + "\n }\n}", structures) {}

    analysis::Place at(const char *data) { return places().placeOf(g, Name(data)); }
    bool apart(const char *a, const char *b) { return places().apart(at(a), at(b)); }
    Memories &places() {
        if (!memories)
            memories.emplace(g);
        return *memories;
    }
    std::optional<Memories> memories;
};

} // namespace

TEST_CASE("memories: containers have their own, members that of the structure") {
    Graph g;
    g.array("A", "N");
    g.array("B", "N");
    Memories m(g.g);
    CHECK(m.of(g.g, "A") == m.of(*g.access("A")));
    CHECK(m.apart(m.of(g.g, "A"), m.of(g.g, "B")));
    CHECK(m.of(g.g, "S.x") == m.of(g.g, "S.y"));
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

TEST_CASE("memories: members are apart unless one contains the other") {
    Structures g("argument P: $State\n argument Q: $State");
    CHECK(g.apart("P.u", "P.w"));
    CHECK(g.apart("P.u", "P.n"));
    CHECK(g.apart("P.e.start", "P.e.size"));
    CHECK(g.apart("P.e", "P.u"));
    CHECK(g.apart("P.u", "Q.u"));
    CHECK_FALSE(g.apart("P.u", "P.u"));
    CHECK_FALSE(g.apart("P.e", "P.e.start"));
    CHECK_FALSE(g.apart("P", "P.w"));
    CHECK(g.at("P.e.start").member.path == Name("e.start"));
    CHECK(g.at("P").member.path == Name());
    CHECK_FALSE(g.places().apart(g.places().of(g.g, "P.u"), g.places().of(g.g, "P.w"))); // memories have no members
}

TEST_CASE("memories: paths go through views") {
    Structures g(R"(
        argument P: $State
        view v: $State
        view e: $Edges
        view start: float64[N]
        view u: float64[N]
        view w: float64[N])",
                 R"(
        P[0] -> new v:views
        @v v.e[0] -> new e:views
        @e e.start[0:N] -> new start:views
        a: y = x  with x <- @start start[0]; y -> new u u[0]
        @u:views P.u[0:N] -> new P
        @v:w w[0:N] -> new w
        b: y = x  with x <- @w w[0]; y -> new P P.n[0])");
    CHECK(g.at("start").member.path == Name("e.start"));
    CHECK(g.at("e.start").member.path == Name("e.start"));
    CHECK(g.at("u").member.path == Name("u"));
    CHECK(g.at("w").member.path == Name("w")); // by its connector
    CHECK(g.at("v.n").member.path == Name("n"));
    for (const char *n : {"v", "e", "start", "u", "w"})
        CHECK(g.at(n).memory == g.at("P").memory);
    CHECK(g.apart("start", "u"));
    CHECK_FALSE(g.apart("e", "start"));
    CHECK_FALSE(g.apart("v", "u"));
    CHECK_FALSE(g.apart("v.u", "u"));
}

TEST_CASE("memories: views of several members have their common path") {
    Structures g(R"(
        argument P: $State
        view x: float64[N]
        view z: float64[N])",
                 R"(
        new P P.e.start[0:N] -> new x:views
        new P P.e.size[0] -> new x:views
        new P P.u[0:N] -> new z:views
        new P P.w[0:N] -> new z:views)");
    CHECK(g.at("x").member.path == Name("e"));
    CHECK(g.at("z").member.path == Name());
    CHECK(g.apart("x", "P.u"));
    CHECK_FALSE(g.apart("z", "P.u"));
}

TEST_CASE("memories: a view of a structure as another one has no members of it") {
    Structures g(R"(
        argument P: $State
        view e: $Edges
        view start: float64[N])",
                 R"(
        P[0] -> new e:views
        @e e.start[0:N] -> new start:views)");
    CHECK(g.at("start").member.path == Name());
    CHECK_FALSE(g.apart("start", "P.u"));
}

TEST_CASE("memories: copies of structures share what their addresses lead to, if they have any") {
    Structures g(R"(
        argument A: $V[N]
        argument P: $E[N]
        transient B: $V[N]
        transient Q: $E[N])",
                 R"(
        A[0:N] -> B[0:N]
        P[0:N] -> Q[0:N])");
    CHECK(g.apart("A", "B"));
    CHECK_FALSE(g.apart("P", "Q"));
}

TEST_CASE("memories: the index of an array of structures is not part of the path") {
    Structures g(R"(
        argument A: $Array
        view v: $State
        view x: $State
        view u: float64[N])",
                 R"(
        new A A[0] -> new v:views
        new A A[1] -> new x:views
        @x x.u[0:N] -> new u:views)");
    CHECK(g.at("u").member.path == Name("*.u"));
    CHECK_FALSE(g.apart("v.u", "u"));
    CHECK(g.apart("v.w", "u"));
    CHECK_FALSE(g.apart("A", "u"));
    const auto *node = g.node<AccessNode>("u");
    CHECK_FALSE(Memories::memberOf(*node, Name("u")));
}

TEST_CASE("memories: members have names in the SDFG of their nodes") {
    Structures g(R"(
        argument P: $State
        view e: $Edges
        view start: float64[N])",
                 R"(
        new P P.e[0] -> new e:views
        @e e.start[0:N] -> new start:views)");
    CHECK(Memories::memberOf(*g.node<AccessNode>("start"), Name("start")) == Name("P.e.start"));
    CHECK(Memories::memberOf(*g.node<AccessNode>("e"), Name("e.size")) == Name("P.e.size"));
    CHECK_FALSE(Memories::memberOf(*g.node<AccessNode>("P"), Name("P")));
}

TEST_CASE("memories: members that may alias are not apart from each other") {
    Structures g("argument P: $State\n argument Q: $State\n argument A: float64[N] (may_alias)");
    for (const char *structure : {"P", "Q"})
        for (const auto &[name, member] : g.desc(structure).members)
            member->mayAlias = name == Name("u") || name == Name("n");
    CHECK_FALSE(g.apart("P.u", "P.n"));
    CHECK_FALSE(g.apart("P.u", "Q.n"));
    CHECK_FALSE(g.apart("P.u", "A"));
    CHECK_FALSE(g.apart("P", "A"));
    CHECK(g.apart("P.u", "P.w"));
    CHECK(g.apart("P.w", "A"));
    CHECK(g.apart("P.w", "Q.w"));
}

TEST_CASE("memories: structures that may alias may be one") {
    Structures g("argument P: $State\n argument Q: $State\n argument R: $State");
    g.desc("P").mayAlias = g.desc("Q").mayAlias = true;
    CHECK_FALSE(g.apart("P.u", "Q.u"));
    CHECK_FALSE(g.apart("P.u", "Q.w"));
    CHECK(g.apart("P.u", "P.w"));
    CHECK(g.apart("P.u", "R.u"));
}

TEST_CASE("memories: a reference may be any member, and leaves the others apart") {
    Structures g("argument P: $State\n reference r: float64[N]", "P.u[0:N] -> new r:set");
    CHECK_FALSE(g.apart("r", "P.u"));
    CHECK_FALSE(g.apart("r", "P.w"));
    CHECK(g.apart("P.u", "P.w"));
}

TEST_CASE("memories: a member whose pointer changes is not apart from the others") {
    Structures g("argument P: $State\n argument A: float64[N]", "A[0:N] -> new P.u:set");
    CHECK_FALSE(g.apart("P.u", "P.w"));
    CHECK_FALSE(g.apart("P.u", "A"));
    CHECK(g.apart("P.w", "P.n"));
    CHECK_FALSE(g.at("P.u").member.fixed);
    CHECK(g.at("P.w").member.fixed);
}

TEST_CASE("memories: a structure that is written as a whole gets other pointers") {
    Structures g("argument P: $State\n argument Q: $State\n argument R: $State", "P.e[0] -> Q.e[0]");
    CHECK_FALSE(g.apart("P.e.start", "Q.e.start"));
    CHECK_FALSE(g.apart("Q.u", "P.w")); // one memory
    CHECK(g.apart("R.u", "R.w"));
    Structures h("argument P: $State", "t: o = 0  with o -> P.e[0]");
    CHECK_FALSE(h.apart("P.e.start", "P.u"));
    CHECK(h.apart("P.w", "P.u"));
}

TEST_CASE("memories: members go through boundaries of nested SDFGs") {
    Structures g("argument P: $State", R"(
        nested n with p <- P[0], e <- new P P.e[0], u <- new P P.u[0:N]; w -> new P P.w[0:N] {
          sdfg n {
            symbol N: int64
            argument p: $State
            argument e: $Edges
            argument u: float64[N]
            argument w: float64[N]
            view v: float64[N]
            state t {
              p.u[0:N] -> new v:views
            }
          }
        })");
    SDFG &inside = *g.node<NestedSDFGNode>("n")->sdfg;
    const auto at = [&](const char *data) { return g.places().placeOf(inside, Name(data)); };
    CHECK(at("e.start").member.path == Name("e.start"));
    CHECK(at("u").member.path == Name("u"));
    CHECK(at("v").member.path == Name("u"));
    CHECK(at("v").memory == g.at("P").memory);
    CHECK(g.places().apart(at("u"), at("w")));
    CHECK(g.places().apart(at("e"), at("w")));
    CHECK_FALSE(g.places().apart(at("u"), at("v")));
    CHECK_FALSE(g.places().apart(at("p"), at("w")));
    CHECK_FALSE(g.places().apart(at("p.e.size"), at("e")));
}
