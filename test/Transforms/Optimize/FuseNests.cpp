// fuse-nests and contract-arrays: which maps are fused, and which arrays become variables.
#include "Transforms/PassRun.h"

using namespace sdfgc;
using namespace sdfgc::test;
using diag::Why;

namespace {

/// A map that writes `written` from `read`, and one in the next state that writes `B[...]` from the given input.
struct TwoMaps : Graph {
    struct Text {
        std::string first = "[i = 0:N]", second = "[i = 0:N]", write = "t[i]", read = "t[i]", into = "B[i]", from = "A[i]",
                    more = "", between = "", to = "B", transient = "t: float64[N]", one = "y = x + 1";
    };
    explicit TwoMaps(const Text &t)
        : Graph(R"(
            sdfg f(A, B) (typed) {
              symbol N, M: int64
              argument A: float64[N] (CPU_Heap)
              argument B: float64[N] (CPU_Heap)
              transient $transient (CPU_Heap)
              transient u: float64[N, N] (CPU_Heap)
              $more
              state first {
                map one$first (CPU_Multicore) with <- A[0:N]; -> t {
                  one: $code  with x: float64 <- $from; y: float64 -> $write
                }
              }
              $between
              state second {
                map two$second (CPU_Multicore) with <- t; -> $to {
                  two: y = x * 2  with x: float64 <- $read; y: float64 -> $into
                }
              }
            }
          )",
                {{"$transient", t.transient},
                 {"$first", t.first},
                 {"$second", t.second},
                 {"$write", t.write},
                 {"$read", t.read},
                 {"$into", t.into},
                 {"$from", t.from},
                 {"$more", t.more},
                 {"$between", t.between},
                 {"$to", t.to},
                 {"$code", t.one}}) {}

    std::size_t maps() const {
        std::size_t n = 0;
        for (const State *each : allStates(std::as_const(g)))
            n += nodesOf<MapEntry>(*each).size();
        return n;
    }
    bool fuse(bool partial = false, int64_t steps = 200) {
        PassRun pass("fuse-nests");
        pass.pass->options["partial"] = partial;
        pass.pass->options["steps"] = steps;
        const bool changed = pass(g);
        why = pass.why();
        return changed;
    }
    Why why = Why::None; // fuse did not do more
    bool contract() {
        PassRun pass("contract-arrays");
        return pass(g);
    }
};

bool fuses(const TwoMaps::Text &t) {
    TwoMaps program(t);
    const bool changed = program.fuse();
    CHECK(changed == (program.maps() == 1));
    return changed;
}

/// Do the maps share their first loops if they cannot share all of them?
bool sharesLoops(const TwoMaps::Text &t) {
    TwoMaps program(t);
    CHECK_FALSE(TwoMaps(t).fuse());
    return program.fuse(true);
}

bool contracts(const TwoMaps::Text &t) {
    TwoMaps program(t);
    REQUIRE(program.fuse());
    const bool changed = program.contract();
    CHECK(changed == program.g.arrays.find(Name("t"))->isScalar());
    return changed;
}

} // namespace

TEST_CASE("fuse-nests: maps over the same iterations") {
    CHECK(fuses({}));
    CHECK(fuses({.second = "[j = 0:N]", .read = "t[j]", .into = "B[j]"}));
    CHECK(fuses({.first = "[i = 1:N]", .second = "[j = 0:N - 1]", .write = "t[i - 1]", .read = "t[j]", .into = "B[j]"}));
    CHECK(fuses({.first = "[i = 0:N:2]", .second = "[j = 1:N + 1:2]", .read = "t[j - 1]", .into = "B[j - 1]"}));
    CHECK_FALSE(fuses({.second = "[i = 0:N - 1]"}));
    CHECK_FALSE(fuses({.first = "[i = 0:N, j = 0:M]"}));
    CHECK_FALSE(fuses({.first = "[i = 0:N:2]"}));
}

TEST_CASE("fuse-nests: an element of another iteration keeps maps apart") {
    CHECK_FALSE(fuses({.first = "[i = 0:N - 1]", .second = "[i = 0:N - 1]", .read = "t[i + 1]"}));
    CHECK_FALSE(fuses({.read = "t[N - 1 - i]"}));
    CHECK_FALSE(fuses({.write = "t[0]"}));
    CHECK_FALSE(fuses({.read = "t[0]"}));
    CHECK_FALSE(fuses(
        {.first = "[i = 0:N - 1]", .second = "[i = 0:N - 1]", .into = "A[i + 1]", .to = "A"})); // overwritten before it is read
    CHECK(fuses({.into = "A[i]", .to = "A"}));                                                  // in its own iteration, later
    CHECK_FALSE(fuses({.first = "[i = 0:N - 1]", .second = "[i = 0:N - 1]", .into = "t[i + 1]", .to = "t"}));
    CHECK(fuses({.first = "[i = 0:N // 2]", .second = "[i = 0:N // 2]", .write = "t[2 * i]", .read = "t[2 * i + 1]"}));
}

TEST_CASE("fuse-nests: transposed accesses") {
    const TwoMaps::Text square{.first = "[i = 0:N, j = 0:N]",
                               .second = "[i = 0:N, j = 0:N]",
                               .write = "t[i, j]",
                               .read = "t[i, j]",
                               .into = "B[i]",
                               .transient = "t: float64[N, N]"};
    CHECK(fuses(square));
    TwoMaps::Text transposed = square;
    transposed.read = "t[j, i]";
    CHECK_FALSE(fuses(transposed));
    transposed.second = "[j = 0:N, i = 0:N]"; // the parameters also have other names
    CHECK(fuses(transposed));
}

TEST_CASE("fuse-nests: what stands between") {
    CHECK(fuses({.between = "state middle {\nc: y = 0.0  with y: float64 -> u[0, 0]\n}"}));
    CHECK(fuses({.between = "state middle {\nc: y = 0.0  with y: float64 -> A[0]\n}"})); // the later map moves up before it
    CHECK_FALSE(fuses({.between = "state middle {\nc: y = 0.0  with y: float64 -> t[0]\n}"}));
    CHECK_FALSE(fuses({.between = "M = 1"}));
}

TEST_CASE("fuse-nests: effects and arguments that overlap") {
    CHECK_FALSE(fuses({.more = R"(symbol callback: {type: callback, arguments: [], returntypes: []})", .one = "y = callback(x)"}));
    TwoMaps aliased({});
    for (const char *name : {"A", "B"})
        aliased.g.arrays.find(Name(name))->mayAlias = true;
    CHECK_FALSE(aliased.fuse());
}

TEST_CASE("fuse-nests: a copy joins as a map where it reads nothing that it writes") {
    auto joins = [](const std::string &from, const std::string &to) {
        Graph program(R"(
            sdfg f(D, E) (typed) {
              symbol M: int64
              argument D: float64[M] (CPU_Heap)
              argument E: float64[2*M] (CPU_Heap)
              state s {
                map m[i = 1:M] (Sequential) with <- E[0:2*M]; -> D[1:M] {
                  t: y = x  with x: float64 <- E[0]; y: float64 -> D[i]
                }
                new E[$from] -> E[$to]
              }
            }
          )",
                      {{"$from", from}, {"$to", to}});
        PassRun pass("fuse-nests");
        pass.pass->options["partial"] = false;
        return pass(program.g);
    };
    CHECK(joins("M:2*M - 1", "1:M"));
    CHECK_FALSE(joins("0:M - 1", "1:M")); // each element from the previous one: one by one, all would get the value of the first
    CHECK_FALSE(joins("2:M + 1", "1:M"));
}

TEST_CASE("fuse-nests: why maps stay apart") {
    const auto why = [](const TwoMaps::Text &t) {
        TwoMaps program(t);
        program.fuse();
        return program.why;
    };
    CHECK(why({}) == Why::None);
    CHECK(why({.read = "t[N - 1 - i]"}) == Why::Dependence);
    CHECK(why({.read = "t[i*i]"}) == Why::NotAffine);
    CHECK(why({.between = "state middle {\nc: y = 0.0  with y: float64 -> t[0]\n}"}) == Why::Order);
    TwoMaps aliased({});
    for (const char *name : {"A", "B"})
        aliased.g.arrays.find(Name(name))->mayAlias = true;
    aliased.fuse();
    CHECK(aliased.why == Why::MayAlias);
    TwoMaps limited({});
    CHECK_FALSE(limited.fuse(false, 1));
    CHECK(limited.why == Why::Budget);
}

TEST_CASE("fuse-nests: maps of different shapes share their first loops") {
    const TwoMaps::Text rows{.first = "[i = 0:N]", .second = "[i = 0:N, j = 0:M]", .read = "t[i]", .into = "u[i, j]", .to = "u"};
    CHECK(sharesLoops(rows));
    TwoMaps::Text columns = rows;
    columns.read = "t[j]"; // all of the first map comes first
    CHECK_FALSE(sharesLoops(columns));
    TwoMaps::Text hidden = rows;
    hidden.second = "[k = 0:N, i = 0:M]"; // the inner loop's parameter would hide the outer one
    hidden.read = "t[k]";
    hidden.into = "u[k, i]";
    CHECK_FALSE(sharesLoops(hidden));
}

TEST_CASE("contract-arrays: one element in each iteration, written first") {
    CHECK(contracts({}));
    CHECK(contracts({.second = "[j = 1:N + 1]", .read = "t[j - 1]", .into = "B[j - 1]"}));
    CHECK_FALSE(contracts({.one = "if x > 0: y = x"})); // not in each iteration
    CHECK_FALSE(contracts({.first = "[i = 0:N // 2]", .second = "[i = 0:N // 2]", .write = "t[2 * i]", .read = "t[2 * i + 1]"}));
}

TEST_CASE("contract-arrays: arrays that something else uses stay") {
    CHECK_FALSE(contracts({.between = "state middle {\nc: y = x  with x: float64 <- t[0]; y: float64 -> u[0, 0]\n}"}));
    TwoMaps kept({});
    kept.g.arrays.find(Name("t"))->lifetime = Lifetime::Persistent;
    REQUIRE(kept.fuse());
    CHECK_FALSE(kept.contract());
}

namespace {

/// `t = f(A)`, element by element except for a second read; then `A = g(t)`.
struct Overwrites : Graph {
    struct Text {
        std::string read = "A[k, j]", write = "t[i, j]", loops = "i = 0:N, j = 0:N", into = "A[i, j]", more = "";
    };
    explicit Overwrites(const Text &t)
        : Graph(R"(
            sdfg f(A, L) (typed) {
              symbol N, M, k: int64
              argument A: float64[N, N] (CPU_Heap)
              argument L: int64[N] (CPU_Heap)
              transient t: float64[N, N] (CPU_Heap)
              state first {
                map one[$loops] (CPU_Multicore) with <- A[0:N, 0:N]; -> t$more {
                  one: y = x + z  with x: float64 <- A[i, j], z: float64 <- $read; y: float64 -> $write
                  $extra
                }
              }
              then
              state second {
                map two[$loops] (CPU_Multicore) with <- t; -> A {
                  two: y = x * 2  with x: float64 <- $write; y: float64 -> $into
                }
              }
            }
          )",
                {{"$more", t.more.empty() ? "" : ", -> A"},
                 {"$extra", t.more},
                 {"$loops", t.loops},
                 {"$read", t.read},
                 {"$write", t.write},
                 {"$into", t.into}}) {}
    std::size_t maps() const {
        std::size_t count = 0;
        for (const State *each : allStates(std::as_const(g)))
            count += nodesOf<MapEntry>(*each).size();
        return count;
    }
    const DataDesc *saved() const { return g.desc(Name("A_saved")); }
    bool fuse() {
        PassRun pass("fuse-nests");
        return pass(g);
    }
};

} // namespace

TEST_CASE("fuse-nests: a row or a column that the later map overwrites is saved") {
    for (const char *read : {"A[k, j]", "A[i, k]", "A[N - 1, N - 1 - j]", "A[0, 0]"}) {
        Overwrites p({.read = read, .loops = std::string(read) == "A[0, 0]" ? "i = 0:9, j = 0:4" : "i = 0:N, j = 0:N"});
        CHECK(p.fuse());
        REQUIRE(p.saved());
        CHECK(p.saved()->rank() <= 1);
        CHECK(p.maps() == (std::string(read) == "A[0, 0]" ? 1u : 2u)); // the one that stores, and the fused one
    }
    Overwrites shifted({.read = "A[k, j]", .write = "t[i - 1, j - 2]", .loops = "i = 1:N, j = 2:N + 1"});
    CHECK(shifted.fuse());
    REQUIRE(shifted.saved());
    CHECK(shifted.saved()->shape[0].str() == "N - 1");
}

TEST_CASE("fuse-nests: reads that cannot be saved keep maps apart") {
    const auto staysApart = [](const Overwrites::Text &t) {
        Overwrites p(t);
        p.fuse();
        return !p.saved() && p.maps() == 2;
    };
    CHECK(staysApart({.read = "A[j, i]"}));                                           // as many as are written
    CHECK(staysApart({.read = "A[(i + 1) % N, (j + 1) % N]"}));                       // the same
    CHECK(staysApart({.loops = "i = 0:M, j = 0:N"}));                                 // there are no reads if M is zero
    CHECK(staysApart({.read = "A[0, 0]"}));                                           // the same for N
    CHECK(staysApart({.read = "A[L[0], j]"}));                                        // the element depends on data
    CHECK(staysApart({.loops = "i = 0:N, j = i:N"}));                                 // a triangle
    CHECK(staysApart({.more = "more: y = 1.0  with y: float64 -> A[k, N - 1 - j]"})); // the first map also writes
}

TEST_CASE("fuse-nests: loops whose iterations depend on each other join nothing") {
    const auto fuses = [](const std::string &first) {
        Graph program(R"(
          sdfg f(A, B, C) (typed) {
            symbol N: int64
            argument A: float64[N] (CPU_Heap)
            argument B: float64[N] (CPU_Heap)
            argument C: float64[N] (CPU_Heap)
            state main {
              map one[i = 1:N] ($first) with <- B[1:N]; -> A[1:N] {
                s: y = x  with x: float64 <- B[i]; y: float64 -> A[i]
              }
              map two[i = 1:N] (Sequential) with <- A[1:N]; -> C[1:N] {
                t: y = x  with x: float64 <- A[i]; y: float64 -> C[i]
              }
            }
          }
        )",
                      {{"$first", first}});
        PassRun pass("fuse-nests");
        return pass(program.g);
    };
    CHECK(fuses("Sequential"));
    CHECK_FALSE(fuses("Sequential, ordered"));
}
