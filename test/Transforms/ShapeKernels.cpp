// shape-kernels: the sizes of blocks, the limits of grids, launch bounds.
#include "GraphBuilder.h"

using namespace sdfgc;
using namespace sdfgc::test;

namespace {

/// map[...] GPU_Device { B[...] = 1 }
struct Kernel {
    SDFG g{"f"};
    State *s;
    MapEntry *m;
    Tasklet *t;
    PassRun pass{transforms::createShapeKernels()};

    explicit Kernel(std::vector<std::pair<std::string, sym::Range>> dims) {
        g.symbols.set("N", ScalarKind::Int64);
        array(g, "B", {expr("N")});
        s = state(g);
        m = map(s, std::move(dims), Schedule::GPU_Device);
        t = tasklet(s, "y = 1");
        s->connect(m, "", t, "", Memlet::empty());
        s->connect(t, "y", m->exit, "IN_B", memlet("B", {at("0")}));
        s->connect(m->exit, "OUT_B", s->add<AccessNode>(Name("B")), "", memlet("B", {at("0")}));
        g.renumber();
    }
    /// A map around the tasklet.
    MapEntry *inside(std::vector<std::pair<std::string, sym::Range>> dims, Schedule schedule = Schedule::GPU_ThreadBlock) {
        MapEntry *inner = map(s, std::move(dims), schedule);
        s->setSource(t->inEdges().front(), inner, {});
        s->connect(m, "", inner, "", Memlet::empty());
        Edge *out = t->outEdges().front();
        s->connect(inner->exit, "OUT_B", m->exit, "IN_B", out->memlet);
        s->setDestination(out, inner->exit, "IN_B");
        g.renumber();
        return inner;
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

std::pair<std::string, sym::Range> over(const std::string &parameter, const std::string &size) {
    return {parameter, range("0", size + " - 1")};
}

} // namespace

TEST_CASE("shape-kernels: blocks by default") {
    CHECK(Kernel({over("i", "N")}).shape() == "[256, 1, 1] [0, 0, 0] 256");
    CHECK(Kernel({over("i", "N"), over("j", "N")}).shape() == "[32, 8, 1] [0, 65535, 0] 256");
    CHECK(Kernel({over("i", "N"), over("j", "100"), over("k", "N")}).shape() == "[32, 8, 1] [0, 0, 65535] 256");
    CHECK(Kernel({over("h", "10"), over("i", "10"), over("j", "100"), over("k", "N")}).shape() == "[32, 8, 1] [0, 0, 0] 256");
    CHECK(Kernel({over("i", "N")}).shape(128) == "[128, 1, 1] [0, 0, 0] 128");
    CHECK(Kernel({over("i", "2"), over("j", "N")}).shape(16) == "[16, 1, 1] [0, 0, 0] 16");
}

TEST_CASE("shape-kernels: blocks that the graph asks for") {
    Kernel asked({over("i", "N")});
    asked.m->gpuBlockSize = std::vector<sym::Expr>{64, 2};
    asked.m->gpuLaunchBounds = "512";
    CHECK(asked.shape() == "[64, 2, 1] [0, 0, 0] 512");
    CHECK_FALSE(asked.run()); // nothing is left to decide

    Kernel free({over("i", "N")});
    free.m->gpuBlockSize = std::vector<sym::Expr>{expr("N"), 1, 1};
    CHECK(free.shape() == "[N, 1, 1] [0, 0, 0] -1"); // no bounds: the size is not known

    Kernel none({over("i", "N")});
    none.m->gpuLaunchBounds = "-1";
    CHECK(none.shape() == "[256, 1, 1] [0, 0, 0] -1");

    Kernel large({over("i", "N")});
    large.m->gpuBlockSize = std::vector<sym::Expr>{64, 64, 1};
    large.run();
    CHECK(large.pass.reported(diag::Id::KernelShape));
}

TEST_CASE("shape-kernels: maps over threads decide") {
    Kernel rows({over("i", "N")});
    MapEntry *inner = rows.inside({over("a", "4"), over("b", "32")});
    rows.m->gpuBlockSize = std::vector<sym::Expr>{64, 1, 1};
    CHECK(rows.shape() == "[32, 4, 1] [0, 0, 0] 128");
    CHECK(rows.pass.reported(diag::Id::BlockSizeIgnored));
    CHECK_FALSE(inner->gpuBlockSize);

    Kernel last({over("b", "N")});
    last.inside({{"a", {expr("b"), expr("min(N, b + 32) - 1"), 1, 1}}});
    CHECK(last.shape() == "[32, 1, 1] [0, 0, 0] 32"); // the last block has fewer iterations

    Kernel inward({over("i", "N")});
    inward.inside({over("a", "i + 1")});
    inward.run();
    CHECK(inward.pass.reported(diag::Id::KernelSize));

    Kernel dynamic({over("i", "N"), over("j", "N")});
    dynamic.inside({over("a", "N")}, Schedule::GPU_ThreadBlock_Dynamic);
    CHECK(dynamic.shape() == "[128, 1, 1] [0, 65535, 0] 128");
}

TEST_CASE("shape-kernels: kernels that reduce have few blocks") {
    Kernel sum({over("i", "N")}), table({over("i", "N"), over("j", "N")}), small({over("i", "1000")});
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
    Kernel persistent({over("i", "N")});
    persistent.m->schedule = Schedule::GPU_Persistent;
    MapEntry *inner = persistent.inside({over("j", "N")}, Schedule::GPU_Device);
    inner->gpuBlockSize = std::vector<sym::Expr>{64, 1, 1};
    CHECK(persistent.shape() == "[64, 1, 1] [] 64");
    CHECK(inner->gpuGridLimit.empty());

    Kernel host({over("i", "N")});
    host.m->schedule = Schedule::CPU_Multicore;
    CHECK_FALSE(host.run());
}
