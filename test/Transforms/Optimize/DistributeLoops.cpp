// distribute-loops: which steps of a loop stay together, and which become maps.
#include "Transforms/PassRun.h"

using namespace sdfgc;
using namespace sdfgc::test;
using diag::Why;

namespace {

/// A loop over `i` from 1 to N - 2 around one state.
struct OneLoop : Graph {
    explicit OneLoop(const std::string &body, const std::string &after = "",
                     const std::string &range = "i = 1; i < N - 1; i = i + 1")
        : Graph(R"(
            sdfg f(A, B, C, D) (typed) {
              symbol N, M, i, j, k: int64
              argument A: float64[N] (CPU_Heap)
              argument B: float64[N] (CPU_Heap)
              argument C: float64[N] (CPU_Heap)
              argument D: float64[N, N] (CPU_Heap)
              transient one: float64 (Register)
              transient two: float64 (Register)
              loop: for $range {
                state body {
                  $body
                }
              }
              $after
            }
          )",
                {{"$body", body}, {"$after", after}, {"$range", range}}) {}
};

/// The maps that replace the loop, named by the containers that they write, in order: `A! C` is a loop that writes A and a map that
/// writes C. Empty if the loop does not change.
std::string partsOf(OneLoop &program) {
    PassRun pass(transforms::createDistributeLoops());
    if (!pass(program.g))
        return "";
    std::string out;
    for (const State *s : allStates(std::as_const(program.g)))
        for (const Node *n : ScopeTree(*s).children(nullptr)) {
            const auto *m = dyn_cast<MapEntry>(n);
            if (!m)
                continue;
            CHECK(m->schedule == (m->ordered ? Schedule::Sequential : Schedule::CPU_Multicore));
            std::set<std::string> written;
            for (const Edge *e : m->exit->outEdges())
                if (const auto *a = dyn_cast<AccessNode>(e->dst))
                    written.insert(a->data.str());
            out += (out.empty() ? "" : " ");
            for (const std::string &w : written)
                out += w;
            out += m->ordered ? "!" : "";
        }
    return out;
}

std::string partsOf(const std::string &body, const std::string &after = "") {
    OneLoop program(body, after);
    return partsOf(program);
}

const std::string scan = "s: y = p + 1  with p: float64 <- A[i - 1]; y: float64 -> A[i]\n";

} // namespace

TEST_CASE("distribute-loops: a scan and what is independent of it") {
    CHECK(partsOf(scan + "t: y = x * x  with x: float64 <- B[i]; y: float64 -> C[i]") == "A! C");
    // Users of the scan follow it, and its inputs precede it.
    CHECK(partsOf(scan + "t: y = x * x  with x: float64 <- A[i]; y: float64 -> C[i]") == "A! C");
    CHECK(partsOf("t: y = x * x  with x: float64 <- B[i]; y: float64 -> C[i]\n"
                  "s: y = p + c  with p: float64 <- A[i - 1], c: float64 <- C[i]; y: float64 -> A[i]") == "C A!");
    // Two scans with a step between them: a single loop if the step may run first or last.
    CHECK(partsOf(scan + "t: y = x * x  with x: float64 <- B[i]; y: float64 -> C[i]\n"
                         "u: y = p + 1  with p: float64 <- D[i - 1, 0]; y: float64 -> D[i, 0]") == "AD! C");
}

TEST_CASE("distribute-loops: the order of parts is that of their dependences") {
    // The next iteration of the scan reads B[i], so all of B is written before.
    CHECK(partsOf("t: y = x * x  with x: float64 <- C[i]; y: float64 -> B[i]\n"
                  "s: y = p + b  with p: float64 <- A[i - 1], b: float64 <- B[i - 1]; y: float64 -> A[i]") == "B A!");
    // The scan reads B[i + 1] before the next iteration overwrites it, so it runs first, although it comes later in the body.
    CHECK(partsOf("t: y = x * x  with x: float64 <- C[i]; y: float64 -> B[i]\n"
                  "s: y = p + b  with p: float64 <- A[i - 1], b: float64 <- B[i + 1]; y: float64 -> A[i]") == "A! B");
    // Maps whose iterations access common elements are not merged.
    CHECK(partsOf(scan + "t: y = x * x  with x: float64 <- B[i]; y: float64 -> C[i]\n"
                         "u: y = x  with x: float64 <- C[i - 1]; y: float64 -> D[i, 0]") == "A! C D");
}

TEST_CASE("distribute-loops: loops that count down") {
    const auto downward = [](const std::string &read) {
        OneLoop program("t: y = x * x  with x: float64 <- C[i]; y: float64 -> B[i]\n"
                        "s: y = p + b  with p: float64 <- A[i + 1], b: float64 <- B[" +
                            read + "]; y: float64 -> A[i]",
                        "", "i = N - 2; i >= 1; i = i - 1");
        const std::string parts = partsOf(program);
        for (const State *each : allStates(std::as_const(program.g)))
            for (const MapEntry *m : nodesOf<MapEntry>(*each))
                CHECK(m->ranges.front() == (m->ordered ? sym::Range{sym::Expr::symbol("N") - 2, 1, -1, 1}
                                                       : sym::Range{1, sym::Expr::symbol("N") - 2, 1, 1}));
        return parts;
    };
    CHECK(downward("i") == "B A!");
    CHECK(downward("i + 1") == "B A!"); // of the previous iteration
    CHECK(downward("i - 1") == "A! B"); // overwritten by the next iteration
}

TEST_CASE("distribute-loops: steps on a cycle stay together") {
    CHECK(partsOf(scan).empty());
    CHECK(partsOf("s: y = p + 1  with p: float64 <- B[i - 1]; y: float64 -> A[i]\n"
                  "t: y = x * x  with x: float64 <- A[i]; y: float64 -> B[i]")
              .empty());
    CHECK(partsOf("s: y = p + b  with p: float64 <- A[i - 1], b: float64 <- B[i]; y: float64 -> A[i]\n"
                  "t: y = x * x  with x: float64 <- A[i - 1]; y: float64 -> B[i + 1]")
              .empty());
    // A scan and its consumers, connected through a variable that changes in each iteration.
    CHECK(partsOf("s: y = p + 1  with p: float64 <- A[i - 1]; y: float64 -> one\n"
                  "t: y = x  with x: float64 <- one; y: float64 -> A[i]\n"
                  "u: y = x * x  with x: float64 <- one; y: float64 -> C[i]")
              .empty());
}

TEST_CASE("distribute-loops: variables that several parts use are computed in each") {
    OneLoop program("v: y = b + 1  with b: float64 <- B[i]; y: float64 -> one\n"
                    "w: y = 2 * b  with b: float64 <- one; y: float64 -> two\n"
                    "s: y = p + b  with p: float64 <- A[i - 1], b: float64 <- two; y: float64 -> A[i]\n"
                    "t: y = x * x  with x: float64 <- two; y: float64 -> C[i]");
    const std::string parts = partsOf(program); // in any order
    CHECK((parts == "A! C" || parts == "C A!"));
    std::set<Name> variables;
    for (const auto &[name, d] : program.g.arrays)
        if (d.transient)
            variables.insert(name);
    CHECK(variables.size() == 6); // the loop, which remains for one thread, has its own
    // Not if the loop changes the values from which they are computed.
    CHECK(partsOf("v: y = b + 1  with b: float64 <- B[i]; y: float64 -> one\n"
                  "s: y = p + b  with p: float64 <- A[i - 1], b: float64 <- one; y: float64 -> A[i]\n"
                  "t: y = x * x  with x: float64 <- one; y: float64 -> B[i]")
              .empty());
    // Nor if they are read later, or have two values.
    CHECK(partsOf("v: y = b + 1  with b: float64 <- B[i]; y: float64 -> one\n"
                  "s: y = p + b  with p: float64 <- A[i - 1], b: float64 <- one; y: float64 -> A[i]\n"
                  "t: y = x * x  with x: float64 <- one; y: float64 -> C[i]",
                  "state end {\ne: y = x  with x: float64 <- one; y: float64 -> B[0]\n}")
              .empty());
}

TEST_CASE("distribute-loops: parts that go over memory once more are for teams") {
    const auto versions = [](const std::string &body, const std::string &range) {
        OneLoop program(body, "", range);
        const std::string parts = partsOf(program);
        bool hasChoice = false, hasLoop = false;
        for (const Region *r : allRegions(program.g)) {
            hasChoice = hasChoice || r->conditional();
            hasLoop = hasLoop || isa<LoopRegion>(r);
        }
        CHECK(hasChoice == (hasLoop && !parts.empty()));
        return hasChoice ? parts + " or one loop" : parts;
    };
    const std::string range = "i = 1; i < N - 1; i = i + 1", same = "t: y = x * x  with x: float64 <- A[i]; y: float64 -> C[i]";
    CHECK(versions(scan + same, range) == "A! C or one loop");
    const std::string other = "t: y = x * x  with x: float64 <- B[i]; y: float64 -> C[i]"; // no common memory
    CHECK(versions(scan + other, range) == "A! C or one loop");
    CHECK(versions(scan + other, "i = 1; i < 100; i = i + 1") == "A! C"); // one thread is not slower
    const std::string divisions = "t: y = x / 3 / x / (x + 1) / (x + 2)  with x: float64 <- A[i]; y: float64 -> C[i]";
    CHECK(versions(scan + divisions, range) == "A! C");                // vectorisation is worthwhile
    CHECK(versions(scan + same, "i = 1; i < 100; i = i + 1").empty()); // finished before a team has started
}

TEST_CASE("distribute-loops: two threads share the path to memory") {
    const auto teams = [](const std::string &body) {
        OneLoop program(body);
        PassRun pass(transforms::createDistributeLoops());
        pass(program.g);
        for (const Region *r : allRegions(program.g))
            if (const ConditionalBlock *c = r->conditional())
                return c->branches().front().condition->text();
        return std::string();
    };
    // Additions only cost memory traffic, divisions take half the time.
    CHECK(teams(scan + "t: y = x * x  with x: float64 <- A[i]; y: float64 -> C[i]").find("omp_get_max_threads() >= 4") == 0);
    CHECK(
        teams(scan + "t: y = x / 3 / x + x + x  with x: float64 <- B[i]; y: float64 -> C[i]").find("omp_get_max_threads() >= 2") ==
        0);
}

TEST_CASE("distribute-loops: why a loop stays") {
    const auto why = [](const std::string &body) {
        OneLoop program(body);
        PassRun pass(transforms::createDistributeLoops());
        CHECK_FALSE(pass(program.g));
        return pass.why();
    };
    const std::string other = "t: y = x * x  with x: float64 <- B[i]; y: float64 -> C[i]";
    CHECK(why(scan) == Why::Dependence);
    CHECK(why("t (CPP): y = x;  with x: float64 <- B[i]; y: float64 -> C[i]\n" + scan) == Why::Shape);
    CHECK(why(scan + "map m[c = 0:N] (CPU_Multicore) with <- B[i]; -> D[i, 0:N] {\n"
                     "t: y = x  with x: float64 <- B[i]; y: float64 -> D[i, c]\n}") == Why::Shape);
    OneLoop kept(scan + other);
    for (Region *r : allRegions(kept.g))
        if (auto *l = dyn_cast<LoopRegion>(r))
            l->optimize = false;
    PassRun pass(transforms::createDistributeLoops());
    CHECK_FALSE(pass(kept.g));
    CHECK(pass.why() == Why::Kept);
}

TEST_CASE("distribute-loops: the variable and loops inside") {
    OneLoop read(scan + "t: y = x * x  with x: float64 <- B[i]; y: float64 -> C[i]",
                 "k = i\nstate end {\ne: y = k  with y: float64 -> B[0]\n}");
    CHECK(partsOf(read) == "A! C");
    std::string last;
    for (const InterstateEdge *e : allInterstateEdges(std::as_const(read.g)))
        for (const auto &[symbol, value] : e->assignments)
            if (symbol == Name("i"))
                last = value;
    CHECK(last == "max(N, 2) - 1");
    Graph nested(R"(
      sdfg f(A, D) (typed) {
        symbol N, i, j: int64
        argument A: float64[N] (CPU_Heap)
        argument D: float64[N, N] (CPU_Heap)
        loop: for i = 1; i < N; i = i + 1 {
          state first {
            s: y = p + 1  with p: float64 <- A[i - 1]; y: float64 -> A[i]
          }
          inner: for j = 1; j < N; j = j + 1 {
            state second {
              t: y = x + 1  with x: float64 <- D[i, j - 1]; y: float64 -> D[i, j]
            }
          }
        }
      }
    )");
    PassRun pass(transforms::createDistributeLoops());
    CHECK(pass(nested.g));
    const auto *inner = nested.node<MapEntry>("inner");
    CHECK((inner->ordered && inner->schedule == Schedule::Sequential)); // in a map over i
    CHECK_FALSE(nested.g.symbols.contains(Name("j")));
}

TEST_CASE("distribute-loops: a loop that would leave a container may never run") {
    OneLoop program(scan + "t: y = x * x  with x: float64 <- B[i - 2]; y: float64 -> C[i]");
    PassRun pass(transforms::createDistributeLoops());
    CHECK_FALSE(pass(program.g));
    CHECK(pass.why() == Why::OutOfBounds);
    // When the loop counts down in steps, it is the first value that is known to be outside.
    OneLoop down(scan + "t: y = x * x  with x: float64 <- B[i + 2]; y: float64 -> C[i]", "", "i = N - 2; i >= 1; i = i - 2");
    PassRun again(transforms::createDistributeLoops());
    CHECK_FALSE(again(down.g));
    CHECK(again.why() == Why::OutOfBounds);
}
