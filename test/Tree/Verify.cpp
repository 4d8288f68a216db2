// The rules of the schedule tree: each is violated by a text that differs from a valid one in one place.
#include "sdfgc/Tree/Verify.h"
#include "Tree/Parsed.h"

using namespace sdfgc;
using namespace sdfgc::test;

namespace {

/// Codes and messages that verify reports for a module with these functions.
std::vector<std::string> faults(const std::string &functions, const std::string &head = "") {
    const auto m = parsed("module m" + head + " {\n" + functions + "}\n");
    diag::Engine diagnostics;
    const bool holds = tree::verify(*m, diagnostics);
    std::vector<std::string> out;
    for (const diag::Diagnostic &d : diagnostics.sorted())
        out.push_back(std::string(diag::info(d.id).name) + ": " + d.message + " @ " + d.place.element);
    CHECK(holds == out.empty());
    return out;
}
using Faults = std::vector<std::string>;

std::string function(const std::string &body, const std::string &head = "function f(A: pointer float64, N: int64)") {
    return head + " {\n" + body + "}\n";
}

} // namespace

TEST_CASE("verify: a tree that keeps all rules") {
    CHECK(faults(function("declare x: float64 = 0.0\n"
                          "for i: int64 from 0 to N - 1 parallel reduce sum x {\n"
                          "  update x[0] with A[i] by sum\n"
                          "}\n"
                          "A[0] = x[0]\n")) == Faults{});
}

TEST_CASE("verify: numbers name something") {
    auto m = parsed("module m {\n" + function("A[N] = 1.0\n") + "}\n");
    const tree::FunctionId f(0);
    m->functions[f]->refs.begin()->var = tree::VarId(7);
    diag::Engine diagnostics;
    CHECK_FALSE(tree::verify(*m, diagnostics));
    REQUIRE(diagnostics.all().size() == 1);
    CHECK(diagnostics.all()[0].message == "the variable of a memory reference has the number 7, but there are 2");

    m = parsed("module m {\n" + function("", "function g()") + function("call g()\n") + "}\n");
    static_cast<tree::Call &>(*m->functions[tree::FunctionId(1)]->body.body[0]).function = tree::FunctionId(1);
    diag::Engine recursive;
    CHECK_FALSE(tree::verify(*m, recursive));
    CHECK(recursive.all()[0].id == diag::Id::TreeNumber);
}

TEST_CASE("verify: variables are declared before they are used, around the use") {
    CHECK(faults(function("if N > 1 {\n"
                          "  declare x: float64 = 1.0\n"
                          "}\n"
                          "declare y: float64 = x\n")) ==
          Faults{"TreeUndeclared: `x` is used outside the scope of its declaration @ function f: declare"});
    CHECK(faults(function("for i: int64 from 0 to n {\n"
                          "  A[i] = 1.0\n"
                          "}\n"
                          "declare n: int64 = 3\n")) ==
          Faults{"TreeUndeclared: `n` is used outside the scope of its declaration @ function f: for"});
    CHECK(faults(function("uses x'1: float64\n"
                          "x'1[0] = 1.0\n")) ==
          Faults{"TreeUndeclared: `x` is used outside the scope of its declaration @ function f: code"});
}

TEST_CASE("verify: constants of the module are declared nowhere") {
    const std::string uses = "function f(A: pointer float64) {\nuses c: const float64\nA[0] = c[0]\n}\n";
    CHECK(faults("constant c of float64 values (\"1.0\")\n" + uses) == Faults{});
    CHECK(faults(uses) == Faults{"TreeUndeclared: `c` is used outside the scope of its declaration @ function f: code"});
}

TEST_CASE("verify: what is visible at one place has different names") {
    CHECK(faults(function("declare N: int64 = 3\n")) ==
          Faults{"TreeNameTwice: `N` is declared where another variable of the same name is visible @ function f: declare"});
    CHECK(faults(function("for i: int64 from 0 to 3 {\n}\nfor i: int64 from 0 to 3 {\n}\n")) == Faults{});
}

TEST_CASE("verify: a variable is declared once") { // the text form has no other way to express it
    auto m = parsed("module m {\n" + function("for i: int64 from 0 to 3 {\n}\nfor i: int64 from 0 to 3 {\n}\n") + "}\n");
    const auto &body = m->functions[tree::FunctionId(0)]->body.body;
    static_cast<tree::For &>(*body[1]).var = static_cast<tree::For &>(*body[0]).var;
    diag::Engine diagnostics;
    CHECK_FALSE(tree::verify(*m, diagnostics));
    REQUIRE(diagnostics.all().size() == 1);
    CHECK(diagnostics.all()[0].message == "`i` is declared by two statements");
}

TEST_CASE("verify: labels stand once") {
    CHECK(faults(function("goto a\nlabel b\n")) == Faults{"TreeLabel: there is no label `a` @ function f: goto"});
    CHECK(faults(function("loop form dowhile declare i: int64 init i = 0 while i < N next i = i + 1 label a {\n"
                          "  if N > 1 {\n    goto a\n  }\n  A[i] = 0.0\n  label a\n}\n")) == Faults{});
    CHECK(faults(function("label a\nlabel a\n")) == Faults{"TreeLabel: label `a` stands twice @ function f: label"});
}

TEST_CASE("verify: jumps stay inside of what threads share") {
    CHECK(faults(function("break\n")) == Faults{"TreeJump: `break` is not in a loop @ function f: break"});
    auto inLoop = [](const std::string &jump, const std::string &parallel) {
        return function("for i: int64 from 0 to N" + parallel + " {\n  " + jump + "\n}\nlabel a\n");
    };
    CHECK(faults(inLoop("break", "")) == Faults{});
    CHECK(faults(inLoop("continue", " parallel")) == Faults{});
    CHECK(faults(inLoop("break", " parallel")) ==
          Faults{"TreeJump: `break` leaves or enters `for`, which threads share @ function f: break"});
    CHECK(faults(inLoop("return", " parallel")) ==
          Faults{"TreeJump: `return` leaves or enters `for`, which threads share @ function f: return"});
    CHECK(faults(inLoop("goto a", " parallel")) ==
          Faults{"TreeJump: `goto` leaves or enters `for`, which threads share @ function f: goto"});
    CHECK(faults(inLoop("goto a", "")) == Faults{});
}

TEST_CASE("verify: parallel loops stand where they may") {
    auto nested = [](const std::string &outer, const std::string &inner) {
        return function(outer + " {\n  for j: int64 from 0 to N" + inner + " {\n    A[j] = 1.0\n  }\n}\n");
    };
    CHECK(faults(nested("region", " parallel within")) == Faults{});
    CHECK(faults(nested("block", " parallel")) == Faults{});
    CHECK(faults(nested("for i: int64 from 0 to N parallel", " parallel threads 2")) == Faults{});
    CHECK(faults(nested("block", " parallel within")) == Faults{"TreeParallel: a statement for several threads distributes its "
                                                                "iterations over a team, but no surrounding region starts one @ "
                                                                "function f: for"});
    CHECK(
        faults(nested("for i: int64 from 0 to N parallel", " parallel")) ==
        Faults{"TreeParallel: a statement for several threads starts a team of threads inside a team without a number of threads @ "
               "function f: for"});
    CHECK(faults(function(
              "region {\nfor i: int64 from 0 to N parallel within {\nfor j: int64 from 0 to N parallel within {\n}\n}\n}\n")) ==
          Faults{"TreeParallel: a statement for several threads distributes its iterations over a team that already "
                 "shares those of a surrounding loop @ function f: for"});
    CHECK(faults(nested("block", " spread threads")) == Faults{"TreeParallel: a statement for several threads is distributed over "
                                                               "blocks and threads, but is not in a kernel @ function f: "
                                                               "for"});
}

TEST_CASE("verify: barriers are reached by all threads that meet") {
    const std::string kernel = "function k(A: pointer float64, N: int64) kernel barriers";
    auto inLoop = [&](const std::string &spread, const std::string &barrier = "barrier") {
        return function("for i: int64 from 0 to N" + spread + " {\n  " + barrier + "\n}\n", kernel);
    };
    CHECK(faults(inLoop(" spread block exact")) == Faults{});
    CHECK(faults(inLoop(" spread blocks")) == Faults{});
    CHECK(faults(inLoop(" spread block once")) ==
          Faults{"TreeBarrier: a barrier is not reached by all threads of the block @ function k: barrier"});
    CHECK(faults(inLoop(" spread blocks", "barrier grid")) ==
          Faults{"TreeBarrier: a barrier is not reached by all threads of the grid @ function k: barrier"});
    CHECK(faults(function("barrier\n")) == Faults{"TreeBarrier: a barrier is not in a kernel @ function f: barrier"});
    CHECK(faults(function("for i: int64 from 0 to N spread block exact {\nif i == 0 {\nbarrier\n}\n}\n", kernel)) ==
          Faults{"TreeBarrier: a barrier is not reached by all threads of the block @ function k: barrier"});
}

TEST_CASE("verify: calls hand over what the function takes") {
    const std::string callee = function("x[0] = 1.0\n", "function g(x: pointer float64, n: int64)");
    CHECK(faults(callee + function("call g(at &A[0], size N)\n")) == Faults{});
    CHECK(faults(callee + function("call g(at &A[0])\n")) ==
          Faults{"TreeCall: `g` cannot be called this way: it takes 2 arguments, not 1 @ function f: call"});
    CHECK(faults(callee + function("call g(size N, size N)\n")) ==
          Faults{"TreeCall: `g` cannot be called this way: it takes memory for `x`, not a size @ function f: call"});
    CHECK(faults(callee + function("launch g(at &A[0], size N)\n"), " streams 1") ==
          Faults{"TreeCall: `g` cannot be called this way: it is not a kernel @ function f: launch"});
}

TEST_CASE("verify: kernels use nothing of the host") {
    const std::string kernel = "function k(A: pointer float64, N: int64) kernel";
    CHECK(faults(function("declare t: pinned float64 count N\nt[0] = A[0]\n", kernel)) ==
          Faults{"TreeKernel: kernel `k` uses `t`, which is on the host @ function k: code",
                 "TreeKernel: kernel `k` uses `t`, which is on the host @ function k: declare"});
    CHECK(faults(function("synchronise 0\n", kernel), " streams 1") ==
          Faults{"TreeKernel: kernel `k` uses `synchronise`, a host statement @ function k: synchronise"});
}

TEST_CASE("verify: late memory is allocated on every path to a use, and released once") {
    auto late = [](const std::string &body) { return function("declare t: late heap float64\n" + body); };
    CHECK(faults(late("allocate t count N\nt[0] = 1.0\n")) == Faults{});
    const Faults none{"TreeNoMemory: `t` is used on a path on which it is not allocated @ function f: code"};
    CHECK(faults(late("if N > 1 {\n  allocate t count N\n}\nt[0] = 1.0\n")) == none);
    CHECK(faults(late("if N > 1 {\n  allocate t count N\n} else {\n  allocate t count 1\n}\nt[0] = 1.0\n")) == Faults{});
    CHECK(faults(late("for i: int64 from 0 to N {\n  allocate t count N\n}\nt[0] = 1.0\n")) == none);
    CHECK(faults(late("if N > 1 {\n  goto a\n}\nallocate t count N\nlabel a\nt[0] = 1.0\n")) == none);
    CHECK(faults(late("allocate t count N\nlabel a\nt[0] = 1.0\nif N > 1 {\n  goto a\n}\n")) == Faults{});
    CHECK(faults(late("loop form dowhile while N > 1 {\n  if N > 2 {\n    continue\n  }\n  allocate t count N\n}\nt[0] = 1.0\n")) ==
          none);
    CHECK(faults(late("loop form dowhile while N > 1 {\n  if N > 2 {\n    break\n  }\n  allocate t count N\n}\nt[0] = 1.0\n")) ==
          none);
    CHECK(faults(late("loop form dowhile while N > 1 {\n  allocate t count N\n}\nt[0] = 1.0\n")) == Faults{});
    auto pool = [](const std::string &body) { return function("declare t: late pool float64\nallocate t count N on 0\n" + body); };
    CHECK(faults(pool("release t on 0\n"), " streams 1") == Faults{});
    CHECK(faults(pool("release t on 0\nrelease t on 0\n"), " streams 1") ==
          Faults{"TreeReleasedTwice: `t` is released on a path on which it is not allocated @ function f: release"});
    CHECK(faults(pool("release t on 0\nsetdevice t[0] count N of float64\n"), " streams 1") ==
          Faults{"TreeNoMemory: `t` is used on a path on which it is not allocated @ function f: setdevice"});
}

TEST_CASE("verify: streams and events have numbers") {
    CHECK(faults(function("synchronise 2\n"), " streams 1") ==
          Faults{"TreeStream: there is no stream 2: the program has 1 @ function f: synchronise"});
    CHECK(faults(function("record 0 on 0\n"), " streams 1") ==
          Faults{"TreeStream: there is no event 0: the program has 0 @ function f: record"});
    CHECK(faults(function("synchronise -1\n"), " streams 1") == Faults{});
}

TEST_CASE("verify: memory of the device is not given back while it is used") {
    auto block = [](const std::string &body) {
        return function("block braces {\n  declare t: device float64 count N\n  setdevice t[0] count N of float64 on 1\n" + body +
                        "}\n");
    };
    const Faults early{"TreeReleasedEarly: `t` is released while stream 1 may still use it @ function f: declare"};
    CHECK(faults(block(""), " streams 2 events 1") == early);
    CHECK(faults(block("synchronise 1\n"), " streams 2 events 1") == Faults{});
    CHECK(faults(block("synchronise 0\n"), " streams 2 events 1") == early);
    CHECK(faults(block("record 0 on 1\nwait 0 on 0\nsynchronise 0\n"), " streams 2 events 1") == Faults{});
    auto pool = [](const std::string &order) {
        return function("declare t: late pool float64\nallocate t count N on 0\nsetdevice t[0] count N of float64 on 1\n" + order +
                        "release t on 0\n");
    };
    CHECK(faults(pool(""), " streams 2 events 1") ==
          Faults{"TreeReleasedEarly: `t` is released while stream 1 may still use it @ function f: release"});
    CHECK(faults(pool("record 0 on 1\nwait 0 on 0\n"), " streams 2 events 1") == Faults{});
}

TEST_CASE("verify: work on the device is followed along every way") {
    auto block = [](const std::string &body) {
        return function("block braces {\n  declare t: device float64 count N\n  setdevice t[0] count N of float64 on 1\n" + body +
                        "}\n");
    };
    auto of = [](const std::string &text) { return faults(text, " streams 2 events 1"); };
    const Faults early{"TreeReleasedEarly: `t` is released while stream 1 may still use it @ function f: declare"};
    CHECK(of(block("if N > 1 {\n  goto a\n}\nsynchronise 1\nlabel a\n")) == early);
    CHECK(of(block("if N > 1 {\n  synchronise 1\n  goto a\n}\nsynchronise 1\nlabel a\n")) == Faults{});
    CHECK(of(block("if N > 1 {\n  return\n}\nsynchronise 1\n")) == early);
    CHECK(of(block("loop form dowhile while N > 1 {\n  synchronise 1\n}\n")) == early); // a loop may have no iterations
    // Work for which the host has waited is complete for every stream: with or without an iteration, stream 0 follows all of it.
    CHECK(of(block("synchronise 1\nloop form dowhile while N > 1 {\n  setdevice t[0] count N of float64 on 1\n  record 0 on 1\n  "
                   "wait 0 on 0\n"
                   "}\nsynchronise 0\n")) == Faults{});
    CHECK(
        of(block("synchronise 1\nloop form dowhile while N > 1 {\n  setdevice t[0] count N of float64 on 1\n}\nsynchronise 0\n")) ==
        early);
    auto inLoop = [&](const std::string &jump) {
        return function("for i: int64 from 0 to N {\n  declare t: device float64 count N\n"
                        "  setdevice t[0] count N of float64 on 1\n  if N > 1 {\n    " +
                        jump + "  }\n  synchronise 1\n}\n");
    };
    CHECK(of(inLoop("break\n")) == early);
    CHECK(of(inLoop("continue\n")) == early);
    CHECK(of(inLoop("synchronise 1\ncontinue\n")) == Faults{});
}

TEST_CASE("verify: an event stands for the work before it, on the ways that have such work") {
    auto block = [](const std::string &body) {
        return faults(function("block braces {\n  declare t: device float64 count N\n" + body + "}\n"), " streams 2 events 1");
    };
    const std::string work = "setdevice t[0] count N of float64 on 1\n", record = "record 0 on 1\n", wait = "wait 0 on -1\n";
    CHECK(block(work + record + wait) == Faults{});
    CHECK(block(work + record + work + wait) ==
          Faults{"TreeReleasedEarly: `t` is released while stream 1 may still use it @ function f: declare"});
    CHECK(block("if N > 1 {\n" + work + record + "}\n" + wait) == Faults{});
    CHECK(block("if N > 1 {\n" + work + "} else {\n" + record + "}\n" + wait) ==
          Faults{"TreeReleasedEarly: `t` is released while stream 1 may still use it @ function f: declare"});
}

TEST_CASE("verify: nodes of graphs") {
    const std::string kernels = "function w(X: pointer float64) kernel threads 32 {\n  X[0] = 1.0\n}\n"
                                "function r(X: const pointer float64, Y: pointer float64) kernel threads 32 {\n  Y[0] = X[0]\n}\n";
    const auto graph = [&kernels](const std::string &body) {
        return faults(kernels +
                          "function f(A: pointer float64, B: pointer float64, C: pointer float64) state {\n  graph g on 0 {\n" +
                          body + "  }\n}\n",
                      " streams 2");
    };
    const std::string write = "launch w(at &A[0]) node 0\n", read = "launch r(at &A[0], at &B[0]) node 1";
    const auto fault = [](const std::string &what, const std::string &statement = "launch") {
        return Faults{"TreeGraph: device graph `g`: " + what + " @ function f: " + statement};
    };
    CHECK(graph(write + read + " after [0]\n") == Faults{});
    CHECK(graph(write + "launch r(at &B[0], at &C[0]) node 1\n") == Faults{});
    CHECK(graph(write + read + "\n") == fault("it is undefined whether node 0 or node 1 comes first; both use `A`"));
    // Through a third node, and through a pointer into the same memory.
    CHECK(graph(write + read + " after [0]\nlaunch w(at &A[0]) node 2 after [1]\n") == Faults{});
    CHECK(graph(write + "declare p: pointer float64 at &A[4]\nlaunch r(at &p[0], at &B[0]) node 1\n") ==
          fault("it is undefined whether node 0 or node 1 comes first; both use `A`"));
    // A later write must follow the reads.
    CHECK(graph("launch r(at &A[0], at &B[0]) node 0\nlaunch w(at &A[0]) node 1\n") ==
          fault("it is undefined whether node 0 or node 1 comes first; both use `A`"));
    CHECK(graph(write + "launch r(at &A[0], at &B[0]) node 2 after [0]\n") == fault("the operation has the number 2, not 1"));
    CHECK(graph(write + read + " after [0, 1]\n") == fault("node 1 comes after `1`, which is not an earlier node"));
    CHECK(graph(write + "transfer from &A[0] to &B[0] of float64 width 4 on 1 node 1 after [0]\n") ==
          fault("an operation is on another stream", "transfer"));
    // Library calls use their arguments, and all of them share one more memory.
    const std::string call = "library \"__state->gpuBlas.dot\" on 0 with value 4 with const at &A[0] with value 1 with at ";
    CHECK(graph(write + call + "&B[0] node 1 after [0]\n") == Faults{});
    CHECK(graph(write + call + "&B[0] node 1\n") ==
          fault("it is undefined whether node 0 or node 1 comes first; both use `A`", "library"));
    CHECK(graph(call + "&B[0] node 0\n" + call + "&C[0] node 1 after [0]\n") == Faults{});
    CHECK(graph(call + "&B[0] node 0\n" + call + "&C[0] node 1\n") ==
          fault("it is undefined whether node 0 or node 1 comes first; both use the workspace of libraries", "library"));
    CHECK(graph("library \"cblas_daxpy\" with value 4\n") == fault("`library` is not a device operation", "library"));
    CHECK(graph(write + "synchronise 0\n") == fault("`synchronise` is not a device operation", "synchronise"));
    CHECK(faults(kernels + "function f(A: pointer float64) state {\n" + write + "}\n", " streams 1") ==
          Faults{"TreeGraph: device graph ``: an operation outside of all graphs has a number @ function f: launch"});
    // There is only one graph function.
    CHECK(faults(kernels + "function f(A: pointer float64, B: pointer float64) state graph {\n" + write + read + "\n}\n",
                 " streams 1") == Faults{"TreeGraph: device graph `f`: it is undefined whether node 0 or node 1 comes first; "
                                         "both use `A` @ function f: launch"});
}

TEST_CASE("verify: indices have a type that a launch chooses") {
    const std::string body = "for i: index int64 from 0 to N - 1 spread {\nA[i] = 1.0\n}\n";
    const std::string head = "function k(A: pointer float64, N: index int64) kernel threads 32";
    CHECK(faults(function(body, head + " index Index range N")) == Faults{});
    CHECK(faults(function(body, head)) ==
          Faults{"TreeKernel: kernel `k` uses `N` as an index, which it cannot be @ function k: block",
                 "TreeKernel: kernel `k` uses `i` as an index, which it cannot be @ function k: block"});
    CHECK(faults(function(body, head + " index Index range M")) ==
          Faults{"TreeKernel: kernel `k` uses `M`, which is not a parameter, to bound its indices @ function k: block"});
    CHECK(faults(function("declare x: index int32 = 1\n", "function k(N: int64) kernel index Index range N")) ==
          Faults{"TreeKernel: kernel `k` uses `x` as an index, which it cannot be @ function k: block"});
}
