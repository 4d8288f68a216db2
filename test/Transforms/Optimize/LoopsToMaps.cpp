// loops-to-maps: which loops have independent iterations.
#include "Transforms/PassRun.h"

using namespace sdfgc;
using namespace sdfgc::test;
using diag::Why;

namespace {

/// A loop over `i` around one state, and the states after it.
struct OneLoop : Graph {
    struct Text {
        std::string range = "i = 0; i < N; i = i + 1", body = "t: y = x + 1  with x: float64 <- A[i]; y: float64 -> B[i]",
                    after = "", more = "";
    };
    explicit OneLoop(const Text &t)
        : Graph(R"(
            sdfg f(A, B) (typed) {
              symbol N, M, i, j, k: int64
              argument A: float64[N] (CPU_Heap)
              argument B: float64[N] (CPU_Heap)
              transient one: float64 (Register)
              transient row: float64[N] (CPU_Heap)
              $more
              loop: for $range {
                state body {
                  $body
                }
              }
              $after
            }
          )",
                {{"$range", t.range}, {"$body", t.body}, {"$after", t.after}, {"$more", t.more}}) {}

    bool convert() { return PassRun(transforms::createLoopsToMaps())(g); }
    const MapEntry *map() const {
        for (const State *s : allStates(std::as_const(g)))
            for (const MapEntry *m : nodesOf<MapEntry>(*s))
                if (m->params.front() == Name("i"))
                    return m;
        return nullptr;
    }
};

bool becomesMap(const OneLoop::Text &t) {
    OneLoop program(t);
    const bool changed = program.convert();
    CHECK(changed == (program.map() != nullptr));
    return changed;
}

} // namespace

TEST_CASE("loops-to-maps: iterations that touch elements of their own") {
    CHECK(becomesMap({}));
    CHECK(becomesMap({.body = "t: y = x + 1  with x: float64 <- B[i]; y: float64 -> B[i]"}));
    CHECK(becomesMap({.range = "i = 1; i <= N - 2; i = i + 2"}));
    CHECK(becomesMap(
        {.range = "i = 0; i < N // 2; i = i + 1", .body = "t: y = x  with x: float64 <- A[2 * i]; y: float64 -> A[2 * i + 1]"}));
    OneLoop stepped({.range = "i = 1; i <= N - 2; i = i + 2"});
    REQUIRE(stepped.convert());
    CHECK(stepped.map()->ranges.front() == sym::Range{1, sym::Expr::symbol("N") - 2, 2, 1});
    CHECK_FALSE(stepped.g.symbols.contains(Name("i"))); // it is never assigned
    CHECK(stepped.g.symbols.contains(Name("j")));
}

TEST_CASE("loops-to-maps: iterations that need each other") {
    CHECK_FALSE(
        becomesMap({.range = "i = 1; i < N; i = i + 1", .body = "t: y = x  with x: float64 <- B[i - 1]; y: float64 -> B[i]"}));
    CHECK_FALSE(becomesMap({.body = "t: y = x  with x: float64 <- A[i]; y: float64 -> B[0]"})); // the last one wins
    CHECK_FALSE(becomesMap({.body = "t: y = x  with x: float64 <- A[i]; y: float64 -> B[0] (wcr = \"lambda a, b: a * b\")"}));
    CHECK_FALSE(becomesMap({.body = "t: y = x  with x: float64 <- A[N - 1 - i]; y: float64 -> A[i]"}));
}

TEST_CASE("loops-to-maps: iterations that only add to an element, or to many") {
    OneLoop one({.body = "t: y = x  with x: float64 <- A[i]; y: float64 -> B[0] (wcr = \"lambda a, b: a + b\")"});
    REQUIRE(one.convert());
    CHECK(one.map()->schedule == Schedule::Sequential); // threads would update atomically
    CHECK_FALSE(becomesMap({.body = "t: y = x + z  with x: float64 <- A[i], z: float64 <- B[1]; y: float64 -> B[0] "
                                    "(wcr = \"lambda a, b: a + b\")\nu: y = x  with x: float64 <- A[i]; y: float64 -> B[1]"}));
}

TEST_CASE("loops-to-maps: headers that are not understood") {
    CHECK_FALSE(becomesMap({.range = "i = 1; i < N; i = 2 * i"}));
    CHECK_FALSE(becomesMap({.range = "i = N - 1; i >= 0; i = i - M"}));
    CHECK_FALSE(becomesMap({.range = "i = N - 1; i < N; i = i - 1"})); // it never ends
    CHECK_FALSE(becomesMap({.range = "i = 0; i < A[0]; i = i + 1"}));
    CHECK_FALSE(becomesMap({.range = "i = 0; i < N and j > 0; i = i + 1"}));
    CHECK_FALSE(becomesMap({.range = "i = 0; i < N / 2; i = i + 1"}));
    CHECK_FALSE(becomesMap({.range = "i = 0; i < 3; i = i + 1"})); // too few for a team
}

TEST_CASE("loops-to-maps: loops that count down") {
    const sym::Expr N = sym::Expr::symbol("N");
    const auto rangeOf = [](const std::string &range) {
        OneLoop program({.range = range});
        REQUIRE(program.convert());
        return program.map()->ranges.front();
    };
    CHECK(rangeOf("i = N - 1; i >= 0; i = i - 1") == sym::Range{0, N - 1, 1, 1});
    CHECK(rangeOf("i = N - 1; i > 2; i = i - 1") == sym::Range{3, N - 1, 1, 1});
    CHECK(rangeOf("i = 30; i >= 1; i = i - 4") == sym::Range{2, 30, 4, 1});
    CHECK(rangeOf("i = N - 1; i >= 0; i = i - 2") == sym::Range{N - 1 - 2 * sym::floorDiv(N - 1, 2), N - 1, 2, 1});
    CHECK_FALSE(
        becomesMap({.range = "i = N - 2; i >= 0; i = i - 1", .body = "t: y = x  with x: float64 <- B[i + 1]; y: float64 -> B[i]"}));
    CHECK_FALSE(becomesMap({.range = "i = 2; i >= 0; i = i - 1"})); // too few for a team
}

TEST_CASE("loops-to-maps: a loop around with the same variable goes on from its last value") {
    Graph program(R"(
        sdfg f(A, B) (typed) {
          symbol N, i: int64
          argument A: float64[N] (CPU_Heap)
          argument B: float64[N] (CPU_Heap)
          around: for i = 0; i < N; i = i + 1 {
            loop: for i = 0; i < 12; i = i + 1 {
              state body {
                t: y = 1.0  with y: float64 -> A[i]
              }
            }
            state use {
              t: y = 2.0  with y: float64 -> B[i]
            }
          }
        }
      )");
    REQUIRE(PassRun(transforms::createLoopsToMaps())(program.g));
    std::vector<std::string> values;
    for (const InterstateEdge *e : allInterstateEdges(std::as_const(program.g)))
        for (const auto &[symbol, value] : e->assignments)
            values.push_back(symbol.str() + " = " + value);
    CHECK(values == std::vector<std::string>{"i = 12"});
}

TEST_CASE("loops-to-maps: the last value of the variable") {
    const std::string end = "\nstate end {\nc: y = k  with y: float64 -> B[0]\n}";
    const auto lastOf = [&](const std::string &range, const std::string &after) -> std::string {
        OneLoop program({.range = range, .after = after});
        if (!program.convert())
            return "";
        for (const InterstateEdge *e : allInterstateEdges(std::as_const(program.g)))
            for (const auto &[symbol, value] : e->assignments)
                if (symbol == Name("i")) {
                    CHECK(isa<State>(e->src));
                    CHECK(program.g.symbols.contains(Name("i")));
                    return value;
                }
        return "none";
    };
    CHECK(lastOf("i = 0; i < N; i = i + 1", "k = i" + end) == "max(N, 0)");
    CHECK(lastOf("i = j; i <= N - 1; i = i + 1", "k = i" + end) == "max(N, j)");
    CHECK(lastOf("i = j; i <= N; i = i + 1", "k = i" + end) == ""); // exceeds A
    CHECK(lastOf("i = 1; i < N; i = i + 3", "k = i" + end) == "3*max((N + 1) // 3, 0) + 1");
    CHECK(lastOf("i = 2; i < 12; i = i + 3", "k = i" + end) == "14");
    CHECK(lastOf("i = 5; i < 1; i = i + 1", "k = i" + end) == "");
    CHECK(lastOf("i = N - 1; i >= 0; i = i - 1", "k = i" + end) == "min(N, 0) - 1");
    CHECK(lastOf("i = 30; i > 1; i = i - 4", "k = i" + end) == "-2");
    CHECK(lastOf("i = 0; i < N; i = i + 1", "state end {\nc: y = i  with y: float64 -> B[0]\n}") == "max(N, 0)");
    CHECK(lastOf("i = 0; i < N; i = i + 1",
                 "other: for i = 0; i < N; i = i + 1 {\nstate s {\nc: y = x  with x: float64 <- B[0]; y: float64 -> B[0]\n}\n}") ==
          "none");
    CHECK(lastOf("i = 0; i < N; i = i + 1",
                 "state end {\nmap m[i = 0:N] (CPU_Multicore) with -> B[0:N] {\nc: y = i  with y: float64 -> B[i]\n}\n}") ==
          "none");
    // Conditions of edges after the loop also read the value.
    CHECK(lastOf("i = 0; i < N; i = i + 1", "if i > 3 {\nstate s {}\n}") == "max(N, 0)");
}

namespace {

/// How the tasklet `t` of a loop body updates `s` once the loop becomes a map: code and function; empty if the loop is not converted.
std::string updateIn(const std::string &body, const std::string &after = "", const std::string &more = "") {
    OneLoop program({.body = body,
                     .after = after,
                     .more = "argument s: int64[4] (CPU_Heap)\nargument h: int32 (CPU_Heap)\nargument u: uint64 (CPU_Heap)\n"
                             "argument I: int64[N] (CPU_Heap)\nargument J: int32[N] (CPU_Heap)\n"
                             "transient old: int64 (Register)\ntransient narrow: int32 (Register)\n" +
                             more});
    if (!program.convert())
        return "";
    const auto *t = program.node<Tasklet>("t");
    CHECK(t->inConnectors.size() == t->inEdges().size());
    return t->code.text() + ", " + t->outEdges().front()->memlet.wcr;
}

} // namespace

TEST_CASE("loops-to-maps: iterations that only add to an element") {
    CHECK(updateIn("t: y = p + x  with p: int64 <- s[1], x: int64 <- I[i]; y: int64 -> s[1]") == "y = x, lambda a, b: a + b");
    CHECK(updateIn("t: y = x * p  with p: int64 <- s[1], x: int64 <- I[i]; y: int64 -> s[1]") == "y = x, lambda a, b: a * b");
    CHECK(updateIn("t: y = x + p + 2 * N  with p: int64 <- s[1], x: int64 <- I[i]; y: int64 -> s[1]") ==
          "y = x + 2 * N, lambda a, b: a + b");
    CHECK(updateIn("t: y = max(x, p)  with p: int64 <- s[1], x: int64 <- I[i]; y: int64 -> s[1]") ==
          "y = x, lambda a, b: max(a, b)");
    CHECK(updateIn("t: y = p | x & 7  with p: int64 <- s[1], x: int64 <- I[i]; y: int64 -> s[1]") ==
          "y = x & 7, lambda a, b: a | b");
    CHECK(updateIn("t: y = p + x  with p: int64 <- s[1], x: int32 <- J[i]; y: int64 -> s[1]") == "y = x, lambda a, b: a + b");
    CHECK(updateIn("t: y = p + x  with p: int32 <- h, x: int64 <- I[i]; y: int32 -> h") == "y = x, lambda a, b: a + b");
    const std::string byScalar = "r: o = p  with p: int64 <- s[1]; o: int64 -> old\n"
                                 "t: y = q + x  with q: int64 <- old, x: int64 <- I[i]; y: int64 -> s[1]";
    CHECK(updateIn(byScalar) == "y = x, lambda a, b: a + b");
    CHECK(updateIn("s[1] -> old\nt: y = q + x  with q: int64 <- old, x: int64 <- I[i]; y: int64 -> s[1]") ==
          "y = x, lambda a, b: a + b");
    CHECK(updateIn(byScalar, "state end {\ne: y = p  with p: int64 <- old; y: float64 -> B[0]\n}").empty()); // is read later
}

TEST_CASE("loops-to-maps: what looks like a sum of integers") {
    const auto stays = [](const std::string &body) { return updateIn(body).empty(); };
    CHECK(stays("t: y = p + x  with p: int64 <- s[1], x: float64 <- A[i]; y: int64 -> s[1]"));   // truncated each time
    CHECK(stays("t: y = p + x / 2  with p: int64 <- s[1], x: int64 <- I[i]; y: int64 -> s[1]")); // of a floating-point number
    CHECK(stays("t: y = p - x  with p: int64 <- s[1], x: int64 <- I[i]; y: int64 -> s[1]"));
    CHECK(stays("t: y = 2 * p + x  with p: int64 <- s[1], x: int64 <- I[i]; y: int64 -> s[1]")); // Horner
    CHECK(stays("t: y = p + x * p  with p: int64 <- s[1], x: int64 <- I[i]; y: int64 -> s[1]"));
    CHECK(stays("t: y = p + x  with p: int64 <- s[2], x: int64 <- I[i]; y: int64 -> s[1]")); // another element
    CHECK(stays("t: y = p + x  with p: int64 <- I[N - 1 - i], x: int32 <- J[i]; y: int64 -> I[N - 1]"));
    CHECK(stays("t: y = max(x, p)  with p: int32 <- h, x: int64 <- I[i]; y: int32 -> h")); // truncated after the maximum
    CHECK(stays(
        "t: y = p + x + z  with p: int64 <- s[1], x: int32 <- J[i], z: int32 <- J[0]; y: int64 -> s[1]")); // x + z might overflow
    CHECK(stays("t: y = p + x  with p: float64 <- B[0], x: float64 <- A[i]; y: float64 -> B[0]"));         // the order matters
    CHECK(stays("t: y = p + x  with p: int64 <- s[1], x: int64 <- I[i]; y: int64 -> s[1]\n"
                "v: y = p  with p: int64 <- s[1]; y: float64 -> B[i]")); // a prefix sum
    CHECK(stays("r: o = p  with p: int64 <- s[1]; o: int32 -> narrow\n"
                "t: y = q + x  with q: int32 <- narrow, x: int64 <- I[i]; y: int64 -> s[1]")); // truncated each time
    CHECK(stays(
        "r: o = p  with p: int64 <- s[1]; o: int64 -> old\nt: y = q + x  with q: int64 <- old, x: int64 <- I[i]; y: int64 -> s[1]\n"
        "v: y = p  with p: int64 <- old; y: float64 -> B[i]"));
    CHECK(stays("t: y = q + x  with q: int64 <- old, x: int64 <- I[i]; y: int64 -> s[1]\n"
                "r: o = p  with p: int64 <- s[1]; o: int64 -> new old")); // the value of the previous iteration
    CHECK(stays("t with p: int64 <- s[1], x: int64 <- I[i]; y: int64 -> s[1] (dynamic = true) {\n"
                "                    if x > 3:\n                        y = p + x\n                  }"));
}

TEST_CASE("loops-to-maps: nests that add to one element") {
    OneLoop program({.body = "map m[j = 0:M] (CPU_Multicore) with <- I[0:M]; -> s[1] (wcr = \"lambda a, b: a + b\") {\n"
                             "t: y = x  with x: int64 <- I[j]; y: int64 -> s[1] (wcr = \"lambda a, b: a + b\")\n}",
                     .more = "argument s: int64[4] (CPU_Heap)\nargument I: int64[N] (CPU_Heap)"});
    CHECK(program.convert());
    OneLoop elements({.body = "map m[j = 0:M] (CPU_Multicore) with <- I[0:M]; -> s[0:M] (wcr = \"lambda a, b: a + b\") {\n"
                              "t: y = x  with x: int64 <- I[j]; y: int64 -> s[j] (wcr = \"lambda a, b: a + b\")\n}",
                      .more = "argument s: int64[M] (CPU_Heap)\nargument I: int64[N] (CPU_Heap)"});
    REQUIRE(elements.convert());
    CHECK(elements.map()->schedule == Schedule::Sequential); // many elements: would need a full copy per thread, or atomic updates
}

TEST_CASE("loops-to-maps: containers of an iteration") {
    const std::string use =
        "a: y = x  with x: float64 <- A[i]; y: float64 -> one\nb: y = x  with x: float64 <- one; y: float64 -> B[i]";
    CHECK(becomesMap({.body = use}));
    CHECK_FALSE(becomesMap({.body = use, .after = "state end {\nc: y = x  with x: float64 <- one; y: float64 -> B[0]\n}"}));
    const std::string before =
        "b: y = x  with x: float64 <- one; y: float64 -> B[i]\na: y = x  with x: float64 <- A[i]; y: float64 -> new one";
    CHECK_FALSE(becomesMap({.body = before}));
    const std::string rows =
        "map m[j = 0:N] (CPU_Multicore) with <- A[0:N]; -> row[0:N] {\na: y = x  with x: float64 <- A[j]; y: float64 -> row[j]\n}\n"
        "b: y = x  with x: float64 <- row[0]; y: float64 -> B[i]";
    OneLoop scratch({.body = rows}); // memory for every iteration, in a nested SDFG
    REQUIRE(scratch.convert());
    CHECK_FALSE(scratch.g.arrays.contains(Name("row")));
    const std::string first = "a: y = x  with x: float64 <- A[i]; y: float64 -> row[0]\n"
                              "b: y = x  with x: float64 <- row[0]; y: float64 -> B[i]";
    CHECK_FALSE(becomesMap({.body = first})); // without a loop in it, the memory would cost too much
}

TEST_CASE("loops-to-maps: bodies that stay") {
    CHECK_FALSE(becomesMap({.body = "t (CPP): y = x;  with x: float64 <- A[i]; y: float64 -> B[i]"}));
    CHECK_FALSE(becomesMap({.body = "t: y = callback(x)  with x: float64 <- A[i]; y: float64 -> B[i]",
                            .more = "symbol callback: {type: callback, arguments: [], returntypes: []}"}));
}

namespace {

/// A loop in which each iteration computes a dot product of two vectors.
bool sumsAsMap(const std::string &vector, const std::string &node = "Dot") {
    OneLoop program({.body = "library blas." + node +
                             " dot (CPU_Multicore) with _x: pointer(float64) <- A[0:M], _y: pointer(float64) <- " + vector +
                             "; _result: pointer(float64) -> B[i]",
                     .more = "argument X: float64[M, N] (CPU_Heap)\n argument Y: float64[N, M] (CPU_Heap)"});
    return program.convert();
}

} // namespace

TEST_CASE("loops-to-maps: why a loop stays") {
    const auto why = [](const OneLoop::Text &t) {
        OneLoop program(t);
        PassRun pass(transforms::createLoopsToMaps());
        pass(program.g);
        return pass.why();
    };
    CHECK(why({}) == Why::None);
    CHECK(why({.body = "t: y = x  with x: float64 <- A[N - 1 - i]; y: float64 -> A[i]"}) == Why::Dependence);
    CHECK(why({.range = "i = 1; i < N; i = 2 * i"}) == Why::LoopForm);
    CHECK(why({.range = "i = 0; i < 3; i = i + 1"}) == Why::Small);
    CHECK(why({.body = "t (CPP): y = x;  with x: float64 <- A[i]; y: float64 -> B[i]"}) == Why::Effects);
    OneLoop kept({});
    for (Region *r : allRegions(kept.g))
        if (auto *l = dyn_cast<LoopRegion>(r))
            l->optimize = false;
    PassRun pass(transforms::createLoopsToMaps());
    CHECK_FALSE(pass(kept.g));
    CHECK(pass.why() == Why::Kept);
}

TEST_CASE("loops-to-maps: sums over columns, which libraries walk down one at a time") {
    CHECK(sumsAsMap("X[0:M, i]"));
    CHECK_FALSE(sumsAsMap("Y[i, 0:M]")); // rows
    CHECK_FALSE(sumsAsMap("X[0:M, i]", "Axpy"));
}

namespace {

/// A loop over `i` around a loop over `j`, with statements before and after it.
struct LoopInLoop : Graph {
    LoopInLoop(const std::string &inner, const std::string &before = "", const std::string &behind = "",
               const std::string &range = "j = 1; j < N; j = j + 1", const std::string &after = "")
        : Graph(R"(
            sdfg f(A, D) (typed) {
              symbol N, i, j, k: int64
              argument A: float64[N] (CPU_Heap)
              argument D: float64[N, N] (CPU_Heap)
              transient sum: float64 (Register)
              transient t: float64 (Register)
              outer: for i = 0; i < N; i = i + 1 {
                state first {
                  $before
                }
                inner: for $range {
                  state second {
                    $inner
                  }
                }
                state third {
                  $behind
                }
              }
              $after
            }
          )",
                {{"$inner", inner}, {"$before", before}, {"$behind", behind}, {"$range", range}, {"$after", after}}) {}

    bool convert() { return PassRun(transforms::createLoopsToMaps())(g); }
};

bool becomesMapOfLoop(LoopInLoop program) {
    if (!program.convert())
        return false;
    const auto *outer = program.node<MapEntry>("outer"), *inner = program.node<MapEntry>("inner");
    CHECK((outer->schedule == Schedule::CPU_Multicore && !outer->ordered));
    CHECK((inner->schedule == Schedule::Sequential && inner->ordered));
    CHECK_FALSE(program.g.symbols.contains(Name("j")));
    return true;
}

const std::string along = "s: y = x + 1  with x: float64 <- D[i, j - 1]; y: float64 -> D[i, j]";

} // namespace

TEST_CASE("loops-to-maps: loops whose iterations depend on each other stay in order inside of a map") {
    CHECK(becomesMapOfLoop({along}));
    CHECK(becomesMapOfLoop({"s: y = x + 1  with x: float64 <- D[j - 1, i]; y: float64 -> D[j, i]"}));
    CHECK_FALSE(becomesMapOfLoop({"s: y = x + 1  with x: float64 <- D[j - 1, j]; y: float64 -> D[j, i]"}));
    // A sum in a variable of the iteration; its order does not change.
    const std::string clear = "c: y = 0.0  with y: float64 -> sum", store = "e: y = x  with x: float64 <- sum; y: float64 -> A[i]";
    const std::string add = "s: y = x + p  with x: float64 <- D[i, j], p: float64 <- sum; y: float64 -> sum";
    CHECK(becomesMapOfLoop({add, clear, store}));
    CHECK_FALSE(becomesMapOfLoop({add, "", store})); // it continues with the value of the previous iteration
    CHECK_FALSE(becomesMapOfLoop({add, clear, store, "j = 1; j < N; j = j + 1",
                                  "state end {\nr: y = x  with x: float64 <- sum; y: float64 -> A[0]\n}"})); // read later
    // A variable of an inner iteration.
    CHECK(becomesMapOfLoop({"a: y = 2 * x  with x: float64 <- D[i, j - 1]; y: float64 -> t\n"
                            "s: y = x  with x: float64 <- t; y: float64 -> D[i, j]"}));
    CHECK_FALSE(becomesMapOfLoop({"s: y = x  with x: float64 <- t; y: float64 -> D[i, j]\n"
                                  "a: y = 2 * x  with x: float64 <- D[i, j - 1]; y: float64 -> new t"}));
}

TEST_CASE("loops-to-maps: ordered maps of loops that count down") {
    const std::string back = "s: y = x + 1  with x: float64 <- D[i, j + 1]; y: float64 -> D[i, j]",
                      range = "j = N - 2; j >= 0; j = j - 1";
    const auto rangeOf = [&](const std::string &text) {
        LoopInLoop program(back, "", "", text);
        REQUIRE(program.convert());
        CHECK(program.node<MapEntry>("inner")->ordered);
        return program.node<MapEntry>("inner")->ranges.front();
    };
    CHECK(becomesMapOfLoop({back, "", "", range}));
    CHECK(rangeOf(range) == sym::Range{sym::Expr::symbol("N") - 2, 0, -1, 1});
    CHECK(rangeOf("j = N - 2; j > i; j = j - 1") == sym::Range{sym::Expr::symbol("N") - 2, sym::Expr::symbol("i") + 1, -1, 1});
    CHECK_FALSE(becomesMapOfLoop({"s: y = x + 1  with x: float64 <- D[j + 1, j]; y: float64 -> D[j, i]", "", "", range}));
    // A sum in a variable of the iteration.
    const std::string clear = "c: y = 0.0  with y: float64 -> sum", store = "e: y = x  with x: float64 <- sum; y: float64 -> A[i]";
    const std::string add = "s: y = x + p  with x: float64 <- D[i, j], p: float64 <- sum; y: float64 -> sum";
    CHECK(becomesMapOfLoop({add, clear, store, "j = N - 1; j > 0; j = j - 1"}));
    CHECK_FALSE(becomesMapOfLoop({add, "", store, "j = N - 1; j > 0; j = j - 1"}));
}

TEST_CASE("loops-to-maps: Reduce nodes in loops that stay loops") {
    const auto reduces = [](const std::string &to) {
        return LoopInLoop(
            "library standard.Reduce r (Sequential, wcr = \"lambda a, b: max(a, b)\", identity = \"-inf\") with <- D[i, 0:j]; -> " +
            to);
    };
    LoopInLoop program = reduces("D[i, j]");
    REQUIRE(program.convert());
    CHECK(program.node<MapEntry>("inner")->ordered);
    for (const State *s : allStates(std::as_const(program.g)))
        CHECK(nodesOf<LibraryNode>(*s).empty());
    CHECK_FALSE(reduces("D[j, j]").convert()); // read by the rows below
    CHECK_FALSE(LoopInLoop("library blas.Axpy r (Sequential) with _x <- D[i, 0:j], _y <- D[i, 0:j]; _res -> D[i, 0:j]").convert());
}

TEST_CASE("loops-to-maps: inner loops that are no ordered maps") {
    CHECK(becomesMapOfLoop({along, "", "", "j = i + 1; j < N; j = j + 1"}));
    LoopInLoop whole(along, "", "", "j = 1; j < N and A[j] > 0; j = j + 1"); // is moved as it is
    REQUIRE(whole.convert());
    CHECK(whole.node<MapEntry>("outer")->schedule == Schedule::CPU_Multicore);
    CHECK_FALSE(whole.g.symbols.contains(Name("j")));
    CHECK_FALSE(LoopInLoop(along, "", "w: y = 1.0  with y: float64 -> A[i]", "j = 1; j < N and A[j] > 0; j = j + 1").convert());
    CHECK_FALSE(
        becomesMapOfLoop({along, "", "", "j = 1; j < N; j = j + 1", "k = j\nstate end {\nr: y = k  with y: float64 -> A[0]\n}"}));
}
