// split-kernels: which nests of device maps become separate kernels.
#include "Transforms/PassRun.h"

using namespace sdfgc;
using namespace sdfgc::test;

namespace {

/// Copies rows of A to tmp and from tmp to B; a single tmp serves all iterations.
struct Nest : Graph {
    MapEntry *outer = node<MapEntry>("outer"), *first = node<MapEntry>("first"), *second = node<MapEntry>("second");
    AccessNode *source = node<AccessNode>("A"), *target = node<AccessNode>("B");

    explicit Nest(const std::string &row = "i")
        : Graph(R"(
            sdfg f {
              symbol N: int64
              transient A: float64[N, 32] (GPU_Global)
              transient B: float64[N, 32] (GPU_Global)
              transient tmp: float64[N, 32] (GPU_Global, SDFG)
              state main {
                map outer[i = 0:N] (GPU_Device) with <- A[0:N, 0:32]; -> B[0:N, 0:32] {
                  map first[j = 0:32] (GPU_Device) with <- A[i, 0:32]; -> tmp[$row, 0:32] {
                    t: y = x  with x <- A[i, 31 - j]; y -> tmp[$row, j]
                  }
                  map second[k = 0:32] (GPU_Device) with <- tmp[$row, 0:32]; -> B[i, 0:32] {
                    u: y = x  with x <- tmp[$row, 31 - k]; y -> B[i, k]
                  }
                }
              }
            }
          )",
                {{"$row", row}}) {}
    bool split() {
        PassRun pass(transforms::createSplitKernels());
        return pass(g);
    }
};

} // namespace

TEST_CASE("split-kernels: dependent maps become kernels in order") {
    Nest n;
    const std::size_t before = n.s->nodes().size();
    REQUIRE(n.split());
    CHECK(n.s->nodes().size() == before - 2);
    CHECK(n.first->params == std::vector<Name>{"i", "j"});
    CHECK(n.second->params == std::vector<Name>{"i", "k"});
    CHECK(n.first->inEdge("IN_A")->src == n.source);
    CHECK(n.first->inEdge("IN_A")->memlet.subset->str() == "0:N, 0:32");
    CHECK(n.first->exit->outEdge("OUT_tmp")->memlet.subset->str() == "0:N, 0:32");
    CHECK(n.second->inEdge("IN_tmp")->memlet.subset->str() == "0:N, 0:32");
    CHECK(n.second->exit->outEdge("OUT_B")->dst == n.target);
    // Predecessors of the nest precede both maps, and its successors follow both.
    CHECK(std::any_of(n.second->inEdges().begin(), n.second->inEdges().end(), [&](const Edge *e) { return e->src == n.source; }));
    CHECK(std::any_of(n.target->inEdges().begin(), n.target->inEdges().end(),
                      [&](const Edge *e) { return e->src == n.first->exit; }));
    CHECK_FALSE(n.split());
}

TEST_CASE("split-kernels: what iterations have for themselves or share stays in loops") {
    Nest own;
    own.g.desc("tmp")->lifetime = Lifetime::Scope;
    CHECK_FALSE(own.split());
    Nest shared("0");
    CHECK_FALSE(shared.split());
    Nest inRegisters;
    inRegisters.g.desc("tmp")->storage = Storage::GPU_Shared;
    CHECK_FALSE(inRegisters.split());
}

TEST_CASE("split-kernels: a remark for every device map that is a loop of a kernel") {
    using Remarks = std::vector<std::string>;
    // A kernel around a nested SDFG with a device map, and another kernel around that.
    auto remarks = [](const char *kernel) {
        Graph x(R"(
            sdfg f {
              symbol N: int64
              state main {
                map outer[i = 0:N] ($kernel) {
                  nested body {
                    sdfg body {
                      state main {
                        map first[j = 0:32] (GPU_Device) {
                          map second[k = 0:4] (GPU_Device) {
                            t: pass
                          }
                        }
                      }
                    }
                  }
                }
              }
            }
        )",
                {{"$kernel", kernel}});
        PassRun pass(transforms::createSplitKernels());
        pass(x.g);
        Remarks texts;
        for (const pass::Remark &r : pass.context.remarks)
            texts.push_back(r.text);
        return texts;
    };
    CHECK(remarks("GPU_Device") == Remarks{"becomes a loop inside a kernel: it is in a nested SDFG",
                                           "becomes a loop inside a kernel: it is not directly below the kernel's map"});
    // In a persistent kernel the first one is distributed over the grid, as the graph says.
    CHECK(remarks("GPU_Persistent") == Remarks{"becomes a loop inside a kernel: it is not directly below the kernel's map"});
    CHECK(remarks("Sequential") == Remarks{"its device maps are separate kernels"});
}

TEST_CASE("split-kernels: ranges of a triangle, equal names and other work stay in loops") {
    Nest triangle, names, more, sized, persistent;
    triangle.second->ranges[0].end = expr("i");
    CHECK_FALSE(triangle.split());
    names.second->params[0] = "i";
    CHECK_FALSE(names.split());
    Tasklet *t = more.tasklet("y = 1");
    more.order(more.outer, t);
    more.order(t, more.outer->exit);
    CHECK_FALSE(more.split());
    sized.outer->gpuBlockSize = {32, 1, 1};
    CHECK_FALSE(sized.split());
    persistent.outer->schedule = Schedule::GPU_Persistent;
    CHECK_FALSE(persistent.split());
}
