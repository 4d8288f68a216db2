// alternate-buffers: which arrays can alternate, and the resulting loop.
#include "Transforms/PassRun.h"

#include "sdfgc/Tasklet/Ast.h"

using namespace sdfgc;
using namespace sdfgc::test;
using diag::Why;

namespace {

const std::string begin = "A[0:N] -> b[0:N]\n", end = "b[0:N] -> new A[0:N]\n";

std::string map(const std::string &from, const std::string &to, const std::string &range = "1:N - 1",
                const std::string &index = "i - 1", const std::string &write = "i") {
    return "map m[i = " + range + "] (CPU_Multicore) with <- " + from + "[0:N]; -> " + to +
           "[0:N] {\nf: y = x + 1  with x: float64 <- " + from + "[" + index + "]; y: float64 -> " + to + "[" + write + "]\n}\n";
}

/// A loop over `t` around one state, and the states after it.
struct Loop : Graph {
    explicit Loop(const std::string &body, const std::string &after = "", const std::string &range = "t = 0; t < T; t = t + 1")
        : Graph(R"(
            sdfg f(A, C) (typed) {
              symbol N, T, t, k: int64
              argument A: float64[N] (CPU_Heap)
              argument C: float64[N] (CPU_Heap)
              transient b: float64[N] (CPU_Heap)
              steps: for $range {
                state body {
                  $body
                }
              }
              $after
            }
          )",
                {{"$range", range}, {"$body", body}, {"$after", after}}) {}

    bool run() {
        PassRun pass("alternate-buffers");
        const bool changed = pass(g);
        why = pass.why();
        return changed;
    }
    Why why = Why::None;
};

bool alternates(const std::string &body, const std::string &after = "", const std::string &range = "t = 0; t < T; t = t + 1") {
    return Loop(body, after, range).run();
}

Why why(const std::string &body, const std::string &after = "", const std::string &range = "t = 0; t < T; t = t + 1") {
    Loop loop(body, after, range);
    CHECK_FALSE(loop.run());
    return loop.why;
}

/// `A > b`: a map of the loop that reads A and writes b.
std::vector<std::string> mapsOf(const Region &r) {
    std::vector<std::string> out;
    for (const State *s : allStates(r))
        for (const Node *n : ScopeTree(*s).children(nullptr))
            if (const auto *m = dyn_cast<MapEntry>(n))
                out.push_back(cast<AccessNode>(m->inEdges().front()->src)->data.str() + " > " +
                              cast<AccessNode>(m->exit->outEdges().front()->dst)->data.str());
    return out;
}

} // namespace

TEST_CASE("alternate-buffers: a copy at the begin, at the end, or both") {
    CHECK(alternates(begin + map("b", "A")));
    CHECK(alternates(begin + map("A", "b") + end));
    CHECK(alternates(map("A", "b", "0:N", "N - 1 - i") + end));
    CHECK_FALSE(alternates(map("A", "b")));
}

TEST_CASE("alternate-buffers: what the loop is then") {
    for (const bool atEnd : {false, true}) {
        Loop program(atEnd ? begin + map("A", "b") + end : begin + map("b", "A"));
        REQUIRE(program.run());
        const auto *pairs = program.block<LoopRegion>("steps_pairs");
        CHECK(pairs->condition->text() == "t + 1 < T");
        CHECK(pairs->update->text() == "t = t + 2");
        CHECK(mapsOf(*pairs) == std::vector<std::string>{"A > b", "b > A"});
        const auto *left = program.block<ConditionalBlock>("steps_left");
        REQUIRE(left->branches().size() == 1);
        CHECK(left->branches().front().condition->text() == "t < T");
        CHECK(mapsOf(*left->branches().front().region) == std::vector<std::string>{atEnd ? "A > b" : "b > A"});
        CHECK(program.block<State>("steps_begin"));
    }
    Loop even(begin + map("b", "A"), "", "t = 0; t < 10; t = t + 1");
    REQUIRE(even.run());
    for (const Block *b : allBlocks(std::as_const(even.g)))
        CHECK_FALSE(isa<ConditionalBlock>(b));
    Loop stepped(begin + "map m[i = 1:N - 1] (CPU_Multicore) with <- b[0:N]; -> A[0:N] {\n"
                         "f: y = x + t  with x: float64 <- b[i - 1]; y: float64 -> A[i]\n}\n",
                 "", "t = 1; t <= T; t = t + 3");
    REQUIRE(stepped.run());
    CHECK(stepped.block<LoopRegion>("steps_pairs")->condition->text() == "t + 3 <= T");
    std::vector<std::string> code;
    for (const State *s : allStates(static_cast<const Region &>(*stepped.block<LoopRegion>("steps_pairs"))))
        for (const Tasklet *t : nodesOf<Tasklet>(*s))
            code.push_back(t->code.text());
    CHECK(code == std::vector<std::string>{"y = x + t", "y = x + (t + 3)"});
}

TEST_CASE("alternate-buffers: what iterations leave to the next but one") {
    // A different part in each iteration.
    CHECK(why(begin + map("b", "A", "t:N", "i")) == Why::Dependence);
    CHECK(why(begin + map("b", "A", "1:N - 1", "i - 1", "(i + t) % N")) == Why::Dependence);
    // Read before it is written.
    CHECK(why(begin + map("A", "A", "1:N - 1", "i", "i")) == Why::Dependence);
    CHECK(why(map("A", "b") + end) == Why::Dependence); // the ends of b
    // Elements that are never written remain equal in both.
    CHECK(alternates(begin + map("b", "A") + "g: y = x  with x: float64 <- A[0]; y: float64 -> C[0]\n"));
    CHECK(why(begin + "g: y = x  with x: float64 <- A[1]; y: float64 -> C[0]\n" + map("b", "A")) == Why::Dependence);
    const std::string use = "g: y = x  with x: float64 <- A[0]; y: float64 -> C[0]\n";
    CHECK(alternates(begin + map("b", "A", "0:N", "N - 1 - i") + use));
    CHECK(why(begin + map("b", "A", "0:N - 1", "i") + use) == Why::Dependence); // nor A[0] if N is 1
    // Under a condition.
    CHECK(why(begin + "                  g with x: float64 <- b[1]; y: float64 -> A[2] (dynamic = true) {\n"
                      "                    if x > 3:\n                        y = x\n                  }\n") == Why::Dependence);
    // Both are written.
    CHECK(why(begin + map("b", "A") + "g: y = 1.0  with y: float64 -> new b[0]\n") == Why::Dependence);
}

TEST_CASE("alternate-buffers: loops and arrays that others look at") {
    const std::string body = begin + map("b", "A");
    CHECK(why(body, "state end {\ne: y = x  with x: float64 <- b[0]; y: float64 -> C[0]\n}") == Why::LiveOut);
    CHECK(why(body, "k = t\nstate end {\ne: y = k  with y: float64 -> C[0]\n}") == Why::LiveOut);
    CHECK(why(body, "", "t = 0; t < T; t = 2 * t + 1") == Why::LoopForm);
    CHECK(why(body, "", "t = 0; t < A[0]; t = t + 1") == Why::LoopForm);
    CHECK(why(body + "c (CPP): y = x;  with x: float64 <- C[0]; y: float64 -> new C[1]\n") == Why::Opaque);
}

TEST_CASE("alternate-buffers: two loops over the same variable") {
    Graph x(R"(
      sdfg f(A) (typed) {
        symbol N, T, t: int64
        argument A: float64[N] (CPU_Heap)
        transient b: float64[N] (CPU_Heap)
        transient c: float64[N] (CPU_Heap)
        one: for t = 0; t < T; t = t + 1 {
          state body {
            $one
          }
        }
        two: for t = 0; t < T; t = t + 1 {
          state body {
            $two
          }
        }
      }
    )",
            {{"$one", begin + map("b", "A")}, {"$two", "A[0:N] -> c[0:N]\n" + map("c", "A")}});
    PassRun pass("alternate-buffers");
    CHECK(pass(x.g));
    CHECK(pass.context.changes == 2);
}
