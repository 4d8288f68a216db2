// Which device operations access different elements of a shared container.
#include "sdfgc/Analysis/Memory/Apart.h"

#include "Graphs.h"

#include <catch2/catch.hpp>

using namespace sdfgc;
using namespace sdfgc::test;

namespace {

/// A kernel that reads `from` and writes `to`, both elements of A, for i in `range`.
std::string kernel(const std::string &range, const std::string &from, const std::string &to) {
    return "    map m[i = " + range + "] (GPU_Device) with <- A[0:N, 0:N]; -> A[0:N, 0:N] {\n      t: y = x + 1  with x <- A[" +
           from + "]; y -> A[" + to + "]\n    }\n";
}

std::string state(const std::string &name, const std::string &content) { return "  state " + name + " {\n" + content + "  }\n"; }

/// Are the elements of A that the first two operations of a program access disjoint?
bool areApart(const std::string &one, const std::string &other) {
    diag::Engine diags;
    const auto g = serialize::readText("sdfg p {\n  symbol N: int64\n  symbol k: int64\n  argument A: float64[N, N] (GPU_Global)\n"
                                       "  argument h: float64[N, N]\n  argument K: int64[1] (GPU_Global)\n" +
                                           state("a", one) + state("b", other) + "}\n",
                                       "test.sdfgt", diags);
    REQUIRE(g);
    analysis::StreamSteps steps(*g);
    std::vector<analysis::StreamStep> all;
    for (ir::State *s : ir::allStates(*g))
        for (analysis::StreamStep &step : steps.of(*s))
            all.push_back(std::move(step));
    REQUIRE(all.size() == 2);
    analysis::ApartElements apart(steps);
    const analysis::Memory a = steps.memory(*g, Name("A"));
    const bool found = apart.of(all[0], all[1], a);
    CHECK(apart.of(all[1], all[0], a) == found);
    return found;
}

} // namespace

TEST_CASE("Kernels on halves, rows, columns and every other element share nothing") {
    CHECK(areApart(kernel("0:k", "i, 0", "i, 0"), kernel("k:N", "i, 0", "i, 0")));
    CHECK(areApart(kernel("0:int_floor(N, 2)", "i, 0", "i, 0"), kernel("int_floor(N, 2):N", "i, 0", "i, 0")));
    CHECK(areApart(kernel("0:N", "0, i", "0, i"), kernel("0:N", "1, i", "1, i")));
    CHECK(areApart(kernel("0:N", "i, k", "i, k"), kernel("0:N", "i, k + 1", "i, k + 1")));
    CHECK(areApart(kernel("0:N:2", "i, 0", "i, 0"), kernel("1:N:2", "i, 0", "i, 0")));
}

TEST_CASE("One element in common is enough, if one of the two writes it") {
    CHECK_FALSE(areApart(kernel("0:k + 1", "i, 0", "i, 0"), kernel("k:N", "i, 0", "i, 0")));
    CHECK_FALSE(areApart(kernel("0:k", "i + 1, 0", "i, 0"), kernel("k:N", "i, 0", "i, 0")));
    CHECK_FALSE(areApart(kernel("0:N", "0, i", "0, i"), kernel("0:N", "i, 0", "i, 0"))); // a corner
    CHECK_FALSE(areApart(kernel("0:N", "i, k", "i, k"), kernel("0:N", "i, 0", "i, 0")));
    CHECK(areApart(kernel("0:N", "2, i", "0, i"), kernel("0:N", "2, i", "1, i"))); // read by both
}

TEST_CASE("Copies count with their subsets, on the side of the container") {
    CHECK(areApart("    h[0, 0:N] -> A[1, 0:N]\n", kernel("0:N", "0, i", "0, i")));
    CHECK_FALSE(areApart("    h[1, 0:N] -> A[0, 0:N]\n", kernel("0:N", "0, i", "0, i")));
    CHECK(areApart("    A[1, 0:N] -> h[0, 0:N]\n", kernel("0:N", "2, i", "0, i")));
    CHECK_FALSE(areApart("    A[1, 0:N] -> h[0, 0:N]\n", kernel("0:N", "2, i", "1, i")));
    CHECK_FALSE(areApart("    A[1, 0:N] -> A[0, 0:N]\n", kernel("0:N", "3, i", "2, i"))); // both sides are the same container
}
