// The nest form: how graphs are read, which names can be changed, and that writing an unchanged form gives a graph that stays the
// same.
#include "../Graphs.h"

#include "sdfgc/Analysis/Scopes.h"
#include "sdfgc/Nest/Conflicts.h"
#include "sdfgc/Nest/MakeMaps.h"
#include "sdfgc/Nest/Nest.h"
#include "sdfgc/Serialize/Text.h"

#include <catch2/catch.hpp>

using namespace sdfgc;
using namespace sdfgc::test;

namespace {

/// Two states with a map each, a copy, and a loop with a further state.
struct Program : Graph {
    Program()
        : Graph(R"(
            sdfg f(A, B) (typed) {
              symbol N: int64
              argument A: float64[N, N] (CPU_Heap)
              argument B: float64[N] (CPU_Heap)
              transient t: float64[N] (CPU_Heap)
              transient s: float64 (Register)
              state first {
                map rows[i = 0:N] (CPU_Multicore) with <- A[0:N, 0:N]; -> t[0:N] {
                  begin: y = 0.0  with y: float64 -> s
                  access @s
                  map sum[j = 0:N] (Sequential) with <- A[i, 0:N]; -> t[i] (wcr = "lambda a, b: a + b") {
                    add: y = x  with x: float64 <- A[i, j]; y: float64 -> t[i] (wcr = "lambda a, b: a + b")
                  }
                }
              }
              state second {
                t[0:N] -> B[0:N]
              }
              loop: for k = 0; k < 3; k = k + 1 {
                state third {
                  set: y = k  with y: float64 -> B[k]
                }
              }
            }
          )") {}
    std::vector<nest::Run> read() { return nest::readRuns(g, memories); }
    std::string rewritten() {
        for (nest::Run &r : read())
            nest::write(r);
        g.renumber();
        return serialize::print(g);
    }
    analysis::Memories memories{g};
};

std::string str(const nest::Use &u) {
    const char *kind = u.kind == nest::UseKind::Read ? "read " : u.kind == nest::UseKind::Write ? "write " : "update ";
    return kind + u.data.str() + "[" + (u.subset ? u.subset->str() : "?") + "]" + (u.certain ? "!" : "");
}

std::string text(const nest::Item &i) {
    std::string out;
    for (const nest::PlacedUse &u : nest::usesOf(i)) {
        out += (out.empty() ? "" : ", ") + str(*u.use);
        for (const analysis::LoopLevel &l : u.instance.loops)
            out += " " + l.variable.str();
    }
    return out;
}

} // namespace

TEST_CASE("nest: states that follow each other are a run of items") {
    Program p;
    const std::vector<nest::Run> runs = p.read();
    REQUIRE(runs.size() == 2);
    REQUIRE(runs[0].states.size() == 2);
    REQUIRE(runs[0].items.size() == 2);
    CHECK(text(runs[0].items[0]) == "write s[0]! i, read A[i, j] i j, update t[i] i j");
    CHECK(runs[0].items[0].map->locals == std::set<Name>{Name("s")});
    CHECK(runs[0].items[1].step->isCopy());
    CHECK(text(runs[0].items[1]) == "read t[0:N], write B[0:N]!");
    CHECK(text(runs[1].items[0]) == "write B[k]!");
}

TEST_CASE("nest: what is written is read as the same, and written as the same") {
    Program p;
    std::vector<std::string> before, after;
    for (const nest::Run &r : p.read())
        for (const nest::Item &i : r.items)
            before.push_back(text(i));
    const std::string once = p.rewritten();
    p.memories = analysis::Memories(p.g);
    for (const nest::Run &r : p.read())
        for (const nest::Item &i : r.items)
            after.push_back(text(i));
    CHECK(before == after);
    CHECK(p.rewritten() == once);
}

TEST_CASE("nest: the runs of a region are written together as they are one by one") {
    // Each run of two states becomes three: there is no path between its two writes of the same data.
    const auto changed = [](bool together) {
        Graph program(R"(
            sdfg f(A, B) {
              symbol n: int64
              argument A: float64[4]
              argument B: float64[4]
              state a {
                one: o = 1  with o -> A[0]
              }
              state a_0 {
                two: o = 2  with o -> A[0]
              }
              if n > 0 {
                state b {
                  four: o = 4  with o -> B[1]
                }
              }
              state c {
                five: o = 5  with o -> B[0]
              }
              state d {
                six: o = 6  with o -> B[0]
              }
            }
          )");
        analysis::Memories memories(program.g);
        std::vector<nest::Run> runs = nest::readRuns(program.g, memories);
        REQUIRE(runs.size() == 3);
        for (nest::Run &r : runs)
            if (r.states.size() == 2) {
                r.items.push_back({nullptr, std::make_unique<nest::Step>(*r.items.front().step)});
                r.changed = true;
                if (!together)
                    nest::write(r);
            }
        CHECK((together ? nest::writeChanged(runs) : true));
        program.g.renumber();
        return serialize::print(program.g);
    };
    const std::string text = changed(true);
    CHECK(text == changed(false));
    for (const char *label : {"state a {", "state a_0 {", "state a_0_0 {", "state b {", "state c {", "state d {", "state d_0 {"})
        CHECK_THAT(text, Catch::Contains(label));
    Program p;
    std::vector<nest::Run> runs = p.read();
    CHECK_FALSE(nest::writeChanged(runs));
}

TEST_CASE("nest: a container belongs to the iterations of the innermost map that has all uses of it") {
    Graph program(R"(
        sdfg f(A, B) {
          symbol N: int64
          argument A: float64[N]
          argument B: float64[N]
          transient t: float64[4]
          transient u: float64
          state s {
            map outer[i = 0:N] with <- A[0:N]; -> B[0:N] {
              map inner[j = 0:4] with <- A[i]; -> t[0:4] {
                one: o = x  with x <- A[i]; o -> u[0]
                two: o = x + 1  with x <- u[0]; o -> new t[j]
                three: o = x + 2  with x <- t[j]; o -> t[j]
              }
              last: o = x  with x <- t[0:4]; o -> B[i]
            }
          }
        }
      )");
    analysis::Memories memories(program.g);
    const std::vector<nest::Run> runs = nest::readRuns(program.g, memories);
    const nest::Map &outer = *runs.at(0).items.at(0).map;
    CHECK(outer.locals == std::set<Name>{Name("t")});
    CHECK(outer.body.at(0).map->locals == std::set<Name>{Name("u")});
}

TEST_CASE("nest: parameters get other meanings") {
    Program p;
    std::vector<nest::Run> runs = p.read();
    nest::Item &sum = runs[0].items[0].map->body.back();
    const sym::Expr next = sym::Expr::symbol(Name("i")) + 1;
    CHECK(nest::canRename(sum, {{Name("i"), next}}));
    CHECK_FALSE(nest::canRename(sum, {{Name("j"), next}}));                         // one of its own parameters
    CHECK_FALSE(nest::canRename(sum, {{Name("i"), sym::Expr::symbol(Name("j"))}})); // has another meaning inside
    nest::rename(sum, {{Name("i"), next}});
    CHECK(text(sum) == "read A[i + 1, j] j, update t[i + 1] j");
}

TEST_CASE("nest: a symbol that has another meaning is not among the names of an item") {
    Program p;
    std::vector<nest::Run> runs = p.read();
    nest::Item &set = runs[1].items[0];
    CHECK(nest::namesOf(set) == std::set<Name>{Name("k")});
    nest::rename(set, {{Name("k"), sym::Expr::symbol(Name("N")) + 1}});
    CHECK(nest::namesOf(set) == std::set<Name>{Name("N")});
}

TEST_CASE("nest: code that is not Python has effects, and keeps its symbols") {
    Program p;
    p.node<Tasklet>("set")->code = {p.node<Tasklet>("set")->code.text(), Language::CPP};
    std::vector<nest::Run> runs = p.read();
    CHECK(nest::hasEffects(runs[1].items[0]));
    CHECK_FALSE(nest::hasEffects(runs[0].items[0]));
    CHECK_FALSE(nest::canRename(runs[1].items[0], {{Name("k"), sym::Expr(1)}}));
}

TEST_CASE("nest: states that are measured, and values that no container has, are not read") {
    Program p;
    CHECK(nest::isReadable(*allStates(p.g).front()));
    allStates(p.g).front()->instrument = Instrumentation::Timer;
    CHECK_FALSE(nest::isReadable(*allStates(p.g).front()));
    CHECK(p.read().size() == 2); // the second state is a separate run
}

TEST_CASE("nest: library nodes with loops write all of their result unless they add to it, and see through views") {
    const auto uses = [](const std::string &node, const std::string &afterwards = "") {
        Graph p(R"(
          sdfg f(A, x, s) (typed) {
            symbol N: int64
            argument A: float64[N, N] (CPU_Heap)
            argument x: float64[N] (CPU_Heap)
            argument s: float64[1] (CPU_Heap)
            view row: float64[N] (CPU_Heap)
            state main {
              library $node
              $afterwards
            }
          }
        )",
                {{"$node", node}, {"$afterwards", afterwards}});
        analysis::Memories memories(p.g);
        return text(nest::readRuns(p.g, memories).at(0).items.at(0));
    };
    const std::string view = "access @row\n@row:views row[0:N] -> A[0, 0:N]";
    const std::string dot = " with _x <- x[0:N], _y <- x[0:N]; _result -> s[0]";
    CHECK(uses("blas.Dot d (beta = 0)" + dot) == "read x[0:N], read x[0:N], write s[0]!");
    CHECK(uses("blas.Dot d (beta = 1)" + dot) == "read x[0:N], read x[0:N], write s[0]");
    CHECK(uses("blas.Gemv g with _A <- A[0:N, 0:N], _x <- x[0:N]; _y -> row[0:N]", view) ==
          "read A[0:N, 0:N], read x[0:N], write A[0, 0:N]!");
    CHECK(uses("linalg.Solve g with _ain <- A[0:N, 0:N], _bin <- x[0:N]; _bout -> row[0:N]", view) ==
          "read A[0:N, 0:N], read x[0:N], write row[?]");
}

namespace {

const Values fields = {
    {"$Fields",
     "Structure pointer({type: struct, name: Fields, data: [[u, {type: pointer, dtype: float64}], [w, {type: pointer, dtype: "
     "float64}]], length: [], bytes: 16}) (members = [[u, $A], [w, $A]], name = Fields)"},
    {"$A", "{type: Array, attributes: {strides: [1, N], total_size: \"N*N\", offset: [0, 0], dtype: float64, shape: [N, N]}}"},
};

std::string shown(const nest::Use &u) { return u.shown ? u.shown->member.str() + "[" + u.shown->subset.str() + "]" : "?"; }

} // namespace

TEST_CASE("nest: views of members state the elements of the member") {
    Graph g(R"(
        sdfg f (typed) {
          symbol N: int64
          argument P: $Fields
          view s: $Fields
          view whole: float64[N, N] (strides = [1, N])
          view column: float64[N - 1]
          view other: float64[N, N]
          view direct: float64[N, N] (strides = [1, N])
          state main {
            P[0] -> new s:views
            @s s.u[0:N, 0:N] -> new whole:views
            new P P.u[1:N, 3] -> new column:views
            new P P.u[0:N, 0:N] -> new other:views
            t: y = a + b + c + d  with a: float64 <- @whole whole[2, 3], b: float64 <- @column column[4], c: float64 <- @other other[5, 6],
                d: float64 <- new P P.w[7, 8]; y: float64 -> new direct direct[9, 0]
            @direct:views P.w[0:N, 0:N] -> new P
          }
        })",
            fields);
    analysis::Memories memories(g.g);
    const std::vector<nest::Run> runs = nest::readRuns(g.g, memories);
    REQUIRE(runs.size() == 1);
    REQUIRE(runs[0].items.size() == 1);
    const std::vector<nest::Use> &uses = runs[0].items[0].step->uses;
    REQUIRE(uses.size() == 5);
    CHECK(shown(uses[0]) == "P.u[2, 3]");
    CHECK(shown(uses[1]) == "P.u[5, 3]");
    CHECK(shown(uses[2]) == "?"); // other strides
    CHECK(shown(uses[3]) == "P.w[7, 8]");
    CHECK(shown(uses[4]) == "P.w[9, 0]");
    const auto meet = [&](std::size_t a, std::size_t b) { return nest::Conflicts(g.g, memories).meet(uses[a], uses[b]); };
    CHECK(meet(3, 4));
    CHECK_FALSE(meet(0, 4));
    CHECK_FALSE(meet(2, 4));
    CHECK_FALSE(meet(0, 1)); // both read
}

TEST_CASE("nest: steps of a scope that use one member through several views stay in order") {
    Graph g(R"(
        sdfg f (typed) {
          symbol N: int64
          argument P: $Fields
          argument B: float64[N] (CPU_Heap)
          view u: float64[N, N] (strides = [1, N])
          view v: float64[N, N] (strides = [1, N])
          view w: float64[N, N] (strides = [1, N])
          state main {
            new P P.u[0:N, 0:N] -> new v:views
            map m[i = 0:N] (Sequential) with <- v[0:N, 0]; -> u[0:N, 0], -> w[0:N, 0], -> B[0:N] {
              write: y = 1.0  with y: float64 -> u[i, 0]
              apart: y = 2.0  with y: float64 -> w[i, 0]
              read: y = x  with x: float64 <- v[i, 0], after @write; y: float64 -> B[i]
            }
            @u:views P.u[0:N, 0:N] -> new P
            @w:views P.w[0:N, 0:N] -> new P
          }
        })",
            fields);
    analysis::Memories memories(g.g);
    for (nest::Run &r : nest::readRuns(g.g, memories))
        nest::write(r);
    const auto *apart = g.node<Tasklet>("apart"), *read = g.node<Tasklet>("read");
    const auto isTie = [](const Edge *e) { return e->memlet.isEmpty() && isa<Tasklet>(e->src); };
    std::vector<Node *> before;
    for (const Edge *e : read->inEdges())
        if (isTie(e))
            before.push_back(e->src);
    CHECK(before == std::vector<Node *>{g.node<Tasklet>("write")});
    CHECK(std::none_of(apart->inEdges().begin(), apart->inEdges().end(), isTie));
    for (const auto &n : read->state()->nodes()) // none in the scope
        if (const auto *a = dyn_cast<AccessNode>(n.get()))
            CHECK((analysis::viewedNode(a) || a->data == Name("P") || a->data == Name("B")));
}

TEST_CASE("nest: loops take their ranges to another position") {
    nest::Map m;
    for (const char *name : {"i", "j", "k"}) {
        m.params.emplace_back(name);
        m.ranges.push_back({0, sym::Expr::symbol(std::string("last_") + name), 1, 1});
    }
    nest::reorderLoops(m, {2, 0, 1});
    CHECK(m.params == std::vector<Name>{"k", "i", "j"});
    CHECK(sym::Subset{m.ranges}.str() == "0:last_k + 1, 0:last_i + 1, 0:last_j + 1");
}
