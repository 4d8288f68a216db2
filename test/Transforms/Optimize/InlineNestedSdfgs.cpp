// inline-nested-sdfgs: which nested SDFGs are inlined.
#include "Transforms/PassRun.h"

using namespace sdfgc;
using namespace sdfgc::test;
using diag::Why;

namespace {

/// A nested SDFG that gets a row of A and writes B.
struct Call : Graph {
    struct Text {
        std::string mapping = "[M = N]", attributes = "", in = "A[2, 0:N]", out = "B[0:N]", a = "a: float64[M] (CPU_Heap)",
                    inside = "",
                    body = "map m[i = 0:M] (CPU_Multicore) with <- a[0:M]; -> b[0:M] {\nt: y = x + M  with x: float64 <- a[i]; y: "
                           "float64 -> b[i]\n}",
                    after = "", more = "";
    };
    explicit Call(const Text &t)
        : Graph(R"(
            sdfg f(A, B) (typed) {
              symbol N: int64
              argument A: float64[N, N] (CPU_Heap)
              argument B: float64[N] (CPU_Heap)
              $more
              state call {
                nested inner$mapping $attributes with a: pointer(float64) <- $from; b: pointer(float64) -> $to {
                  sdfg inner {
                    symbol M: int64
                    argument $first
                    argument b: float64[M] (CPU_Heap)
                    $own
                    state body {
                      $body
                    }
                    $later
                  }
                }
              }
            }
          )",
                {{"$mapping", t.mapping},
                 {"$attributes", t.attributes},
                 {"$from", t.in},
                 {"$to", t.out},
                 {"$first", t.a},
                 {"$own", t.inside},
                 {"$body", t.body},
                 {"$later", t.after},
                 {"$more", t.more}}) {}
    bool isNested() const {
        for (const State *s : allStates(std::as_const(g)))
            if (!nodesOf<NestedSDFGNode>(*s).empty())
                return true;
        return false;
    }
};

bool isTakenApart(const Call::Text &t) {
    Call program(t);
    const bool changed = PassRun(transforms::createInlineNestedSdfgs())(program.g);
    CHECK(changed != program.isNested());
    return changed;
}

} // namespace

TEST_CASE("inline-nested-sdfgs: chains of states") {
    CHECK(isTakenApart({}));
    CHECK(isTakenApart({.after = "state more {\nt: y = 0.0  with y: float64 -> b[0]\n}"}));
    CHECK(isTakenApart({.mapping = "[M = N - 1]", .in = "A[2, 1:N]", .out = "B[1:N]"}));
    CHECK(isTakenApart({.in = "A[0:N, 3]", .a = "a: float64[M] (CPU_Heap, strides = [M])"}));
    CHECK_FALSE(isTakenApart({.after = "if M > 2  {\nstate more {\nt: y = 0.0  with y: float64 -> b[0]\n}\n}"}));
    CHECK_FALSE(isTakenApart({.attributes = "(no_inline = true)"}));
}

TEST_CASE("inline-nested-sdfgs: arguments that lie otherwise") {
    CHECK_FALSE(isTakenApart({.in = "A[0:N, 3]"}));
    CHECK_FALSE(isTakenApart({.a = "a: float64[M] (CPU_Heap, offset = [1])"}));
    CHECK_FALSE(isTakenApart({.out = "B[0:N] (wcr = \"lambda x, y: x + y\")"}));
}

TEST_CASE("inline-nested-sdfgs: why one stays") {
    const auto why = [](const Call::Text &t) {
        Call program(t);
        PassRun pass(transforms::createInlineNestedSdfgs());
        pass(program.g);
        return pass.why();
    };
    CHECK(why({}) == Why::None);
    CHECK(why({.attributes = "(no_inline = true)"}) == Why::Kept);
    CHECK(why({.in = "A[0:N, 3]"}) == Why::Layout);
    CHECK(why({.more = "transient x: float64 (Register)"}) == Why::Names);
    CHECK(why({.after = "if M > 2  {\nstate more {\nt: y = 0.0  with y: float64 -> b[0]\n}\n}"}) == Why::ControlFlow);
    CHECK(why({.out = "B[0:N] (wcr = \"lambda x, y: x + y\")"}) == Why::Update);
    Call limited({});
    PassRun pass(transforms::createInlineNestedSdfgs());
    pass.context.changeLimit = 0;
    CHECK_FALSE(pass(limited.g));
    CHECK(pass.why() == Why::PassLimit);
}

TEST_CASE("inline-nested-sdfgs: names and values") {
    CHECK_FALSE(isTakenApart({.mapping = "[M = N / 2]"}));                  // a quotient, truncated here, but not in a tasklet
    CHECK_FALSE(isTakenApart({.more = "transient x: float64 (Register)"})); // the name of a connector
    Call program({.inside = "transient t: float64[M] (CPU_Heap)",
                  .body = "map m[N = 0:M] (CPU_Multicore) with <- a[0:M]; -> t[0:M] {\nw: y = x  with x: float64 <- a[N]; y: "
                          "float64 -> t[N]\n}\n"
                          "t[0:M] -> b[0:M]",
                  .more = "transient t: float64 (Register)"});
    REQUIRE(PassRun(transforms::createInlineNestedSdfgs())(program.g));
    CHECK(program.g.arrays.contains(Name("t_0")));
    const State &s = *allStates(std::as_const(program.g)).front();
    CHECK(nodesOf<MapEntry>(s).front()->params.front() == Name("N_0")); // N has a meaning around it
}
