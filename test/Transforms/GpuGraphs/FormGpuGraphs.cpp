// form-gpu-graphs: which steps become part of a graph, which stay outside and why, and how steps are sorted.
#include "Transforms/PassRun.h"

#include "sdfgc/Analysis/Device/GraphRegions.h"
#include "sdfgc/Serialize/Text.h"

using namespace sdfgc;
using namespace sdfgc::test;
using diag::Why;

namespace {

/// A kernel that writes `to[i] = from[i] + 1`.
std::string kernel(const std::string &name, const std::string &from, const std::string &to, const std::string &attributes = "") {
    return "map " + name + "[i = 0:N] (GPU_Device" + attributes + ") with IN_x: pointer(float64) <- " + from +
           "[0:N]; OUT_y: pointer(float64) -> " + to + "[0:N] {\n" + name + ": y = x + 1  with x: float64 <- " + from +
           "[i]; y: float64 -> " + to + "[i]\n}\n";
}

struct Steps : Graph {
    explicit Steps(const std::string &body, const std::string &head = "")
        : Graph(R"(
            sdfg f(A, B, C) (typed) {
              symbol N, n, k: int64
              argument A: float64[N] (CPU_Heap)
              argument B: float64[N] (GPU_Global)
              argument C: float64[N] (GPU_Global)
              argument P: float64[N] (CPU_Pinned)
              transient a: float64[N] (GPU_Global)
              transient b: float64[N] (GPU_Global)
              transient h: float64 (Register)
              transient e: float64 (Register)
              $head
              $body
            }
          )",
                {{"$body", body}, {"$head", head}}) {}
};

/// The labels of blocks in order; for formed regions, with their contents.
std::string layout(Region &r) {
    std::string out;
    for (Block *b : analysis::blocksInOrder(r)) {
        out += (out.empty() ? "" : " ") + b->label;
        if (auto *inner = dyn_cast<Region>(b))
            out += std::string(inner->graph == GraphMark::Formed ? "!" : "") + "(" + layout(*inner) + ")";
    }
    return out;
}

struct Formed : PassRun {
    explicit Formed(const std::string &mode = "auto", int64_t least = 2) : PassRun(transforms::createFormGpuGraphs()) {
        pass->options = {{"mode", mode}, {"min-nodes", least}, {"max-nodes", int64_t(4096)}, {"entries", int64_t(8)}};
    }
    std::string operator()(Steps &program) {
        PassRun::operator()(program.g);
        return layout(program.g);
    }
    bool missed(Why why) const {
        return std::any_of(context.remarks.begin(), context.remarks.end(), [why](const auto &r) { return r.why == why; });
    }
};

std::string state(const std::string &label, const std::string &body) { return "state " + label + " {\n" + body + "}\n"; }

} // namespace

TEST_CASE("form-gpu-graphs: runs of states with operations of the device") {
    Steps program(state("in", "A[0:N] -> a (Linear)\n") + state("one", kernel("k", "a", "b")) +
                  state("two", kernel("l", "b", "C")) + state("out", "b[0:N] -> A (Linear)\n"));
    Formed pass;
    CHECK(pass(program) == "in enter_graph_one graph_one!(one two) out");
    CHECK(pass.missed(Why::HostMemory));
    // Formed regions do not change.
    Formed again;
    CHECK(again(program) == "in enter_graph_one graph_one!(one two) out");
    Region &formed = static_cast<Region &>(*analysis::blocksInOrder(program.g)[2]);
    CHECK(analysis::gateOf(formed)->label == "enter_graph_one");
    CHECK(analysis::graphAround(*formed.blocks()[1]) == &formed);
    CHECK_FALSE(analysis::graphAround(*program.g.blocks()[0]));
}

TEST_CASE("form-gpu-graphs: too few or too many operations") {
    const std::string two = state("one", kernel("k", "B", "b")) + state("two", kernel("l", "b", "C"));
    Steps few(two);
    Formed pass("auto", 3);
    CHECK(pass(few) == "one two");
    CHECK(pass.why() == Why::Small);
    Steps many(two);
    Formed most;
    most.pass->options["max-nodes"] = int64_t(1);
    CHECK(most(many) == "one two");
    CHECK(most.why() == Why::Budget);
}

TEST_CASE("form-gpu-graphs: the host's steps move in front and behind") {
    Steps program(state("one", "A[0:N] -> a (Linear)\n" + kernel("k", "a", "b") + "t: y = 2.0  with y: float64 -> h[0]\n") +
                  state("two",
                        "map l[i = 0:N] (GPU_Device) with IN_x: pointer(float64) <- b[0:N], IN_s: float64 <- h[0]; OUT_y: "
                        "pointer(float64) -> C[0:N] {\nl: y = x + s  with x: float64 <- b[i], s: float64 <- h[0]; y: float64 -> "
                        "C[i]\n}\nb[0:N] -> A (Linear)\n"));
    Formed pass;
    CHECK(pass(program) == "one enter_graph_one_1 graph_one_1!(one_1 two) two_1");
    const std::string text = serialize::print(program.g);
    CHECK(text.find("A[0:N] -> a") < text.find("named graph_one_1"));
    CHECK(text.find("y = 2.0") < text.find("named graph_one_1"));
    CHECK(text.find("b[0:N] -> A") > text.find("state two_1"));
}

TEST_CASE("form-gpu-graphs: a loop of the device in a nested SDFG is one, also where the state around it is cut") {
    const std::string flag = "map f[t = 0] (GPU_Device) with OUT_y: pointer(bool) -> go[0] {\n"
                             "f: y = False  with y: bool -> go[0]\n}\n",
                      look = "go[0] -> host_go[0] (Linear)\n";
    const std::string loop = "nested n[N = N] (no_inline) with B: pointer(float64) <- a[0:N]; B: pointer(float64) -> a[0:N] {\n"
                             "sdfg n (typed) {\nsymbol N: int64\nargument B: float64[N] (GPU_Global)\n"
                             "transient go: bool[1] (GPU_Global)\ntransient host_go: bool (Register)\n" +
                             state("arm", flag) + state("look", look) + "loop: while host_go {\n" +
                             state("body", kernel("m", "B", "B") + flag) + state("look_again", look) + "}\n" + state("last", "") +
                             "}\n}\n";
    for (const bool cut : {false, true}) {
        Steps program(state("one", "A[0:N] -> a (Linear)\n") +
                      state("two", kernel("k", "B", "b") + kernel("l", "b", "C") + loop + (cut ? "b[0:N] -> A (Linear)\n" : "")));
        Formed pass("auto", 1);
        CHECK(pass(program) == (cut ? "one enter_graph_two graph_two!(two) two_1" : "one enter_graph_two graph_two!(two)"));
        CHECK(std::count_if(pass.context.remarks.begin(), pass.context.remarks.end(),
                            [](const auto &r) { return r.text.find("a GPU graph of 6 operations") != std::string::npos; }) == 1);
    }
}

TEST_CASE("form-gpu-graphs: what the host needs of a kernel keeps its place") {
    // The host reads e between the kernels, and the second one needs the host's result.
    Steps program(
        state("one", kernel("k", "B", "b") + "b[0] -> e[0] (Linear)\n") +
        state("two", "t: y = x * 2  with x: float64 <- e[0]; y: float64 -> h[0]\n" +
                         std::string("map l[i = 0:N] (GPU_Device) with IN_s: float64 <- h[0]; OUT_y: pointer(float64) -> C[0:N] {\n"
                                     "l: y = s  with s: float64 <- h[0]; y: float64 -> C[i]\n}\n")));
    Formed pass("auto", 1);
    CHECK(pass(program) == "enter_graph_one graph_one!(one) one_1 two enter_graph_two_1 graph_two_1!(two_1)");
    CHECK(pass.missed(Why::DeviceValue));
}

TEST_CASE("form-gpu-graphs: loops and branches of the host have graphs inside") {
    Steps program("loop: for k = 0; k < 10; k = k + 1 {\n" + state("one", kernel("k", "B", "b")) +
                  state("two", kernel("l", "b", "C")) + "}\nbranch: if n > 0 {\n" + state("three", kernel("m", "B", "b")) +
                  state("four", kernel("o", "b", "C")) + "}\n");
    Formed pass;
    CHECK(pass(program) == "loop(enter_graph_one graph_one!(one two)) branch");
    const auto *branch = dyn_cast<ConditionalBlock>(program.g.blocks()[1].get());
    REQUIRE(branch);
    CHECK(layout(*branch->branches()[0].region) == "enter_graph_three graph_three!(three four)");
    // Assignments along the way separate runs, except for assignments of symbols, which move to the front.
    for (const auto &[value, expected] : {std::pair("h[0]", "enter_graph_one graph_one!(one) enter_graph_two graph_two!(two)"),
                                          std::pair("n + 1", "before_one enter_graph_one graph_one!(one two)")}) {
        Steps assigned(state("one", kernel("k", "B", "b")) + "goto two\nk = " + value + "\n" + state("two", kernel("l", "b", "C")));
        Formed single("auto", 1);
        CHECK(single(assigned) == expected);
    }
}

TEST_CASE("form-gpu-graphs: what stands in the way in a region is said once") {
    Steps program("named inner {\n" + state("one", kernel("k", "B", "b") + "b[0] -> e[0] (Linear)\n") + "}\n");
    Formed pass("auto", 1);
    CHECK(pass(program) == "inner(enter_graph_one graph_one!(one) one_1)");
    const auto &remarks = pass.context.remarks;
    CHECK(std::count_if(remarks.begin(), remarks.end(), [](const auto &r) { return r.why == Why::DeviceValue; }) == 1);
}

TEST_CASE("form-gpu-graphs: marks") {
    const std::string body = "loop (gpu_graph = off): for k = 0; k < 10; k = k + 1 {\n" + state("one", kernel("k", "B", "b")) +
                             state("two", kernel("l", "b", "C")) + "}\n" + state("three", kernel("m", "B", "b")) +
                             state("four", kernel("o", "b", "C"));
    Steps program(body);
    Formed pass;
    CHECK(pass(program) == "loop(one two) enter_graph_three graph_three!(three four)");
    // Without an option, the marks determine where.
    Steps unmarked(state("one", kernel("k", "B", "b")) + state("two", kernel("l", "b", "C")));
    CHECK(Formed("")(unmarked) == "one two");
    unmarked.g.graph = GraphMark::Auto;
    CHECK(Formed("")(unmarked) == "enter_graph_one graph_one!(one two)");
    Steps required(state("one", kernel("k", "B", "b")) + state("two", kernel("l", "b", "C")));
    required.g.graph = GraphMark::Require;
    Formed refused("off");
    CHECK(refused(required) == "one two");
    CHECK(refused.reported(diag::Id::GraphRefused));
}

TEST_CASE("form-gpu-graphs: what is required and cannot be") {
    auto reported = [](const std::string &body, const std::string &head = "") {
        Steps program(body, head);
        Formed pass("require", 1);
        pass(program);
        for (const auto &d : pass.diags.sorted())
            if (d.id == diag::Id::GraphRequired)
                return d.message;
        return std::string();
    };
    // Copies between the caller's memory and the device, and other host code, are placed around graphs.
    CHECK(reported(state("one", "A[0:N] -> a (Linear)\n" + kernel("k", "a", "b") + "t: y = 2.0  with y: float64 -> h[0]\n")) == "");
    CHECK(reported(state("one", kernel("k", "B", "b", ", instrument = GPU_Events"))) ==
          "cannot be part of the GPU graph that --gpu-graph require asks for: the kernel is measured");
    CHECK(reported(state("one", kernel("k", "B", "b", ", stream = 2"))) ==
          "cannot be part of the GPU graph that --gpu-graph require asks for: the kernel has a stream of its own");
    CHECK(reported(state("one", kernel("k", "B", "b") + "b[0] -> e[0] (Linear)\n")) ==
          "cannot be part of the GPU graph that --gpu-graph require asks for: the host needs `e` here");
    CHECK(reported("state zero {}\ngoto one\nk = n + 1\n" + state("one", kernel("k", "B", "d")),
                   "transient d: float64[k] (GPU_Global)")
              .find("the size of `d` is computed") != std::string::npos);
}

TEST_CASE("form-gpu-graphs: calls of libraries") {
    const auto call = [](const std::string &code, const std::string &attributes = "", const std::string &input = "") {
        return "t (Library" + attributes + "): " + code + "  with x: pointer(float64) <- B[0:N]" + input +
               "; y: pointer(float64) -> C[0:N]\n";
    };
    const auto why = [](const std::string &tasklet) {
        Steps program(state("one", kernel("k", "B", "a") + tasklet));
        Formed pass("require", 1);
        pass(program);
        const std::string begin = "cannot be part of the GPU graph that --gpu-graph require asks for: ";
        for (const auto &d : pass.diags.sorted())
            if (d.id == diag::Id::GraphRequired)
                return d.message.substr(begin.size());
        return std::string();
    };
    Steps program(state("one", kernel("k", "a", "B")) + state("two", call("gpuBlas.axpy(N, 1, x, 1, y, 1)")));
    CHECK(Formed()(program) == "enter_graph_one graph_one!(one two)");
    CHECK(why(call("gpuBlas.axpy(N, 1, x, 1, y, 1)")).empty());
    CHECK(why(call("gpuPrimitives.reduce(x, 1, N, y)")) ==
          "`gpuPrimitives.reduce` is called: BLAS is the only library that graphs can record");
    CHECK(why(call("gpuBlas.axpy(N, 1, x, 1, y, 1)", ", instrument = GPU_Events")) == "the call is measured");
    CHECK(why(call("gpuBlas.axpy(N, s, x, 1, y, 1)", "", ", s: float64 <- h[0]")) == "the call gets `h` of the host");
    CHECK(why(call("nothing(x)")) == "`nothing` is not a library function that sdfgc knows");
    CHECK(why("t (Library) with x: pointer(float64) <- B[0:N]; y: pointer(float64) -> C[0:N] {\n  for p in range(4):\n"
              "    gpuBlas.axpy(4, 1, x + p * 4, 1, y + p * 4, 1)\n}\n") == "the batch is more than one call");
    const auto inLoop = [&](const std::string &input, const std::string &count) {
        Steps program("for i = 0; i < 4; i = i + 1 {\n" +
                      state("one", kernel("k", "B", "a") + "t (Library): gpuBlas.axpy(" + count +
                                       ", 1, x, 1, y, 1)  with x: pointer(float64) <- B[" + input +
                                       "]; y: pointer(float64) -> C[0:N]\n") +
                      "}\n");
        Formed pass("auto", 1);
        pass(program);
        return pass.context.remarks.empty() ? std::string() : pass.context.remarks.front().text;
    };
    CHECK(inLoop("0:N", "N").find("change with") == std::string::npos);
    CHECK(inLoop("i:N", "N").find("arguments of the call depend on `i` in each iteration of a loop") != std::string::npos);
    CHECK(inLoop("0:N", "N - i").find("arguments of the call depend on `i` in each iteration of a loop") != std::string::npos);
    CHECK(why("t (CPP): call(x, y);  with x: pointer(float64) <- B[0:N]; y: pointer(float64) -> C[0:N]\n") ==
          "host code accesses device memory");
}

TEST_CASE("form-gpu-graphs: copies with page-locked memory of the caller") {
    Steps program(state("one", "P[0:N] -> a (Linear)\n" + kernel("k", "a", "b") + "b[0:N] -> P (Linear)\n"));
    CHECK(Formed("auto", 3)(program) == "enter_graph_one graph_one!(one)");
}
