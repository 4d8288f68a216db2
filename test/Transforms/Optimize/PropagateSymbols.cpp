// propagate-symbols: which symbols are replaced by their values, and which assignments have no effect.
#include "Transforms/PassRun.h"

#include "sdfgc/Analysis/Symbols/Symbols.h"

using namespace sdfgc;
using namespace sdfgc::test;

namespace {

/// A program that assigns `k` and reads it.
struct OneSymbol : Graph {
    struct Text {
        std::string edge = "k = i + 1", state = "t: o = k  with o: float64 -> B[k]", after = "", more = "", begin = "";
    };
    explicit OneSymbol(const Text &t)
        : Graph(R"(
            sdfg f(A, B) (typed) {
              symbol N, i, j, k, m: int64
              symbol small: int32
              argument A: int64[N] (CPU_Heap)
              argument B: float64[N] (CPU_Heap)
              $more
              $begin
              state first {}
              $edge
              state second {
                $state
              }
              $after
            }
          )",
                {{"$edge", t.edge}, {"$state", t.state}, {"$after", t.after}, {"$more", t.more}, {"$begin", t.begin}}) {}
    bool run() { return PassRun(transforms::createPropagateSymbols())(g); }
    bool has(const char *symbol) const { return g.symbols.contains(Name(symbol)); }
};

bool isReplaced(const OneSymbol::Text &t) {
    OneSymbol program(t);
    program.run();
    return !program.has("k");
}

} // namespace

TEST_CASE("propagate-symbols: a symbol whose value is known where it is read") {
    OneSymbol program({.after = "if k > 3 {\nstate s {}\n}\nl: for j = k; j < 2 * k; j = j + 1 {\nstate b {}\n}"});
    REQUIRE(program.run());
    CHECK_FALSE(program.has("k"));
    const auto *t = program.node<Tasklet>("t");
    CHECK(t->code.text() == "o = i + 1");
    CHECK(t->outEdges().front()->memlet.subset->str() == "i + 1");
    const auto *l = program.block<LoopRegion>("l");
    CHECK(l->init->text() == "j = i + 1");
    CHECK(l->condition->text() == "j < 2 * (i + 1)");
    CHECK(allInterstateEdges(program.g).front()->assignments.empty());
}

TEST_CASE("propagate-symbols: the size of a kernel's blocks") {
    OneSymbol program({.state = "map m[j = 0:N] (GPU_Device, gpu_block_size = [k, 1, 1]) with -> B[0:N] {\n"
                                "t: o = 1.0  with o: float64 -> B[j]\n}\n"});
    REQUIRE(program.run());
    CHECK_FALSE(program.has("k"));
    CHECK(program.node<MapEntry>("m")->gpuBlockSize->front().str() == "i + 1");
}

TEST_CASE("propagate-symbols: values") {
    CHECK(isReplaced({.edge = "k = N"}));
    CHECK(isReplaced({.edge = "k = 2 * i + N - 1"}));
    CHECK(isReplaced({.edge = "k = 7"}));
    CHECK(isReplaced({.edge = "k = 0\nstate x {}\nk = k + 1\nstate y {}\nk = 3 * k"}));
    CHECK(isReplaced({.edge = "m = i + 1\nstate x {}\nk = m + 1"}));
    CHECK_FALSE(isReplaced({.edge = "k = small + 1"}));  // computed with 32 bits
    CHECK_FALSE(isReplaced({.edge = "k = 5000000000"})); // would need a type
    CHECK_FALSE(isReplaced({.edge = "k = i / 2"}));
    CHECK_FALSE(isReplaced({.edge = "k = min(i, N)"}));
    CHECK_FALSE(isReplaced({.edge = "k = A[i]"}));
    CHECK_FALSE(
        isReplaced({.edge = "k = callback(i)", .more = "symbol callback: {type: callback, arguments: [], returntypes: []}"}));
    CHECK_FALSE(isReplaced({.edge = "k = i * i * i + N * N * j + 7 * m * N"})); // too long to be used in many places
}

TEST_CASE("propagate-symbols: the type of a number") {
    OneSymbol program({.edge = "k = 7", .state = "t: o = k * a + k - N  with a: int32 <- A[k]; o: float64 -> B[k]"});
    REQUIRE(program.run());
    CHECK(program.node<Tasklet>("t")->code.text() == "o = dace.int64(7) * a + dace.int64(7) - N");
}

TEST_CASE("propagate-symbols: values that change") {
    CHECK_FALSE(isReplaced({.edge = "k = i\nstate x {}\ni = i + 1"})); // has the old value
    CHECK_FALSE(isReplaced({.edge = "if N > 3 {\nstate x {}\nk = 1\nstate y {}\n} else {\nstate z {}\nk = 2\nstate w {}\n}"}));
    CHECK(isReplaced({.edge = "if N > 3 {\nstate x {}\nk = 1\nstate y {}\n} else {\nstate z {}\nk = 1\nstate w {}\n}"}));
    CHECK_FALSE(isReplaced({.edge = "k = 1\nstate v {}\nif N > 3 {\nstate x {}\nk = 2\nstate y {}\n}"}));
    CHECK_FALSE(isReplaced({.edge = "k = 0\nl: for j = 0; j < N; j = j + 1 {\nstate x {}\nk = k + 1\nstate y {}\n}"}));
    CHECK_FALSE(isReplaced({.edge = "k = 0\nl: for j = k; j < N; j = j + 1 {\nstate x {\nu: o = k  with o: float64 -> B[0]\n}\n"
                                    "k = j\nstate y {}\n}",
                            .state = ""})); // the second iteration reads another value
    CHECK_FALSE(isReplaced({.edge = "l: for j = 0; j < N; j = j + 1 {\nstate x {}\nk = j\nstate y {}\n}"})); // its last value
    CHECK_FALSE(isReplaced({.edge = "k = j\nl: for j = 0; j < N; j = j + 1 {\nstate x {}\n}"}));
    CHECK_FALSE(
        isReplaced({.state = "t: o = k  with o: float64 -> B[k]", .begin = "state s {\nu: o = k  with o: float64 -> B[0]\n}"}));
}

TEST_CASE("propagate-symbols: no order that is known") {
    const std::string jumps =
        "unstructured u {\nstate a {}\ngoto b if N > 3\n$value\ngoto c if N <= 3\nstate b {}\nstop\nstate c {}\n}";
    CHECK_FALSE(isReplaced({.edge = "k = 1\nstate v {}\n" + replaced(jumps, {{"$value", "k = 2"}})}));
    CHECK(isReplaced({.edge = "k = 1\nstate v {}\n" + replaced(jumps, {{"$value", "m = 2"}})}));
    CHECK_FALSE(
        isReplaced({.edge = "k = 1\nl: for j = 0; j < N; j = j + 1 {\nif j > 3 {\nstate x {}\nk = 2\nstate y {}\nbreak\n}\n}"}));
}

TEST_CASE("propagate-symbols: places that take no other symbols") {
    CHECK_FALSE(isReplaced({.more = "transient big: float64[k] (CPU_Heap)"}));
    CHECK_FALSE(isReplaced({.state = "t (CPP): o = k;  with o: float64 -> B[0]"}));
    CHECK_FALSE(isReplaced(
        {.state = "map m[i = 0:N] (CPU_Multicore) with -> B[0:N] {\nu: o = k  with o: float64 -> B[i]\n}"})); // a different i
    CHECK_FALSE(isReplaced({.state = "t: o = k + i  with i: int64 <- A[0]; o: float64 -> B[0]"}));            // a different i
    CHECK_FALSE(isReplaced(
        {.state = "",
         .after = "l (optimize = false): for j = 0; j < N; j = j + 1 {\nstate b {\nu: o = k  with o: float64 -> B[0]\n}\n}"}));
    CHECK_FALSE(isReplaced(
        {.state = "map m[j = 0:N] (CPU_Multicore, optimize = false) with -> B[0:N] {\nu: o = k  with o: float64 -> B[j]\n}"}));
    CHECK(isReplaced({.state = "map m[j = 0:k] (CPU_Multicore) with -> B[0:k] {\nu: o = k  with o: float64 -> B[j]\n}"}));
    // A connector with this name is not the symbol.
    OneSymbol program({.after = "state s {\nu: o = k  with k: int64 <- A[0]; o: float64 -> B[0]\n}"});
    REQUIRE(program.run());
    CHECK(program.node<Tasklet>("u")->code.text() == "o = k");
}

TEST_CASE("propagate-symbols: assignments of the value that a symbol has") {
    const std::string sized = "transient big: float64[k] (CPU_Heap)";
    OneSymbol program({.edge = "k = N\nstate x {}\nk = N\nstate y {}\nk = N + 1\nstate z {}\nk = N + 1", .more = sized});
    REQUIRE(program.run());
    std::vector<std::string> left;
    for (const InterstateEdge *e : allInterstateEdges(program.g))
        for (const auto &[symbol, value] : e->assignments)
            left.push_back(value);
    CHECK(left == std::vector<std::string>{"N", "N + 1"});
    OneSymbol kept({.edge = "k = m\nstate x {}\nm = m + 1\nstate y {}\nk = m", .more = sized}); // a different m
    CHECK_FALSE(kept.run());
}

TEST_CASE("propagate-symbols: assignments of one edge do not read each other") {
    CHECK_FALSE(isReplaced({.edge = "k = i\nstate x {}\ni = 5\nm = k + 1", .state = ""}));
    CHECK(isReplaced({.edge = "k = i\nstate x {}\ni = k + 1", .state = ""}));
}

TEST_CASE("propagate-symbols: all or none") {
    OneSymbol program({.edge = "m = i + 1\nstate x {}\nk = m + 1"});
    PassRun run(transforms::createPropagateSymbols());
    run.context.changeLimit = 0;
    CHECK_FALSE(run(program.g));
    CHECK(program.has("k"));
    CHECK(program.has("m"));
    // One use remains, so the symbols in its value also remain.
    OneSymbol part({.edge = "m = i + 1\nstate x {}\nk = m + 1", .after = "state z {\nt (CPP): o = m;  with o: float64 -> B[0]\n}"});
    CHECK(part.run());
    CHECK(part.has("m"));
    CHECK(part.node<Tasklet>("t")->code.text() == "o = m + 1");
}

TEST_CASE("propagate-symbols: variables of loops") {
    // Are all assignments to `k` removed, and its uses outside of loops over it replaced?
    const auto isReplaced = [](const std::string &after, const std::string &begin = "", const std::string &edge = "k = N - 1") {
        OneSymbol program({.edge = edge, .after = after, .begin = begin});
        program.run();
        CHECK(program.has("k"));
        const auto edges = allInterstateEdges(std::as_const(program.g));
        const bool gone = std::none_of(edges.begin(), edges.end(), [](const InterstateEdge *e) {
            return std::any_of(e->assignments.begin(), e->assignments.end(), [](const auto &a) { return a.first == Name("k"); });
        });
        CHECK((program.node<Tasklet>("t")->code.text() == "o = k") != gone);
        return gone;
    };
    const std::string body = " {\nstate b {\nu: o = k  with o: float64 -> B[k]\n}\n}",
                      loop = "l: for k = 0; k < N; k = k + 1" + body;
    CHECK(isReplaced(loop));
    CHECK(isReplaced("", loop));
    CHECK(isReplaced("l: for k = N - 2; k >= 0; k = k - 1" + body, loop));
    CHECK(isReplaced("o: for j = 0; j < N; j = j + 1 {\nl: for k = j; k < N; k = k + 1" + body + "\n}"));
    CHECK_FALSE(isReplaced(loop + "\nstate e {\nv: o = k  with o: float64 -> B[0]\n}")); // its last value
    CHECK_FALSE(isReplaced("l: for k = k + 1; k < N; k = k + 1" + body));                // continues from there
    CHECK_FALSE(isReplaced("l: for k = 0; k < N; k = 2 * k + 1" + body));
    CHECK_FALSE(isReplaced("l: for k = 0; k < N; k = k + 1 {\nstate b {}\nk = k + 2\nstate c {}\n}")); // changed in the loop
    CHECK_FALSE(isReplaced("", loop, "k = min(i, N)"));
}

TEST_CASE("propagate-symbols: callers pass what they passed") {
    OneSymbol program({.edge = "k = j - j + 1"});
    const std::set<Name> before = analysis::freeSymbols(program.g);
    program.run();
    std::set<Name> after = analysis::freeSymbols(program.g);
    after.insert(program.g.passedSymbols.begin(), program.g.passedSymbols.end());
    CHECK(after == before);
}
