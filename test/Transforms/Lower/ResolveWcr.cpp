#include "Transforms/Optimize/UpdatingMap.h"

#include "sdfgc/Analysis/Dependences/DisjointIterations.h"

using namespace sdfgc;
using namespace sdfgc::test;

TEST_CASE("disjoint iterations") {
    sym::Assumptions facts;
    facts["N"].positive = true;
    using analysis::IterationParameter;
    auto disjoint = [&](const char *elements, std::vector<analysis::IterationParameter> p, std::set<Name> varying = {}) {
        return analysis::areIterationsDisjoint(subset(elements), p, varying, facts);
    };
    analysis::IterationParameter i{"i", range("0:N"), true}, j{"j", range("0:32"), true}, k{"k", range("0:N"), false};
    CHECK(disjoint("i", {i}));
    CHECK(disjoint("3 * i + 1", {i}));
    CHECK(disjoint("N - i", {i}));
    CHECK(disjoint("4 * i:4 * i + 4", {i}));
    CHECK_FALSE(disjoint("4 * i:4 * i + 5", {i}));
    CHECK_FALSE(disjoint("0", {i}));
    CHECK_FALSE(disjoint("i // 2", {i}));
    CHECK_FALSE(disjoint("i / 2", {i}));
    CHECK(disjoint("3 * i / 2", {i}));
    CHECK_FALSE(disjoint("i + j", {i, j}));
    CHECK(disjoint("32 * i + j", {i, j}));
    CHECK(disjoint("i * N + k", {i, k}));
    CHECK(disjoint("i + k, i", {i, k}));
    CHECK(disjoint("i, i + j", {i, j}));
    CHECK_FALSE(disjoint("i + k", {i, k}));
    CHECK_FALSE(disjoint("i", {i, j}));
    CHECK(disjoint("k", {k})); // nothing runs in parallel
    CHECK_FALSE(disjoint("i + x", {i}, {"x"}));
    CHECK(disjoint("i + x", {i}));
    // A step leaves more space for one iteration.
    CHECK(disjoint("i:i + 8", {{"i", range("0:N:8"), true}}));
    CHECK_FALSE(disjoint("i:i + 9", {{"i", range("0:N:8"), true}}));
    // The iterations of a strip belong to it, however many there are: a chunk of 32, the last one partial.
    const sym::Range cut{0, sym::min({sym::Expr(32), sym::Expr::symbol("N") - 32 * sym::Expr::symbol("i")}) - 1};
    CHECK(disjoint("32 * i + t", {i, {"t", cut, true}}));
    CHECK(disjoint("i, t", {i, {"t", range("0:x"), true}}, {"x"}));
    CHECK_FALSE(disjoint("32 * i + t", {i, {"t", range("0:x"), true}}, {"x"}));
    // A triangle's rows become longer than any distance between them.
    CHECK_FALSE(disjoint("100 * i + t", {i, {"t", range("0:i + 1"), true}}));
    CHECK(disjoint("i, t", {i, {"t", range("0:i + 1"), true}}));
}

TEST_CASE("an element of its own for each iteration: plain") {
    UpdatingMap x;
    x.array("B", "N");
    CHECK(x.add("B[i]", "B[0:N]").resolve() == WcrMode::Plain);
    CHECK(x.outer->memlet.wcrMode == WcrMode::Plain);
}

TEST_CASE("one scalar for all iterations: reduction") {
    UpdatingMap x;
    x.scalar("r");
    CHECK(x.add("r[0]", "r[0]").resolve() == WcrMode::Reduction);
    CHECK(x.outer->memlet.wcrMode == WcrMode::Reduction);
}

TEST_CASE("an update whose old value is used is no reduction") {
    UpdatingMap x;
    x.array("B", "8");
    x.add("B[0:8]", "B[0:8]");
    static_cast<Tasklet *>(x.inner->src)->code = "before = y[5] = 1";
    CHECK(x.resolve() == WcrMode::Atomic);
    static_cast<Tasklet *>(x.inner->src)->code = "y[5] = 1";
    CHECK(x.resolve() == WcrMode::Reduction);
}

TEST_CASE("what runs in sequence needs nothing") {
    UpdatingMap x(Schedule::Sequential);
    x.scalar("r");
    CHECK(x.add("r[0]", "r[0]").resolve() == WcrMode::Plain);
}

TEST_CASE("threads share the outermost loop only, or as many as are collapsed") {
    for (int collapse : {1, 2}) {
        UpdatingMap rows(Schedule::CPU_Multicore, "i, k, j", "0:N, 0:N, 0:N");
        rows.array("C", "N, N");
        rows.m->collapse = collapse;
        rows.add("C[i, j]", "C[0:N, 0:N]");
        CHECK(rows.resolve() == (collapse == 1 ? WcrMode::Plain : WcrMode::Atomic));
    }
    UpdatingMap columns(Schedule::CPU_Multicore, "k, i", "0:N, 0:N");
    columns.array("C", "N");
    columns.add("C[i]", "C[0:N]");
    CHECK(columns.resolve() == WcrMode::Atomic);
}

TEST_CASE("wcr_nonatomic is believed") {
    UpdatingMap x;
    x.scalar("r");
    x.add("r[0]", "r[0]");
    x.inner->memlet.wcrNonatomic = true;
    CHECK(x.resolve() == WcrMode::Plain);
}

TEST_CASE("small arrays are reduced as a whole, large ones updated atomically") {
    UpdatingMap small, large;
    small.array("h", "16", ScalarKind::Int64);
    large.array("h", "N", ScalarKind::Int64);
    CHECK(small.add("h[0:16]", "h[0:16]").resolve() == WcrMode::Reduction);
    CHECK(large.add("h[0:N]", "h[0:N]").resolve() == WcrMode::Atomic);
}

TEST_CASE("operations and types without a clause are atomic") {
    auto modeFor = [](const std::string &wcr, Type t) {
        UpdatingMap x;
        x.scalar("r", t);
        return x.add("r[0]", "r[0]", wcr).resolve();
    };
    CHECK(modeFor("lambda a, b: max(a, b)", ScalarKind::Float32) == WcrMode::Reduction);
    CHECK(modeFor("lambda a, b: a | b", ScalarKind::Int32) == WcrMode::Reduction);
    CHECK(modeFor("lambda a, b: a and b", ScalarKind::Bool) == WcrMode::Reduction);
    CHECK(modeFor("lambda a, b: a + b", ScalarKind::Complex128) == WcrMode::Atomic);
    CHECK(modeFor("lambda a, b: a + b", ScalarKind::Float16) == WcrMode::Atomic);
    CHECK(modeFor("lambda a, b: a + 2 * b", ScalarKind::Float64) == WcrMode::Atomic);
}

TEST_CASE("kernels: one element that every iteration updates is combined by blocks") {
    auto modeFor = [](const std::string &wcr, Type t, const char *iterations = "0:N") {
        UpdatingMap x(Schedule::GPU_Device, "i", iterations);
        x.scalar("r", t);
        return x.add("r[0]", "r[0]", wcr).resolve();
    };
    CHECK(modeFor("lambda a, b: a + b", ScalarKind::Float64) == WcrMode::Reduction);
    CHECK(modeFor("lambda a, b: a * b", ScalarKind::Complex128) == WcrMode::Reduction);
    CHECK(modeFor("lambda a, b: min(a, b)", ScalarKind::Float16) == WcrMode::Reduction);
    CHECK(modeFor("lambda a, b: max(a, b)", ScalarKind::Int8) == WcrMode::Reduction);
    CHECK(modeFor("lambda a, b: a and b", ScalarKind::Bool) == WcrMode::Reduction);
    CHECK(modeFor("lambda a, b: a ^ b", ScalarKind::UInt64) == WcrMode::Reduction);
    CHECK(modeFor("lambda a, b: a - b", ScalarKind::Float64) == WcrMode::Atomic);
    CHECK(modeFor("lambda a, b: a + 2 * b", ScalarKind::Float64) == WcrMode::Atomic);
    CHECK(modeFor("lambda a, b: a + b", Type::vector(ScalarKind::Float64, 4)) == WcrMode::Atomic);
    CHECK(modeFor("lambda a, b: a + b", ScalarKind::Float64, "0:32") == WcrMode::Atomic); // not worth a barrier
}

TEST_CASE("kernels: elements that move with the iteration, and several elements, stay atomic") {
    UpdatingMap moving(Schedule::GPU_Device, "i, j", "0:N, 0:M");
    moving.array("h", "N");
    CHECK(moving.add("h[i]", "h[0:N]").resolve() == WcrMode::Atomic);
    UpdatingMap several(Schedule::GPU_Device);
    several.array("h", "4");
    CHECK(several.add("h[0:4]", "h[0:4]").resolve() == WcrMode::Atomic);
    UpdatingMap one(Schedule::GPU_Device);
    one.array("h", "4");
    CHECK(one.add("h[2]", "h[2]").resolve() == WcrMode::Reduction);
}

TEST_CASE("a reduction needs the container for itself") {
    SECTION("read in the map") {
        UpdatingMap x;
        x.scalar("r");
        x.add("r[0]", "r[0]");
        x.edge(x.access("r"), "", x.m, "IN_r", "r[0]");
        x.edge(x.m, "OUT_r", x.tasklet("pass"), "x", "r[0]");
        CHECK(x.resolve() == WcrMode::Atomic);
    }
    SECTION("another operation") {
        UpdatingMap x;
        x.scalar("r");
        x.add("r[0]", "r[0]", "lambda a, b: a * b");
        CHECK(x.add("r[0]", "r[0]").resolve() == WcrMode::Atomic);
    }
    SECTION("another element") {
        UpdatingMap x;
        x.array("r", "2");
        x.add("r[1]", "r[1]");
        CHECK(x.add("r[0]", "r[0]").resolve() == WcrMode::Atomic);
    }
    SECTION("the same update twice") {
        UpdatingMap x;
        x.scalar("r");
        x.add("r[0]", "r[0]");
        CHECK(x.add("r[0]", "r[0]").resolve() == WcrMode::Reduction);
    }
}

TEST_CASE("two writes that overlap between iterations") {
    UpdatingMap shifted, apart;
    shifted.array("B", "2 * N + 2");
    apart.array("B", "2 * N");
    shifted.add("B[i]", "B[0:N]");
    CHECK(shifted.add("B[i + 1]", "B[1:N + 1]").resolve() == WcrMode::Atomic);
    apart.add("B[i]", "B[0:N]");
    CHECK(apart.add("B[i + N]", "B[N:2 * N]").resolve() == WcrMode::Plain);
}

TEST_CASE("two writes that only meet within an iteration") {
    auto both = [&](const char *params, const char *values, const std::string &first, const std::string &second,
                    Schedule schedule = Schedule::GPU_Device) {
        UpdatingMap m(schedule, params, values);
        m.array("C", "N, N");
        m.add("C[" + first + "]", "C[0:N, 0:N]");
        return m.add("C[" + second + "]", "C[0:N, 0:N]").resolve();
    };
    const std::string row = "i, i:N", column = "i:N, i";
    CHECK(both("i", "0:N", row, column) == WcrMode::Plain);
    CHECK(both("i", "0:N", column, row) == WcrMode::Plain);
    CHECK(both("i", "0:N", row, column, Schedule::CPU_Multicore) == WcrMode::Plain);
    // With one more element, they overlap.
    CHECK(both("i", "0:N", row, "i - 1:N, i") == WcrMode::Atomic);
    CHECK(both("i", "0:N", "i, 0:N", column) == WcrMode::Atomic);
    // [i, j] of the thread (i, j) is [j, i] of another one; the rows and columns of a block belong to several threads.
    CHECK(both("i, j", "0:N, 0:N", "i, j", "j, i") == WcrMode::Atomic);
    CHECK(both("i, j", "0:N, 0:N", "i, j", "j, i", Schedule::CPU_Multicore) == WcrMode::Atomic);
}

namespace {

/// The update mode of an edge after the pass.
WcrMode resolved(Graph &x, const Edge *e) {
    PassRun(transforms::createResolveWcr())(x.g);
    return e->memlet.wcrMode;
}

} // namespace

TEST_CASE("a row and a column of a triangle, by a nested SDFG and a loop of the thread") {
    auto resolve = [](const std::string &begin, const char *inside) {
        Graph x(R"(
            sdfg f(C) {
              symbol N: int64
              argument C: float64[N, N]
              state main {
                map outer[i = 0:N] (GPU_Device) with -> C[0:N, 0:N] {
                  map inner[j = $begin:N] (Sequential) with -> C[0:N, 0:N] { # one edge stands for both of those inside
                    nested inner with x -> C[i, j], y -> C[j, i] {
                      sdfg inner {
                        argument x: float64[1]
                        argument y: float64[1]
                        state main {
                          map body[k = 0:10] ($inside) with -> x[0] (+) {
                            t: o = 1  with o -> x[0] (+)
                          }
                          u: o = 1  with o -> y[0]
                        }
                      }
                    }
                  }
                }
              }
            }
        )",
                {{"$begin", begin}, {"$inside", inside}});
        return resolved(x, x.node<Tasklet>("t")->outEdges().front());
    };
    CHECK(resolve("i", "Sequential") == WcrMode::Plain);
    CHECK(resolve("0", "Sequential") == WcrMode::Atomic);
    CHECK(resolve("i", "GPU_ThreadBlock") == WcrMode::Atomic);
}

TEST_CASE("a container private to an iteration") {
    Graph x(R"(
        sdfg f {
          symbol N: int64
          transient p: float64
          state main {
            map outer[i = 0:N] (CPU_Multicore) {
              map inner[j = 0:4] (Sequential) with -> p[0] (+) {
                t: y = 1  with y -> p[0] (+)
              }
              after @p
            }
          }
        }
    )");
    const Edge *e = x.node<Tasklet>("t")->outEdges().front();
    auto *inner = x.node<MapEntry>("inner");
    CHECK(resolved(x, e) == WcrMode::Plain);
    // Also parallel inside: the iterations of the inner map share it.
    inner->schedule = Schedule::CPU_Multicore;
    CHECK(resolved(x, e) == WcrMode::Atomic);
    inner->schedule = Schedule::Sequential;
    // Also used outside: one container for all iterations.
    x.access("p");
    CHECK(resolved(x, e) == WcrMode::Atomic);
}

TEST_CASE("nested parallel maps over one element: a reduction of the outermost one") {
    Graph x(R"(
        sdfg f(r) {
          symbol N: int64
          argument r: float64
          state main {
            map outer[i = 0:N] (CPU_Multicore) with -> r[0] (+) {
              map inner[j = 0:4] (Sequential) with -> r[0] (+) {
                t: y = 1  with y -> r[0] (+)
              }
            }
          }
        }
    )");
    auto *outer = x.node<MapEntry>("outer"), *inner = x.node<MapEntry>("inner");
    const Edge *first = x.node<Tasklet>("t")->outEdges().front(), *last = outer->exit->outEdges().front();
    auto resolve = [&] {
        const WcrMode mode = resolved(x, first);
        CHECK(mode == last->memlet.wcrMode);
        return mode;
    };
    CHECK(resolve() == WcrMode::Reduction);
    outer->schedule = Schedule::CPU_Persistent;
    CHECK(resolve() == WcrMode::Atomic);
    outer->schedule = Schedule::GPU_Device;
    CHECK(resolve() == WcrMode::Reduction);
    inner->schedule = Schedule::GPU_ThreadBlock;
    CHECK(resolve() == WcrMode::Reduction);
    inner->schedule = Schedule::GPU_Device;
    CHECK(resolve() == WcrMode::Atomic);
}

TEST_CASE("a persistent map is run by every thread, whatever its range says") {
    Graph x(R"(
        sdfg f(r, A, B) {
          symbol N: int64
          argument r: float64
          argument A: float64[N]
          argument B: float64[N]
          state main {
            map threads[t = 0] (CPU_Persistent) with -> A[0:N] (+), -> r[0] (+), -> B[0:N] (+) {
              set: y = 1  with y -> A[t] (+), y -> r[0] (+)
              map shared[i = 0:N] (CPU_Multicore) with -> B[0:N] (+) { # its threads share the iterations
                u: y = 1  with y -> B[i] (+)
              }
            }
          }
        }
    )");
    auto *threads = x.node<MapEntry>("threads"), *shared = x.node<MapEntry>("shared");
    const auto writes = x.node<Tasklet>("set")->outEdges();
    const Edge *own = writes.front(), *all = writes.back(), *each = x.node<Tasklet>("u")->outEdges().front();
    REQUIRE(own->memlet.data == Name("A"));
    REQUIRE(all->memlet.data == Name("r"));
    CHECK(resolved(x, all) == WcrMode::Atomic);
    CHECK(own->memlet.wcrMode == WcrMode::Plain);
    CHECK(each->memlet.wcrMode == WcrMode::Plain);
    shared->schedule = Schedule::Sequential; // every thread runs the entire map
    CHECK(resolved(x, each) == WcrMode::Atomic);
    threads->ompNumThreads = 1;
    CHECK(resolved(x, each) == WcrMode::Plain);
    CHECK(all->memlet.wcrMode == WcrMode::Plain);
}

namespace {

/// A map around a nested SDFG that updates x[inside], which is A[outside].
struct NestedUpdate : Graph {
    MapEntry *m = node<MapEntry>("m");
    NestedSDFGNode *n = node<NestedSDFGNode>("inner");
    const Edge *e = node<Tasklet>("t")->outEdges().front();

    NestedUpdate(const char *size, const char *inside, const char *outside)
        : Graph(R"(
            sdfg f(A) {
              symbol N: int64
              argument A: float64[N]
              state main {
                map m[i = 0:N] (CPU_Multicore) with -> A[0:N] {
                  nested inner with x -> A[$outside] {
                    sdfg inner {
                      argument x: float64[$size]
                      state main {
                        t: y = 1  with y -> x[$inside] (+)
                      }
                    }
                  }
                }
              }
            }
          )",
                {{"$size", size}, {"$inside", inside}, {"$outside", outside}}) {}
    WcrMode resolve() { return resolved(*this, e); }
};

} // namespace

TEST_CASE("writes in nested SDFGs are followed into the scopes around them") {
    CHECK(NestedUpdate("1", "0", "i").resolve() == WcrMode::Plain);
    CHECK(NestedUpdate("1", "0", "0").resolve() == WcrMode::Atomic);
    NestedUpdate sequential("1", "0", "0");
    sequential.m->schedule = Schedule::Sequential;
    CHECK(sequential.resolve() == WcrMode::Plain);

    // The entire container is passed, the index is passed as a symbol.
    NestedUpdate whole("N", "where", "0:N");
    whole.n->symbolMapping = {{"N", expr("N")}, {"where", expr("i")}};
    CHECK(whole.resolve() == WcrMode::Plain);
    whole.n->symbolMapping = {{"N", expr("N")}, {"where", expr("i // 2")}};
    CHECK(whole.resolve() == WcrMode::Atomic);
    // An inner symbol that is assigned inside has no meaning outside, even if the name exists there.
    whole.n->symbolMapping = {{"N", expr("N")}, {"where", expr("i")}};
    Graph inner(*whole.n->sdfg, "late");
    inner.g.connect(inner.g.blocks()[0].get(), inner.s, {"1"}, {{"where", "3"}});
    CHECK(whole.resolve() == WcrMode::Atomic);
}

TEST_CASE("an update through a view touches what is viewed") {
    auto resolve = [](const std::string &viewed) {
        Graph x(R"(
            sdfg f(A) {
              symbol N: int64
              argument A: float64[4*N]
              view v: float64[4]
              state main {
                map m[i = 0:N] (CPU_Multicore) with -> A[0:4*N] {
                  t: y = 1  with y -> v[2] (+)
                  @v:views -> A[$viewed:$viewed + 4]
                }
              }
            }
        )",
                {{"$viewed", viewed}});
        return resolved(x, x.node<Tasklet>("t")->outEdges().front());
    };
    CHECK(resolve("4*i") == WcrMode::Plain);
    CHECK(resolve("3*i") == WcrMode::Atomic);
}

TEST_CASE("dynamic ranges of inner scopes differ between iterations") {
    Graph x(R"(
        sdfg f(B, k) {
          symbol N: int64
          argument B: float64[2*N]
          argument k: int64[N]
          state main {
            map outer[i = 0:N] (CPU_Multicore) with <- k[0:N]; -> B[0:2*N] (+) {
              map inner[j = 0] (Sequential) with off <- k[i]; -> B[0:2*N] (+) {
                t: y = 1  with y -> B[i + off] (+)
              }
            }
          }
        }
    )");
    CHECK(resolved(x, x.node<Tasklet>("t")->outEdges().front()) == WcrMode::Atomic);
}
