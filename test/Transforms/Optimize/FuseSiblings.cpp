// fuse-nests: reductions are fused with others that read the same array.
#include "Transforms/PassRun.h"

using namespace sdfgc;
using namespace sdfgc::test;

namespace {

/// Two Reduce nodes, one after the other.
struct Reductions : Graph {
    struct Text {
        std::string first = "A[0:N, 0:M]", second = "A[0:N, 0:M]", firstAxes = "", secondAxes = "", firstTo = "s[0]",
                    secondTo = "t[0]", between = "", schedule = "CPU_Multicore";
    };
    explicit Reductions(const Text &t)
        : Graph(R"x(
            sdfg f(A, B, s, t, p, q) (typed) {
              symbol N, M: int64
              argument A: float64[N, M] (CPU_Heap)
              argument B: float64[N, M] (CPU_Heap)
              argument s: float64[1] (CPU_Heap)
              argument t: float64[1] (CPU_Heap)
              argument p: float64[N] (CPU_Heap)
              argument q: float64[M] (CPU_Heap)
              state first {
                library standard.Reduce one ($schedule$firstAxes, wcr = "lambda a, b: a + b", identity = "0") with <- $first; -> $saved
              }
              $between
              state second {
                library standard.Reduce two ($schedule$secondAxes, wcr = "lambda a, b: max(a, b)", identity = "-inf") with <- $second; -> $to
              }
            }
          )x",
                {{"$schedule", t.schedule},
                 {"$firstAxes", t.firstAxes},
                 {"$secondAxes", t.secondAxes},
                 {"$first", t.first},
                 {"$second", t.second},
                 {"$saved", t.firstTo},
                 {"$between", t.between},
                 {"$to", t.secondTo}}) {}
    std::size_t reductions() const {
        std::size_t n = 0;
        for (const State *each : allStates(std::as_const(g)))
            n += nodesOf<LibraryNode>(*each).size();
        return n;
    }
    bool fuse(bool ordered = false, bool partial = true) {
        PassRun pass("fuse-nests");
        pass.options.reductions = ordered ? pass::ReductionOrder::Ordered : pass::ReductionOrder::Any;
        pass.pass->options["partial"] = partial;
        const bool changed = pass(g);
        CHECK(reductions() == (changed ? 0 : 2));
        return changed;
    }
};

bool fuses(const Reductions::Text &t) { return Reductions(t).fuse(); }

const char *const rows = ", axes = [1]", *const columns = ", axes = [0]";

} // namespace

TEST_CASE("fuse-nests: reductions of one array") {
    CHECK(fuses({}));
    CHECK(fuses({.firstAxes = rows, .firstTo = "p[0:N]"})); // a sum per row, the maximum of all
    CHECK(fuses({.between = "state between {\nc: y = x  with x: float64 <- s[0]; y: float64 -> B[0, 0]\n}"}));
    CHECK(fuses({.schedule = "Sequential"}));
    CHECK_FALSE(Reductions({}).fuse(false, false));
}

TEST_CASE("fuse-nests: reductions that stay apart") {
    CHECK_FALSE(fuses({.second = "B[0:N, 0:M]"}));
    CHECK_FALSE(fuses({.second = "A[0:N, 1:M]"}));                                                 // loops of another size
    CHECK_FALSE(fuses({.firstAxes = columns, .firstTo = "q[0:M]"}));                               // threads would share sums
    CHECK_FALSE(fuses({.between = "state between {\nc: y = 0.0  with y: float64 -> A[0, 0]\n}"})); // read before and after
    CHECK_FALSE(fuses({.between = "N = 1"}));
    CHECK_FALSE(fuses({.secondTo = "s[0]"})); // both write the same result
    CHECK_FALSE(Reductions({}).fuse(true));   // the order of sums would change
}

TEST_CASE("fuse-nests: maps that only read the same stay apart where they push to streams") {
    const auto fuses = [](const std::string &target) {
        Graph program(R"(
            sdfg f(A, B, C) (typed) {
              symbol N: int64
              argument A: float64[N] (CPU_Heap)
              argument B: float64[N] (CPU_Heap)
              argument C: float64[N] (CPU_Heap)
              transient S: Stream float64[1] (CPU_Heap)
              transient T: Stream float64[1] (CPU_Heap)
              state main {
                map one[i = 0:N] (Sequential) with <- A[0:N]; -> $first {
                  t: y = x  with x: float64 <- A[i]; y: float64 -> $toFirst
                }
                map two[i = 0:N] (Sequential) with <- A[0:N]; -> $second {
                  t: y = x + 1  with x: float64 <- A[i]; y: float64 -> $toSecond
                }
              }
            }
          )",
                      {{"$first", target == "streams" ? "S[0]" : "B[0:N]"},
                       {"$toFirst", target == "streams" ? "S[0]" : "B[i]"},
                       {"$second", target == "streams" ? "T[0]" : "C[0:N]"},
                       {"$toSecond", target == "streams" ? "T[0]" : "C[i]"}});
        PassRun pass("fuse-nests");
        return pass(program.g);
    };
    CHECK(fuses("arrays"));
    CHECK_FALSE(fuses("streams"));
}
