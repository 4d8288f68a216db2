// Elements by the numbers of tree statements.
#include "../Graphs.h"

#include "sdfgc/Analysis/Origins.h"

#include <catch2/catch.hpp>

using namespace sdfgc;
using namespace sdfgc::test;
using analysis::Origins;

namespace {

const char *const text = R"(sdfg prog (at "prog.py":1) {
  symbol N: int64
  argument A: float64[N]
  state first {
    t (at 3:4): o = 1  with o -> A[0]
  }
  for i = 0; i < N; i = i + 1 (at 5) {
    state inside (at 6) {
      nested call with a -> A[i] {
        sdfg callee {
          argument a: float64
          state deep {
            u (at 8): o = 2  with o -> a
          }
        }
      }
    }
  }
})";

/// The first node of a kind in a state, as an origin.
std::vector<int> originOf(const ir::State &s, ir::NodeKind kind) {
    for (const auto &n : s.nodes())
        if (n->kind() == kind)
            return {s.parent()->cfgId, static_cast<int>(s.id()), static_cast<int>(n->id())};
    return {};
}

const ir::State &state(const ir::SDFG &root, const std::string &label) {
    for (const ir::SDFG *g : ir::allSDFGs(root))
        for (const ir::State *s : ir::allStates(*g))
            if (s->label == label)
                return *s;
    throw std::runtime_error("no state " + label);
}

} // namespace

TEST_CASE("origins: states and nodes of every region and nested SDFG are found") {
    const auto g = readGraph(text);
    const Origins origins(*g);
    const ir::State &first = state(*g, "first"), &inside = state(*g, "inside"), &deep = state(*g, "deep");
    for (const ir::State *s : {&first, &inside, &deep}) {
        const Origins::Element e = origins.find({s->parent()->cfgId, static_cast<int>(s->id())});
        CHECK(e.block == s);
        CHECK(e.node == nullptr);
    }
    const std::vector<int> t = originOf(first, ir::NodeKind::Tasklet), u = originOf(deep, ir::NodeKind::Tasklet);
    REQUIRE(t.size() == 3);
    CHECK(origins.find(t).block == &first);
    CHECK(origins.placeOf(t).element == "prog: state first, tasklet t");
    CHECK(origins.sourceOf(t).file == "prog.py");
    CHECK(origins.sourceOf(t).line == 3);
    CHECK(origins.sourceOf(t).column == 4);
    CHECK(origins.sourceOf(u).line == 8);
    CHECK(origins.placeOf(u).source.line == 8);
    CHECK(origins.placeOf(originOf(inside, ir::NodeKind::NestedSDFG)).element == "prog: state inside, nested SDFG call");
}

TEST_CASE("origins: of several nodes the first one counts") {
    const auto g = readGraph(text);
    const Origins origins(*g);
    std::vector<int> several = originOf(state(*g, "first"), ir::NodeKind::Tasklet);
    const Origins::Element one = origins.find(several);
    several.push_back(several[2] + 1);
    CHECK(origins.find(several).node == one.node);
}

TEST_CASE("origins: numbers that no element has are no element, and a node that is not there is its state") {
    const auto g = readGraph(text);
    const Origins origins(*g);
    const ir::State &first = state(*g, "first");
    const int region = first.parent()->cfgId, block = static_cast<int>(first.id());
    for (const std::vector<int> &none :
         {std::vector<int>{}, {region}, {-1, 0}, {1000, 0}, {region, -1}, {region, 1000}, {region, 1000, 0}}) {
        CHECK(origins.find(none).block == nullptr);
        CHECK(origins.placeOf(none).element.empty());
        CHECK_FALSE(origins.sourceOf(none).known());
    }
    for (const int node : {-1, 1000}) {
        CHECK(origins.find({region, block, node}).node == nullptr);
        CHECK(origins.placeOf({region, block, node}).element == "prog: state first");
    }
}
