// keep-loops-on-device: which loops the device can control, what they are converted to, and what prevents it.
#include "Transforms/PassRun.h"

#include "sdfgc/Analysis/Device/DeviceLoops.h"
#include "sdfgc/Analysis/Flow/FlowWalk.h"
#include "sdfgc/Serialize/Text.h"

using namespace sdfgc;
using namespace sdfgc::test;
using diag::Why;

namespace {

std::string kernel(const std::string &name, const std::string &range, const std::string &code, const std::string &with) {
    return "map " + name + "[" + range + "] (GPU_Device) with " + with + " {\n" + name + ": " + code + "\n}\n";
}
/// A kernel that changes `r`, of which the host has a copy named `e`.
const std::string body = kernel("k", "i = 0:N", "y = x + 1  with x: float64 <- B[i]; y: float64 -> B[i]",
                                "IN_x: pointer(float64) <- B[0:N]; OUT_y: pointer(float64) -> B[0:N]") +
                         kernel("n", "t = 0:1", "y = x + 1  with x: float64 <- r[0]; y: float64 -> r[0]",
                                "IN_x: pointer(float64) <- r[0]; OUT_y: pointer(float64) -> r[0]");
const std::string lookFirst = "state copy {\n r[0] -> e[0]\n}\n", lookAgain = "state copy_again {\n r[0] -> e[0]\n}\n";

struct Loop : Graph {
    explicit Loop(const std::string &text, const std::string &head = "")
        : Graph(R"(
            sdfg f(B) (typed) {
              symbol N, n: int64
              symbol i, k: int32
              argument B: float64[N] (GPU_Global)
              argument tol: float64 (CPU_Heap)
              transient r: float64[1] (GPU_Global)
              transient e: float64[1] (CPU_Heap)
              $head
              $text
            }
          )",
                {{"$text", text}, {"$head", head}}) {}
};

struct Kept : PassRun {
    explicit Kept(const std::string &mode = "auto") : PassRun("keep-loops-on-device") { pass->options["mode"] = mode; }
};

std::string state(const std::string &text) { return "state body {\n" + text + "}\n"; }

/// The labels of blocks in order, with those inside of loops.
std::string layout(Region &r) {
    std::string out;
    for (Block *b : analysis::blocksInOrder(r)) {
        out += (out.empty() ? "" : " ") + b->label;
        if (auto *inner = dyn_cast<Region>(b))
            out += "(" + layout(*inner) + ")";
    }
    return out;
}

LoopRegion &loopOf(SDFG &g) {
    for (Region *r : allRegions(g))
        if (auto *l = dyn_cast<LoopRegion>(r))
            return *l;
    throw std::logic_error("no loop");
}

std::string codeOf(SDFG &g, const std::string &label) {
    for (State *s : allStates(g))
        for (const Tasklet *t : nodesOf<Tasklet>(*s))
            if (t->label == label)
                return t->code.text();
    return "";
}

/// The reason why a loop stays on the host.
Why whyNot(const std::string &text, const std::string &head = "") {
    Loop program(text, head);
    Kept pass;
    CHECK_FALSE(pass(program.g));
    return pass.why();
}

} // namespace

TEST_CASE("keep-loops-on-device: a loop that the host has copies for") {
    Loop program("state begin {}\nk = 0\n" + lookFirst + "while e[0] > tol and k < n {\n" + state(body) +
                 "k = k + 1\nstate end {}\n" + lookAgain + "}\nstate last {}\n");
    Kept pass;
    CHECK(pass(program.g));
    CHECK(layout(program.g) == "begin arm_loop look_loop loop(body end step_loop look_loop_0) last");
    CHECK(codeOf(program.g, "arm_loop") == "next_k = dace.int32(k)\nout_go = in_r > in_tol and next_k < n\nout_gpu_k = next_k");
    CHECK(codeOf(program.g, "step_loop") == "next_k = dace.int32(in_gpu_k + 1)\nout_go = in_r > in_tol and next_k < n\n"
                                            "out_gpu_k = next_k");
    LoopRegion &l = loopOf(program.g);
    const analysis::DeviceLoops loops(program.g);
    REQUIRE(loops.of(l));
    CHECK(loops.of(l)->flag == Name("go"));
    CHECK(l.condition->text() == "host_go");
    int looks = 0;
    for (const State *s : allStates(program.g))
        looks += loops.lookedAtBy(*s) == loops.of(l);
    CHECK(looks == 2);
    Kept again; // now it depends only on the flag
    CHECK_FALSE(again(program.g));
}

TEST_CASE("keep-loops-on-device: only where graphs are asked for") {
    const std::string text = lookFirst + "while e[0] > tol {\n" + state(body) + lookAgain + "}\n";
    Loop program(text);
    CHECK_FALSE(Kept("off")(program.g));
    CHECK_FALSE(Kept("")(program.g));
    loopOf(program.g).graph = GraphMark::Off;
    CHECK_FALSE(Kept("require")(program.g));
    loopOf(program.g).graph = GraphMark::Auto;
    CHECK(Kept("")(program.g));
}

TEST_CASE("keep-loops-on-device: loops that test last run once at least") {
    for (const bool updateFirst : {true, false}) {
        Loop program("loop: for k = 0; e[0] > tol and k < n; k = k + 1 {\n" + state(body) + lookFirst + "}\n");
        loopOf(program.g).inverted = true;
        loopOf(program.g).updateBeforeCondition = updateFirst;
        Kept pass;
        CHECK(pass(program.g));
        CHECK(layout(program.g) == "arm_loop loop(body step_loop look_loop)");
        CHECK(codeOf(program.g, "arm_loop") == "next_k = dace.int32(0)\nout_go = True\nout_gpu_k = next_k");
        CHECK(codeOf(program.g, "step_loop") ==
              (updateFirst ? "next_k = dace.int32(in_gpu_k + 1)\nout_go = in_r > in_tol and next_k < n\nout_gpu_k = next_k"
                           : "again = in_r > in_tol and in_gpu_k < n\nnext_k = dace.int32((in_gpu_k + 1) if again else in_gpu_k)\n"
                             "out_go = again\nout_gpu_k = next_k"));
        CHECK(analysis::DeviceLoops(program.g).of(loopOf(program.g)));
    }
}

TEST_CASE("keep-loops-on-device: loops inside come along, with symbols that kernels read themselves") {
    const std::string reads = kernel("m", "t = 0:N", "y = x * k  with x: float64 <- B[t]; y: float64 -> B[t]",
                                     "IN_x: pointer(float64) <- B[0:N]; OUT_y: pointer(float64) -> B[0:N]");
    Loop program(lookFirst + "while e[0] > tol {\ninner: for k = 0; k < n; k = k + 1 {\nstate inside {\n" + reads + "}\n}\n" +
                 state(body) + lookAgain + "}\n");
    Kept pass;
    CHECK(pass(program.g));
    CHECK(layout(program.g) == "arm_loop look_loop loop(arm_inner look_inner inner(inside step_inner look_inner_0) body step_loop "
                               "look_loop_0)");
    const MapEntry *m = nullptr;
    for (State *s : allStates(program.g))
        for (const MapEntry *x : nodesOf<MapEntry>(*s))
            m = x->label == "m" ? x : m;
    REQUIRE(m);
    const Edge *k = m->inEdge(Name("k"));
    REQUIRE(k);
    CHECK(k->memlet.data == Name("gpu_k"));
    CHECK(program.g.symbols.find(Name("k")) == nullptr); // a nested SDFG would need it as an argument, since it does not assign it
    // Values that the host does not need are not copied to it.
    PassRun mirror("mirror-host-reads");
    CHECK_FALSE(mirror(program.g));
}

TEST_CASE("keep-loops-on-device: branches come along, each with a flag") {
    const std::string one =
        "state one {\n" + kernel("o", "t = 0:1", "y = 1.0  with y: float64 -> r[0]", "OUT_y: pointer(float64) -> r[0]") + "}\n";
    Loop program(lookFirst + "while e[0] > tol {\n" + state(body) + "state copy_2 {\n r[0] -> e[0]\n}\n" + "if e[0] > 3 {\n" + one +
                 "} else if k > n {\nstate two {}\nk = k + 1\nstate three {}\n} else {\nstate four {}\n}\n" + lookAgain + "}\n");
    Kept pass;
    CHECK(pass(program.g));
    CHECK(layout(program.g) ==
          "arm_loop look_loop loop(body choose_branch look_branch branch look_branch_0 branch_0 look_branch_1 branch_1 "
          "step_loop look_loop_0)");
    CHECK(codeOf(program.g, "choose_branch") == "holds = in_r > 3\nout_taken = holds\nholds_1 = in_gpu_k > n\n"
                                                "out_taken_0 = not holds and holds_1\nout_taken_1 = not holds and not holds_1");
    const analysis::DeviceLoops decided(program.g);
    int branches = 0;
    for (const Block *b : allBlocks(program.g))
        branches += isa<ConditionalBlock>(b) && decided.of(*b);
    CHECK(branches == 3);
}

TEST_CASE("keep-loops-on-device: a symbol that has a value of the device") {
    Loop program("state begin {}\nk = 1\nwhile k > 0 {\n" + state(body) +
                     "state copy {\nc[0] -> d[0]\n}\nk = d[0]\nstate end {}\n}\n",
                 "transient c: int32[1] (GPU_Global)\ntransient d: int32[1] (CPU_Heap)");
    Kept pass;
    CHECK(pass(program.g));
    CHECK(layout(program.g) == "begin arm_loop look_loop loop(body end step_loop look_loop_0)");
    CHECK(codeOf(program.g, "step_loop") == "next_k = dace.int32(in_c)\nout_go = next_k > 0\nout_gpu_k = next_k");
}

TEST_CASE("keep-loops-on-device: the host gets what it reads after the loop") {
    Loop program("state begin {}\nk = 0\n" + lookFirst + "while e[0] > tol {\n" + state(body) + "k = k + 1\nstate end {}\n" +
                     lookAgain +
                     "}\nstate last {}\nn = k\nstate done {\nt: y = x  with x: float64 <- e[0]; y: float64 -> h[0]\n}\n",
                 "transient h: float64[1] (CPU_Heap)");
    Kept pass;
    CHECK(pass(program.g));
    CHECK(layout(program.g) == "begin arm_loop look_loop loop(body end step_loop look_loop_0) after_loop known_loop last done");
}

TEST_CASE("keep-loops-on-device: what only the caller reads after the loop comes with the end of the program") {
    const std::string loop = "state begin {}\n" + lookFirst + "while e[0] > tol {\n" + state(body) + lookAgain + "}\n";
    const auto after = [&](const std::string &rest) {
        Loop program(loop + rest);
        program.desc("e").transient = false;
        Kept pass;
        CHECK(pass(program.g));
        return layout(program.g).find("after_loop") != std::string::npos;
    };
    const std::string last = "state last {\n r[0] -> e[0]\n}\n";
    CHECK_FALSE(after(last));
    CHECK(after("state last {}\n"));                          // no other copy of it
    CHECK(after("state one {}\nn = e[0]\n" + last));          // the host reads it
    CHECK(after("state one {\n e[0] -> B[0]\n}\n" + last));   // or copies it elsewhere
    CHECK(after("state last {\n r[0] -> e[0]\n}\nreturn\n")); // not the last block of the program
}

TEST_CASE("keep-loops-on-device: a copy in front that others need, too, stays") {
    Loop program("state copy {\n r[0] -> e[0]\n}\ngoto done if n > 3\nthen if n <= 3\nwhile e[0] > tol {\n" + state(body) +
                     lookAgain + "}\nstate done {\nt: y = x  with x: float64 <- e[0]; y: float64 -> h[0]\n}\n",
                 "transient h: float64[1] (CPU_Heap)");
    Kept pass;
    CHECK(pass(program.g));
    CHECK(layout(program.g) == "copy arm_loop look_loop loop(body step_loop look_loop_0) after_loop done");
    CHECK(program.g.blocks()[0]->label == "copy");
    CHECK_FALSE(static_cast<State &>(*program.g.blocks()[0]).nodes().empty());
}

TEST_CASE("keep-loops-on-device: a loop that is left from inside") {
    Loop program("state begin {}\nfor k = 0; k < n; k = k + 1 {\n" + state(body) + lookAgain + "if e[0] <= tol {\nbreak\n}\n" +
                     "state more {\n" + body + "}\n}\nstate last {\nt: y = k  with y: int32 -> q\n}\n",
                 "transient q: int32 (Register)");
    Kept pass;
    CHECK(pass(program.g));
    CHECK(layout(program.g) == "begin arm_loop look_loop loop(body assign_leaves branch_0 choose_goes_on look_goes_on goes_on "
                               "step_loop look_loop_0) after_loop known_loop last");
    CHECK(codeOf(program.g, "assign_leaves") ==
          "next_leaves = dace.int32(1 if in_r <= in_tol else 0)\nout_gpu_leaves = next_leaves");
    CHECK(codeOf(program.g, "choose_goes_on") == "holds = in_gpu_leaves == 0\nout_taken = holds");
    CHECK(codeOf(program.g, "step_loop") == "next_k = dace.int32(in_gpu_k + 1 if in_gpu_leaves == 0 else in_gpu_k)\n"
                                            "out_go = next_k < n and in_gpu_leaves == 0\nout_gpu_k = next_k");
}

TEST_CASE("keep-loops-on-device: the rest of an iteration, and loops inside with jumps of their own") {
    const std::string inner = "for i = 0; i < 3; i = i + 1 {\n" + state(body) + lookAgain + "if e[0] > tol {\nstate skipped {\n" +
                              body + "}\ncontinue\n}\nstate copy_third {\n r[0] -> e[0]\n}\nif e[0] > 2 * tol {\nbreak\n}\n" +
                              "state rest {\n" + body + "}\n}\n";
    Loop program(lookFirst + "while e[0] > tol {\n" + inner + "state again {\n r[0] -> e[0]\n}\n}\nstate last {}\n");
    Kept pass;
    CHECK(pass(program.g));
    CHECK(layout(program.g) == "arm_loop_0 look_loop_1 loop(before_loop assign_leaves arm_loop look_loop loop(before_body "
                               "assign_skips_1 body choose_branch look_branch branch choose_goes_on look_goes_on goes_on step_loop "
                               "look_loop_0) step_loop_0 look_loop_2) last");
}

TEST_CASE("keep-loops-on-device: a loop with jumps that stays is what it was") {
    const std::string sized = kernel("m", "t = 0:k", "y = 1.0  with y: float64 -> B[t]", "OUT_y: pointer(float64) -> B[0:k]");
    Loop program("for k = 0; k < n; k = k + 1 {\n" + state(body) + lookAgain + "if e[0] <= tol {\nbreak\n}\nstate more {\n" +
                 sized + "}\n}\nstate last {}\n");
    const std::string before = serialize::print(program.g);
    Kept pass;
    CHECK_FALSE(pass(program.g));
    CHECK(pass.why() == Why::DeviceValue);
    CHECK(serialize::print(program.g) == before);
}

TEST_CASE("keep-loops-on-device: what stands in the way") {
    const auto loop = [](const std::string &inside, const std::string &condition = "e[0] > tol") {
        return lookFirst + "while " + condition + " {\n" + state(body) + inside + lookAgain + "}\n";
    };
    // The host computes, or there is a branch.
    CHECK(whyNot(loop("state more {\nt: y = x  with x: float64 <- h[0]; y: float64 -> h[0]\n}\n"),
                 "transient h: float64 (Register)") == Why::Host);
    CHECK(whyNot(lookFirst + "while e[0] > tol {\n" + state(body) + lookAgain + "return\n}\n") == Why::ControlFlow);
    // A symbol known only to the device determines the size of a kernel or container, or is an index of control flow.
    const std::string sized = kernel("m", "t = 0:k", "y = 1.0  with y: float64 -> B[t]", "OUT_y: pointer(float64) -> B[0:k]");
    CHECK(whyNot(loop("k = k + 1\nstate more {\n" + sized + "}\n")) == Why::DeviceValue);
    CHECK(whyNot(loop("k = k + 1\nstate more {\nB[k] -> r[0]\n}\n")) == Why::Symbol);
    CHECK(whyNot(loop("k = k + 1\nstate more {}\n", "B[k] > tol")) == Why::Symbol);
    // The host's copy may be outdated.
    CHECK(whyNot(lookFirst + "while e[0] > tol {\n" + lookAgain + state(body) + "}\n") == Why::Container);
    // A kernel cannot read an array of the host.
    CHECK(whyNot(loop("", "e[0] > a[0]"), "argument a: float64[3] (CPU_Heap)") == Why::Container);
    // Edges truncate the quotient, tasklets do not.
    CHECK(whyNot(loop("", "e[0] > tol and n / 2 > 1")) == Why::Opaque);
}

TEST_CASE("keep-loops-on-device: loops that the device has no part in stay") {
    Loop program("loop: for k = 0; k < n; k = k + 1 {\n" + state(body) + "}\n");
    Kept pass;
    CHECK_FALSE(pass(program.g));
    CHECK(pass.context.remarks.empty());
    // Unless they are requested.
    Kept counted;
    counted.pass->options["counted"] = true;
    CHECK(counted(program.g));
    CHECK(layout(program.g) == "arm_loop look_loop loop(body step_loop look_loop_0)");
}
