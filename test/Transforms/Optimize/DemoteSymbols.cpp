// demote-symbols: which symbols become scalars, and which edge assignments become tasklets.
#include "Transforms/PassRun.h"

#include "sdfgc/Analysis/Symbols/Symbols.h"

using namespace sdfgc;
using namespace sdfgc::test;
using diag::Why;

namespace {

/// A program with an edge that assigns to `x`, and a state after it.
struct OneEdge : Graph {
    struct Text {
        std::string edge = "x = A[i]", state = "t: o = x + 1  with o: float64 -> B[0]", before = "", after = "", more = "";
    };
    explicit OneEdge(const Text &t)
        : Graph(R"(
            sdfg f(A, B) (typed) {
              symbol N, i, k, x, y: int64
              argument A: float64[N] (CPU_Heap)
              argument B: float64[N] (CPU_Heap)
              argument M: int64[N, N] (CPU_Heap)
              argument c: float64 (CPU_Heap)
              $more
              state first {
                $before
              }
              $edge
              state second {
                $state
              }
              $after
            }
          )",
                {{"$edge", t.edge}, {"$state", t.state}, {"$before", t.before}, {"$after", t.after}, {"$more", t.more}}) {}
};

/// Does `x` become a scalar? The reason why not is in the run.
bool isDemoted(const OneEdge::Text &t, Why why = Why::None) {
    OneEdge program(t);
    PassRun run(transforms::createDemoteSymbols());
    const bool changed = run(program.g);
    const DataDesc *d = program.g.desc(Name("x"));
    CHECK(changed == (d && d->transient && d->isScalar()));
    CHECK(changed != program.g.symbols.contains(Name("x")));
    CHECK(run.why() == why);
    return changed;
}

} // namespace

TEST_CASE("demote-symbols: an element that a tasklet reads") {
    OneEdge program({});
    REQUIRE(PassRun(transforms::createDemoteSymbols())(program.g));
    const auto *read = program.node<Tasklet>("read_x"), *t = program.node<Tasklet>("t");
    REQUIRE(read);
    CHECK(read->code.text() == "__out = __in1");
    CHECK(read->inEdges().front()->memlet.subset->str() == "i");
    CHECK(read->inConnectors.front().type == Type(ScalarKind::Float64));
    CHECK(read->outConnectors.front().type == Type(ScalarKind::Int64)); // the type that the symbol would have had
    CHECK(t->code.text() == "o = __x + 1");
    CHECK(cast<AccessNode>(t->inEdges().front()->src)->data == Name("x"));
    CHECK(allInterstateEdges(program.g).front()->assignments.empty());
    CHECK(allStates(program.g).size() == 2); // the state before the edge is used instead of a new one
}

TEST_CASE("demote-symbols: values") {
    CHECK(isDemoted({.edge = "x = A[i] + M[i, 2 * k + 1] * y"}));
    CHECK(isDemoted({.edge = "x = c"}));
    CHECK(isDemoted({.edge = "x = c[0]"}));
    CHECK(isDemoted({.edge = "x = A[i] / 2"}));             // of a floating-point number: the same everywhere
    CHECK(isDemoted({.edge = "x = c if i < N else 0"}));    // reading a scalar is always safe
    CHECK(isDemoted({.edge = "x = 0 if A[i] < 1 else 1"})); // is read regardless of the result
    CHECK_FALSE(isDemoted({.edge = "x = i + 1"}));          // no container: a symbol is easier to analyse
    CHECK_FALSE(isDemoted({.edge = "x = M[i, i] / 2"}, Why::Opaque));
    CHECK_FALSE(isDemoted({.edge = "x = A[i / 2]"}, Why::NotAffine));
    CHECK_FALSE(isDemoted({.edge = "x = A[M[i, i]]"}, Why::NotAffine));
    CHECK_FALSE(isDemoted({.edge = "x = A[i] if i < N else 0"}, Why::Opaque));
    CHECK_FALSE(isDemoted({.edge = "x = i < N and A[i] > 0"}, Why::Opaque));
    CHECK_FALSE(isDemoted({.edge = "x = 0 < i < A[i]"}, Why::Opaque));
    CHECK_FALSE(isDemoted({.edge = "x = A[-1] + c"}, Why::OutOfBounds));
    CHECK_FALSE(isDemoted({.edge = "x = A[N]"}, Why::OutOfBounds));
    CHECK_FALSE(
        isDemoted({.edge = "x = c + callback(i)", .more = "symbol callback: {type: callback, arguments: [], returntypes: []}"},
                  Why::Effects));
    CHECK_FALSE(isDemoted({.edge = "x = v[0] + c", .more = "reference v: float64[N] (CPU_Heap)"}, Why::Container));
    CHECK_FALSE(isDemoted({.edge = "x = d[i]", .more = "transient d: float64[N] (GPU_Global)"})); // a program for a GPU
}

TEST_CASE("demote-symbols: quotients are C's everywhere with --compat dace") {
    OneEdge program({.edge = "x = M[i, i] / 2"});
    PassRun run(transforms::createDemoteSymbols());
    run.options.compat = pass::Compat::Dace;
    CHECK(run(program.g));
}

TEST_CASE("demote-symbols: what needs a symbol") {
    CHECK_FALSE(isDemoted({.state = "t: o = x  with o: float64 -> B[x]"}, Why::Symbol));
    CHECK_FALSE(isDemoted({.state = "t: o = x  with o: float64 -> B[0]\n"
                                    "map m[j = 0:x] (CPU_Multicore) with -> B[0:x] {\nu: o = 1  with o: float64 -> B[j]\n}"},
                          Why::Symbol));
    CHECK_FALSE(isDemoted({.after = "if x > 0 {\nstate s {}\n}"}, Why::Symbol));
    CHECK_FALSE(isDemoted({.after = "l: for k = 0; k < x; k = k + 1 {\nstate s {}\n}"}, Why::Symbol));
    CHECK_FALSE(isDemoted({.more = "transient big: float64[x] (CPU_Heap)"}, Why::Symbol));
    CHECK_FALSE(isDemoted({.after = "y = A[x]\nstate s {}"}, Why::Symbol));
    CHECK_FALSE(isDemoted({.after = "y = x + 1\nstate s {\nu: o = 1  with o: float64 -> B[y]\n}"}, Why::Symbol));
    CHECK_FALSE(isDemoted({.state = "t: o = x  with o: float64 -> B[0] (wcr = \"lambda a, b: a + b * x\")"}, Why::Symbol));
    CHECK_FALSE(isDemoted({.before = "u: o = x  with o: float64 -> B[0]"}, Why::Symbol)); // callers pass it
    CHECK_FALSE(isDemoted({.state = "t (CPP): o = x;  with o: float64 -> B[0]"}, Why::Symbol));
    CHECK_FALSE(isDemoted(
        {.state = "t with o: float64 -> B[0] {\n                      x *= 2\n                      o = x\n                }"},
        Why::Effects));
}

TEST_CASE("demote-symbols: names that mean something else") {
    CHECK_FALSE(isDemoted({.after = "state s {\nu: o = x  with x: float64 <- A[0]; o: float64 -> B[1]\n}"}, Why::Names));
    CHECK_FALSE(
        isDemoted({.after = "state s {\nmap m[x = 0:N] (CPU_Multicore) with -> B[0:N] {\nu: o = x  with o: float64 -> B[x]\n}\n}"},
                  Why::Symbol));
    // A local has the name that the connector would get.
    OneEdge program(
        {.state = "t with o: float64 -> B[0] {\n                      __x = x\n                      o = __x\n                }"});
    REQUIRE(PassRun(transforms::createDemoteSymbols())(program.g));
    CHECK(program.node<Tasklet>("t")->code.text() == "__x = __x_\no = __x");
}

TEST_CASE("demote-symbols: assignments of one edge") {
    OneEdge program({.edge = "x = A[i]\nk = i + 1", .state = "t: o = x  with o: float64 -> B[k]"});
    REQUIRE(PassRun(transforms::createDemoteSymbols())(program.g));
    const InterstateEdge &e = *allInterstateEdges(program.g).front();
    REQUIRE(e.assignments.size() == 1);
    CHECK(e.assignments.front().first == Name("k"));
    CHECK(cast<State>(e.src)->label == "first");
}

TEST_CASE("demote-symbols: symbols that are made of each other") {
    const std::string chain = "y = x + 1\nstate s {\nu: o = y  with o: float64 -> B[1]\n}";
    OneEdge both({.after = chain});
    REQUIRE(PassRun(transforms::createDemoteSymbols())(both.g));
    CHECK(both.g.desc(Name("y")));
    CHECK(both.node<Tasklet>("read_y")->code.text() == "__out = __x + 1");
    // A scalar used only to compute another one.
    OneEdge inner({.state = "", .after = chain});
    REQUIRE(PassRun(transforms::createDemoteSymbols())(inner.g));
    CHECK(inner.g.desc(Name("x")));
    // With a limit, neither of them.
    OneEdge limited({.after = chain});
    PassRun run(transforms::createDemoteSymbols());
    run.context.changeLimit = 0;
    CHECK_FALSE(run(limited.g));
}

TEST_CASE("demote-symbols: a symbol with several values") {
    OneEdge program({.after = "l: for k = 0; k < N; k = k + 1 {\nstate b {}\nx = x + A[k]\nstate e {}\n}\n"
                              "state s {\nu: o = x  with o: float64 -> B[1]\n}"});
    REQUIRE(PassRun(transforms::createDemoteSymbols())(program.g));
    CHECK(program.g.desc(Name("x")));
    CHECK(program.node<Tasklet>("read_x", 1)->code.text() == "__out = __x + __in1");
}

TEST_CASE("demote-symbols: the condition of an edge comes first") {
    Graph program(R"(
        sdfg f(A, B) (typed) {
          symbol N, x: int64
          argument A: float64[N] (CPU_Heap)
          argument B: float64[N] (CPU_Heap)
          unstructured u {
            state first {}
            goto second if N > 3
            x = A[3]
            goto third if N <= 3
            state second {
              t: o = x  with o: float64 -> B[0]
            }
            stop
            state third {}
          }
        }
      )");
    PassRun run(transforms::createDemoteSymbols());
    REQUIRE(run(program.g));
    const State *read = program.node<Tasklet>("read_x")->state();
    const std::vector<InterstateEdge *> &in = read->inEdges();
    REQUIRE(in.size() == 1);
    CHECK(in.front()->condition.text() == "N > 3");
    CHECK(read->outEdges().front()->isUnconditional());
    CHECK(in.front()->src->outEdges().front() == in.front());
}

TEST_CASE("demote-symbols: what the graph keeps, and programs for GPUs") {
    CHECK_FALSE(isDemoted({.edge = "",
                           .state = "",
                           .after = "l (optimize = false): for k = 0; k < N; k = k + 1 {\nstate b {}\nx = A[k]\nstate e {\n"
                                    "t: o = x  with o: float64 -> B[k]\n}\n}"},
                          Why::Kept));
    OneEdge program({});
    PassRun run(transforms::createDemoteSymbols());
    run.options.target = pass::Target("cuda");
    CHECK_FALSE(run(program.g));
}

TEST_CASE("demote-symbols: callers pass what they passed") {
    OneEdge program({.edge = "x = A[i] + y"});
    const std::set<Name> before = analysis::freeSymbols(program.g);
    REQUIRE(PassRun(transforms::createDemoteSymbols())(program.g));
    std::set<Name> after = analysis::freeSymbols(program.g);
    after.insert(program.g.passedSymbols.begin(), program.g.passedSymbols.end());
    CHECK(after == before);
}
