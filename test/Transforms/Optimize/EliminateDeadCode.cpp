// eliminate-dead-code: what may be removed, and what must remain.
#include "Transforms/PassRun.h"

#include "sdfgc/Analysis/Symbols/Symbols.h"

#include <fmt/format.h>

#include <algorithm>

using namespace sdfgc;
using namespace sdfgc::test;
using diag::Why;

namespace {

/// A program with two arguments and a few transients.
struct Program : Graph {
    explicit Program(const std::string &body, const std::string &more = "")
        : Graph(R"(
            sdfg f(A, B) (typed) {
              symbol N, M, s, i, j, k: int64
              argument A: float64[N] (CPU_Heap)
              argument B: float64[N] (CPU_Heap)
              transient t: float64[N] (CPU_Heap)
              transient u: float64[N] (CPU_Heap)
              transient one: float64 (Register)
              $more
              $body
            }
          )",
                {{"$body", body}, {"$more", more}}) {}

    bool run() { return pass(g); }
    std::size_t tasklets() const {
        std::size_t count = 0;
        for (const State *s : allStates(std::as_const(g)))
            count += nodesOf<Tasklet>(*s).size();
        return count;
    }
    bool has(const char *container) const { return g.arrays.contains(Name(container)); }
    PassRun pass{transforms::createEliminateDeadCode()};
};

std::string fill(const std::string &data, const std::string &range = "0:N", const std::string &value = "0.0") {
    return fmt::format("map fill[i = {1}] (CPU_Multicore) with -> {0}[{1}] {{\nf: o = {2}  with o: float64 -> {0}[i]\n}}\n", data,
                       range, value);
}
std::string copied(const std::string &from, const std::string &to, const std::string &range = "0:N") {
    return fmt::format("map copy[i = {2}] (CPU_Multicore) with <- {0}[{2}]; -> {1}[{2}] {{\nc: o = a  with a: float64 <- {0}[i]; "
                       "o: float64 -> {1}[i]\n}}\n",
                       from, to, range);
}
std::string state(const std::string &label, const std::string &content) { return "state " + label + " {\n" + content + "}\n"; }

/// The number of tasklets left in a program.
std::size_t left(const std::string &body) {
    Program p(body);
    const std::size_t before = p.tasklets();
    const bool changed = p.run();
    CHECK(changed == (p.tasklets() != before || !p.has("t") || !p.has("u") || !p.has("one")));
    return p.tasklets();
}

} // namespace

TEST_CASE("eliminate-dead-code: what nobody reads, with all that only served it") {
    CHECK(left(state("a", fill("t")) + state("b", copied("A", "B"))) == 1);
    CHECK(left(state("a", copied("A", "t")) + state("b", copied("t", "u")) + state("c", copied("A", "B"))) == 1);
    CHECK(left(state("a", copied("A", "t")) + state("b", copied("t", "B"))) == 2);
    CHECK(left(state("a", "A[0:N] -> t[0:N]\n") + state("b", "t[0:N] -> u[0:N]\n") + state("c", copied("A", "B"))) == 1);
    Program chain(state("a", "A[0:N] -> t[0:N]\n") + state("b", "t[0:N] -> u[0:N]\n") + state("c", copied("A", "B")));
    CHECK(chain.run());
    CHECK_FALSE(chain.has("t"));
    CHECK_FALSE(chain.has("u"));
}

TEST_CASE("eliminate-dead-code: what only a later step of a loop read") {
    const std::string update = "u: o = a  with a: float64 <- A[k]; o: float64 -> one (+)\n";
    const std::string reader = "r: o = a  with a: float64 <- one; o: float64 -> t[k]\n";
    const std::string loop = "loop: for k = 0; k < N; k = k + 1 {\n" + state("c", update) + state("d", reader) + "}\n";
    const std::string rest = state("e", copied("A", "B"));
    // Not even the update may remain, since its target is no longer initialised.
    CHECK(left(state("a", "one: o = 0.0  with o: float64 -> one\n") + loop + rest) == 1);
    // A remark is given once, however often the walk visits the state.
    Program stays("loop: for k = 0; k < N; k = k + 1 {\n" + state("c", update) +
                  state("x", "x (CPP) with o: float64 -> t[0] {\n  o = now();\n}\n") + state("d", reader) + "}\n" + rest);
    stays.run();
    CHECK(stays.tasklets() == 2);
    const auto &remarks = stays.pass.context.remarks;
    CHECK(std::count_if(remarks.begin(), remarks.end(), [](const auto &r) { return r.missed(); }) == 1);
    // A chain against the order of the loop.
    CHECK(left("loop: for k = 1; k < N; k = k + 1 {\n" + state("c", "c: o = a  with a: float64 <- u[k - 1]; o: float64 -> t[k]\n") +
               state("d", "d: o = a  with a: float64 <- A[k]; o: float64 -> u[k]\n") + "}\n" + rest) == 1);
}

TEST_CASE("eliminate-dead-code: what is overwritten before it is read") {
    CHECK(left(state("a", fill("B")) + state("b", copied("A", "B"))) == 1);
    CHECK(left(state("a", fill("t")) + state("b", copied("A", "t")) + state("c", copied("t", "B"))) == 2);
    CHECK(left(state("a", fill("B")) + state("b", copied("A", "B", "0:N - 1"))) == 2); // the last element remains
    CHECK(left(state("a", fill("B", "0:N - 1")) + state("b", copied("A", "B"))) == 1);
    CHECK(left(state("a", fill("B")) + state("b", copied("B", "t")) + state("c", copied("A", "B")) +
               state("d", copied("t", "A"))) == 4);
    CHECK(left(state("a", fill("B")) + state("b", "c: o = a if a > 0 else 1  with a: float64 <- A[0]; o: float64 -> B[0]\n")) == 2);
}

TEST_CASE("eliminate-dead-code: loops that write every element, and loops that may not run") {
    const auto loop = [](const std::string &range, const std::string &body) {
        return "loop: for " + range + " {\n" + state("in", body) + "}\n";
    };
    const std::string one = "c: o = a  with a: float64 <- A[k]; o: float64 -> B[k]\n";
    CHECK(left(state("a", fill("B")) + loop("k = 0; k < N; k = k + 1", one)) == 1);
    CHECK(left(state("a", fill("B")) + loop("k = 0; k <= N - 1; k = k + 1", one)) == 1);
    CHECK(left(state("a", fill("B")) + loop("k = N - 1; k >= 0; k = k - 1", one)) == 1);
    CHECK(left(state("a", fill("B")) + loop("k = 1; k < N; k = k + 1", one)) == 2);
    CHECK(left(state("a", fill("B")) + loop("k = 0; k < M; k = k + 1", one)) == 2);
    CHECK(left(state("a", fill("B")) + loop("k = 0; k < N; k = k + 2", one)) == 2);
    CHECK(left(state("a", fill("B")) + loop("k = 0; k < N and A[0] > 0; k = k + 1", one)) == 2);
    CHECK(left(state("a", fill("B")) + loop("k = 0; k < M; k = k + 1", copied("A", "B"))) == 2); // M may be 0
    CHECK(left(state("a", fill("B")) + loop("k = 0; k < 3; k = k + 1", copied("A", "B"))) == 1);
}

TEST_CASE("eliminate-dead-code: what a later iteration reads") {
    const std::string carried =
        "loop: for k = 0; k < M; k = k + 1 {\n" + state("x", copied("t", "B")) + state("y", copied("A", "t")) + "}\n";
    CHECK(left(state("a", fill("t")) + carried) == 3);
    const std::string fresh = "loop: for k = 0; k < M; k = k + 1 {\n" + state("x", copied("A", "t")) +
                              state("y", copied("t", "B")) + state("z", fill("t")) + "}\n";
    CHECK(left(fresh) == 2); // z: the next iteration overwrites it
    const std::string shifted = "loop: for k = 1; k < N; k = k + 1 {\n" +
                                state("x", "c: o = a + b  with a: float64 <- t[k - 1], b: float64 <- A[k]; o: float64 -> t[k]\n") +
                                "}\n";
    CHECK(left(state("a", fill("t")) + shifted + state("b", copied("t", "B"))) == 3);
    CHECK(left(state("a", fill("t")) + shifted) == 2); // values used only to compute themselves are not recognised as unused
    // t[k] is read by the iteration after the next one only
    CHECK(left("loop: for k = 0; k < N - 2; k = k + 1 {\n" +
               state("x", "c: o = a  with a: float64 <- A[k]; o: float64 -> t[k + 2]\n") +
               state("y", "d: o = a  with a: float64 <- t[k]; o: float64 -> B[k]\n") + "}\n") == 2);
}

TEST_CASE("eliminate-dead-code: branches and jumps") {
    const auto branch = [](const std::string &then, const std::string &otherwise) {
        return "if A[0] > 0 {\n" + state("t1", then) + "}" + (otherwise.empty() ? "" : " else {\n" + state("e1", otherwise) + "}") +
               "\n";
    };
    CHECK(left(state("a", fill("B")) + branch(copied("A", "B"), "")) == 2);
    CHECK(left(state("a", fill("B")) + branch(copied("A", "B"), fill("B", "0:N", "1.0"))) == 2);
    CHECK(left(state("a", fill("B")) + branch(copied("A", "B"), fill("A"))) == 3);
    CHECK(left(state("a", fill("t")) + branch(copied("t", "B"), copied("A", "B"))) == 3);
    const std::string stops = "loop: for k = 0; k < M; k = k + 1 {\n" + state("x", fill("B")) + "if A[0] > 0 {\nbreak out\n}\n" +
                              state("y", copied("A", "B")) + "}\n";
    CHECK(left(stops) == 2);
    const std::string returns = state("x", fill("B")) + "if A[0] > 0 {\nreturn out\n}\n" + state("y", copied("A", "B"));
    CHECK(left(returns) == 2);
}

TEST_CASE("eliminate-dead-code: symbols that change between a write and what overwrites it") {
    CHECK(left(state("a", fill("B", "0:s")) + state("b", copied("A", "B", "0:s"))) == 1);
    CHECK(left(state("a", fill("B", "0:s")) + "s = s + 1\n" + state("b", copied("A", "B", "0:s"))) == 2);
    CHECK(left(state("a", "x: o = 1.0  with o: float64 -> B[s]\n") + "s = s + 1\n" +
               state("b", "y: o = 2.0  with o: float64 -> B[s]\n")) == 2);
    CHECK(left(state("a", "x: o = 1.0  with o: float64 -> B[s]\n") + state("b", "y: o = 2.0  with o: float64 -> B[s]\n")) == 1);
    CHECK(left(state("a", fill("B", "1:N - 1")) + state("b", copied("A", "t")) + state("c", copied("A", "B", "1:N - 1"))) == 1);
    CHECK(left(state("a", fill("B", "1:N - 1")) + state("b", copied("B", "A", "0:1")) + state("c", fill("B", "1:N - 1"))) == 2);
    CHECK(left(state("a", fill("B", "1:N - 1")) + state("b", copied("B", "A", "0:2")) + state("c", fill("B", "1:N - 1"))) == 3);
    // the map parameter is not the symbol with the same name outside
    CHECK(left(state("a", "x: o = 1.0  with o: float64 -> B[i]\n") + state("b", copied("A", "B", "0:1"))) == 2);
}

TEST_CASE("eliminate-dead-code: inside of maps") {
    const auto rows = [](const std::string &body) {
        return state("a", "map m[i = 0:N] (CPU_Multicore) with <- A[0:N]; -> B[0:N] {\n" + body + "}\n");
    };
    CHECK(left(rows("f: o = 0.0  with o: float64 -> t[i]\ng: o = a  with a: float64 <- A[i]; o: float64 -> B[i]\n")) == 1);
    CHECK(left(state("a", "map m[i = 0:N] (CPU_Multicore) with <- A[0:N]; -> B[0:N] {\n"
                          "f: o = 2 * a  with a: float64 <- A[i]; o: float64 -> one[0]\naccess @one\n"
                          "g: o = a  with a: float64 <- one[0]; o: float64 -> B[i]\n}\n")) == 2);
}

TEST_CASE("eliminate-dead-code: effects, and containers that outlive the program") {
    Program cpp(state("a", "x (CPP) with o: float64 -> t[0] {\n  o = now();\n}\n") + state("b", copied("A", "B")));
    cpp.run();
    CHECK(cpp.tasklets() == 2);
    CHECK(cpp.pass.why() == Why::Effects);
    Program persistent(state("a", "B[0:N] -> A[0:N]\n") + state("b", copied("A", "p")),
                       "transient p: float64[N] (CPU_Heap, Persistent)");
    persistent.run();
    CHECK(persistent.tasklets() == 1);
    CHECK(persistent.has("p"));
    Program aliased(state("a", fill("D")) + state("b", copied("A", "D")), "argument D: float64[N] (CPU_Heap, may_alias = true)");
    aliased.run();
    CHECK(aliased.tasklets() == 2);
    Program asked(
        state("a",
              "map fill[i = 0:N] (CPU_Multicore, optimize = false) with -> t[0:N] {\nf: o = 1.0  with o: float64 -> t[i]\n}\n") +
        state("b", copied("A", "B")));
    asked.run();
    CHECK(asked.tasklets() == 2);
    Program control(state("a", fill("t")) + "s = t[0]\n" + state("b", "x: o = s  with o: float64 -> B[0]\n"));
    control.run();
    CHECK(control.tasklets() == 2);
}

TEST_CASE("eliminate-dead-code: symbols and the interface") {
    Program p(state("a", "x: o = M  with o: float64 -> t[0]\n") + "s = 5\n" + state("b", copied("A", "B")));
    const std::set<Name> before = analysis::freeSymbols(p.g);
    CHECK(before.count(Name("M")) == 1);
    CHECK(p.run());
    CHECK(p.tasklets() == 1);
    CHECK_FALSE(p.g.symbols.contains(Name("s")));
    CHECK(analysis::freeSymbols(p.g) == before);
    CHECK_FALSE(p.run()); // nothing is left to do
    CHECK(p.g.passedSymbols == std::vector<Name>{Name("M")});
}

TEST_CASE("eliminate-dead-code: chains take linear time") {
    std::string chain;
    for (int k = 0; k < 3000; ++k)
        chain += state(fmt::format("s{}", k), fill(k % 2 ? "t" : "u")) + (k % 3 ? "" : "s = s + 1\n");
    Program p(chain + state("b", copied("A", "B")));
    CHECK(p.run());
    CHECK(p.tasklets() == 1);
}

TEST_CASE("eliminate-dead-code: a stream hands over as many elements as it has") {
    const std::string stream = "transient q: Stream float64[1] (CPU_Heap)";
    Program overwritten(state("a", fill("B")) + state("b", "A[0:N] -> B[0:N]\n"), stream);
    CHECK(overwritten.run());
    CHECK(overwritten.tasklets() == 0);
    Program popped(state("a", fill("B")) + state("b", "q[0] -> B[0:N]\n"), stream);
    popped.run();
    CHECK(popped.tasklets() == 1);
}
