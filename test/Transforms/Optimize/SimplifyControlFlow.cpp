// simplify-control-flow: code that runs always, once or never, and tests that leave loops.
#include "Transforms/PassRun.h"

#include "sdfgc/Analysis/Memory/Copies.h"

using namespace sdfgc;
using namespace sdfgc::test;
using diag::Why;

namespace {

/// A program with the tested code in its middle.
struct Flow : Graph {
    explicit Flow(const std::string &middle, const std::string &more = "")
        : Graph(R"(
            sdfg f(A, B, flag) (typed) {
              symbol N, i, j, k: int64
              symbol n: uint32
              argument A: float64[N] (CPU_Heap)
              argument B: float64[N] (CPU_Heap)
              argument flag: int32 (CPU_Heap)
              $more
              state first {}
              $middle
              state end {
                e: o = 1  with o: float64 -> B[0]
              }
            }
          )",
                {{"$middle", middle}, {"$more", more}}) {}

    pass::Context &run(bool unswitch = true) {
        pass_.pass->options["unswitch"] = unswitch;
        changed = pass_(g);
        return pass_.context;
    }
    /// The labels of the remaining tasklets among the requested ones.
    std::string left() const {
        std::string out;
        for (const State *s : allStates(std::as_const(g)))
            for (const Tasklet *t : nodesOf<Tasklet>(*s))
                if (t->label != "e")
                    out += t->label;
        std::sort(out.begin(), out.end());
        return out;
    }
    template <class T> std::size_t count() const {
        std::size_t n = 0;
        for (const Block *b : allBlocks(std::as_const(g)))
            n += isa<T>(b);
        return n;
    }
    /// The values that edges assign, in the order of the edges.
    std::vector<std::string> assigned() const {
        std::vector<std::string> out;
        for (const InterstateEdge *e : allInterstateEdges(std::as_const(g)))
            for (const auto &[symbol, value] : e->assignments)
                out.push_back(symbol.str() + " = " + value);
        std::sort(out.begin(), out.end());
        return out;
    }
    Why why() const { return pass_.why(); }
    bool changed = false;

private:
    PassRun pass_{transforms::createSimplifyControlFlow()};
};

/// A state with a tasklet under a label of one letter.
std::string state(const std::string &label, const std::string &element = "0") {
    return "state s" + label + " {\n" + label + ": o = 2  with o: float64 -> B[" + element + "]\n}\n";
}

std::string left(const std::string &middle) {
    Flow program(middle);
    program.run();
    CHECK(program.g.start()->label == "first");
    return program.left();
}

} // namespace

TEST_CASE("simplify-control-flow: conditions that are known") {
    CHECK(left("if 1 > 2 {\n" + state("a") + "} else {\n" + state("b") + "}") == "b");
    CHECK(left("if N - N == 0 {\n" + state("a") + "} else {\n" + state("b") + "}") == "a");
    CHECK(left("if N > N {\n" + state("a") + "}") == "");
    CHECK(left("if i > 0 {\n" + state("a") + "} else if N >= N {\n" + state("b") + "} else {\n" + state("c") + "}") == "ab");
    CHECK(left("if i > 0 {\n" + state("a") + "} else if N < N {\n" + state("b") + "} else {\n" + state("c") + "}") == "ac");
    CHECK(left("if i > 0 or not (N != N) {\n" + state("a") + "} else {\n" + state("b") + "}") == "a");
    CHECK(left("if N > 0 {\n" + state("a") + "} else {\n" + state("b") + "}") == "ab");        // N may be 0
    CHECK(left("if n >= 0 {\n" + state("a") + "} else {\n" + state("b") + "}") == "ab");       // unsigned: unchanged
    CHECK(left("if flag == flag {\n" + state("a") + "} else {\n" + state("b") + "}") == "ab"); // also containers
    CHECK(left("if N / N == 1 {\n" + state("a") + "} else {\n" + state("b") + "}") == "ab");   // and expressions that may fail
}

TEST_CASE("simplify-control-flow: what is left takes the place of the conditional") {
    Flow program("if 1 < 2 {\n" + state("a") + "k = 3\n" + state("b") + "}");
    program.run();
    CHECK(program.count<ConditionalBlock>() == 0);
    CHECK(program.count<State>() == 4);
    CHECK(program.assigned() == std::vector<std::string>{"k = 3"});
    CHECK(program.g.edges().size() == 3);
    Flow jump("l: for i = 0; i < N; i = i + 1 {\nif 1 < 2 {\n" + state("a") + "break\n}\n}"); // nothing may follow a jump
    jump.run();
    CHECK(jump.count<ConditionalBlock>() == 1);
}

TEST_CASE("simplify-control-flow: what takes another place has a label that nothing there has") {
    for (const char *const around : {"once: for j = 0; j < 1; j = j + 1 {\n", "test: if 1 < 2 {\n"}) {
        Flow program("same: for i = 0; i < N; i = i + 1 {\n" + state("a", "i") + "}\n" + around +
                     "same: for k = 0; k < N; k = k + 1 {\n" + state("b", "k") + "}\n}\n");
        program.run();
        CHECK(program.count<LoopRegion>() == 2);
        std::set<std::string> labels;
        for (const auto &b : program.g.blocks())
            CHECK(labels.insert(b->label).second);
    }
}

TEST_CASE("simplify-control-flow: of a branch without blocks a state is left") {
    Flow program("if 1 < 2 {\n} else {\n" + state("a") + "}");
    program.run();
    CHECK(program.count<ConditionalBlock>() == 0);
    CHECK(program.left() == "");
    CHECK(program.g.blocks().size() == 3);
}

TEST_CASE("simplify-control-flow: an else branch does not stay alone") {
    Flow jump("if 1 > 2 {\n" + state("a") + "} else {\n" + state("b") + "return\n}");
    jump.run();
    CHECK_FALSE(jump.changed);
    CHECK(jump.left() == "ab");
}

TEST_CASE("simplify-control-flow: variables of loops") {
    const std::string test = "if i >= 0 {\n" + state("a") + "} else {\n" + state("b") + "}\n}";
    CHECK(left("l: for i = 0; i < N; i = i + 1 {\n" + test) == "a");
    CHECK(left("l: for i = 7; i >= 2; i = i - 1 {\n" + test) == "a");
    CHECK(left("l: for i = -1; i < N; i = i + 1 {\n" + test) == "ab");
    CHECK(left("l: for i = j; i < N; i = i + 1 {\n" + test) == "ab");
    CHECK(left("l: for i = 0; i < N; i = i + 1 {\nstate x {}\ni = i - 5\n" + test) == "ab");
}

TEST_CASE("simplify-control-flow: loops that run once or never") {
    Flow once("l: for i = 3; i < 4; i = i + 1 {\n" + state("a", "i") + "}");
    once.run();
    CHECK(once.count<LoopRegion>() == 0);
    CHECK(once.left() == "a");
    CHECK(once.assigned() == std::vector<std::string>{"i = 3"});
    Flow read("l: for i = N; i < N + 2; i = i + 2 {\n" + state("a", "i") + "}\nk = i");
    read.run();
    CHECK(read.count<LoopRegion>() == 0);
    CHECK(read.assigned() == std::vector<std::string>{"i = N", "i = N + 2", "k = i"});
    Flow never("l: for i = 4; i < 4; i = i + 1 {\n" + state("a", "i") + "}\nk = i");
    never.run();
    CHECK(never.left() == "");
    CHECK(never.assigned() == std::vector<std::string>{"i = 4", "k = i"});
    Flow down("l: for i = N; i > N - 2; i = i - 3 {\n" + state("a", "i") + "}\nk = i");
    down.run();
    CHECK(down.count<LoopRegion>() == 0);
    CHECK(down.assigned() == std::vector<std::string>{"i = N", "i = N - 3", "k = i"});
    Flow above("l: for i = 3; i > 3; i = i - 1 {\n" + state("a", "i") + "}\nk = i");
    above.run();
    CHECK(above.left() == "");
    CHECK(above.assigned() == std::vector<std::string>{"i = 3", "k = i"});
    CHECK(left("l: for i = 0; i < N; i = i + 1 {\n" + state("a", "i") + "}") == "a");
    const auto loops = [](const std::string &middle) {
        Flow program(middle);
        program.run();
        return program.count<LoopRegion>();
    };
    CHECK(loops("l: for i = 0; i < 2; i = i + 1 {\n" + state("a", "i") + "}") == 1);
    CHECK(loops("l: for i = 0; i < 1; i = i + 1 {\n" + state("a", "i") + "i = i - 1\nstate x {}\n}") == 1); // forever
    CHECK(loops("l: for i = j; i < j + 1; i = i + 1 {\n" + state("a", "i") + "j = j + 1\nstate x {}\n}") == 1);
    CHECK(loops("l: for i = 0; i < 1; i = i + 1 {\nif flag > 0 {\nbreak\n}\n" + state("a", "i") + "}") == 1);
    CHECK(loops("l (optimize = false): for i = 0; i < 1; i = i + 1 {\n" + state("a", "i") + "}") == 1);
    CHECK(loops("l: while N > 3 {\n" + state("a", "0") + "}") == 1);
}

TEST_CASE("simplify-control-flow: tests that leave loops") {
    const auto inLoop = [](const std::string &condition, const std::string &beside = "") {
        return "l: for i = 0; i < N; i = i + 1 {\n" + beside + "if " + condition + " {\n" + state("a", "i") + "} else {\n" +
               state("b", "i") + "}\n}";
    };
    const auto loops = [](const std::string &middle, bool unswitch = true) {
        Flow program(middle, "transient seen: int32 (Register)");
        program.run(unswitch);
        return program.count<LoopRegion>();
    };
    Flow program(inLoop("flag > 0", state("p", "i")));
    program.run();
    CHECK(program.count<LoopRegion>() == 2);
    CHECK(program.count<ConditionalBlock>() == 1);
    CHECK(program.left() == "abpp"); // code next to the test is duplicated
    CHECK(loops(inLoop("flag > 0"), false) == 1);
    CHECK(loops(inLoop("k > 0 and flag == j")) == 2);
    CHECK(loops(inLoop("i > 2")) == 1);
    CHECK(loops(inLoop("A[0] > 0")) == 1); // might not exist if the loop never runs
    CHECK(loops(inLoop("k % j == 0")) == 1);
    CHECK(loops(inLoop("k // j == 0")) == 1);
    CHECK(loops(inLoop("k > 0", "state x {}\nk = k + 1\n")) == 1);
    CHECK(loops(inLoop("flag > 0", "state w {\nw: o = 1  with o: int32 -> flag[0]\n}\n")) == 1);
    CHECK(loops("l: for i = 0; i < N; i = i + 1 {\nif flag > 0 {\n" + state("a", "i") + "break\n}\n}") == 1);
}

TEST_CASE("simplify-control-flow: what iterations have for themselves is not shared by the copies of a loop") {
    Flow program(R"(
        l: for i = 0; i < N; i = i + 1 {
          state beside {
            map m[j = 0:4] (CPU_Multicore) with <- B[0:N]; -> A[0:N] {
              one: o = b + 1  with b: float64 <- B[j]; o: float64 -> own[0]
              two: o = b * 2  with b: float64 <- own[0]; o: float64 -> A[j]
            }
            three: o = i  with o: float64 -> common[0]
          }
          if flag > 0 {
            state a {
              a: o = b  with b: float64 <- common[0]; o: float64 -> B[i]
            }
          } else {
            state b {
              b: o = 2 * b  with b: float64 <- common[0]; o: float64 -> B[i]
            }
          }
        })",
                 "transient own: float64 (Register)\ntransient common: float64 (Register)");
    program.run();
    REQUIRE(program.count<LoopRegion>() == 2);
    const std::set<Name> shared = analysis::sharedContainers(program.g);
    CHECK(!shared.count("own"));
    CHECK(shared.count("common"));
    CHECK(program.g.arrays.size() == 6); // and a second `own`
}

TEST_CASE("simplify-control-flow: a loop in which nothing happens without its test") {
    const std::string test = "l: for i = 0; i < N; i = i + 1 {\nif flag > 0 {\n" + state("a", "i") + "}\n}\n";
    Flow idle(test);
    idle.run();
    CHECK(idle.count<LoopRegion>() == 1);
    Flow counting("l: for i = 0; i < N; i = i + 1 {\nif flag > 0 {\n" + state("a", "i") + "}\nk = k + 1\nstate x {}\n}\n");
    counting.run();
    CHECK(counting.count<LoopRegion>() == 2);
    Flow read(test + "k = i");
    read.run();
    CHECK(read.count<LoopRegion>() == 2); // for the last value of i
}

TEST_CASE("simplify-control-flow: nests of loops") {
    Flow program("l: for j = 0; j < N; j = j + 1 {\nm: for i = 0; i < N; i = i + 1 {\nif flag > 0 {\n" + state("a", "i") +
                 "} else {\n" + state("b", "i") + "}\n}\n}");
    program.run();
    CHECK(program.count<LoopRegion>() == 4);
    const auto *c = program.block<ConditionalBlock>(program.g.blocks()[program.g.blocks().size() - 1]->label);
    REQUIRE(c);
    CHECK(c->branches().size() == 2);
    CHECK(c->parent() == &program.g);
}

TEST_CASE("simplify-control-flow: symbols that only code that is gone gave values") {
    const std::string inner = "m: for j = 0; j < N; j = j + 1 {\n" + state("a", "j") + "}\n";
    Flow never("l: for i = 1; i < 1; i = i + 1 {\n" + inner + "k = 2\nstate x {}\n}\nstate end {}\n");
    never.run();
    for (const char *n : {"i", "j", "k"})
        CHECK_FALSE(never.g.symbols.contains(Name(n)));
    Flow branch("if 1 > 2 {\n" + inner + "}\nstate end {}\n");
    branch.run();
    CHECK_FALSE(branch.g.symbols.contains(Name("j")));
    Flow again("l: for i = 1; i < 1; i = i + 1 {\n" + inner + "}\n" + "n: for j = 0; j < N; j = j + 1 {\n" + state("b", "j") +
               "}\n");
    again.run();
    CHECK(again.g.symbols.contains(Name("j")));
}
