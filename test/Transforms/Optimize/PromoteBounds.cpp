// promote-bounds: which containers in loop headers and in control flow inside loops become symbols, and where these are assigned.
#include "Transforms/PassRun.h"

using namespace sdfgc;
using namespace sdfgc::test;
using diag::Why;

namespace {

/// A program with a loop that counts up to a container.
struct OneLoop : Graph {
    struct Text {
        std::string end = "n", body = "t: o = 1.0  with o: float64 -> A[0]", before = "", more = "", inside = "", after = "",
                    first = "0", edge = "", inverted = "";
    };
    explicit OneLoop(const Text &t)
        : Graph(R"(
            sdfg f(A, n, one, idx) (typed) {
              symbol N: int64
              symbol b, i, j, k: int32
              argument A: float64[N] (CPU_Heap)
              argument n: int32 (CPU_Heap)
              argument one: int32[1] (CPU_Heap)
              argument idx: int32[N] (CPU_Heap)
              argument x: float64 (CPU_Heap)
              argument P: Structure {"type": "pointer", "dtype": {"type": "struct", "name": "S", "data": [["x", "int64"], ["y", "int64"]], "length": [], "bytes": 16}} (members = {"x": {"type": "Scalar", "attributes": {"dtype": "int64"}}, "y": {"type": "Scalar", "attributes": {"dtype": "int64"}}})
              transient count: int32 (Register)
              $more
              $before
              state first {}
              $edge
              l$inverted: for i = $first; i < $end; i = i + 1 {
                state body {
                  $body
                }
                $inside
              }
              $after
            }
          )",
                {{"$edge", t.edge},
                 {"$end", t.end},
                 {"$body", t.body},
                 {"$before", t.before},
                 {"$more", t.more},
                 {"$inside", t.inside},
                 {"$after", t.after},
                 {"$first", t.first},
                 {"$inverted", t.inverted}}) {}

    bool run() { return PassRun(transforms::createPromoteBounds())(g); }
    std::string condition(const char *loop = "l") { return block<LoopRegion>(loop)->condition->text(); }
};

/// Does the end of the loop become a symbol?
bool isPromoted(const OneLoop::Text &t, Why why = Why::None) {
    OneLoop program(t);
    PassRun run(transforms::createPromoteBounds());
    run(program.g);
    CHECK(run.why() == why);
    return program.condition().find("_value") != std::string::npos;
}

/// The label of the block behind which a symbol is assigned; empty if no edge does, `...` if several do.
std::string assignedAfter(OneLoop &program, const char *symbol) {
    std::string out;
    for (const InterstateEdge *e : allInterstateEdges(program.g))
        for (const auto &[name, value] : e->assignments)
            if (name == Name(symbol))
                out = out.empty() ? e->src->label : "...";
    return out;
}

const std::string writeCount = "state w {\nw: o = 3 * a  with a: int32 <- one[0]; o: int32 -> count\n}\n";
const std::string writeOne = "w: o = a + 1  with a: int32 <- one[0]; o: int32 -> one[0]";

} // namespace

TEST_CASE("promote-bounds: values that can be read in front of a loop") {
    CHECK(isPromoted({}));
    CHECK(isPromoted({.end = "n - 1"}));
    CHECK(isPromoted({.end = "one"}));
    CHECK(isPromoted({.end = "one[0]"}));
    CHECK(isPromoted({.end = "idx[3]"}));
    CHECK(isPromoted({.end = "idx[k + 1]"}));
    CHECK(isPromoted({.end = "idx[n]"}));
    CHECK(isPromoted({.end = "P.x"}));
    CHECK(isPromoted({.end = "P[0].x"}));
    CHECK(isPromoted({.end = "count", .before = writeCount}));
    CHECK_FALSE(isPromoted({.end = "x"}));                       // a real number
    CHECK_FALSE(isPromoted({.end = "idx[i]"}, Why::Dependence)); // another one in each iteration
    CHECK_FALSE(isPromoted({.end = "count[1]"}));
    CHECK_FALSE(isPromoted({.end = "g", .more = "argument g: int32 (GPU_Global)"}));
    CHECK_FALSE(isPromoted({.end = "r[0]", .more = "reference r: int32[1]"}));
    CHECK_FALSE(isPromoted({.end = "(3 if n is None else 4)"}));
}

TEST_CASE("promote-bounds: loops that change the value") {
    CHECK_FALSE(isPromoted({.end = "n", .body = "w: o = 3  with o: int32 -> n"}, Why::Dependence));
    CHECK_FALSE(isPromoted({.end = "one", .body = writeOne}, Why::Dependence));
    CHECK_FALSE(isPromoted({.end = "idx[0]", .body = "w: o = 3  with o: int32 -> idx[k]"}, Why::Dependence));
    CHECK_FALSE(isPromoted({.end = "idx[k]", .inside = "k = k + 1\nstate s {}"}, Why::Dependence));
    CHECK_FALSE(isPromoted({.end = "idx[k]", .body = "w: k *= 2", .edge = "k = 3"}, Why::Dependence));
    CHECK_FALSE(isPromoted({.end = "P.x", .body = "w: o = 3  with o: int64 -> P.x[0]"}, Why::Dependence));
    CHECK(isPromoted({.end = "P.x", .body = "w: o = 3  with o: int64 -> P.y[0]"}));
    // Through a view, a nested SDFG, a reference, and an argument that may be the same memory.
    CHECK_FALSE(isPromoted({.end = "one",
                            .body = "w: o = 3  with o: int32 -> v[0]\n@v v[0] -> one[0] (is_data_src = true)",
                            .more = "view v: int32[1]"},
                           Why::Dependence));
    CHECK_FALSE(isPromoted({.end = "one",
                            .body = "nested n with q -> one[0] {\nsdfg inner {\nargument q: int32[1]\nstate s {\nw: o = 3  with o: "
                                    "int32 -> q[0]\n}\n}\n}"},
                           Why::Dependence));
    CHECK_FALSE(isPromoted({.end = "one",
                            .body = "w: o = 3  with o: int32 -> r[0]",
                            .before = "state set {\none[0] -> new r:set\n}\n",
                            .more = "reference r: int32[1]"},
                           Why::Dependence));
    const std::string may = "argument p: int32[1] (CPU_Heap, may_alias = true)\nargument q: int32[1] (CPU_Heap, may_alias = true)";
    CHECK_FALSE(isPromoted({.end = "p[0]", .body = "w: o = 3  with o: int32 -> q[0]", .more = may}, Why::Dependence));
    CHECK(isPromoted({.end = "n", .body = "w: o = 3  with o: int32 -> q[0]", .more = may}));
}

TEST_CASE("promote-bounds: values that may not be read in front of a loop") {
    CHECK_FALSE(isPromoted({.end = "5 and i < idx[k]"}));
    CHECK(isPromoted({.end = "5 and i < n"}));
    CHECK_FALSE(isPromoted({.end = "5 and i < null[0]", .more = "argument null: int32[1] (CPU_Heap, optional = true)"}));
    CHECK_FALSE(isPromoted({.end = "5 and i < count"})); // unwritten
    CHECK_FALSE(isPromoted({.end = "(idx[k] if N > k else 3)"}));
    CHECK_FALSE(isPromoted({.end = "idx[k]", .inverted = " (inverted)"})); // the body may leave the loop before
    CHECK(isPromoted({.end = "n", .inverted = " (inverted)"}));
    CHECK_FALSE(isPromoted({.end = "5 and i < one[0]"})); // the caller may omit it
    CHECK(isPromoted({.end = "5 and i < own[0]",
                      .before = "state w {\nw: o = 3 * a  with a: int32 <- one[0]; o: int32 -> own[0]\n}\n",
                      .more = "transient own: int32[1] (CPU_Heap)"}));
}

TEST_CASE("promote-bounds: the place") {
    OneLoop atStart({});
    REQUIRE(atStart.run());
    CHECK(atStart.g.symbols[Name("n_value")] == Type(ScalarKind::Int32));
    CHECK(assignedAfter(atStart, "n_value") == "values");
    CHECK(atStart.g.start()->label == "values");

    OneLoop afterWrite({.end = "count",
                        .before = writeCount + "state s {}\n",
                        .after = "k = count\nstate last {\nt: o = 1.0  with o: float64 -> A[k]\n}"});
    REQUIRE(afterWrite.run());
    CHECK(assignedAfter(afterWrite, "count_value") == "first"); // the states in between stay a chain
    CHECK(allInterstateEdges(afterWrite.g).back()->assignments.front().second == "count_value");

    OneLoop element({.end = "idx[k]", .edge = "k = 3"}); // the edge to the loop sets the index
    REQUIRE(element.run());
    CHECK(assignedAfter(element, "idx_value") == "bounds");
    CHECK(assignedAfter(element, "k") == "first");

    OneLoop ofIndex({.end = "idx[one[0]]", .after = "state w {\n" + writeOne + "\n}"});
    REQUIRE(ofIndex.run());
    CHECK(assignedAfter(ofIndex, "one_value") == "first");
    CHECK(assignedAfter(ofIndex, "idx_value") == "bounds");
    CHECK(ofIndex.condition() == "i < idx_value");

    const std::string loops = "outer: for b = 0; b < N; b = b + 1 {\ninner: for j = 0; j < count; j = j + 1 {\nstate s {}\n}\n}";
    const std::string again = replaced(writeCount, {{"state w", "state v"}});
    OneLoop nested({.after = writeCount + again + loops});
    REQUIRE(nested.run());
    CHECK(assignedAfter(nested, "count_value") == "v"); // in front of the outer loop
    OneLoop unknown({.after = "if N > 3 {\n" + writeCount + "}\nif N > 4 {\n" + again + "}\n" + loops});
    REQUIRE(unknown.run());
    CHECK(assignedAfter(unknown, "count_value") == "bounds"); // it may be unwritten before
    CHECK(unknown.block<LoopRegion>("outer")->blocks().size() == 2);
}

TEST_CASE("promote-bounds: uses in a loop") {
    OneLoop program({.end = "N",
                     .inside =
                         "k = n + i\nstate s {\nt: o = j  with o: float64 -> A[k]\n}\nj = n / 2\nstate e {\nu: o = j  with o: "
                         "float64 -> A[0]\n}\nif n > 3 and one > 2 {\nstate c {\nw: o = 1  with o: int32 -> one[0]\n}\n}"});
    REQUIRE(program.run());
    std::map<std::string, std::string> values;
    for (const InterstateEdge *e : allInterstateEdges(program.g))
        for (const auto &[symbol, value] : e->assignments)
            values[symbol.str()] = value;
    CHECK(values["k"] == "n_value + i");
    CHECK(values["j"] == "n / 2"); // demote-symbols makes it a scalar
    for (const Block *b : allBlocks(std::as_const(program.g)))
        if (const auto *c = dyn_cast<ConditionalBlock>(b))
            CHECK(c->branches().front().condition->text() == "n_value > 3 and one > 2");
    CHECK_FALSE(OneLoop({.end = "N", .after = "k = n\nstate s {\nt: o = 1.0  with o: float64 -> A[k]\n}"}).run()); // no loop
}

TEST_CASE("promote-bounds: names") {
    OneLoop program({.before = "state m {\nmap m[n_value = 0:N] (CPU_Multicore) with -> A[0:N] {\nt: o = 1.0  with o: float64 -> "
                               "A[n_value]\n}\n}\n",
                     .more = "symbol one_value: int64"});
    REQUIRE(program.run());
    CHECK(program.condition() == "i < n_value_");
}
