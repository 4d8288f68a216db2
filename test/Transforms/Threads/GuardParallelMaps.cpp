// guard-parallel-maps: which maps run on one thread, which get a condition, and which are unchanged.
#include "Transforms/PassRun.h"

#include "sdfgc/Analysis/Costs/Work.h"

using namespace sdfgc;
using namespace sdfgc::test;

namespace {

/// B[i] = code(A[i]) for i from 0 to `end`, with a team of threads, with `inside` around the tasklet, or instead of it.
struct Program : Graph {
    MapEntry *m = node<MapEntry>("m");

    explicit Program(const std::string &end = "N", const std::string &code = "y = x + 1", const std::string &inside = "$tasklet")
        : Graph(R"(
            sdfg f(A, B) {
              symbol N, M: int64
              argument A: float64[N]
              argument B: float64[N]
              state main {
                map m[i = 0:$end] (CPU_Multicore) with <- A[0:N]; -> B[0:N] {
                  $inside
                }
              }
            }
          )",
                {{"$end", end}, {"$inside", inside}, {"$tasklet", "t: $code  with x <- A[i]; y -> B[i]"}, {"$code", code}}) {}
    std::string work() const {
        auto w = analysis::workOf(*m, analysis::ScopeTree(*s));
        return w ? w->str() : "unknown";
    }
    bool guard(int64_t threshold = 65536) {
        PassRun pass(transforms::createGuardParallelMaps());
        pass.pass->options["work"] = threshold;
        return pass(g);
    }
};

/// The work of a map around a map over j with the given range.
std::string workAround(const std::string &range) {
    return Program("N", "y = x + 1", "map inner[j = " + range + R"(] (Sequential) with <- A[i]; -> B[i] {
                      $tasklet
                    })")
        .work();
}

} // namespace

TEST_CASE("work: operations, loads and stores of all iterations") {
    CHECK(Program().work() == "3*N");
    CHECK(Program("N", "y = x / 3").work() == "10*N"); // a division costs as much as eight additions
    CHECK(Program("N", "y = math.sin(x) + min(x, 1)").work() == "36*N");
    CHECK(Program("100", "y = x").work() == "200");
    CHECK(Program("N", "y = callback(x)").work() == "unknown");
    CHECK(Program("N", R"("for k in range(7):\n    y = x")").work() == "unknown");
    CHECK(Program("A[0] + 1").work() == "unknown"); // depends on data
    Program native;
    native.node<Tasklet>("t")->code = {native.node<Tasklet>("t")->code.text(), Language::CPP};
    CHECK(native.work() == "unknown");
    Program dynamic;
    dynamic.m->inConnectors.push_back({Name("n"), {}});
    CHECK(dynamic.work() == "unknown");
}

TEST_CASE("work: maps inside") {
    CHECK(workAround("0:M") == "3*M*N");
    CHECK(workAround("i:min(i + 31, N - 1) + 1") == "24*N"); // in vectors
    CHECK(workAround("i:min(i + 99, N - 1) + 1") == "300*N");
    CHECK(workAround("i:N") == expr("3*N*(N + 1)/2").str()); // a triangle: the middle row is used
    CHECK(workAround("0:8") == "6*N");                       // two vectors
    CHECK(workAround("0:3") == "9*N");
}

TEST_CASE("work: what a nested SDFG does, in symbols from outside") {
    auto around = [](const std::string &symbol, const std::string &assignment) {
        return Program("N", "",
                       replaced(R"(nested inner[K = 2*M] with a <- A[i]; b -> B[i] {
                                     sdfg inner {
                                       symbol K, L: int64
                                       argument a: float64[1]
                                       argument b: float64[1]
                                       state first {}
                                       $assignment
                                       state then {
                                         map m[k = 0:$symbol] (Sequential) with <- a[0]; -> b[0] {
                                           t: y = x  with x <- a[0]; y -> b[0]
                                         }
                                       }
                                     }
                                   })",
                                {{"$symbol", symbol}, {"$assignment", assignment}}))
            .work();
    };
    CHECK(around("K", "") == "4*M*N");
    CHECK(around("K", "K = 7") == "32*N"); // a symbol that changes inside: 64 iterations, in vectors
    CHECK(around("L", "") == "unknown");   // a private symbol
}

TEST_CASE("guard: constant work decides, symbolic work becomes a condition") {
    Program little("100");
    REQUIRE(little.guard());
    CHECK(little.m->schedule == Schedule::Sequential);

    Program much("100000");
    CHECK_FALSE(much.guard());
    CHECK(much.m->schedule == Schedule::CPU_Multicore);
    CHECK(much.m->ompIf == sym::Expr::boolean(true));

    Program symbolic;
    REQUIRE(symbolic.guard());
    CHECK(symbolic.m->schedule == Schedule::CPU_Multicore);
    CHECK(symbolic.m->ompIf == expr("N >= 20000")); // 65536 / 3, rounded to one digit
    CHECK_FALSE(symbolic.guard());

    Program open("N - 2");
    REQUIRE(open.guard());
    CHECK(open.m->ompIf == expr("N >= 20000")); // not N - 2

    Program heavy("N", "y = x ** 2.5");
    CHECK_FALSE(heavy.guard(20)); // each iteration is enough
}

TEST_CASE("guard: maps that stay") {
    CHECK_FALSE(Program("N", "y = callback(x)").guard());
    CHECK_FALSE(Program("100").guard(0)); // every map is to have a team
    Program asked("100");
    asked.m->ompNumThreads = 2;
    CHECK_FALSE(asked.guard());

    // The threads of a persistent map share the iterations; otherwise each would execute all of them.
    Program p("100");
    MapEntry *team = p.map(Schedule::CPU_Persistent, "thread", "0:4");
    Edge *in = p.m->inEdges().front(), *out = p.m->exit->outEdges().front();
    p.edge(in->src, "", team, "IN_A", "A[0:N]");
    p.edge(team, "OUT_A", p.m, "IN_A", "A[0:N]");
    p.edge(p.m->exit, "OUT_B", team->exit, "IN_B", "B[0:N]");
    p.edge(team->exit, "OUT_B", out->dst, "", "B[0:N]");
    p.s->removeEdge(in);
    p.s->removeEdge(out);
    p.g.renumber();
    CHECK_FALSE(p.guard());
}

TEST_CASE("guard-parallel-maps: what threads have for themselves is found again by the same threads") {
    // One map writes each thread's part, and another one of unknown work may read it: both have a team, or neither.
    Program p("8");
    p.g.desc("B")->transient = true;
    p.g.desc("B")->storage = Storage::CPU_ThreadLocal;
    CHECK_FALSE(p.guard());
    CHECK(p.m->schedule == Schedule::CPU_Multicore);
    p.g.desc("B")->storage = Storage::CPU_Heap;
    CHECK(p.guard());
    CHECK(p.m->schedule == Schedule::Sequential);
}

TEST_CASE("guard-parallel-maps: a loop that calls a library asks more of maps in it") {
    const std::string text = R"(
        sdfg f(A, B) {
          symbol N: int64
          argument A: float64[N, N]
          argument B: float64[N]
          transient s: float64
          loop: for k = 0; k < N; k = k + 1 {
            state call {
              dot: o = cblas_ddot(N, a, 1, b, 1)  with a <- A[0, 0:N], b <- B[0:N]; o -> s[0]
            }
            then
            state inside {
              map inside[i = 0:N] (CPU_Multicore) with <- A[0, 0:N]; -> B[0:N] {
                t: y = x + 1  with x <- A[0, i]; y -> B[i]
              }
            }
          }
          state outside {
            map outside[i = 0:N] (CPU_Multicore) with <- A[0, 0:N]; -> B[0:N] {
              t: y = x + 1  with x <- A[0, i]; y -> B[i]
            }
          }
        }
      )";
    Graph p(text);
    p.node<Tasklet>("dot")->code = {p.node<Tasklet>("dot")->code.text(), Language::Library};
    PassRun pass(transforms::createGuardParallelMaps());
    pass.pass->options["work"] = int64_t(30);
    pass.pass->options["beside-libraries"] = int64_t(100);
    REQUIRE(pass(p.g));
    CHECK(p.node<MapEntry>("outside")->ompIf.str() == "N >= 10");
    CHECK(p.node<MapEntry>("inside")->ompIf.str() == "N >= 1000");
}
