#include "sdfgc/Analysis/Flow/Dominators.h"

#include <catch2/catch.hpp>

namespace sdfgc::analysis {
namespace {

TEST_CASE("reverse postorder starts with the entry and leaves out what cannot be reached") {
    //  0 -> 1, 2    1 -> 3    2 -> 3    4 -> 3
    const std::vector<std::vector<int>> next = {{1, 2}, {3}, {3}, {}, {3}};
    CHECK(reversePostorder(next, 0) == std::vector<int>{0, 1, 2, 3});
    CHECK(reversePostorder(next, -1).empty());
}

TEST_CASE("branches are dominated by the test and dominate nothing after them") {
    const Dominators d({{1, 2}, {3}, {3}, {}, {3}}, 0);
    CHECK(d.idom(0) == Dominators::none);
    CHECK(d.idom(1) == 0);
    CHECK(d.idom(2) == 0);
    CHECK(d.idom(3) == 0);
    CHECK(d.dominates(0, 3));
    CHECK(d.dominates(3, 3));
    CHECK_FALSE(d.dominates(1, 3));
    CHECK(d.common(1, 2) == 0);
    CHECK(d.common(0, 3) == 0);
    CHECK_FALSE(d.reachable(4));
    CHECK(d.predecessors(3) == std::vector<int>{1, 2}); // without the unreachable one
}

TEST_CASE("a loop that is entered at two nodes is dominated by neither") {
    //  0 -> 1, 2    1 -> 2    2 -> 1, 3
    const Dominators d({{1, 2}, {2}, {1, 3}, {}}, 0);
    CHECK(d.idom(1) == 0);
    CHECK(d.idom(2) == 0);
    CHECK(d.common(1, 2) == 0);
    CHECK(d.idom(3) == 2);
}

TEST_CASE("a long chain needs no recursion") {
    std::vector<std::vector<int>> next(200000);
    for (std::size_t i = 0; i + 1 < next.size(); ++i)
        next[i].push_back(static_cast<int>(i + 1));
    const Dominators d(next, 0);
    CHECK(d.dominates(0, 199999));
    CHECK(d.idom(199999) == 199998);
}

TEST_CASE("blocks that cannot be reached ask for no dominator") {
    ir::SDFG g("f");
    auto *start = g.add<ir::State>(), *a = g.add<ir::State>(), *b = g.add<ir::State>(), *gone = g.add<ir::State>();
    g.connect(start, a);
    g.connect(start, b);
    g.connect(gone, b);
    g.setStart(start);
    const BlockDominators d(g);
    CHECK(d.common(a, b) == start);
    CHECK(d.common(a, gone) == a);
    CHECK(d.common(gone, b) == b);
    CHECK(d.common(gone, gone) == nullptr);
    CHECK(d.dominates(start, b));
    CHECK_FALSE(d.reachable(gone));
}

} // namespace
} // namespace sdfgc::analysis
