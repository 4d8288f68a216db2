// Users of containers, before and after a loop is forgotten.
#include "../Graphs.h"

#include "sdfgc/Analysis/Memory/Copies.h"
#include "sdfgc/IR/StateGraph.h"
#include "sdfgc/Nest/ContainerUsers.h"

#include <catch2/catch.hpp>

using namespace sdfgc;
using namespace sdfgc::test;

TEST_CASE("container users: by states and by control flow, and without a loop") {
    Graph graph(
        lines("sdfg f(A) (typed) { symbol N, i, k: int64 | argument A: float64[N] (CPU_Heap) | "
              "transient t: float64 (Register) | transient u: float64 (Register) | transient v: float64 (Register) | "
              "transient n: int64 (Register) | "
              "loop: for i = 0; i < n; i = i + 1 { state a { c: y = x  with x: float64 <- A[i]; y: float64 -> t } then "
              "state b { map m[j = 0:N] (Sequential) with <- t[0]; -> A[0:N] { c: y = x  with x: float64 <- t[0]; y: float64 "
              "-> v[0] | d: y = x  with x: float64 <- v[0]; y: float64 -> A[j] } } then "
              "if n > 3 { state d { c: y = 1.0  with y: float64 -> u } } } then "
              "state e { c: y = x  with x: float64 <- u; y: float64 -> A[0] } }"));
    LoopRegion *loop = nullptr;
    for (Region *r : allRegions(graph.g))
        if (auto *l = dyn_cast<LoopRegion>(r))
            loop = l;
    nest::ContainerUsers users(graph.g);
    CHECK(users.shared() == analysis::sharedContainers(graph.g));
    CHECK(users.shared().count(Name("v")) == 0);
    CHECK(users.isOnlyInside(Name("t"), *loop));
    CHECK(users.isOnlyInside(Name("v"), *loop));
    CHECK_FALSE(users.isOnlyInside(Name("u"), *loop)); // used after it
    CHECK_FALSE(users.isOnlyInside(Name("n"), *loop)); // in its header
    CHECK(users.usedIn(*loop).count(Name("n")) == 1);
    users.remove(*loop);
    CHECK(users.shared() == std::set<Name>{Name("A"), Name("u")});
    CHECK_FALSE(users.isOnlyInside(Name("t"), graph.g)); // used nowhere
    CHECK(users.isOnlyInside(Name("u"), graph.g));
    CHECK_FALSE(users.isOnlyInside(Name("n"), graph.g));
}
