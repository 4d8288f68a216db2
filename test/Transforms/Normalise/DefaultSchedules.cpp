#include "Transforms/PassRun.h"

using namespace sdfgc;
using namespace sdfgc::test;

namespace {

/// Nested maps, with tmp between them.
struct TwoLevels : Graph {
    MapEntry *outer = node<MapEntry>("outer"), *inner = node<MapEntry>("inner");

    TwoLevels()
        : Graph(R"(
            sdfg f(A, B) {
              symbol N: int64
              argument A: float64[N]
              argument B: float64[N]
              transient tmp: float64[4]
              state main {
                map outer[i = 0:N] with <- A[0:N]; -> B[0:N] {
                  t: y = x  with x <- A[i]; y -> tmp[0]
                  map inner[j = 0:4] with <- tmp[0:4]; -> B[i] {
                    u: y = x  with x <- tmp[j]; y -> B[i]
                  }
                }
              }
            }
          )") {}
    Storage storage(const char *name) { return g.desc(name)->storage; }
};

} // namespace

TEST_CASE("defaults on the CPU") {
    TwoLevels x;
    PassRun defaults(transforms::createDefaultSchedules());
    CHECK(defaults(x.g));
    CHECK(x.outer->schedule == Schedule::CPU_Multicore);
    CHECK(x.inner->schedule == Schedule::Sequential);
    CHECK(x.storage("A") == Storage::CPU_Heap);
    CHECK(x.storage("tmp") == Storage::Register);
    CHECK_FALSE(defaults(x.g)); // a second run changes nothing
}

TEST_CASE("the schedule follows the memory, storage inside follows the schedule") {
    TwoLevels x;
    for (const char *name : {"A", "B"})
        x.g.desc(name)->storage = Storage::GPU_Global;
    PassRun defaults(transforms::createDefaultSchedules());
    defaults(x.g);
    CHECK(x.outer->schedule == Schedule::GPU_Device);
    CHECK(x.inner->schedule == Schedule::GPU_ThreadBlock);
    CHECK(x.storage("tmp") == Storage::GPU_Shared);
}

TEST_CASE("a map of a kernel whose range is read at run time is a loop of each thread") {
    TwoLevels x;
    for (const char *name : {"A", "B"})
        x.g.desc(name)->storage = Storage::GPU_Global;
    x.array("sizes", "N", ScalarKind::Int64).storage = Storage::GPU_Global;
    x.edge(x.access("sizes"), "", x.outer, "IN_sizes", "sizes[0:N]");
    x.edge(x.outer, "OUT_sizes", x.inner, "n", "sizes[i]");
    x.inner->ranges[0] = range("0:n");
    PassRun defaults(transforms::createDefaultSchedules());
    defaults(x.g);
    CHECK(x.outer->schedule == Schedule::GPU_Device);
    CHECK(x.inner->schedule == Schedule::Sequential);
    CHECK(x.storage("tmp") == Storage::Register);
}

TEST_CASE("a map of a kernel that writes registers around it is a loop of each thread") {
    Graph x(R"(
        sdfg f {
          transient A: float64[8] (GPU_Global)
          transient sum: float64 (Register)
          state s {
            map m[i = 0:8] (GPU_Device) with -> A[0:8] {
              zero: o = 0  with o -> sum[0]
              map add[j = 0:8] with after @sum; -> sum[0] (+) {
                one: o = j  with o -> sum[0] (+)
              }
              last: o = z  with z <- sum[0]; o -> A[i]
            }
          }
        }
      )");
    PassRun defaults(transforms::createDefaultSchedules());
    defaults(x.g);
    CHECK(x.node<MapEntry>("add")->schedule == Schedule::Sequential);
}

TEST_CASE("a map of a kernel whose size the host cannot tell is a loop of each thread") {
    auto scheduleOf = [](const std::string &range) {
        Graph x(R"(
            sdfg f {
              symbol N, M: int64
              transient A: float64[N, N] (GPU_Global)
              state s {
                map m[i = 0:N:32] (GPU_Device) with -> A[0:N, 0:N] {
                  nested call[b = i, n = M] with out -> A[0:N, 0:N] {
                    sdfg inner {
                      symbol N, b, n, k: int64
                      argument out: float64[N, N]
                      state first {}
                      k = n + 1
                      state second {
                        map rows[j = $range] with -> out[0:N, 0:N] {
                          one: o = j  with o -> out[0, j]
                        }
                      }
                    }
                  }
                }
              }
            }
          )",
                {{"$range", range}});
        PassRun defaults(transforms::createDefaultSchedules());
        defaults(x.g);
        return x.node<MapEntry>("rows")->schedule;
    };
    CHECK(scheduleOf("0:n") == Schedule::GPU_ThreadBlock); // the host knows the value that it passes
    CHECK(scheduleOf("b:min(n, b + 32)") == Schedule::GPU_ThreadBlock);
    CHECK(scheduleOf("0:b") == Schedule::Sequential); // private to this block
    CHECK(scheduleOf("0:k") == Schedule::Sequential); // assigned in the kernel
}

TEST_CASE("a kernel without thread-block maps keeps its containers in registers") {
    TwoLevels x;
    x.outer->schedule = Schedule::GPU_Device;
    x.inner->schedule = Schedule::Sequential;
    PassRun defaults(transforms::createDefaultSchedules());
    defaults(x.g);
    CHECK(x.storage("tmp") == Storage::Register);
}

TEST_CASE("containers in different memories leave no default schedule") {
    TwoLevels x;
    x.g.desc("A")->storage = Storage::GPU_Global;
    PassRun defaults(transforms::createDefaultSchedules());
    defaults(x.g);
    REQUIRE(defaults.reported(diag::Id::ScheduleAmbiguous));
    CHECK(defaults.diags.all()[0].message.find("GPU_Device by A") != std::string::npos);
}

TEST_CASE("sequential scopes are skipped when looking for storage") {
    TwoLevels x;
    x.outer->schedule = Schedule::Sequential;
    PassRun defaults(transforms::createDefaultSchedules());
    defaults(x.g);
    CHECK(x.storage("tmp") == Storage::CPU_Heap);
    CHECK(x.inner->schedule == Schedule::Sequential);
}

TEST_CASE("the outermost use decides, whatever the order of states") {
    TwoLevels x;
    x.state("first");
    x.access("tmp");
    PassRun defaults(transforms::createDefaultSchedules());
    defaults(x.g);
    CHECK(x.storage("tmp") == Storage::CPU_Heap);
}

TEST_CASE("nested arguments follow the outer container; inner scopes the outer schedule") {
    Graph x(R"(
        sdfg f(A, B) {
          symbol N: int64
          argument A: float64[N] (CPU_Pinned)
          argument B: float64[N]
          transient unused: float64[4]
          state main {
            map m[i = 0:N] with <- A[0:N], <- B[0:N]; -> A[0:N] {
              nested n with x <- A[i], y <- A[i + 1], z <- B[i]; x -> A[i] {
                sdfg inner {
                  symbol N: int64
                  argument x: float64[N] (GPU_Global)
                  argument y: float64[N]
                  argument z: float64[N]
                  state main {
                    map inside[k = 0:4] {}
                  }
                }
              }
            }
          }
        }
    )");
    SDFG &inner = *x.node<NestedSDFGNode>("n")->sdfg;
    PassRun defaults(transforms::createDefaultSchedules());
    defaults(x.g);
    CHECK_FALSE(defaults.diags.hasErrors());
    CHECK(inner.desc("x")->storage == Storage::CPU_Pinned);
    CHECK(x.node<MapEntry>("inside")->schedule == Schedule::Sequential);
    CHECK(x.desc("unused").storage == Storage::Register);
    CHECK(inner.desc("x")->mayAlias);
    CHECK(inner.desc("y")->mayAlias);
    CHECK_FALSE(inner.desc("z")->mayAlias);
}

TEST_CASE("what outlives a call is not in registers") {
    Graph x;
    x.transient("kept", "16").lifetime = Lifetime::Persistent;
    PassRun defaults(transforms::createDefaultSchedules());
    defaults(x.g);
    CHECK_FALSE(defaults.diags.hasErrors());
    CHECK(x.desc("kept").storage == Storage::CPU_Heap);
}

TEST_CASE("a view has the storage of what it views") {
    Graph x(R"(
        sdfg f(A, B) {
          argument A: float64[16] (GPU_Global)
          argument B: float64[4, 4]
          view v: float64[4, 4]
          state main {
            A[0:16] -> new v:views
            v[0:4, 0:4] -> B
          }
        }
    )");
    PassRun defaults(transforms::createDefaultSchedules());
    defaults(x.g);
    CHECK(x.desc("v").storage == Storage::GPU_Global);
}

TEST_CASE("a copy node between memories runs on the device") {
    Graph x(R"(
        sdfg f(A, B) {
          argument A: float64[16]
          argument B: float64[16] (GPU_Global)
          state main {
            library dace.libraries.standard.nodes.copy.CopyLibraryNode copy with _in <- A[0:16]; _out -> B[0:16]
            library standard.Reduce other with _in <- A[0:16]
          }
        }
    )");
    PassRun defaults(transforms::createDefaultSchedules());
    defaults(x.g);
    CHECK_FALSE(defaults.diags.hasErrors());
    CHECK(x.node<LibraryNode>("copy")->schedule == Schedule::GPU_Device);
    CHECK(x.node<LibraryNode>("other")->schedule == Schedule::CPU_Multicore);
}

TEST_CASE("constants are in the program's text, whatever memory the graph names") {
    TwoLevels x;
    x.g.desc("A")->storage = Storage::GPU_Global;
    x.g.desc("A")->transient = true;
    x.g.constants.set("A", {*x.g.desc("A"), {}});
    PassRun defaults(transforms::createDefaultSchedules());
    CHECK(defaults(x.g));
    CHECK(x.storage("A") == Storage::CPU_Heap);
    CHECK(x.g.constants.find("A")->desc.storage == Storage::CPU_Heap);
    CHECK_FALSE(defaults(x.g));
}
