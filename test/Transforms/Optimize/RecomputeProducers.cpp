// recompute-producers: which values are computed where they are read, and which are still stored. mark-simd: which loops may be
// vectorised.
#include "Transforms/PassRun.h"

using namespace sdfgc;
using namespace sdfgc::test;
using diag::Why;

namespace {

/// A map that writes `t`, and one that reads it in two places.
struct Stencil : Graph {
    struct Text {
        std::string first = "[i = 0:N]", second = "[i = 0:N - 1]", write = "t[i]", left = "t[i]", right = "t[i + 1]", into = "B[i]",
                    from = "A[i]", code = "y = x + 1", between = "", after = "", to = "B", transient = "t: float64[N]";
    };
    explicit Stencil(const Text &t)
        : Graph(R"(
            sdfg f(A, B, C) (typed) {
              symbol N, M: int64
              argument A: float64[N] (CPU_Heap)
              argument B: float64[N] (CPU_Heap)
              argument C: float64[N, N] (CPU_Heap)
              transient $transient (CPU_Heap)
              transient u: float64[N] (CPU_Heap)
              state first {
                map one$first (CPU_Multicore) with <- A[0:N]; -> t {
                  one: $code  with x: float64 <- $from; y: float64 -> $write
                }
              }
              $between
              state second {
                map two$second (CPU_Multicore) with <- t; -> $to {
                  two: y = a * b  with a: float64 <- $left, b: float64 <- $right; y: float64 -> $into
                }
              }
              $after
            }
          )",
                {{"$transient", t.transient},
                 {"$first", t.first},
                 {"$second", t.second},
                 {"$write", t.write},
                 {"$left", t.left},
                 {"$right", t.right},
                 {"$into", t.into},
                 {"$from", t.from},
                 {"$between", t.between},
                 {"$after", t.after},
                 {"$to", t.to},
                 {"$code", t.code}}) {}

    bool stores() const { return g.desc(Name("t")) != nullptr; }
    bool run(int64_t operations = 4) {
        PassRun pass("recompute-producers");
        pass.pass->options["operations"] = operations;
        const bool changed = pass(g);
        CHECK(changed != stores());
        why = pass.why();
        return changed;
    }
    Why why = Why::None;
};

bool recomputes(const Stencil::Text &t) { return Stencil(t).run(); }

Why whyNot(const Stencil::Text &t) {
    Stencil program(t);
    CHECK_FALSE(program.run());
    return program.why;
}

} // namespace

TEST_CASE("recompute-producers: neighbours are computed again") {
    CHECK(recomputes({}));
    CHECK(recomputes({.first = "[k = 0:N]", .write = "t[k]", .from = "A[k]"}));
    CHECK(recomputes({.first = "[i = 1:N + 1]", .write = "t[i - 1]", .from = "A[i - 1]"}));
    CHECK(recomputes({.second = "[j = 0:N - 1]", .left = "t[j + 1]", .right = "t[N - 1 - j]", .into = "B[j]"}));
    CHECK(recomputes({.second = "[i = 0:N - 1]", .left = "t[i]", .right = "t[i]"}));
    CHECK(whyNot({.left = "t[0]"}) == Why::Unprofitable); // every iteration would compute it
    CHECK(recomputes({.first = "[i = 0:N, j = 0:N]",
                      .second = "[j = 1:N, i = 0:N]",
                      .write = "t[j, i]",
                      .left = "t[i, j]",
                      .right = "t[i, j - 1]",
                      .into = "C[i, j]",
                      .from = "A[i]",
                      .to = "C",
                      .transient = "t: float64[N, N]"}));
}

TEST_CASE("recompute-producers: elements that the map does not write") {
    CHECK(whyNot({.second = "[i = 0:N]"}) == Why::SharedElement); // one beyond the written elements
    CHECK(whyNot({.first = "[i = 1:N]"}) == Why::SharedElement);
    CHECK(whyNot({.first = "[i = 0:N:2]"}) == Why::SharedElement);
    CHECK(whyNot({.write = "t[0]", .left = "t[0]", .right = "t[0]"}) == Why::SharedElement);
    CHECK(whyNot({.first = "[i = 0:N // 2]", .write = "t[2 * i]"}) == Why::SharedElement);
}

TEST_CASE("recompute-producers: what it is made from is another value where it is read") {
    CHECK(whyNot({.between = "state middle {\nc: y = 0.0  with y: float64 -> A[0]\n}"}) == Why::Dependence);
    CHECK(whyNot({.into = "A[i]", .to = "A"}) == Why::Dependence);
    CHECK(recomputes({.between = "state middle {\nc: y = 0.0  with y: float64 -> u[0]\n}"}));
    CHECK_FALSE(recomputes({.between = "N = 1"})); // another run
}

TEST_CASE("recompute-producers: others use it as well") {
    CHECK(whyNot({.after = "state more {\nnew t t[0:N] -> C[0, 0:N]\n}"}) == Why::Opaque);
    CHECK(whyNot({.after = "M = 1\nstate more {\nc: y = x  with x: float64 <- t[0]; y: float64 -> C[0, 0]\n}"}) == Why::LiveOut);
    CHECK_FALSE(recomputes({.between = "state middle {\nc: y = 0.0  with y: float64 -> t[0]\n}"})); // two writers
    Stencil kept({});
    kept.g.arrays.find(Name("t"))->lifetime = Lifetime::Persistent;
    CHECK_FALSE(kept.run());
    Stencil argument({});
    argument.g.arrays.find(Name("t"))->transient = false;
    CHECK_FALSE(argument.run());
}

TEST_CASE("recompute-producers: what costs more than memory") {
    CHECK(whyNot({.code = "y = exp(x) + 1"}) == Why::Unprofitable);
    CHECK(Stencil({.code = "y = exp(x) + 1"}).run(5));
    CHECK(whyNot({.code = "y = undefined_function(x)"}) == Why::None); // of unknown cost
    // Each row reads the entire array again.
    CHECK(whyNot({.second = "[j = 0:N, i = 0:N - 1]", .into = "C[j, i]", .to = "C"}) == Why::Unprofitable);
    CHECK(whyNot({.second = "[j = 0:M, i = 0:M]", .left = "t[i + j]", .right = "t[i + j]", .into = "C[j, i]", .to = "C"}) ==
          Why::SharedElement); // M may have any value
}

TEST_CASE("recompute-producers: effects") { CHECK_FALSE(recomputes({.code = "printf(\"%f\", x)"})); }

namespace {

struct Loop : Graph {
    explicit Loop(const std::string &to, const std::string &range = "i = 0:N - 1, j = 0:N - 1",
                  const std::string &code = "y = x + 1")
        : Graph(R"(
            sdfg f(A, B) (typed) {
              symbol N: int64
              argument A: float64[N, N] (CPU_Heap)
              argument B: float64[N, N] (CPU_Heap)
              state s {
                map m[$range] (CPU_Multicore) with <- A[0:N, 0:N]; -> A, -> B {
                  add: $code  with x: float64 <- A[i, j]; y: float64 -> $to
                  also: y = x  with x: float64 <- A[i, j]; y: float64 -> B[i, j]
                }
              }
            }
          )",
                {{"$to", to}, {"$range", range}, {"$code", code}}) {}
    bool mark(int64_t pairs = 0) {
        PassRun pass(transforms::createMarkSimd());
        pass.pass->options = {{"pairs", pairs}};
        return pass(g);
    }
};

} // namespace

TEST_CASE("mark-simd: iterations that do not depend on each other, along memory") {
    CHECK(Loop("A[i, j]").mark());
    CHECK_FALSE(Loop("A[i, j]").mark(2));                               // compilers detect this themselves
    CHECK_FALSE(Loop("A[i, j + 1]").mark());                            // read in the next iteration
    CHECK_FALSE(Loop("A[j, i]").mark());                                // across rows
    CHECK_FALSE(Loop("A[i, 0]").mark());                                // by all iterations
    CHECK_FALSE(Loop("A[i, j] (wcr = \"lambda a, b: a + b\")").mark()); // an update
    CHECK_FALSE(Loop("A[i, j]", "i = 0:N - 1, j = 0:N - 1:2").mark());  // every second one
    CHECK_FALSE(Loop("A[i, j]", "j = 0:N - 1, i = 0:N - 1").mark());    // along columns
    Loop aliased("A[i, j]");
    for (const char *name : {"A", "B"})
        aliased.g.arrays.find(Name(name))->mayAlias = true;
    CHECK_FALSE(aliased.mark());
}
