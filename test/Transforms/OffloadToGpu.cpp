// offload-to-gpu: which memory moves, and what becomes a kernel.
#include "GraphBuilder.h"

using namespace sdfgc;
using namespace sdfgc::test;

namespace {

/// map[i] { y -> an access node inside of the map }, which nothing but an empty edge connects to the exit.
struct WriteInside {
    SDFG g{"f"};
    MapEntry *entry;

    explicit WriteInside(const std::string &written) {
        array(g, "A", {expr("N")});
        array(g, "own", {1}, true);
        g.symbols.set("N", ScalarKind::Int64);
        State *s = state(g);
        entry = map(s, {{"i", range("0", "N - 1")}}, Schedule::CPU_Multicore);
        Tasklet *t = tasklet(s, "y = 1");
        auto *target = s->add<AccessNode>(written);
        s->connect(entry, "", t, "", Memlet::empty());
        s->connect(t, "y", target, "", memlet(written, {at(written == "own" ? "0" : "i")}));
        s->connect(target, "", entry->exit, "", Memlet::empty());
    }
};

bool offload(SDFG &g) {
    PassRun pass(transforms::createOffloadToGpu());
    return pass(g);
}

} // namespace

TEST_CASE("offload-to-gpu: a map that writes through an access node of its own is a kernel") {
    WriteInside w("A");
    REQUIRE(offload(w.g));
    CHECK(w.entry->schedule == Schedule::GPU_Device);
    CHECK(w.g.desc("gpu_A")->storage == Storage::GPU_Global);
    CHECK(w.g.start()->label == "copy_in");
}

TEST_CASE("offload-to-gpu: what each iteration has for itself does not move a map") {
    WriteInside w("own");
    offload(w.g);
    CHECK(w.entry->schedule == Schedule::CPU_Multicore);
    CHECK_FALSE(isGpuStorage(w.g.desc("own")->storage));
}

TEST_CASE("offload-to-gpu: a program with a stream stays on the host and says so") {
    WriteInside w("A");
    DataDesc queue = DataDesc::array(ScalarKind::Float64, {1}, true);
    queue.kind = DataKind::Stream;
    w.g.arrays.set("S", queue);
    PassRun pass(transforms::createOffloadToGpu());
    CHECK_FALSE(pass(w.g));
    REQUIRE(pass.context.remarks.size() == 1);
    CHECK(pass.context.remarks.front().text == "the program stays on the host: stream `S`");
}

TEST_CASE("offload-to-gpu: memory of the host that the caller provides keeps a program there") {
    WriteInside w("A");
    w.g.desc("own")->lifetime = Lifetime::External;
    CHECK_FALSE(offload(w.g));
}

TEST_CASE("offload-to-gpu: only what is written is copied back, also where a view writes it") {
    // A -> V, where V looks at B
    SDFG g("f");
    array(g, "A", {4});
    array(g, "B", {8});
    DataDesc view = DataDesc::array(ScalarKind::Float64, {4}, true);
    view.alias = AliasKind::View;
    g.arrays.set("V", view);
    State *s = state(g);
    auto *a = s->add<AccessNode>("A"), *v = s->add<AccessNode>("V"), *b = s->add<AccessNode>("B");
    s->connect(a, "", v, "", memlet("A", {range("0", "3")}));
    s->connect(v, "views", b, "", memlet("B", {range("0", "3")}));
    REQUIRE(offload(g));
    std::vector<std::string> copiedBack;
    for (const State *out : allStates(g))
        if (out->label == "copy_out")
            for (const auto &e : out->edges())
                copiedBack.push_back(e->memlet.data.str());
    CHECK(copiedBack == std::vector<std::string>{"gpu_B"});
}

TEST_CASE("offload-to-gpu: a scalar of the caller that a kernel writes beside an array moves") {
    SDFG g("f");
    array(g, "A", {1});
    scalar(g, "next");
    State *s = state(g);
    Tasklet *t = tasklet(s, "a = 1; n = 2");
    s->connect(t, "a", s->add<AccessNode>("A"), "", memlet("A", {at("0")}));
    s->connect(t, "n", s->add<AccessNode>("next"), "", memlet("next", {at("0")}));
    REQUIRE(offload(g));
    REQUIRE(g.desc("gpu_next"));
    CHECK(g.desc("gpu_next")->storage == Storage::GPU_Global);
}

namespace {

/// map[i = 1:N] Sequential { y = x } from A[read] to A[i].
struct SequentialMap {
    SDFG g{"f"};
    MapEntry *entry;

    explicit SequentialMap(const std::string &read, const std::string &wcr = "") {
        array(g, "A", {expr("N")});
        g.symbols.set("N", ScalarKind::Int64);
        State *s = state(g);
        entry = map(s, {{"i", range("1", "N - 1")}}, Schedule::Sequential);
        Tasklet *t = tasklet(s, "y = x");
        auto *from = s->add<AccessNode>("A"), *to = s->add<AccessNode>("A");
        const Memlet all = memlet("A", {range("0", "N - 1")});
        Memlet write = memlet("A", {at("i")});
        write.wcr = wcr;
        s->connect(from, "", entry, "IN_A", all);
        s->connect(entry, "OUT_A", t, "x", memlet("A", {at(read)}));
        s->connect(t, "y", entry->exit, "IN_A", write);
        s->connect(entry->exit, "OUT_A", to, "", all);
    }
    const MapEntry *around() const { return dyn_cast<MapEntry>(analysis::ScopeTree(*entry->state()).scopeOf(entry)); }
};

} // namespace

TEST_CASE("offload-to-gpu: a sequential map whose iterations depend on each other runs in one thread") {
    SequentialMap m("i - 1");
    PassRun pass(transforms::createOffloadToGpu());
    REQUIRE(pass(m.g));
    CHECK(m.entry->schedule == Schedule::Sequential);
    REQUIRE(m.around());
    CHECK(m.around()->schedule == Schedule::GPU_Device);
    CHECK(m.around()->ranges[0].steps().isOne());
    REQUIRE(pass.context.remarks.size() == 1);
    CHECK(pass.context.remarks.front().text ==
          "runs in one thread of the device: an iteration may use what another one writes to `gpu_A`");
}

TEST_CASE("offload-to-gpu: a sequential map whose iterations keep apart is a kernel") {
    SequentialMap m("i");
    REQUIRE(offload(m.g));
    CHECK(m.entry->schedule == Schedule::GPU_Device);
    CHECK_FALSE(m.around());
}

TEST_CASE("offload-to-gpu: an update of what the iteration before read keeps the order") {
    SequentialMap m("i - 1", "lambda a, b: a + b");
    REQUIRE(offload(m.g));
    CHECK(m.entry->schedule == Schedule::Sequential);
}

TEST_CASE("offload-to-gpu: a program whose control flow reads what a tasklet changes stays on the host") {
    SDFG g("f");
    array(g, "A", {1});
    State *s = state(g), *next = state(g, "next");
    g.connect(s, next)->assignments.emplace_back("k", "1");
    Tasklet *t = tasklet(next, "a = 1; k *= 2");
    next->connect(t, "a", next->add<AccessNode>("A"), "", memlet("A", {at("0")}));
    PassRun pass(transforms::createOffloadToGpu());
    CHECK_FALSE(pass(g));
    REQUIRE(pass.context.remarks.size() == 1);
    CHECK(pass.context.remarks.front().text == "the program stays on the host: tasklet `t` changes the symbol `k`");
}

TEST_CASE("offload-to-gpu: what a library node overwrites is not copied to the device") {
    auto copiedIn = [](const char *kind, int beta, const char *rows) {
        SDFG g("f");
        for (const char *name : {"A", "B", "C"})
            array(g, name, {8, 8});
        State *s = state(g);
        auto *n = s->add<LibraryNode>();
        n->classPath = std::string("dace.libraries.blas.nodes.") + kind;
        n->label = "node";
        n->properties.set("beta", json::Value(beta));
        auto all = [](const char *name, const char *last) { return memlet(name, {range("0", last), range("0", "7")}); };
        s->connect(s->add<AccessNode>("A"), "", n, "_a", all("A", "7"));
        s->connect(s->add<AccessNode>("B"), "", n, "_b", all("B", "7"));
        s->connect(n, "_c", s->add<AccessNode>("C"), "", all("C", rows));
        offload(g);
        std::set<std::string> names;
        for (const auto &e : cast<State>(g.start())->edges())
            if (auto *a = dyn_cast<AccessNode>(e->dst))
                names.insert(a->data.str());
        return names;
    };
    using Names = std::set<std::string>;
    CHECK(copiedIn("gemm.Gemm", 0, "7") == Names{"gpu_A", "gpu_B"});
    CHECK(copiedIn("gemm.Gemm", 1, "7") == Names{"gpu_A", "gpu_B", "gpu_C"}); // adds to what is there
    CHECK(copiedIn("gemm.Gemm", 0, "3") == Names{"gpu_A", "gpu_B", "gpu_C"}); // writes half of it
    CHECK(copiedIn("unknown.Unknown", 0, "7") == Names{"gpu_A", "gpu_B", "gpu_C"});
}
