// allocate-containers and place-in-memory: lifetimes, nodes that give memory, the table, arenas, and what the verifier says.
#include "GraphBuilder.h"

#include "sdfgc/Analysis/Allocation.h"
#include "sdfgc/Analysis/Async.h"
#include "sdfgc/Analysis/Verify.h"

using namespace sdfgc;
using namespace sdfgc::test;
using analysis::AsyncOp;
using analysis::Executor;
using analysis::MemoryFacts;

namespace {

/// A program with symbols N and n (which edges assign) over arguments A, and containers to be added.
struct Program {
    SDFG g{"f"};
    pass::CompileOptions options;

    explicit Program(bool gpu = false) {
        options.target = gpu ? "cuda" : "cpu";
        for (const char *n : {"N", "n"})
            g.symbols.set(n, ScalarKind::Int64);
        array(g, "A", {expr("N")});
        g.desc("A")->storage = gpu ? Storage::GPU_Global : Storage::CPU_Heap;
    }
    DataDesc &transient(SDFG &in, const char *name, const char *size, Storage storage = Storage::CPU_Heap) {
        array(in, name, {expr(size)}, true);
        in.desc(name)->storage = storage;
        return *in.desc(name);
    }
    DataDesc &transient(const char *name, const char *size, Storage storage = Storage::CPU_Heap) {
        return transient(g, name, size, storage);
    }
    /// A tasklet that writes the first element of a container, in a scope if there is one.
    static AccessNode *write(State *s, const char *name, MapEntry *scope = nullptr) {
        Tasklet *t = tasklet(s, "y = 1");
        if (scope)
            s->connect(scope, "", t, "", Memlet::empty());
        auto *a = s->add<AccessNode>(Name(name));
        s->connect(t, "y", a, "", memlet(name, {at("0")}));
        return a;
    }
    /// A kernel of one thread that writes the first element.
    static void writeOnDevice(State *s, const char *name) {
        MapEntry *m = map(s, {{"i", range("0", "0")}}, Schedule::GPU_Device);
        Tasklet *t = tasklet(s, "y = 1");
        s->connect(m, "", t, "", Memlet::empty());
        s->connect(t, "y", m->exit, "IN_y", memlet(name, {at("0")}));
        s->connect(m->exit, "OUT_y", s->add<AccessNode>(Name(name)), "", memlet(name, {at("0")}));
    }
    void close(State *s, AccessNode *a, MapEntry *scope) { s->connect(a, "", scope->exit, "", Memlet::empty()); }

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
    /// Which container gets memory in which states, in order.
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

Code when(const char *text) { return {text, Language::Python}; }

} // namespace

// ---------------------------------------------------------------------------------------------------- lifetimes

TEST_CASE("allocation: what several states use lives as long as the SDFG") {
    Program p;
    p.transient("one", "N");
    p.transient("both", "N");
    State *a = state(p.g, "a"), *b = state(p.g, "b");
    p.g.connect(a, b);
    Program::write(a, "one");
    Program::write(a, "both");
    Program::write(b, "both");
    p.allocate();
    CHECK(p.g.desc("one")->lifetime == Lifetime::Scope);
    CHECK(p.g.desc("both")->lifetime == Lifetime::SDFG);
    CHECK(p.reserved() == "");
    p.place();
    CHECK(p.problems() == "");
}

TEST_CASE("allocation: what control flow reads lives as long as the SDFG") {
    Program p;
    scalar(p.g, "c", true);
    p.g.desc("c")->storage = Storage::Register;
    State *a = state(p.g, "a"), *b = state(p.g, "b");
    p.g.connect(a, b, when("c > 0"));
    p.g.connect(a, state(p.g, "d"), when("not (c > 0)"));
    Program::write(a, "c");
    (void)b;
    p.allocate();
    CHECK(p.g.desc("c")->lifetime == Lifetime::SDFG);
}

// ---------------------------------------------------------------------------------------------------- sizes that are computed

TEST_CASE("allocation: memory of a computed size is reserved at the nearest common dominator") {
    // begin -> s with n = 2*N;  s -> a, d;  a -> d;  d -> a, end: a loop with two entries
    Program p;
    p.transient("t", "n");
    State *begin = state(p.g, "begin"), *s = state(p.g, "s"), *a = state(p.g, "a"), *d = state(p.g, "d"), *end = state(p.g, "end");
    p.g.connect(begin, s, when("1"), {{"n", "2*N"}});
    p.g.connect(s, a, when("N > 4"));
    p.g.connect(s, d, when("not (N > 4)"));
    p.g.connect(a, d);
    p.g.connect(d, a, when("N > 9"));
    p.g.connect(d, end, when("not (N > 9)"));
    p.g.setStart(begin);
    Program::write(a, "t");
    Program::write(d, "t");
    p.run(transforms::createRaiseControlFlow());
    p.allocate();
    CHECK(p.g.desc("t")->lifetime == Lifetime::SDFG);
    CHECK(p.reserved() == "t@s");
    p.place();
    CHECK(p.g.desc("t")->memory == MemoryKind::Heap);
    CHECK(p.problems() == "");
}

TEST_CASE("allocation: where the dominator does not know the size, each use reserves memory") {
    // begin -> a with n = N, begin -> d with n = 2*N, a -> d
    Program p;
    p.g.symbols.erase(Name("n")); // no caller gives it a value
    p.transient("t", "n");
    State *begin = state(p.g, "begin"), *a = state(p.g, "a"), *d = state(p.g, "d");
    p.g.connect(begin, a, when("N > 4"), {{"n", "N"}});
    p.g.connect(begin, d, when("not (N > 4)"), {{"n", "2*N"}});
    p.g.connect(a, d);
    p.g.setStart(begin);
    Program::write(a, "t");
    Program::write(d, "t");
    p.allocate();
    CHECK(p.reserved() == "t@a t@d");
}

TEST_CASE("allocation: in front of a loop or a conditional a state reserves memory") {
    Program p;
    p.transient("t", "n");
    State *begin = state(p.g, "begin");
    auto *c = p.g.add<ConditionalBlock>();
    c->label = "either";
    p.g.connect(begin, c, when("1"), {{"n", "2*N"}});
    for (const char *label : {"yes", "no"}) {
        Region *r = c->addBranch(label == std::string("yes") ? std::optional<Code>(when("N > 4")) : std::nullopt,
                                 std::make_unique<Region>());
        State *s = r->add<State>();
        s->label = label;
        Program::write(s, "t");
    }
    p.allocate();
    CHECK(p.reserved() == "t@reserve_t");
    p.place();
    CHECK(p.problems() == "");
}

// ---------------------------------------------------------------------------------------------------- devices

TEST_CASE("allocation: device memory is released with the program") {
    Program p(true);
    p.transient("t", "N", Storage::GPU_Global);
    State *s = state(p.g, "a");
    NestedSDFGNode *n = nested(s, "inner");
    n->symbolMapping = {{Name("M"), expr("2*N")}};
    n->sdfg->symbols.set("M", ScalarKind::Int64);
    n->sdfg->symbols.set("k", ScalarKind::Int64);
    p.transient(*n->sdfg, "known", "M", Storage::GPU_Global);
    p.transient(*n->sdfg, "computed", "k", Storage::GPU_Global);
    p.transient(*n->sdfg, "host", "M");
    State *first = state(*n->sdfg, "first"), *then = state(*n->sdfg, "then");
    n->sdfg->connect(first, then, when("1"), {{"k", "M + 1"}});
    Program::writeOnDevice(s, "t");
    for (const char *name : {"known", "computed"})
        Program::writeOnDevice(then, name);
    Program::write(then, "host");
    p.allocate();
    CHECK(p.g.desc("t")->lifetime == Lifetime::SDFG);
    CHECK(n->sdfg->desc("known")->lifetime == Lifetime::Global);
    CHECK(n->sdfg->desc("computed")->lifetime == Lifetime::Global);
    CHECK(n->sdfg->desc("host")->lifetime == Lifetime::Scope);
    CHECK(p.reserved(*n->sdfg) == "computed@then");
    p.place();
    CHECK(n->sdfg->desc("known")->memory == MemoryKind::Device);
    CHECK(p.problems() == "");
}

TEST_CASE("allocation: the size of device memory in a scope of the host is reserved there") {
    Program p(true);
    p.transient("t", "i + 1", Storage::GPU_Global);
    State *s = state(p.g, "a");
    MapEntry *m = map(s, {{"i", range("0", "N - 1")}}, Schedule::Sequential);
    p.close(s, Program::write(s, "t", m), m);
    p.allocate();
    CHECK(p.g.desc("t")->lifetime == Lifetime::SDFG);
    CHECK(p.reserved() == "t@a");
    CHECK(analysis::ScopeTree(*s).scopeOf(s->nodes().back().get()) == m);
}

TEST_CASE("allocation: iterations of a team wait for the device before they release its memory") {
    Program p(true);
    p.transient("t", "N", Storage::GPU_Global);
    State *s = state(p.g, "a");
    MapEntry *m = map(s, {{"i", range("0", "N - 1")}}, Schedule::CPU_Multicore);
    p.close(s, Program::write(s, "t", m), m);
    p.allocate();
    CHECK(p.g.desc("t")->lifetime == Lifetime::Scope);
    const auto *wait = dyn_cast<LibraryNode>(s->nodes().back().get());
    REQUIRE(wait);
    CHECK(analysis::asyncOp(*wait)->kind == AsyncOp::Synchronise);
    CHECK(analysis::ScopeTree(*s).scopeOf(wait) == m);
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
    Program p(true);
    p.transient("t", "N", Storage::Register);
    State *s = state(p.g, "a");
    MapEntry *m = map(s, {{"i", range("0", "N - 1")}}, Schedule::GPU_Device);
    p.close(s, Program::write(s, "t", m), m);
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
    p.place(); // what has memory keeps it
    CHECK(p.g.arrays.size() == 3);
    p.g.desc("t")->arena = Name("A");
    CHECK(p.problems() == "UnsuitableMemory");
}

// ---------------------------------------------------------------------------------------------------- the verifier

TEST_CASE("allocated: what a pass forgets is an error") {
    Program p;
    p.transient("t", "n");
    State *a = state(p.g, "a"), *b = state(p.g, "b");
    p.g.connect(a, b, when("1"), {{"n", "2*N"}});
    Program::write(b, "t");
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
        State *c = state(p.g, "c");
        p.g.connect(b, c);
        Program::write(c, "t");
        CHECK(p.problems() == "UsedBeyondLifetime SizeNotKnown");
    }
    SECTION("a path without memory") {
        State *c = state(p.g, "c");
        p.g.connect(b, c);
        Program::write(c, "t");
        p.allocate();
        p.place();
        REQUIRE(p.reserved() == "t@b");
        CHECK(p.problems() == "");
        p.g.connect(a, c, when("N > 4"), {{"n", "N"}});
        p.run(transforms::createRaiseControlFlow());
        CHECK(p.problems().find("MemoryMissing") != std::string::npos);
    }
}
