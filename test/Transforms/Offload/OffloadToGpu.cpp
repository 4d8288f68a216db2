// offload-to-gpu: which memory is moved, and which maps become kernels.
#include "Transforms/PassRun.h"

using namespace sdfgc;
using namespace sdfgc::test;

namespace {

/// A map that writes through an access node inside of it, connected to the exit only by an empty edge.
struct WriteInside : Graph {
    MapEntry *entry = node<MapEntry>("m");

    explicit WriteInside(const std::string &written)
        : Graph(R"(
            sdfg f(A) {
              symbol N: int64
              argument A: float64[N]
              transient own: float64[1]
              state main {
                map m[i = 0:N] (CPU_Multicore) {
                  t: y = 1  with y -> $written
                  after $node
                }
              }
            }
          )",
                {{"$written", written}, {"$node", "@" + written.substr(0, written.find('['))}}) {}
};

bool offload(SDFG &g) {
    PassRun pass("offload-to-gpu");
    return pass(g);
}

} // namespace

TEST_CASE("offload-to-gpu: a map that writes through an access node of its own is a kernel") {
    WriteInside w("A[i]");
    REQUIRE(offload(w.g));
    CHECK(w.entry->schedule == Schedule::GPU_Device);
    CHECK(w.g.desc("gpu_A")->storage == Storage::GPU_Global);
    CHECK(w.g.start()->label == "main"); // the map overwrites all of A
}

TEST_CASE("offload-to-gpu: what each iteration has for itself does not move a map") {
    WriteInside w("own[0]");
    offload(w.g);
    CHECK(w.entry->schedule == Schedule::CPU_Multicore);
    CHECK_FALSE(isGpuStorage(w.g.desc("own")->storage));
}

TEST_CASE("offload-to-gpu: a program with a stream stays on the host and says so") {
    WriteInside w("A[i]");
    DataDesc queue = DataDesc::array(ScalarKind::Float64, {1}, true);
    queue.kind = DataKind::Stream;
    w.g.arrays.set("S", queue);
    PassRun pass("offload-to-gpu");
    CHECK_FALSE(pass(w.g));
    REQUIRE(pass.context.remarks.size() == 1);
    CHECK(pass.context.remarks.front().text == "the program stays on the host: stream `S`");
}

TEST_CASE("offload-to-gpu: memory of the host that the caller provides keeps a program there") {
    WriteInside w("A[i]");
    w.g.desc("own")->lifetime = Lifetime::External;
    CHECK_FALSE(offload(w.g));
}

TEST_CASE("offload-to-gpu: only what is written is copied back, also where a view writes it") {
    Graph x(R"(
        sdfg f(A, B) {
          argument A: float64[4]
          argument B: float64[8]
          view V: float64[4]
          state main {
            A[0:4] -> V
            @V:views -> B[0:4]
          }
        }
    )");
    REQUIRE(offload(x.g));
    std::vector<std::string> copiedBack;
    for (const State *out : allStates(x.g))
        if (out->label == "copy_out")
            for (const auto &e : out->edges())
                copiedBack.push_back(e->memlet.data.str());
    CHECK(copiedBack == std::vector<std::string>{"gpu_B"});
}

TEST_CASE("offload-to-gpu: a scalar of the caller that a kernel writes beside an array moves") {
    Graph x(R"(
        sdfg f(A, next) {
          argument A: float64[1]
          argument next: float64
          state main {
            t: a = x + 1; n = 2  with x <- A[0]; a -> A[0], n -> next
          }
        }
    )");
    REQUIRE(offload(x.g));
    REQUIRE(x.g.desc("gpu_next"));
    CHECK(x.desc("gpu_next").storage == Storage::GPU_Global);
}

namespace {

/// A map that may or may not be restricted to sequential order: it reads A[read] and writes A[i].
struct SequentialMap : Graph {
    MapEntry *entry = node<MapEntry>("m");

    explicit SequentialMap(const std::string &read, const std::string &how = "")
        : Graph(R"(
            sdfg f(A) {
              symbol N: int64
              argument A: float64[N]
              state main {
                map m[i = 1:N] (Sequential) with <- A[0:N]; -> A[0:N] {
                  t: y = x  with x <- A[$read]; y -> A[i] $how
                }
              }
            }
          )",
                {{"$read", read}, {"$how", how}}) {}
    const MapEntry *around() const { return dyn_cast<MapEntry>(analysis::ScopeTree(*entry->state()).scopeOf(entry)); }
};

} // namespace

TEST_CASE("offload-to-gpu: a sequential map whose iterations depend on each other runs in one thread") {
    SequentialMap m("i - 1");
    PassRun pass("offload-to-gpu");
    REQUIRE(pass(m.g));
    CHECK(m.entry->schedule == Schedule::Sequential);
    REQUIRE(m.around());
    CHECK(m.around()->schedule == Schedule::GPU_Device);
    CHECK(m.around()->ranges[0].steps().isOne());
    REQUIRE(pass.context.remarks.size() == 1);
    CHECK(pass.context.remarks.front().text ==
          "runs in one device thread: an iteration may use what another one writes to `gpu_A`");
}

TEST_CASE("offload-to-gpu: a sequential map whose iterations keep apart is a kernel") {
    SequentialMap m("i");
    REQUIRE(offload(m.g));
    CHECK(m.entry->schedule == Schedule::GPU_Device);
    CHECK_FALSE(m.around());
}

TEST_CASE("offload-to-gpu: an update of what the iteration before read keeps the order") {
    SequentialMap m("i - 1", "(+)");
    REQUIRE(offload(m.g));
    CHECK(m.entry->schedule == Schedule::Sequential);
}

TEST_CASE("offload-to-gpu: a program whose control flow reads what a tasklet changes stays on the host") {
    Graph x(R"(
        sdfg f(A) {
          argument A: float64[1]
          state main {}
          k = 1
          state next {
            t: a = 1; k *= 2  with a -> A[0]
          }
        }
    )");
    PassRun pass("offload-to-gpu");
    CHECK_FALSE(pass(x.g));
    REQUIRE(pass.context.remarks.size() == 1);
    CHECK(pass.context.remarks.front().text == "the program stays on the host: tasklet `t` changes the symbol `k`");
}

TEST_CASE("offload-to-gpu: what a library node overwrites is not copied to the device") {
    auto copiedIn = [](const char *kind, const char *beta, const char *rows, const char *second = "_b") {
        Graph x(R"(
            sdfg f(A, B, C) {
              argument A: float64[8, 8]
              argument B: float64[8, 8]
              argument C: float64[8, 8]
              state main {
                library $kind node (beta = $beta) with _a <- A[0:8, 0:8], $second <- B[0:8, 0:8]; _out -> C[0:$rows, 0:8]
              }
            }
        )",
                {{"$kind", kind}, {"$beta", beta}, {"$rows", rows}, {"$second", second}});
        offload(x.g);
        std::set<std::string> names;
        for (const auto &e : cast<State>(x.g.start())->edges())
            if (auto *a = dyn_cast<AccessNode>(e->dst))
                names.insert(a->data.str());
        return names;
    };
    using Names = std::set<std::string>;
    CHECK(copiedIn("blas.Gemm", "0", "8") == Names{"gpu_A", "gpu_B"});
    CHECK(copiedIn("blas.Gemm", "1", "8") == Names{"gpu_A", "gpu_B", "gpu_C"});         // adds to the previous contents
    CHECK(copiedIn("blas.Gemm", "0", "4") == Names{"gpu_A", "gpu_B", "gpu_C"});         // writes half of it
    CHECK(copiedIn("blas.Einsum", "1", "8", "_c") == Names{"gpu_A", "gpu_B", "gpu_C"}); // its factor B is not an addend
    CHECK(copiedIn("blas.Unknown", "0", "8") == Names{"gpu_A", "gpu_B", "gpu_C"});
}
