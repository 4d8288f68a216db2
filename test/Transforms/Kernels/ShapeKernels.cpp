// shape-kernels: block sizes, grid limits, launch bounds.
#include "Transforms/PassRun.h"

using namespace sdfgc;
using namespace sdfgc::test;

namespace {

/// A kernel over `ranges`, containing a map over the threads of each block or of the grid if `inside` names one. All write B[0].
struct Kernel : Graph {
    MapEntry *m = node<MapEntry>("m"), *inner = nullptr;
    PassRun pass{transforms::createShapeKernels()};

    explicit Kernel(const std::string &ranges, const std::string &inside = "", const std::string &schedule = "GPU_ThreadBlock")
        : Graph(R"(
            sdfg f(B) {
              symbol N: int64
              argument B: float64[N]
              state main {
                map m[$ranges] (GPU_Device) with -> B[0] {
                  $begin
                  t: y = 1  with y -> B[0]
                  $end
                }
              }
            }
          )",
                {{"$ranges", ranges},
                 {"$begin", inside.empty() ? "" : "map inner[" + inside + "] (" + schedule + ") with -> B[0] {"},
                 {"$end", inside.empty() ? "" : "}"}}) {
        if (!inside.empty())
            inner = node<MapEntry>("inner");
    }
    bool run(int64_t threads = 256) {
        pass.pass->options["threads"] = threads;
        return pass(g);
    }
    /// `[32, 8, 1] [0, 65535, 0] 256`
    std::string shape(int64_t threads = 256) {
        run(threads);
        return list(*m->gpuBlockSize) + " " + list(m->gpuGridLimit) + " " + m->gpuLaunchBounds;
    }
    static std::string list(const std::vector<sym::Expr> &sizes) {
        std::string text;
        for (sym::Expr e : sizes)
            text += (text.empty() ? "[" : ", ") + e.str();
        return text.empty() ? "[]" : text + "]";
    }
};

} // namespace

TEST_CASE("shape-kernels: blocks by default") {
    CHECK(Kernel("i = 0:N").shape() == "[256, 1, 1] [0, 0, 0] 256");
    CHECK(Kernel("i = 0:N, j = 0:N").shape() == "[32, 8, 1] [0, 65535, 0] 256");
    CHECK(Kernel("i = 0:N, j = 0:100, k = 0:N").shape() == "[32, 8, 1] [0, 0, 65535] 256");
    CHECK(Kernel("h = 0:10, i = 0:10, j = 0:100, k = 0:N").shape() == "[32, 8, 1] [0, 0, 0] 256");
    CHECK(Kernel("i = 0:N").shape(128) == "[128, 1, 1] [0, 0, 0] 128");
    CHECK(Kernel("i = 0:2, j = 0:N").shape(16) == "[16, 1, 1] [0, 0, 0] 16");
}

TEST_CASE("shape-kernels: no rows of threads without iterations") {
    CHECK(Kernel("i = 0:N, j = 0:3").shape() == "[4, 64, 1] [0, 65535, 0] 256");
    CHECK(Kernel("i = 0:3, j = 0:N").shape() == "[64, 4, 1] [0, 0, 0] 256");
    CHECK(Kernel("i = 0:1, j = 0:N").shape() == "[256, 1, 1] [0, 0, 0] 256");
    CHECK(Kernel("i = 0:N, j = 0:1").shape() == "[1, 256, 1] [0, 65535, 0] 256");
    CHECK(Kernel("i = 0:3, j = 0:40").shape() == "[64, 4, 1] [0, 0, 0] 256");
    CHECK(Kernel("i = 0:N, j = 0:3, k = 0:3").shape() == "[4, 4, 16] [0, 0, 65535] 256");
    CHECK(Kernel("i = 0:N, j = 0:1, k = 0:1").shape() == "[1, 1, 64] [0, 0, 65535] 64");
    CHECK(Kernel("i = 0:2, j = 0:3, k = 0:3").shape() == "[4, 4, 2] [0, 0, 0] 32");
}

TEST_CASE("shape-kernels: blocks that the graph asks for") {
    Kernel asked("i = 0:N");
    asked.m->gpuBlockSize = std::vector<sym::Expr>{64, 2};
    asked.m->gpuLaunchBounds = "512";
    CHECK(asked.shape() == "[64, 2, 1] [0, 0, 0] 512");
    CHECK_FALSE(asked.run()); // nothing is left to decide

    Kernel free("i = 0:N");
    free.m->gpuBlockSize = std::vector<sym::Expr>{expr("N"), 1, 1};
    CHECK(free.shape() == "[N, 1, 1] [0, 0, 0] -1"); // no bounds: the size is unknown

    Kernel none("i = 0:N");
    none.m->gpuLaunchBounds = "-1";
    CHECK(none.shape() == "[256, 1, 1] [0, 0, 0] -1");

    Kernel large("i = 0:N");
    large.m->gpuBlockSize = std::vector<sym::Expr>{64, 64, 1};
    large.run();
    CHECK(large.pass.reported(diag::Id::KernelShape));
}

TEST_CASE("shape-kernels: maps over threads decide") {
    Kernel rows("i = 0:N", "a = 0:4, b = 0:32");
    rows.m->gpuBlockSize = std::vector<sym::Expr>{64, 1, 1};
    CHECK(rows.shape() == "[32, 4, 1] [0, 0, 0] 128");
    CHECK(rows.pass.reported(diag::Id::BlockSizeIgnored));
    CHECK_FALSE(rows.inner->gpuBlockSize);

    Kernel last("b = 0:N", "a = b:min(N, b + 32)");
    CHECK(last.shape() == "[32, 1, 1] [0, 0, 0] 32"); // the last block has fewer iterations

    Kernel inward("i = 0:N", "a = 0:i + 1");
    inward.run();
    CHECK(inward.pass.reported(diag::Id::KernelSize));

    Kernel dynamic("i = 0:N, j = 0:N", "a = 0:N", "GPU_ThreadBlock_Dynamic");
    CHECK(dynamic.shape() == "[128, 1, 1] [0, 65535, 0] 128");
}

TEST_CASE("shape-kernels: kernels that reduce have few blocks") {
    Kernel sum("i = 0:N"), table("i = 0:N, j = 0:N"), small("i = 0:1000");
    for (Kernel *k : {&sum, &table, &small}) {
        Memlet &m = k->m->exit->outEdges().front()->memlet;
        m.wcr = "lambda a, b: a + b";
        m.wcrMode = WcrMode::Reduction;
    }
    CHECK(sum.shape() == "[256, 1, 1] [2048, 0, 0] 256");
    CHECK(table.shape() == "[32, 8, 1] [32, 64, 0] 256");
    CHECK(small.shape() == "[256, 1, 1] [0, 0, 0] 256");
}

TEST_CASE("shape-kernels: persistent kernels fill the device; maps in kernels and of the host are left alone") {
    Kernel persistent("i = 0:N", "j = 0:N", "GPU_Device");
    persistent.m->schedule = Schedule::GPU_Persistent;
    persistent.inner->gpuBlockSize = std::vector<sym::Expr>{64, 1, 1};
    CHECK(persistent.shape() == "[64, 1, 1] [] 64");
    CHECK(persistent.inner->gpuGridLimit.empty());

    Kernel host("i = 0:N");
    host.m->schedule = Schedule::CPU_Multicore;
    CHECK_FALSE(host.run());
}
