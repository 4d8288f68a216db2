// allocate-containers and place-in-memory: lifetimes, allocation nodes, the table, arenas, and the verifier's errors.
#include "Transforms/PassRun.h"

#include "sdfgc/Analysis/Device/Async.h"
#include "sdfgc/Analysis/Memory/Allocation.h"
#include "sdfgc/Analysis/Verify.h"

using namespace sdfgc;
using namespace sdfgc::test;
using analysis::AsyncOp;
using analysis::Executor;
using analysis::MemoryFacts;

namespace {

/// A program with symbols N and n (which edges assign) and the argument A. `set` is a tasklet that writes the first element.
struct Program : Graph {
    pass::CompileOptions options;

    explicit Program(const std::string &text, bool gpu = false)
        : Graph(R"(
            sdfg f(A) {
              symbol N, n: int64
              argument A: float64[N] ($storage)
              $text
            }
          )",
                {{"$text", text}, {"$storage", gpu ? "GPU_Global" : "CPU_Heap"}}) {
        options.target = pass::Target(gpu ? "cuda" : "cpu");
    }
    /// Adds a state after another one.
    State *writeAfter(State *before, const std::string &label, const std::string &name) {
        g.connect(before, state(label));
        edge(tasklet("y = 1"), "y", access(name), "", name + "[0]");
        return s;
    }

    void run(std::unique_ptr<pass::Pass> p, const pass::OptionValues &values = {}) {
        p->options = values;
        diag::Engine diags;
        pass::Context context(diags, options);
        pass::Program program{g, nullptr};
        p->run(program, context);
        g.renumber();
    }
    void allocate() {
        g.renumber();
        run(transforms::createAllocateContainers());
    }
    void place() {
        run(transforms::createPlaceInMemory(),
            {{"heap-limit", int64_t(4096)}, {"register-limit", int64_t(65536)}, {"kernel-limit", int64_t(4096)}});
    }
    /// Which container is allocated in which states, in order.
    std::string reserved(SDFG &in) {
        std::string out;
        for (State *s : allStates(in))
            for (const auto &n : s->nodes())
                if (auto *l = dyn_cast<LibraryNode>(n.get()))
                    if (auto op = analysis::asyncOp(*l); op && op->kind == AsyncOp::Reserve)
                        out += (out.empty() ? "" : " ") + op->data.str() + "@" + s->label;
        return out;
    }
    std::string reserved() { return reserved(g); }
    std::string problems() {
        run(transforms::createDefaultSchedules());
        run(transforms::createInferTypes());
        diag::Engine diags;
        analysis::verify(g, Level::Allocated, diags);
        std::string out;
        for (const diag::Diagnostic &d : diags.all())
            out += std::string(out.empty() ? "" : " ") + std::string(diag::info(d.id).name);
        return out;
    }
};

} // namespace

// ---------------------------------------------------------------------------------------------------- lifetimes

TEST_CASE("allocation: what several states use lives as long as the SDFG") {
    Program p(R"(
        transient one: float64[N] (CPU_Heap)
        transient both: float64[N] (CPU_Heap)
        state a {
          set: y = 1  with y -> one[0]
          set: y = 1  with y -> both[0]
        }
        state b {
          set: y = 1  with y -> both[0]
        }
    )");
    p.allocate();
    CHECK(p.desc("one").lifetime == Lifetime::Scope);
    CHECK(p.desc("both").lifetime == Lifetime::SDFG);
    CHECK(p.reserved() == "");
    p.place();
    CHECK(p.problems() == "");
}

TEST_CASE("allocation: what control flow reads lives as long as the SDFG") {
    Program p(R"(
        transient c: float64 (Register)
        state a {
          set: y = 1  with y -> c
        }
        goto b if c > 0
        goto d if not (c > 0)
        state b {}
        stop
        state d {}
    )");
    p.allocate();
    CHECK(p.desc("c").lifetime == Lifetime::SDFG);
}

// ---------------------------------------------------------------------------------------------------- computed sizes

TEST_CASE("allocation: memory of a computed size is reserved at the nearest common dominator") {
    // A loop with two entries, a and d.
    Program p(R"(
        transient t: float64[n] (CPU_Heap)
        state begin {}
        n = 2*N
        state s {}
        goto a if N > 4
        goto d if not (N > 4)
        state a {
          set: y = 1  with y -> t[0]
        }
        state d {
          set: y = 1  with y -> t[0]
        }
        goto a if N > 9
        goto end if not (N > 9)
        state end {}
    )");
    p.run(transforms::createRaiseControlFlow());
    p.allocate();
    CHECK(p.desc("t").lifetime == Lifetime::SDFG);
    CHECK(p.reserved() == "t@s");
    p.place();
    CHECK(p.desc("t").memory == MemoryKind::Heap);
    CHECK(p.problems() == "");
}

TEST_CASE("allocation: where the dominator does not know the size, each use reserves memory") {
    Program p(R"(
        transient t: float64[n] (CPU_Heap)
        state begin {}
        goto a if N > 4
        n = N
        goto d if not (N > 4)
        n = 2*N
        state a {
          set: y = 1  with y -> t[0]
        }
        state d {
          set: y = 1  with y -> t[0]
        }
    )");
    p.g.symbols.erase(Name("n")); // no caller gives it a value
    p.allocate();
    CHECK(p.reserved() == "t@a t@d");
}

TEST_CASE("allocation: in front of a loop or a conditional a state reserves memory") {
    Program p(R"(
        transient t: float64[n] (CPU_Heap)
        state begin {}
        n = 2*N
        either: if N > 4 {
          state yes {
            set: y = 1  with y -> t[0]
          }
        } else {
          state no {
            set: y = 1  with y -> t[0]
          }
        }
    )");
    p.allocate();
    CHECK(p.reserved() == "t@reserve_t");
    p.place();
    CHECK(p.problems() == "");
}

// ---------------------------------------------------------------------------------------------------- devices

TEST_CASE("allocation: device memory is released with the program") {
    Program p(R"(
        transient t: float64[N] (GPU_Global)
        state a {
          nested inner[M = 2*N] {
            sdfg inner {
              symbol M, k: int64
              transient known: float64[M] (GPU_Global)
              transient computed: float64[k] (GPU_Global)
              transient host: float64[M] (CPU_Heap)
              state first {}
              k = M + 1
              state second {
                map one[i = 0:1] (GPU_Device) with -> known[0] {
                  set: y = 1  with y -> known[0]
                }
                map one[i = 0:1] (GPU_Device) with -> computed[0] {
                  set: y = 1  with y -> computed[0]
                }
                set: y = 1  with y -> host[0]
              }
            }
          }
          map one[i = 0:1] (GPU_Device) with -> t[0] {
            set: y = 1  with y -> t[0]
          }
        }
    )",
              true);
    SDFG &inner = *p.node<NestedSDFGNode>("inner")->sdfg;
    p.allocate();
    CHECK(p.desc("t").lifetime == Lifetime::SDFG);
    CHECK(inner.desc("known")->lifetime == Lifetime::Global);
    CHECK(inner.desc("computed")->lifetime == Lifetime::Global);
    CHECK(inner.desc("host")->lifetime == Lifetime::Scope);
    CHECK(p.reserved(inner) == "computed@second");
    p.place();
    CHECK(inner.desc("known")->memory == MemoryKind::Device);
    CHECK(p.problems() == "");
}

TEST_CASE("allocation: global registers of nested SDFGs that run in a team become memory of the state") {
    Program p(R"(
        transient out: float64[N] (CPU_Heap, SDFG)
        state a {
          map m[i = 0:N] (CPU_Multicore) with -> out[0:N] {
            nested inner with o -> out[i] {
              sdfg inner {
                argument o: float64[1]
                transient t: float64[2] (Register, Global)
                state first {
                  set: y = 1  with y -> t[0]
                  t[0] -> o[0]
                }
              }
            }
          }
        }
    )");
    SDFG &inner = *p.node<NestedSDFGNode>("inner")->sdfg;
    p.allocate();
    CHECK(inner.desc("t")->lifetime == Lifetime::Persistent);
    CHECK(inner.desc("t")->storage == Storage::CPU_Heap);
    p.place();
    CHECK(p.problems() == "");
}

TEST_CASE("allocation: global registers of nested SDFGs in kernels live as long as the SDFG") {
    Program p(R"(
        transient out: float64[N] (GPU_Global)
        state a {
          map m[i = 0:N] (GPU_Device) with -> out[0:N] {
            nested inner with o -> out[i] {
              sdfg inner {
                argument o: float64[1] (GPU_Global)
                transient t: float64[2] (Register, Global)
                state first {
                  set: y = 1  with y -> t[0]
                  t[0] -> o[0]
                }
              }
            }
          }
        }
    )",
              true);
    SDFG &inner = *p.node<NestedSDFGNode>("inner")->sdfg;
    p.allocate();
    CHECK(inner.desc("t")->lifetime == Lifetime::SDFG);
    CHECK(inner.desc("t")->storage == Storage::Register);
    p.place();
    CHECK(p.problems() == "");
}

TEST_CASE("allocation: the size of device memory in a scope of the host is reserved there") {
    Program p(R"(
        transient t: float64[i + 1] (GPU_Global)
        state a {
          map m[i = 0:N] (Sequential) {
            set: y = 1  with y -> t[0]
            after @t
          }
        }
    )",
              true);
    p.allocate();
    CHECK(p.desc("t").lifetime == Lifetime::SDFG);
    CHECK(p.reserved() == "t@a");
    CHECK(analysis::ScopeTree(*p.s).scopeOf(p.s->nodes().back().get()) == p.node<MapEntry>("m"));
}

TEST_CASE("allocation: iterations of a team wait for the device before they release its memory") {
    Program p(R"(
        transient t: float64[N] (GPU_Global)
        state a {
          map m[i = 0:N] (CPU_Multicore) {
            set: y = 1  with y -> t[0]
            after @t
          }
        }
    )",
              true);
    p.allocate();
    CHECK(p.desc("t").lifetime == Lifetime::Scope);
    const auto *wait = dyn_cast<LibraryNode>(p.s->nodes().back().get());
    REQUIRE(wait);
    CHECK(analysis::asyncOp(*wait)->kind == AsyncOp::Synchronise);
    CHECK(analysis::ScopeTree(*p.s).scopeOf(wait) == p.node<MapEntry>("m"));
}

// ---------------------------------------------------------------------------------------------------- the table

TEST_CASE("memory: the table, on the host") {
    MemoryFacts host;
    DataDesc d = DataDesc::array(ScalarKind::Float64, {expr("N")}, true);
    auto is = [&](Storage storage, std::optional<int64_t> elements, MemoryFacts f) {
        d.storage = storage;
        f.elements = elements;
        return analysis::chooseMemory(d, f);
    };
    CHECK(is(Storage::CPU_Heap, {}, host) == MemoryKind::Heap);
    CHECK(is(Storage::CPU_Heap, 512, host) == MemoryKind::Stack);
    CHECK(is(Storage::CPU_Heap, 513, host) == MemoryKind::Heap);
    CHECK(is(Storage::Register, 8192, host) == MemoryKind::Stack);
    CHECK(is(Storage::Register, 8193, host) == MemoryKind::Heap);
    CHECK(is(Storage::CPU_ThreadLocal, 8, host) == MemoryKind::PerThread);
    CHECK(is(Storage::GPU_Global, 8, host) == MemoryKind::Stack); // the target has no device
    MemoryFacts team = host, reserved = host, device = host, pooled = host;
    team.inTeam = true;
    reserved.reserved = true;
    device.gpu = pooled.gpu = pooled.pooled = true;
    CHECK(is(Storage::CPU_ThreadLocal, 8, team) == MemoryKind::Heap);
    CHECK(is(Storage::CPU_Heap, 8, reserved) == MemoryKind::Heap);
    CHECK(is(Storage::GPU_Global, 8, device) == MemoryKind::Device);
    CHECK(is(Storage::GPU_Global, 8, pooled) == MemoryKind::Pool);
    CHECK(is(Storage::CPU_Pinned, 8, device) == MemoryKind::Pinned);
    d = DataDesc::scalar(ScalarKind::Float64, true);
    CHECK(is(Storage::Register, 1, host) == MemoryKind::Value);
    d.lifetime = Lifetime::Persistent;
    CHECK(is(Storage::CPU_Heap, 1, host) == MemoryKind::Field);
}

TEST_CASE("memory: the table, in kernels") {
    DataDesc d = DataDesc::array(ScalarKind::Float64, {expr("N")}, true);
    auto is = [&](Storage storage, Executor executor, std::optional<int64_t> elements, bool hostKnows = true) {
        MemoryFacts f;
        f.gpu = true;
        f.executor = executor;
        f.elements = elements;
        f.hostKnowsSize = hostKnows;
        d.storage = storage;
        return analysis::chooseMemory(d, f);
    };
    CHECK(is(Storage::GPU_Global, Executor::Grid, {}) == MemoryKind::Grid);
    CHECK(is(Storage::Register, Executor::Thread, 512) == MemoryKind::Stack);
    CHECK(is(Storage::Register, Executor::Thread, 513) == MemoryKind::Slices);
    CHECK(is(Storage::Register, Executor::Thread, {}) == MemoryKind::Slices);
    CHECK(is(Storage::Register, Executor::Thread, {}, false) == MemoryKind::DeviceHeap);
    CHECK(is(Storage::GPU_Shared, Executor::Block, {}) == MemoryKind::Shared);
    CHECK(is(Storage::GPU_Global, Executor::Block, 16) == MemoryKind::Shared);
    CHECK(is(Storage::GPU_Global, Executor::Thread, 16) == MemoryKind::Stack);
    d = DataDesc::scalar(ScalarKind::Float64, true);
    CHECK(is(Storage::Register, Executor::Thread, 1) == MemoryKind::Value);
}

TEST_CASE("memory: a kernel's array of a size that the host knows is a slice of an arena of the host") {
    Program p(R"(
        transient t: float64[N] (Register)
        state a {
          map m[i = 0:N] (GPU_Device) {
            set: y = 1  with y -> t[0]
            after @t
          }
        }
    )",
              true);
    p.allocate();
    p.place();
    CHECK(p.g.desc("t")->memory == MemoryKind::Slices);
    REQUIRE(p.g.desc("t")->arena);
    const DataDesc &arena = *p.g.desc(p.g.desc("t")->arena);
    CHECK(arena.storage == Storage::GPU_Global);
    CHECK(arena.lifetime == Lifetime::SDFG);
    CHECK(arena.memory == MemoryKind::Slices);
    CHECK(arena.totalSize == expr("N"));
    CHECK(p.problems() == "");
    p.place(); // allocated containers keep their memory
    CHECK(p.g.arrays.size() == 3);
    p.g.desc("t")->arena = Name("A");
    CHECK(p.problems() == "UnsuitableMemory");
}

// ---------------------------------------------------------------------------------------------------- the verifier

TEST_CASE("allocated: what a pass forgets is an error") {
    Program p(R"(
        transient t: float64[n] (CPU_Heap)
        state a {}
        n = 2*N
        state b {
          set: y = 1  with y -> t[0]
        }
    )");
    State *a = p.block<State>("a"), *b = p.block<State>("b");
    SECTION("memory") { CHECK(p.problems() == "UndecidedMemory"); }
    SECTION("a stack of a size that is not constant") {
        p.g.desc("t")->memory = MemoryKind::Stack;
        CHECK(p.problems() == "UnsuitableMemory");
    }
    SECTION("a size that is known later") {
        p.g.desc("t")->lifetime = Lifetime::SDFG;
        p.g.desc("t")->memory = MemoryKind::Heap;
        CHECK(p.problems() == "SizeNotKnown");
    }
    SECTION("a second state") {
        p.g.desc("t")->memory = MemoryKind::Heap;
        p.writeAfter(b, "c", "t");
        CHECK(p.problems() == "UsedBeyondLifetime SizeNotKnown");
    }
    SECTION("a path without memory") {
        State *c = p.writeAfter(b, "c", "t");
        p.allocate();
        p.place();
        REQUIRE(p.reserved() == "t@b");
        CHECK(p.problems() == "");
        p.g.connect(a, c, {"N > 4", Language::Python}, {{"n", "N"}});
        p.run(transforms::createRaiseControlFlow());
        CHECK(p.problems().find("MemoryMissing") != std::string::npos);
    }
}
