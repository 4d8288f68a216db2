// place-barriers and the walk that it uses: which phases of a kernel wait for each other, and that no barrier is redundant.
#include "Transforms/Kernels/BarrierChecks.h"

using namespace sdfgc;
using namespace sdfgc::test;
using analysis::AsyncOp;

namespace {

/// A kernel over blocks `b`; s and u are shared by the threads of a block, A and B are global.
struct Kernel : Graph {
    MapEntry *kernel, *scope; // phases are added to `scope`
    std::map<std::string, AccessNode *> last;

    explicit Kernel(const std::string &parameters = "b", const std::string &blocks = "0:8") {
        for (const char *name : {"A", "B"})
            transient(name, "8, 32").storage = Storage::GPU_Global;
        for (const char *name : {"s", "u"})
            transient(name, "32").storage = Storage::GPU_Shared;
        for (const char *name : {"N", "M"})
            symbol(name);
        kernel = scope = map(Schedule::GPU_Device, parameters, blocks);
    }
    static bool isGlobal(const std::string &data) { return data == "A" || data == "B"; }
    /// The elements of a container that belong to the block `b`, or to all blocks.
    static std::string part(const std::string &data, const std::string &threads, const std::string &blocks = "b") {
        return data + "[" + (isGlobal(data) ? blocks + ", " : "") + threads + "]";
    }
    static std::string all(const std::string &data) { return part(data, "0:32"); }

    /// to[t] = from[31 - t] by the threads of the block.
    MapEntry *phase(const std::string &from, const std::string &to) {
        MapEntry *m = map(Schedule::GPU_ThreadBlock, "t", "0:32");
        Tasklet *t = tasklet("y = x");
        Node *source = last.count(from) ? static_cast<Node *>(last[from]) : scope;
        const std::string in = "IN_" + std::to_string(s->nodes().size()), out = "OUT_" + in.substr(3);
        if (source == scope && isGlobal(from)) {
            edge(access(from), "", kernel, in, part(from, "0:32", "0:8"));
            if (scope != kernel)
                edge(kernel, out, scope, in, all(from));
            edge(scope, out, m, in, all(from));
        } else if (source == scope) {
            AccessNode *a = access(from);
            order(scope, a);
            edge(a, "", m, in, all(from));
        } else {
            edge(source, "", m, in, all(from));
        }
        edge(m, out, t, "x", part(from, "31 - t"));
        edge(t, "y", m->exit, in, part(to, "t"));
        if (isGlobal(to)) {
            edge(m->exit, out, scope->exit, in, all(to));
            if (scope != kernel)
                edge(scope->exit, out, kernel->exit, in, all(to));
            edge(kernel->exit, out, access(to), "", part(to, "0:32", "0:8"));
        } else {
            last[to] = access(to);
            edge(m->exit, out, last[to], "", all(to));
        }
        return m;
    }
    /// The following phases are in a loop of the block.
    void loop() {
        scope = map(Schedule::Sequential, "k", "0:10");
        order(kernel, scope);
    }

    int conflicts() { return test::conflicts(g); }
    int placed() { return static_cast<int>(placedBarriers(g).size()); }
};

} // namespace

TEST_CASE("barriers: a phase that reads what the one before wrote waits") {
    Kernel k;
    k.phase("A", "s");
    k.phase("s", "B");
    CHECK(k.placed() == 1);
}

TEST_CASE("barriers: phases that share nothing do not wait") {
    Kernel k;
    k.phase("A", "s");
    k.phase("A", "u");
    CHECK(k.placed() == 0);
    Kernel single;
    single.phase("A", "B");
    CHECK(single.placed() == 0);
}

TEST_CASE("barriers: one serves all phases before it") {
    Kernel k;
    k.phase("A", "s");
    k.phase("A", "u");
    k.phase("s", "B");
    k.phase("u", "B"); // writes B after another phase that also writes it: different elements, but the same container
    CHECK(k.placed() == 2);
}

TEST_CASE("barriers: what is overwritten has been read, also in the iteration before") {
    Kernel k;
    k.loop();
    k.phase("A", "s");
    k.phase("s", "B");
    CHECK(k.placed() == 2);
}

TEST_CASE("barriers: a block that gets several iterations of the grid") {
    CHECK_FALSE(analysis::blocksRepeat(*Kernel().kernel));
    Kernel along("b", "0:N");
    CHECK_FALSE(analysis::blocksRepeat(*along.kernel)); // x has no limit
    Kernel k("a, b", "0:M, 0:8");
    CHECK(analysis::blocksRepeat(*k.kernel));
    k.phase("A", "s");
    k.phase("s", "B");
    CHECK(k.placed() == 2);
}

TEST_CASE("barriers: those that are there count") {
    Kernel k;
    k.phase("A", "s");
    MapEntry *second = k.phase("s", "B");
    auto *b = analysis::addAsyncOp(*k.s, {AsyncOp::Barrier, 0, -1});
    k.order(k.last["s"], b);
    k.order(b, second);
    CHECK(k.conflicts() == 0);
    CHECK(k.placed() == 1);
}

TEST_CASE("barriers: loops and branches of nested SDFGs") {
    Kernel k;
    k.phase("A", "s");
    NestedSDFGNode *n = k.nested("inner");
    k.edge(k.last["s"], "", n, "s", k.all("s"));
    Graph inner(*n->sdfg);
    inner.array("s", "32").storage = Storage::GPU_Shared;
    inner.transient("u", "32").storage = Storage::GPU_Shared;
    auto *loop = inner.g.add<LoopRegion>();
    loop->condition = {"i < 5", Language::Python};
    auto phaseIn = [&](const char *label, const std::string &from, const std::string &to) {
        State *s = inner.state(label, loop);
        MapEntry *m = inner.map(Schedule::GPU_ThreadBlock, "t", "0:32");
        Tasklet *t = inner.tasklet("y = x");
        inner.edge(inner.access(from), "", m, "IN_x", from + "[0:32]");
        inner.edge(m, "OUT_x", t, "x", from + "[31 - t]");
        inner.edge(t, "y", m->exit, "IN_y", to + "[t]");
        inner.edge(m->exit, "OUT_y", inner.access(to), "", to + "[0:32]");
        return s;
    };
    State *first = phaseIn("first", "s", "u");
    loop->connect(first, phaseIn("second", "u", "s"));
    AccessNode *after = k.access("s");
    k.edge(n, "s", after, "", k.all("s"));
    k.order(after, k.kernel->exit);
    // s is written before the loop and at its end; u is read at the end and written at the beginning of the next iteration.
    CHECK(k.placed() == 2);
}

TEST_CASE("barriers: in front of where a copy is made, and none for a reference") {
    Graph x(R"(
        sdfg p {
          transient a: float64[8] (GPU_Global)
          transient c: float64[8] (GPU_Global)
          state s {
            map k[b = 0:2] (GPU_Device) with <- a[0:8]; -> c[0:8] {
              nested call with in1 <- a[0:8]; out1 -> c[0:8] {
                sdfg inner {
                  argument in1: float64[8] (GPU_Global)
                  argument out1: float64[8] (GPU_Global)
                  reference R: float64[8]
                  state one {
                    map t[j = 0:8] (GPU_ThreadBlock) with -> out1[0:8] {
                      z: o = 0.0  with o -> out1[j]
                    }
                  }
                  state two {
                    in1[0:4] -> out1[0:4] (Cooperative)
                    in1[0:8] -> new R:set
                  }
                }
              }
            }
          }
        }
      )");
    CHECK(placedBarriers(x.g) == std::vector{AsyncOp::Barrier});
}
